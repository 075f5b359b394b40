import type { Progress } from '../../../core/shared/job.ts';

/** Progress of long work as a bar shows it: stage, amount, total and start. */
export interface JobProgress extends Progress {
  /** `performance.now()` when this stage started, or when its first bytes were done. */
  readonly startedAt: number;
  readonly now: number;
}

export function startProgress(stage: string, total: number | undefined, now: number): JobProgress {
  return { stage, done: 0, total, startedAt: now, now };
}

/** The next state of a bar. A new stage restarts the clock, so that rates belong to the stage. */
export function nextProgress(before: JobProgress, progress: Progress, now: number): JobProgress {
  return { ...progress, startedAt: progress.stage === before.stage ? before.startedAt : now, now };
}

/** The done fraction, 0 to 1; undefined if the total is unknown. */
export function fraction(progress: Progress): number | undefined {
  return progress.total === undefined || progress.total === 0 ? undefined : Math.min(1, progress.done / progress.total);
}

/** Bytes per second since the stage started, and milliseconds left; undefined until they can be estimated. */
export function pace(
  progress: JobProgress,
): { readonly bytesPerSecond: number; readonly leftMs: number | undefined } | undefined {
  const ms = progress.now - progress.startedAt;
  if (ms < 200 || progress.done === 0) return undefined;
  const bytesPerSecond = (progress.done / ms) * 1000;
  const left = progress.total === undefined ? undefined : Math.max(0, progress.total - progress.done);
  return { bytesPerSecond, leftMs: left === undefined ? undefined : (left / bytesPerSecond) * 1000 };
}

/**
 * Passes on progress at most every `everyMs`, but always the first and last of each stage. Ten updates per second are enough
 * for a bar, and no React state changes at frame rate.
 */
export function throttleProgress(report: (progress: Progress) => void, everyMs = 100): (progress: Progress) => void {
  let last = Number.NEGATIVE_INFINITY;
  let stage: string | undefined;
  let total: number | undefined;
  return (progress) => {
    const now = performance.now();
    const isSame = progress.stage === stage && progress.total === total;
    if (isSame && now - last < everyMs && progress.done !== progress.total) return;
    last = now;
    stage = progress.stage;
    total = progress.total;
    report(progress);
  };
}
