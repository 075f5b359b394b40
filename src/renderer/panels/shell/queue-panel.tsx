import { CircleAlert, CircleCheck, CircleHelp, CircleSlash, Clock, FolderOpen, LoaderCircle, X } from 'lucide-react';
import { displayText } from '../../../core/shared/display-text.ts';
import { isFinished, type QueueRow, ratioWords, sizesOf, sizeWords, summarize } from '../../app/state/queue-rows.ts';
import { faultDetails, faultWords } from '../../app/words/messages.ts';
import { formatBytes, formatDuration } from '../../app/words/units.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { Progress } from '../controls/progress.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './queue-panel.module.css';

/** The queue of files to compress, and of levels to write, one row each. */
export function QueuePanel() {
  const app = useApp();
  const rows = useAppState((state) => state.queue);
  if (rows.length === 0) return null;
  const { total, failed, several, active, title, sizes, levelBytes } = summarize(rows);
  const summary = [
    ...(active > 0 ? [`${total - active} of ${total} finished`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(several > 0 ? [`${several} to choose from`] : []),
    ...(sizes ? sizeWords(sizes) : []),
    ...(levelBytes > 0 ? [`${formatBytes(levelBytes)} of levels`] : []),
  ];
  return (
    <section className={styles.panel} aria-labelledby="queue-title" data-testid="queue">
      <header className={styles.head}>
        <h2 id="queue-title" className={styles.title}>
          {title}
        </h2>
        <p className={styles.summary} role="status">
          {summary.join(' · ')}
        </p>
        {active > 0 ? (
          <Button onPress={() => app.queue.cancelAll()} testId="queue-cancel-all">
            Cancel all
          </Button>
        ) : (
          <Button onPress={() => app.queue.clear()}>Done</Button>
        )}
      </header>
      <ul className={styles.rows}>
        {rows.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}

function Row({ row }: { readonly row: QueueRow }) {
  const app = useApp();
  const { state } = row;
  const sizes = sizesOf(row);
  const isWide = state.kind === 'failed' || state.kind === 'several';
  return (
    <li className={styles.row} data-testid="queue-row" data-state={state.kind}>
      <StateIcon kind={state.kind} />
      <span className={styles.name} title={displayText(row.name)}>
        {displayText(row.name)}
      </span>
      <span className={styles.size}>{row.size !== undefined && formatBytes(row.size)}</span>
      <span className={styles.middle} data-wide={isWide || undefined}>
        {state.kind === 'waiting' && <span className={styles.faint}>Waiting</span>}
        {state.kind === 'cancelled' && <span className={styles.faint}>Cancelled</span>}
        {state.kind === 'running' && <Progress progress={state.progress} compact />}
        {state.kind === 'several' && (
          <>
            <span className={styles.several}>The file holds several volumes</span>
            <Button onPress={() => app.store.setState({ overlay: 'queue-volumes', choosingRow: row.id })} testId="queue-choose">
              Choose…
            </Button>
          </>
        )}
        {state.kind === 'failed' && (
          <span className={styles.fault} title={faultDetails(state.fault)} role="alert">
            {faultWords[state.fault.tag].title}: {displayText(state.fault.message)}
          </span>
        )}
        {state.kind === 'done' && (
          <span className={styles.target} title={displayText(`${state.folder}/${state.name}`)}>
            {displayText(state.name)}
            <span className={styles.faint}>{state.folder && ` in ${displayText(state.folder)}`}</span>
          </span>
        )}
      </span>
      {!isWide && (
        <>
          <span className={styles.size}>{state.kind === 'done' && formatBytes(state.bytesOut)}</span>
          <span className={styles.ratios} title={sizes && sizeWords(sizes).join(', ')}>
            {sizes && ratioWords(sizes).map((words) => <span key={words}>{words}</span>)}
          </span>
          <span className={styles.size}>{state.kind === 'done' && formatDuration(state.ms)}</span>
        </>
      )}
      <span className={styles.action}>
        {!isFinished(row) && (
          <IconButton
            label={`Cancel ${displayText(row.name)}`}
            icon={<X size={14} aria-hidden />}
            onPress={() => app.queue.cancel(row.id)}
          />
        )}
        {state.kind === 'done' && state.reveal && (
          <IconButton label="Show in folder" icon={<FolderOpen size={14} aria-hidden />} onPress={() => void state.reveal?.()} />
        )}
      </span>
    </li>
  );
}

function StateIcon({ kind }: { readonly kind: QueueRow['state']['kind'] }) {
  const shown = {
    waiting: { icon: Clock, word: 'Waiting' },
    running: { icon: LoaderCircle, word: 'Running' },
    done: { icon: CircleCheck, word: 'Done' },
    several: { icon: CircleHelp, word: 'To choose from' },
    failed: { icon: CircleAlert, word: 'Failed' },
    cancelled: { icon: CircleSlash, word: 'Cancelled' },
  }[kind];
  return <shown.icon size={14} className={styles.icon} role="img" aria-label={shown.word} />;
}
