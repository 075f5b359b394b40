import { CircleCheck, FolderOpen } from 'lucide-react';
import { ProgressBar } from 'react-aria-components';
import { displayText } from '../../../core/shared/display-text.ts';
import { fraction, pace } from '../../app/state/progress.ts';
import { formatCount, formatTimeLeft } from '../../app/words/units.ts';
import { Button } from '../controls/button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './movie-panel.module.css';

/** Progress and outcome of a movie. */
export function MoviePanel() {
  const { movies } = useApp().output;
  const work = useAppState((state) => state.output.movieWork);
  if (work.kind === 'none' || work.kind === 'asking') return null;
  if (work.kind === 'failed') {
    return (
      <section className={styles.panel} aria-label="Movie">
        <FaultNotice
          fault={work.fault}
          subject={work.name}
          doing="saving"
          actions={<Button onPress={() => movies.clear()}>Close</Button>}
        />
      </section>
    );
  }
  if (work.kind === 'done') {
    const { reveal } = work;
    return (
      <section className={styles.panel} aria-label="Movie">
        <CircleCheck size={14} className={styles.good} aria-hidden />
        <p className={styles.words} role="status" data-testid="movie-done">
          {formatCount(work.frames)} {work.format === 'video' ? 'frames' : 'pictures'} in ‘{displayText(work.name)}’, in{' '}
          {displayText(work.folder)}
        </p>
        {reveal && (
          <Button kind="quiet" onPress={() => void reveal()}>
            <FolderOpen size={14} aria-hidden />
            Show in folder
          </Button>
        )}
        <Button onPress={() => movies.clear()}>Done</Button>
      </section>
    );
  }
  const { progress, name } = work;
  const left = pace(progress)?.leftMs;
  return (
    <section className={styles.panel} aria-label="Movie" data-testid="movie-running">
      <p className={styles.words} role="status">
        {progress.total === undefined
          ? `‘${displayText(name)}’ waits until the volume has its final resolution`
          : `Drawing ‘${displayText(name)}’: ${formatCount(progress.done)} of ${formatCount(progress.total)}`}
      </p>
      <ProgressBar aria-label="Drawing frames" value={(fraction(progress) ?? 0) * 100} className={styles.bar ?? ''}>
        <div className={styles.fill} style={{ transform: `scaleX(${fraction(progress) ?? 0})` }} />
      </ProgressBar>
      <span className={styles.left}>{left === undefined ? '' : formatTimeLeft(left)}</span>
      <Button onPress={() => movies.cancel()} testId="movie-cancel">
        Cancel
      </Button>
    </section>
  );
}
