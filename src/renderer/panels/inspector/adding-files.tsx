import { Fragment } from 'react';
import { CommandButton } from '../controls/command-button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { Progress } from '../controls/progress.tsx';
import { useAppState } from '../hooks/use-app.ts';
import styles from './layers-section.module.css';

/** Layers and surfaces: the files that could not be added, the one that is being added, and those that wait. */
export function AddingFiles() {
  const adding = useAppState(({ layers }) => layers.adding);
  const waiting = useAppState(({ layers }) => layers.waiting);
  const notAdded = useAppState(({ layers }) => layers.notAdded);
  if (adding.kind === 'none' && notAdded.length === 0) return null;
  return (
    <div className={styles.adding} data-testid="adding-layer">
      {notAdded.map(({ name, fault }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and messages are only added at the end.
        <Fragment key={at}>
          <span className={styles.name}>{name}</span>
          <FaultNotice fault={fault} />
        </Fragment>
      ))}
      {adding.kind !== 'none' && <span className={styles.name}>{adding.name}</span>}
      {adding.kind === 'loading' && <Progress progress={adding.progress} />}
      {waiting.length > 0 && (
        <span className={styles.waiting} data-testid="waiting-layers">
          Then {waiting.join(', ')}
        </span>
      )}
      <CommandButton id="add-layer-cancel" testId="add-layer-cancel" />
    </div>
  );
}
