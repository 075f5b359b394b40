import type { UnfinishedKind } from '../../../core/shared/ipc.ts';
import { Button } from '../controls/button.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './overlays.module.css';
import { Sheet } from './sheet.tsx';

const words: Readonly<Record<UnfinishedKind, string>> = {
  saving: 'A file is still being saved. If you close, it is not written; an existing file stays as it was.',
  compressing: 'The volume is still being compressed.',
  pictures: 'Pictures are still being saved. None of them will be kept.',
  measurements: 'Measurements have not been saved. To keep them, save the session or export them as CSV.',
};

/** Asks before unfinished work is lost because the open volume is closed or replaced. */
export function LeaveDialog() {
  const { leaving } = useApp();
  const losses = useAppState((state) => state.losses);
  return (
    <Sheet title="Close this volume and lose unfinished work?" onDone={() => leaving.stay()} testId="leave-dialog">
      {losses.map((kind) => (
        <p key={kind} className={styles.lead}>
          {words[kind]}
        </p>
      ))}
      <div className={styles.actions}>
        <Button onPress={() => leaving.leave()} testId="leave-anyway">
          Close volume
        </Button>
        <Button kind="primary" onPress={() => leaving.stay()} testId="leave-stay" autoFocus>
          Keep open
        </Button>
      </div>
    </Sheet>
  );
}
