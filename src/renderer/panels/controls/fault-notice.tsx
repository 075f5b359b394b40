import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { displayText } from '../../../core/shared/display-text.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import { faultDetails, wordsOf } from '../../app/words/messages.ts';
import { useApp } from '../hooks/use-app.ts';
import { choiceOf } from '../hooks/use-command.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './fault-notice.module.css';

/** A fault, shown where it happened: what happened, why, and what to do. The technical details unfold. */
export function FaultNotice({
  fault,
  subject,
  doing,
  advice,
  actions,
}: {
  readonly fault: FaultData;
  /** The name of the file concerned. */
  readonly subject?: string;
  /** What the user was doing. Default: opening a file. */
  readonly doing?: 'opening' | 'saving';
  /** What to do. Default: the advice for this kind of fault. */
  readonly advice?: string | undefined;
  readonly actions?: ReactNode;
}) {
  const app = useApp();
  const words = wordsOf(fault.tag, doing);
  const Icon = words.severity === 'error' ? CircleAlert : TriangleAlert;
  return (
    <div className={classes(styles.notice, styles[words.severity])} role="alert" data-testid="error-message">
      <Icon size={16} className={styles.icon} aria-hidden />
      <div className={styles.body}>
        <p className={styles.title}>
          {words.title}
          {subject && <span className={styles.subject}> · {displayText(subject)}</span>}
        </p>
        <p className={styles.why}>{sentence(displayText(fault.message))}</p>
        <p className={styles.advice}>{advice ?? words.advice}</p>
        <details className={styles.details}>
          <summary>Details</summary>
          <code>
            {fault.tag}: {faultDetails(fault)}
          </code>
        </details>
        <div className={styles.actions}>
          {actions}
          <Button kind="quiet" onPress={() => void app.reports.copyDiagnostics(fault)}>
            {choiceOf(app, 'diagnostics').words}
          </Button>
          <Button kind="quiet" onPress={() => void app.reports.saveReport(fault)} testId="save-report">
            {choiceOf(app, 'report').words}
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Turns a message that starts in lower case and has no full stop into a sentence. A web address at its start is unchanged. */
function sentence(message: string): string {
  const text = /^https?:/.test(message) ? message : message.charAt(0).toUpperCase() + message.slice(1);
  return /[.?…]$/.test(text) ? text : `${text}.`;
}
