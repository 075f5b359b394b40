import type { ReactNode } from 'react';
import styles from './facts.module.css';

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
  /** Explains the label where the word is a term of the trade. */
  readonly title?: string;
}

/** Rows of a label and its value. */
export function Facts({ facts, testId }: { readonly facts: readonly Fact[]; readonly testId?: string }) {
  return (
    <dl className={styles.facts} data-testid={testId}>
      {facts.map(({ label, value, title }) => (
        <div key={label} className={styles.fact}>
          <dt title={title}>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
