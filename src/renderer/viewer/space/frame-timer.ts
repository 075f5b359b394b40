import type { Gpu } from '../../../core/gpu/gpu.ts';

/** The cost of a frame. */
export interface FrameCost {
  readonly ms: number;
  /** Whether the time may include other work, so that it is only an upper bound. */
  readonly isBound: boolean;
}

/**
 * Submits a frame and times it. With timestamps, it times the pass that takes nearly all of the time, without the wait before
 * it. Without timestamps it uses the clock, which is exact only if the GPU had no other work.
 * @param draw submits the frame; resolves with the pass's milliseconds, or undefined
 * @returns `done` resolves when the GPU has finished everything, with the milliseconds until then; `time` resolves slightly
 * later with the cost of the frame
 */
export function timed(
  gpu: Pick<Gpu, 'isBusy' | 'device'>,
  draw: () => Promise<number | undefined>,
): { readonly done: Promise<number>; readonly time: Promise<FrameCost> } {
  const isBound = gpu.isBusy;
  const start = performance.now();
  const pass = draw();
  const sinceStart = (): number => performance.now() - start;
  // This fails only if the device is lost, which `Gpu.onLost` reports.
  const done = gpu.device.queue.onSubmittedWorkDone().then(sinceStart, sinceStart);
  const time = Promise.all([done, pass]).then(([ms, passMs]) =>
    passMs === undefined ? { ms, isBound } : { ms: passMs, isBound: false },
  );
  return { done, time };
}
