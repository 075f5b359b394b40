import { FolderOpen } from 'lucide-react';
import { displayText } from '../../../core/shared/display-text.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { StillPossible } from '../../app/state/document-state.ts';
import type { JobProgress } from '../../app/state/progress.ts';
import { Button } from '../controls/button.tsx';
import { CommandButton } from '../controls/command-button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { Progress } from '../controls/progress.tsx';
import { useApp } from '../hooks/use-app.ts';
import styles from './loading-view.module.css';

export function LoadingView({ name, progress }: { readonly name: string; readonly progress: JobProgress }) {
  return (
    <main className={styles.place}>
      <div className={styles.card}>
        <h1 className={styles.name}>{displayText(name)}</h1>
        <Progress progress={progress} />
        <div className={styles.actions}>
          <CommandButton id="cancel" testId="cancel-button" />
        </div>
      </div>
    </main>
  );
}

export interface LoadFailedProps extends StillPossible {
  readonly name: string;
  readonly fault: FaultData;
}

export function LoadFailed({ name, fault, rawFile, incomplete }: LoadFailedProps) {
  const app = useApp();
  const { missing: [wanted] = [] } = fault;
  const isIncomplete = incomplete && wanted !== undefined;
  return (
    <main className={styles.place}>
      <div className={styles.card}>
        <FaultNotice
          fault={fault}
          subject={name}
          advice={isIncomplete ? 'Choose that file, or drop it here.' : undefined}
          actions={
            <>
              {isIncomplete && (
                <Button
                  kind="primary"
                  testId="choose-missing"
                  onPress={() => app.dialogs.complete(incomplete, fault.missing ?? [])}
                >
                  Choose {displayText(wanted)}…
                </Button>
              )}
              {!isIncomplete && <CommandButton id="open" icon={<FolderOpen size={14} aria-hidden />} />}
              {rawFile && <Button onPress={() => app.opener.askLayout(rawFile)}>Open as raw voxels…</Button>}
              <CommandButton id="close" kind="quiet" />
            </>
          }
        />
      </div>
    </main>
  );
}
