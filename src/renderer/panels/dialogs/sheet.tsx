import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog, Heading } from 'react-aria-components';
import { displayText } from '../../../core/shared/display-text.ts';
import { isAsking } from '../../app/state/questions.ts';
import { IconButton } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import { useAppState } from '../hooks/use-app.ts';
import styles from './overlays.module.css';

/** Of the names of files that wait. */
const mostShown = 5;
const none: readonly string[] = [];

/** A dialog over the window with a title and a button that closes it. Says which files are opened after it. */
export function Sheet({
  title,
  onDone,
  testId,
  children,
}: {
  readonly title: string;
  readonly onDone: () => void;
  readonly testId?: string;
  readonly children: ReactNode;
}) {
  // Files also wait while the one before them is opened, but then not for this dialog.
  const waiting = useAppState((state) => (isAsking(state) ? state.waitingFiles : none));
  return (
    <Dialog className={classes(styles.dialog, styles.sheet)} data-testid={testId}>
      <div className={styles.sheetHead}>
        <Heading slot="title" className={classes(styles.sheetTitle)}>
          {title}
        </Heading>
        <IconButton label="Close" icon={<X size={16} aria-hidden />} onPress={onDone} />
      </div>
      {children}
      {waiting.length > 0 && (
        <p className={styles.waiting} data-testid="waiting-files">
          After this: {displayText(waiting.slice(0, mostShown).join(', '))}
          {waiting.length > mostShown && ` and ${waiting.length - mostShown} more`}
        </p>
      )}
    </Dialog>
  );
}
