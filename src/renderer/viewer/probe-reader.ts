import type { VolumeSource } from '../../core/volume/volume-source.ts';
import type { Voxel } from './model/slice-geometry.ts';
import type { BeyondProbe, LayerProbe, Probe } from './model/viewer-api.ts';

interface ProbeWish {
  readonly volume: VolumeSource;
  /** The voxel to read. Outside the volume, only layers are read. */
  readonly voxel: Voxel;
  readonly isBeyond: boolean;
  readonly timePoint: number;
  readonly layers: readonly LayerWish[];
}

/** A voxel of a layer at the same place. */
export interface LayerWish {
  readonly id: string;
  readonly volume: VolumeSource;
  readonly voxel: Voxel;
  readonly timePoint: number;
}

/**
 * Reads the voxel under the pointer back from the GPU, one read at a time. Meanwhile only the latest request is kept. A result
 * is reported even if the pointer has moved on, but not after `clear`.
 */
export class ProbeReader {
  readonly #report: (probe: Probe | undefined, beyond?: BeyondProbe) => void;
  #wanted: ProbeWish | undefined;
  /** The current read, as long as its result is wanted. */
  #read: ProbeWish | undefined;
  #isReading = false;

  /** @param report receives the result; `beyond` has the values of layers outside the volume */
  constructor(report: (probe: Probe | undefined, beyond?: BeyondProbe) => void) {
    this.#report = report;
  }

  clear(): void {
    this.#wanted = undefined;
    this.#read = undefined;
    this.#report(undefined);
  }

  request(volume: VolumeSource, voxel: Voxel, timePoint: number, layers: readonly LayerWish[] = []): void {
    this.#want({ volume, voxel, isBeyond: false, timePoint, layers });
  }

  /** Requests only the values of layers, at a voxel outside the volume. */
  requestBeyond(volume: VolumeSource, voxel: Voxel, timePoint: number, layers: readonly LayerWish[]): void {
    this.#want({ volume, voxel, isBeyond: true, timePoint, layers });
  }

  #want(wish: ProbeWish): void {
    this.#wanted = wish;
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#wanted) {
      const wish = this.#wanted;
      this.#wanted = undefined;
      this.#read = wish;
      const { volume, voxel } = wish;
      const [stored, ...layers] = await Promise.all([readBase(wish), ...wish.layers.map((layer) => readLayer(layer))]);
      if (this.#read !== wish) continue;
      if (stored === undefined) {
        const read = layers.flat();
        this.#report(undefined, read.length > 0 ? { voxel, layers: read } : undefined);
        continue;
      }
      const { slope, intercept } = volume.info;
      const isNearest = volume.decimation > 1 && !volume.file;
      this.#report({ voxel, stored, value: slope * stored + intercept, isNearest, layers: layers.flat() });
    }
    this.#isReading = false;
  }
}

/** Undefined outside the volume, or if the volume, its file or the device is gone. */
async function readBase({ volume, voxel, isBeyond, timePoint }: ProbeWish): Promise<number | undefined> {
  if (isBeyond) return undefined;
  try {
    return await volume.voxel(...voxel, timePoint);
  } catch {
    return undefined;
  }
}

/** Empty if the layer was removed meanwhile. */
async function readLayer({ id, volume, voxel, timePoint }: LayerWish): Promise<readonly LayerProbe[]> {
  try {
    return [{ id, voxel, stored: await volume.voxel(...voxel, timePoint) }];
  } catch {
    return [];
  }
}
