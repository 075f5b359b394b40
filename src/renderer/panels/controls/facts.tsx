import type { ReactNode } from 'react';
import styles from './facts.module.css';

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
  /** Tooltip that explains a technical label. */
  readonly title?: string;
}

/** A list of labels and values. */
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
