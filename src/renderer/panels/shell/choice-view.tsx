import { displayText } from '../../../core/shared/display-text.ts';
import type { HostFile } from '../../host/host.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { VolumeChooser } from '../dialogs/volume-chooser.tsx';
import { useApp } from '../hooks/use-app.ts';
import styles from './choice-view.module.css';

/** Asks which of the volumes of a file or folder to open. */
export function ChoiceView({ file }: { readonly file: HostFile }) {
  const app = useApp();
  return (
    <main className={styles.place} data-testid="choice">
      <div className={styles.card}>
        <div>
          <h1 className={styles.title}>{displayText(file.name)}</h1>
          <p className={styles.lead}>The file or folder holds several volumes. Choose the one to open.</p>
        </div>
        <VolumeChooser file={file} onChoose={(id, label) => app.opener.openChoice(file, id, label)} />
        <div className={styles.actions}>
          <CommandButton id="close" />
        </div>
      </div>
    </main>
  );
}
