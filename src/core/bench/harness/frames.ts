import type { Commands, CommandTimes } from '../../gpu/commands.ts';
import { throwIfAborted } from '../../shared/job.ts';
import type { BenchContext } from './context.ts';

/** Frames that are on the GPU at once: the next is recorded while one is drawn. */
export const inFlight = 2;

export interface FrameTimes {
  /** Milliseconds from one finished frame to the next, by the host's clock. */
  readonly intervals: readonly number[];
  /** Of each frame. Their stages have no times where the device has no timestamps. */
  readonly times: readonly CommandTimes[];
  readonly seconds: number;
}

/**
 * Draws `frameCount` frames `rounds` times over, as fast as they go, after a first round that warms up: pipelines are
 * compiled and clocks raised by it.
 * @param draw submits a frame; resolves when the GPU is done
 * @throws StriaError `aborted`
 */
export async function runFrames(
  { job }: BenchContext,
  frameCount: number,
  rounds: number,
  draw: (frame: number, onTimes: NonNullable<Commands['onTimes']>) => Promise<void>,
): Promise<FrameTimes> {
  const times: CommandTimes[] = [];
  const finished: number[] = [];
  const pending: Promise<void>[] = [];
  for (let frame = 0; frame < (rounds + 1) * frameCount; frame++) {
    throwIfAborted(job.signal);
    if (pending.length >= inFlight) await pending.shift();
    pending.push(
      draw(frame % frameCount, (found) => times.push(found)).then(() => {
        finished.push(performance.now());
      }),
    );
  }
  await Promise.all(pending);
  const kept = finished.slice(frameCount - 1);
  return {
    intervals: kept.slice(1).map((at, index) => at - (kept[index] as number)),
    times: times.slice(frameCount),
    seconds: ((kept.at(-1) as number) - (kept[0] as number)) / 1000,
  };
}
