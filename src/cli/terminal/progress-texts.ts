import type { Progress } from '../../core/shared/job.ts';
import { formatBytes, formatCount, formatDuration, formatRate } from './text.ts';

interface ProgressTexts {
  readonly stage: string;
  readonly amount: string;
  readonly rate: string;
  readonly left: string;
}

/**
 * The texts of a progress bar. A stage that begins or goes on restarts the clock, so that the rate and the time left belong to it: what
 * it had done before does not count, since stages may take turns.
 */
export function progressTexts(startMs: number): (progress: Progress, nowMs: number) => ProgressTexts {
  let since = startMs;
  let before = 0;
  let current: string | undefined;
  return ({ stage, done, total, counts }, nowMs) => {
    if (current !== undefined && stage !== current) [since, before] = [nowMs, done];
    current = stage;
    const perMs = (done - before) / Math.max(1, nowMs - since);
    // A stage's first report has no time to go by.
    const isTimed = nowMs > since && perMs > 0;
    const leftMs = total !== undefined && isTimed ? Math.max(0, total - done) / perMs : undefined;
    const format = counts === undefined ? formatBytes : formatCount;
    const amount = total === undefined ? format(done) : `${format(Math.min(done, total))} of ${format(total)}`;
    return {
      stage,
      amount: counts === undefined ? amount : `${amount} ${counts}`,
      rate: counts === undefined && isTimed ? formatRate(perMs * 1000) : '',
      left: leftMs === undefined ? '' : `${formatDuration(leftMs)} left`,
    };
  };
}
