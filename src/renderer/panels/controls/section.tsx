import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './section.module.css';

export interface SectionProps {
  readonly title: string;
  /** Shown to the right of the title, even when folded. */
  readonly aside?: ReactNode;
  readonly isOpen: boolean;
  readonly onToggle: (open: boolean) => void;
  readonly children: ReactNode;
}

/** A foldable section of the inspector. */
export function Section({ title, aside, isOpen, onToggle, children }: SectionProps) {
  return (
    <Disclosure className={classes(styles.section)} isExpanded={isOpen} onExpandedChange={onToggle}>
      <Heading level={2} className={classes(styles.heading)}>
        <Button slot="trigger" className={classes(styles.trigger)}>
          <ChevronRight size={14} className={classes(styles.chevron)} aria-hidden />
          <span className={styles.title}>{title}</span>
          <span className={styles.aside}>{aside}</span>
        </Button>
      </Heading>
      <DisclosurePanel className={classes(styles.panel)}>
        <div className={styles.content}>{children}</div>
      </DisclosurePanel>
    </Disclosure>
  );
}
