import { FolderOpen, Minimize2, Rotate3d } from 'lucide-react';
import type { ReactNode } from 'react';
import { ratioOf } from '../../app/state/result.ts';
import { formatBytes, formatRatio } from '../../app/words/units.ts';
import { Button } from '../controls/button.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { choiceOf } from '../hooks/use-command.ts';
import styles from './first-hints.module.css';

/** The hints of the first start, shown over the views of the sample. */
export function FirstHints() {
  const app = useApp();
  const isShown = useAppState((state) => state.hints);
  if (!isShown) return null;
  const key = (id: string) => <kbd>{choiceOf(app, id).shortcut}</kbd>;
  return (
    <aside className={styles.hints} aria-label="First steps" data-testid="first-hints">
      <div className={styles.head}>
        <p className={styles.title}>Welcome to Stria</p>
        <Outcome />
      </div>
      <Hint icon={<Rotate3d size={16} aria-hidden />} title="Look">
        Drag in the 3D view to turn it. Scroll in a slice to move through it. Click to set the crosshair.
      </Hint>
      <Hint icon={<Minimize2 size={16} aria-hidden />} title="Keep">
        {key('save')} saves the compressed volume as a small file, which opens again at once.
      </Hint>
      <Hint icon={<FolderOpen size={16} aria-hidden />} title="Bring your own">
        Drop a file or folder on the window. {key('palette')} lists all commands, {key('shortcuts')} all keys.
      </Hint>
      <Button onPress={() => app.firstStart.end()} testId="first-hints-done">
        Got it
      </Button>
    </aside>
  );
}

function Hint({ icon, title, children }: { readonly icon: ReactNode; readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={styles.hint}>
      {icon}
      <div>
        <p className={styles.hintTitle}>{title}</p>
        <p className={styles.text}>{children}</p>
      </div>
    </div>
  );
}

/** The result of compressing the sample. */
function Outcome() {
  const compressed = useAppState((state) => state.compressed);
  if (!compressed) return <p className={styles.text}>A sample is being opened and compressed on your GPU…</p>;
  const { bytesIn, bytesOut, isExact } = compressed.result;
  return (
    <p className={styles.text} data-testid="first-outcome">
      This sample took {formatBytes(bytesIn)}. Your GPU has compressed it to {formatBytes(bytesOut)} (
      {formatRatio(ratioOf(compressed.result))}){isExact ? ', bit for bit' : ', losslessly'}.
    </p>
  );
}
