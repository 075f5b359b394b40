import type { BrickUpdate } from '../bricks/gpu-bricks.ts';
import type { CommandTimes, StageTime } from '../gpu/commands.ts';
import type { BrickFrameParts } from './harness/result.ts';

/** The parts of an update. */
export function updateParts(
  update: BrickUpdate | undefined,
): Pick<BrickFrameParts, 'decodeMs' | 'textureMs' | 'copyMs' | 'decoded' | 'refreshed'> {
  const stages = update?.times.stages ?? [];
  const last = stages.at(-1);
  const sum = (counts: (label: string) => boolean) =>
    stages.reduce((ms, { label, gpuMs }) => ms + (counts(label) ? (gpuMs ?? Number.NaN) : 0), 0);
  const all = sum(() => true);
  const textureMs = sum((label) => label === 'texture');
  return {
    decodeMs: known(all - textureMs),
    textureMs: known(textureMs),
    copyMs: known((last?.startMs ?? 0) + (last?.gpuMs ?? 0) - all),
    decoded: update?.decoded ?? 0,
    refreshed: update?.refreshed ?? 0,
  };
}

export function stageMs({ stages }: CommandTimes, name: string): StageTime['gpuMs'] {
  return stages.find(({ label }) => label === name)?.gpuMs;
}

function known(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
