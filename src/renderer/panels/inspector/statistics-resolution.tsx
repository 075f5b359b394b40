import type { OpenDocument } from '../../app/state/document-state.ts';
import { statisticsResolution } from '../../app/words/statistics-resolution.ts';
import { Button } from '../controls/button.tsx';
import { CommandButton } from '../controls/command-button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { Progress } from '../controls/progress.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './statistics-resolution.module.css';

/** Shows the resolution of the histogram, and can compute it at full resolution. Empty if all voxels are in GPU memory. */
export function StatisticsResolution({ document }: { readonly document: OpenDocument }) {
  const app = useApp();
  const state = useAppState(({ fullStatistics }) => fullStatistics);
  if (document.decimation === 1) return null;
  return (
    <div className={styles.resolution} data-testid="statistics-resolution">
      <p>Histogram and automatic window: {statisticsResolution(document)}</p>
      {state.kind === 'failed' && <FaultNotice fault={state.fault} />}
      {state.kind === 'running' && <Progress progress={state.progress} />}
      <div className={styles.actions}>
        {state.kind === 'running' ? (
          <Button kind="quiet" onPress={() => app.fullStatistics.cancel()} testId="full-statistics-cancel">
            Cancel
          </Button>
        ) : (
          !document.areStatisticsFull && <CommandButton id="full-statistics" kind="quiet" testId="full-statistics" />
        )}
      </div>
    </div>
  );
}
