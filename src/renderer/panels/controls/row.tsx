import type { ReactNode } from 'react';
import styles from './row.module.css';

export interface RowProps {
  readonly label: string;
  /** What the label means, shown as a tooltip. */
  readonly title?: string;
  readonly children: ReactNode;
}

/** A setting: its name, and a control at the right. */
export function Row({ label, title, children }: RowProps) {
  return (
    <div className={styles.row}>
      <span title={title}>{label}</span>
      {children}
    </div>
  );
}
