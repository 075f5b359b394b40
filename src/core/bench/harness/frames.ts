import type { Commands, CommandTimes } from '../../gpu/commands.ts';
import { throwIfAborted } from '../../shared/job.ts';
import type { BenchContext } from './context.ts';

/** The number of frames in flight on the GPU: while one is drawn, the next one is recorded. */
export const inFlight = 2;

export interface FrameTimes {
  /** Milliseconds between finished frames, by the host's clock. */
  readonly intervals: readonly number[];
  /** The stages of each frame. They have no times if the device has no timestamps. */
  readonly times: readonly CommandTimes[];
  readonly seconds: number;
}

/**
 * Draws `frameCount` frames, `rounds` times, as fast as possible, after a warm-up round that compiles pipelines and raises
 * clocks. @param draw submits a frame; resolves when the GPU is done @throws StriaError `aborted`
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

/**
 * Draws frames for `ms` milliseconds, as fast as possible, like a viewer that moves by the clock.
 * @param least the minimum number of frames, however long they take
 * @param draw submits a frame; resolves when the GPU is done. `at`: 0 at the beginning, 1 at the end
 * @throws StriaError `aborted`
 */
export async function runFor(
  { job }: BenchContext,
  ms: number,
  least: number,
  draw: (at: number, onTimes: NonNullable<Commands['onTimes']>) => Promise<void>,
): Promise<FrameTimes> {
  const times: CommandTimes[] = [];
  const finished: number[] = [];
  const pending: Promise<void>[] = [];
  const start = performance.now();
  for (let [frame, at] = [0, 0]; at < 1 || frame < least; frame++) {
    throwIfAborted(job.signal);
    if (pending.length >= inFlight) await pending.shift();
    at = (performance.now() - start) / ms;
    pending.push(
      draw(Math.min(1, at), (found) => times.push(found)).then(() => {
        finished.push(performance.now());
      }),
    );
  }
  await Promise.all(pending);
  return {
    intervals: finished.slice(1).map((at, index) => at - (finished[index] as number)),
    times,
    seconds: ((finished.at(-1) as number) - (finished[0] as number)) / 1000,
  };
}
