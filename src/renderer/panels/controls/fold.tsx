import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './fold.module.css';

interface FoldProps {
  readonly title: string;
  /** Shown to the right of the title, even when folded. */
  readonly aside?: ReactNode;
  /** If omitted, the fold starts closed and is not remembered. */
  readonly isOpen?: boolean;
  readonly onToggle?: (open: boolean) => void;
  readonly testId: string;
  readonly children: ReactNode;
}

/** A foldable part within a section. */
export function Fold({ title, aside, isOpen, onToggle, testId, children }: FoldProps) {
  return (
    <Disclosure
      className={classes(styles.fold)}
      data-testid={testId}
      {...(isOpen !== undefined && { isExpanded: isOpen })}
      {...(onToggle && { onExpandedChange: onToggle })}
    >
      <Heading level={3} className={classes(styles.heading)}>
        <Button slot="trigger" className={classes(styles.trigger)}>
          <ChevronRight size={12} className={classes(styles.chevron)} aria-hidden />
          <span>{title}</span>
          <span className={styles.aside}>{aside}</span>
        </Button>
      </Heading>
      <DisclosurePanel>{children}</DisclosurePanel>
    </Disclosure>
  );
}
