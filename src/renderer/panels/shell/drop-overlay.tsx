import { useLayoutEffect, useState } from 'react';
import { dropWords } from '../../app/loading/datasets.ts';
import { droppedFiles } from '../../app/loading/dropped-files.ts';
import { hasVolume, isInViewer } from '../../app/state/shown.ts';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './drop-overlay.module.css';

/** While a volume is open, a drop on the right third of the window compares. */
function isInCompareZone({ clientX }: DragEvent): boolean {
  return clientX > (window.innerWidth * 2) / 3;
}

/** Says what a drop will do while files are dragged over the window, and handles the drop anywhere in it. */
export function DropOverlay() {
  const app = useApp();
  const [words, setWords] = useState<string>();
  const [isSecond, setIsSecond] = useState(false);
  const isOpen = useAppState((state) => isInViewer(state) && hasVolume(state));
  const asks = useAppState((state) => state.settings.openingSecond === 'ask');
  const canCompare = isOpen && words === dropWords(['']);
  // Attached before the page is first painted, because the browser would open a file dropped earlier.
  useLayoutEffect(() => {
    // Before the drop the page sees only the number and types of the files, not their names.
    const filesIn = (event: DragEvent): readonly string[] | undefined => {
      const transfer = event.dataTransfer;
      if (!transfer?.types.includes('Files')) return undefined;
      return [...transfer.items].filter((item) => item.kind === 'file').map((item) => item.type);
    };
    const over = (event: DragEvent) => {
      event.preventDefault();
      const files = filesIn(event);
      if (event.dataTransfer) event.dataTransfer.dropEffect = files === undefined ? 'none' : 'copy';
      setWords(files ? dropWords(files) : 'Only files can be dropped here');
      setIsSecond(isInCompareZone(event));
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setWords(undefined);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setWords(undefined);
      const transfer = event.dataTransfer;
      if (!transfer) return;
      const asSecond = isOpen && isInCompareZone(event) && dropWords(filesIn(event) ?? []) === dropWords(['']);
      void app.dialogs.drop(droppedFiles(transfer), asSecond);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [app, isOpen]);
  if (words === undefined) return null;
  return (
    <div className={styles.overlay} role="status" data-testid="drop-overlay">
      <div className={styles.frame} data-faint={(canCompare && isSecond) || undefined}>
        <span className={styles.words}>{canCompare && asks ? 'Drop to add as layer, or to open' : words}</span>
      </div>
      {canCompare && (
        <div className={styles.second} data-faint={!isSecond || undefined} data-testid="drop-compare">
          <span className={styles.words}>Drop to compare</span>
        </div>
      )}
    </div>
  );
}
