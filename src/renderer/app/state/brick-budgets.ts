/** Budgets for bricks of volumes that are larger than the GPU's memory, in bytes. */
export interface BrickBudgets {
  /** Compressed bricks in host memory. */
  readonly hostBytes: number;
  /** Compressed bricks in GPU memory. */
  readonly payloadBytes: number;
  /** Decoded bricks in GPU memory. */
  readonly atlasBytes: number;
  /** Decoded bricks once more, as a texture. */
  readonly textureBytes: number;
}

/** The budgets in the settings, in whole MiB. */
export interface BrickMebibytes {
  readonly host: number;
  readonly compressed: number;
  readonly decoded: number;
}

export const defaultBrickMiB: BrickMebibytes = { host: 512, compressed: 1024, decoded: 512 };
/** With less memory there would be too few bricks to see anything. */
export const brickMebibytes = { min: 16, max: 65_536 } as const;

/** Stored budgets; invalid ones are replaced by the default. */
export function checkedBrickMiB(stored: unknown): BrickMebibytes {
  const found = (typeof stored === 'object' && stored !== null ? stored : {}) as Partial<Record<keyof BrickMebibytes, unknown>>;
  const one = (part: keyof BrickMebibytes): number => {
    const value = found[part];
    return typeof value === 'number' && Number.isFinite(value) ? clampBrickMiB(value) : defaultBrickMiB[part];
  };
  return { host: one('host'), compressed: one('compressed'), decoded: one('decoded') };
}

export function clampBrickMiB(mebibytes: number): number {
  return Math.min(brickMebibytes.max, Math.max(brickMebibytes.min, Math.round(mebibytes)));
}

/** @param volumeBytes the limit for volumes in GPU memory: each tier there gets at most half of it, and the texture the rest */
export function brickBudgetsOf({ host, compressed, decoded }: BrickMebibytes, volumeBytes: number): BrickBudgets {
  const onGpu = (mebibytes: number): number => Math.min(mebibytes * 2 ** 20, Math.floor(volumeBytes / 2));
  const [payloadBytes, atlasBytes] = [onGpu(compressed), onGpu(decoded)];
  // Slots of the texture may stay empty.
  const textureBytes = Math.min(2 * atlasBytes, volumeBytes - payloadBytes - atlasBytes);
  return { hostBytes: host * 2 ** 20, payloadBytes, atlasBytes, textureBytes };
}
