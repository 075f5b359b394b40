import { displayText } from '../../../core/shared/display-text.ts';
import { CommandButton } from '../controls/command-button.tsx';
import styles from './layers-section.module.css';

/** The files of the chosen layer or surface that were not found, and a button that asks for them. */
export function LostFiles({ files }: { readonly files: readonly string[] }) {
  const names = files.map(displayText).join(', ');
  return (
    <>
      <p className={styles.facts} data-testid="lost-files">
        Not found: {names}
      </p>
      <CommandButton id="layer-find" testId="layer-find" />
    </>
  );
}
