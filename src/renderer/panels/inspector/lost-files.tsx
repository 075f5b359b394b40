import { FileQuestion, TriangleAlert } from 'lucide-react';
import { displayText } from '../../../core/shared/display-text.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { useAppState } from '../hooks/use-app.ts';
import styles from './lost-files.module.css';

/** The files of the chosen layer or surface that were not found, and a button that asks for them. */
export function LostFiles({ files }: { readonly files: readonly string[] }) {
  const wrong = useAppState(({ layers }) => (layers.wrongFile?.id === layers.chosen ? layers.wrongFile : undefined));
  return (
    <div className={styles.lost}>
      <p className={styles.words}>
        <FileQuestion size={14} aria-hidden />
        <span data-testid="lost-files">Not found: {files.map(displayText).join(', ')}</span>
      </p>
      {wrong && (
        <p className={styles.words} role="alert" data-testid="wrong-file">
          <TriangleAlert size={14} aria-hidden />
          <span>{displayText(wrong.reason)}.</span>
        </p>
      )}
      <CommandButton id="layer-find" testId="layer-find" />
    </div>
  );
}
