import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog, Heading } from 'react-aria-components';
import { IconButton } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import styles from './overlays.module.css';

/** A dialog over the window with a title and a button that closes it. */
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
  return (
    <Dialog className={classes(styles.dialog, styles.sheet)} data-testid={testId}>
      <div className={styles.sheetHead}>
        <Heading slot="title" className={classes(styles.sheetTitle)}>
          {title}
        </Heading>
        <IconButton label="Close" icon={<X size={16} aria-hidden />} onPress={onDone} />
      </div>
      {children}
    </Dialog>
  );
}
