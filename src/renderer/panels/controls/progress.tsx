import { ProgressBar } from 'react-aria-components';
import { fraction, type JobProgress, pace } from '../../app/state/progress.ts';
import { formatBytes, formatCount, formatRate, formatTimeLeft } from '../../app/words/units.ts';
import { classes } from './classes.ts';
import styles from './progress.module.css';

/** Progress bar with stage, amount, rate and time left. `compact` shows only the bar. */
export function Progress({ progress, compact = false }: { readonly progress: JobProgress; readonly compact?: boolean }) {
  const done = fraction(progress);
  const speed = pace(progress);
  const { counts } = progress;
  const format = counts === undefined ? formatBytes : formatCount;
  const amount =
    progress.total === undefined
      ? progress.done > 0 && format(progress.done)
      : `${format(Math.min(progress.done, progress.total))} of ${format(progress.total)}`;
  return (
    <div className={styles.progress} data-testid="progress" role="status">
      {!compact && (
        <div className={styles.line}>
          <span>{progress.stage}</span>
          <span className={styles.numbers}>
            {amount} {counts}
          </span>
        </div>
      )}
      <ProgressBar aria-label={progress.stage} value={(done ?? 0) * 100} isIndeterminate={done === undefined}>
        <div className={styles.track}>
          <div
            className={classes(styles.fill, done === undefined && styles.unknown)}
            style={done === undefined ? undefined : { transform: `scaleX(${done})` }}
          />
        </div>
      </ProgressBar>
      {!compact && (
        <div className={classes(styles.line, styles.numbers)}>
          <span>{speed && counts === undefined ? formatRate(speed.bytesPerSecond) : '\u00a0'}</span>
          <span>{speed?.leftMs !== undefined && speed.leftMs > 0 ? formatTimeLeft(speed.leftMs) : ''}</span>
        </div>
      )}
    </div>
  );
}
