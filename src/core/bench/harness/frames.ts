import type { Commands, CommandTimes } from '../../gpu/commands.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import type { BenchContext } from './context.ts';

/** The number of frames in flight on the GPU: while one is drawn, the next one is recorded. */
export const inFlight = 2;

type OnTimes = NonNullable<Commands['onTimes']>;

/** Submits a frame, which may take a while. `done` resolves when the GPU has drawn it. */
type Draw = (onTimes: OnTimes) => Promise<{ readonly done: Promise<void> }>;

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
  draw: (frame: number, onTimes: OnTimes) => Promise<void>,
): Promise<FrameTimes> {
  const frames = (rounds + 1) * frameCount;
  const { times, finished } = await drawInTurn(job, (frame) => {
    return frame < frames ? async (onTimes) => ({ done: draw(frame % frameCount, onTimes) }) : undefined;
  });
  return frameTimes(finished.slice(frameCount - 1), times.slice(frameCount));
}

/**
 * Draws frames for `ms` milliseconds, as fast as possible, like a viewer that moves by the clock.
 * @param least the minimum number of frames, however long they take
 * @param draw submits a frame. `at`: 0 at the beginning, 1 at the end
 * @throws StriaError `aborted`
 */
export async function runFor(
  { job }: BenchContext,
  ms: number,
  least: number,
  draw: (at: number, onTimes: OnTimes) => ReturnType<Draw>,
): Promise<FrameTimes> {
  const start = performance.now();
  let at = 0;
  const { times, finished } = await drawInTurn(job, (frame) => {
    if (at >= 1 && frame >= least) return undefined;
    at = (performance.now() - start) / ms;
    return (onTimes) => draw(Math.min(1, at), onTimes);
  });
  return frameTimes(finished, times);
}

/** Draws frames until there is no `next` one. If one fails, or the job is aborted, those in flight end first. */
async function drawInTurn(
  job: JobOptions,
  next: (frame: number) => Draw | undefined,
): Promise<{ readonly times: CommandTimes[]; readonly finished: number[] }> {
  const times: CommandTimes[] = [];
  const finished: number[] = [];
  const pending: Promise<void>[] = [];
  try {
    for (let frame = 0; ; frame++) {
      throwIfAborted(job.signal);
      if (pending.length >= inFlight) await pending.shift();
      const draw = next(frame);
      if (!draw) break;
      const { done } = await draw((found) => times.push(found));
      const drawn = done.then(() => {
        finished.push(performance.now());
      });
      // It may fail before the frame ahead of it ends, which is waited for first.
      drawn.catch(() => undefined);
      pending.push(drawn);
    }
    await Promise.all(pending);
    return { times, finished };
  } finally {
    await Promise.allSettled(pending);
  }
}

function frameTimes(finished: readonly number[], times: readonly CommandTimes[]): FrameTimes {
  return {
    intervals: finished.slice(1).map((at, index) => at - (finished[index] as number)),
    times,
    seconds: ((finished.at(-1) as number) - (finished[0] as number)) / 1000,
  };
}
