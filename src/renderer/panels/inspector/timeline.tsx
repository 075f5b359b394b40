import type { StageSpan } from '../../../core/stream/stage-times.ts';
import { type TimelineRow, timelineRows } from '../../app/words/timeline.ts';
import { formatBytes, formatDuration } from '../../app/words/units.ts';
import { Fold } from '../controls/fold.tsx';
import styles from './timeline.module.css';

/** A folded chart of when each stage ran, on one time scale, so that overlap shows. Screen readers get a list. */
export function Timeline({ spans, testId }: { readonly spans: readonly StageSpan[]; readonly testId: string }) {
  if (spans.length === 0) return null;
  const { rows, totalMs } = timelineRows(spans);
  return (
    <Fold title="Timeline" aside={formatDuration(totalMs)} testId={testId}>
      <ul className={styles.rows}>
        {rows.map((row) => (
          <li key={row.stage} className={styles.row} title={describe(row)} aria-label={describe(row)}>
            <span aria-hidden>{row.stage}</span>
            <span className={styles.track} aria-hidden>
              {row.bars.map(({ from, length }) => (
                <span
                  key={from}
                  className={styles.bar}
                  style={{ insetInlineStart: `${100 * from}%`, width: `max(1px, ${100 * length}%)` }}
                />
              ))}
            </span>
            <span className={styles.duration} aria-hidden>
              {formatDuration(row.ms)}
            </span>
          </li>
        ))}
      </ul>
    </Fold>
  );
}

/** `Read: 1.2 s, from 0 ms to 1.4 s, 134 MB`. */
function describe({ stage, ms, startMs, endMs, bytes }: TimelineRow): string {
  const amount = bytes > 0 ? `, ${formatBytes(bytes)}` : '';
  return `${stage}: ${formatDuration(ms)}, from ${formatDuration(startMs)} to ${formatDuration(endMs)}${amount}`;
}
