import type { Progress } from '../../../core/shared/job.ts';

/** Long work as a bar shows it: what, how much of how much, since when. */
export interface JobProgress extends Progress {
  /** `performance.now()` when this stage began, or when the first bytes of it were done. */
  readonly startedAt: number;
  readonly now: number;
}

export function startProgress(stage: string, total: number | undefined, now: number): JobProgress {
  return { stage, done: 0, total, startedAt: now, now };
}

/** The next state of a bar. A new stage starts the clock anew, so that rates are the stage's own. */
export function nextProgress(before: JobProgress, progress: Progress, now: number): JobProgress {
  return { ...progress, startedAt: progress.stage === before.stage ? before.startedAt : now, now };
}

/** 0 to 1, or undefined where the total is not known. */
export function fraction(progress: Progress): number | undefined {
  return progress.total === undefined || progress.total === 0 ? undefined : Math.min(1, progress.done / progress.total);
}

/** Bytes a second since the stage began, and milliseconds left; undefined until there is something to go by. */
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
 * Passes progress on at most every `everyMs`, the first and last of each stage always: state changes ten times a second are
 * enough for a bar, and no React state changes at frame rate.
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
