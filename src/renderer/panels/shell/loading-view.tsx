import { FolderOpen } from 'lucide-react';
import { displayText } from '../../../core/shared/display-text.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { JobProgress } from '../../app/state/progress.ts';
import type { HostFile } from '../../host/host.ts';
import { Button } from '../controls/button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { Progress } from '../controls/progress.tsx';
import { useApp } from '../hooks/use-app.ts';
import styles from './loading-view.module.css';

export function LoadingView({ name, progress }: { readonly name: string; readonly progress: JobProgress }) {
  const app = useApp();
  return (
    <main className={styles.place}>
      <div className={styles.card}>
        <h1 className={styles.name}>{displayText(name)}</h1>
        <Progress progress={progress} />
        <div className={styles.actions}>
          <Button onPress={() => app.cancel()} testId="cancel-button">
            Cancel
          </Button>
        </div>
      </div>
    </main>
  );
}

export interface LoadFailedProps {
  readonly name: string;
  readonly fault: FaultData;
  /** The file, if it can still be opened as raw voxels. */
  readonly rawFile: HostFile | undefined;
}

export function LoadFailed({ name, fault, rawFile }: LoadFailedProps) {
  const app = useApp();
  return (
    <main className={styles.place}>
      <div className={styles.card}>
        <FaultNotice
          fault={fault}
          subject={name}
          actions={
            <>
              <Button onPress={() => app.openDialog()}>
                <FolderOpen size={14} aria-hidden />
                Open another…
              </Button>
              {rawFile && <Button onPress={() => app.askLayout(rawFile)}>Open as raw voxels…</Button>}
              <Button kind="quiet" onPress={() => app.close()}>
                Close
              </Button>
            </>
          }
        />
      </div>
    </main>
  );
}
