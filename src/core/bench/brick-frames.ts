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

/** What a frame can be long because of: rays, bricks on the GPU, this thread, its garbage, or none of these alone. */
type FrameCause = 'rays' | 'bricks' | 'thread' | 'garbage' | 'other';

/** The part of a frame that took most of its time; `other` if none took half of it. */
export function causeOf(frame: BrickFrameParts): FrameCause {
  const { ms, drawMs = 0, decodeMs = 0, textureMs = 0, copyMs = 0, hostMs, garbageMs = 0 } = frame;
  const parts = { rays: drawMs, bricks: decodeMs + textureMs + copyMs, thread: hostMs, garbage: garbageMs } as const;
  const [cause, most] = (Object.entries(parts) as [FrameCause, number][]).reduce((a, b) => (b[1] > a[1] ? b : a));
  return most >= ms / 2 ? cause : 'other';
}

/** How many frames took longer than `limitMs`, and because of what: `3 (2 rays, 1 garbage)`. */
export function longFrames(frames: readonly BrickFrameParts[], limitMs: number): string {
  const causes = new Map<FrameCause, number>();
  const long = frames.filter(({ ms }) => ms > limitMs);
  for (const frame of long) causes.set(causeOf(frame), (causes.get(causeOf(frame)) ?? 0) + 1);
  const told = [...causes].sort((a, b) => b[1] - a[1]).map(([cause, count]) => `${count} ${cause}`);
  return long.length === 0 ? 'none' : `${long.length} (${told.join(', ')})`;
}

function known(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
