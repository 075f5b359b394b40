import type { Gpu } from '../../../core/gpu/gpu.ts';

/** What a frame cost. */
export interface FrameCost {
  readonly ms: number;
  /** Other work may be in it: it cost no more than that. */
  readonly isBound: boolean;
}

/**
 * Gives the GPU a frame and times it: by timestamps the pass that takes nearly all of it, whatever it waited for. Where there
 * are none, by the clock, which says what the frame cost only if the GPU had nothing else to do.
 * @param draw resolves with the pass's milliseconds, or undefined
 * @returns done: when the GPU has done all, with the milliseconds from now; time: what is known of it, a little later
 */
export function timed(
  gpu: Pick<Gpu, 'isBusy' | 'device'>,
  draw: () => Promise<number | undefined>,
): { readonly done: Promise<number>; readonly time: Promise<FrameCost> } {
  const isBound = gpu.isBusy;
  const start = performance.now();
  const pass = draw();
  const sinceStart = (): number => performance.now() - start;
  // It fails only with the device, whose loss `Gpu.onLost` tells.
  const done = gpu.device.queue.onSubmittedWorkDone().then(sinceStart, sinceStart);
  const time = Promise.all([done, pass]).then(([ms, passMs]) =>
    passMs === undefined ? { ms, isBound } : { ms: passMs, isBound: false },
  );
  return { done, time };
}
