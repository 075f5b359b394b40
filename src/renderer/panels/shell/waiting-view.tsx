import { FileQuestion, FolderOpen, TriangleAlert } from 'lucide-react';
import { displayText } from '../../../core/shared/display-text.ts';
import type { WaitingSession } from '../../app/state/saved-session.ts';
import { formatCount } from '../../app/words/units.ts';
import { CommandButton } from '../controls/command-button.tsx';
import styles from './waiting-view.module.css';

/** At most this many missing files are listed. */
const mostNamed = 6;

/** Asks for files of a session's volume that are not where the session says they are. */
export function WaitingView({ session: { file, missing, saved } }: { readonly session: WaitingSession }) {
  const named = missing.slice(0, mostNamed);
  const [first] = missing;
  const isFolder = 'folder' in saved.source && saved.source.folder;
  return (
    <main className={styles.place} data-testid="waiting">
      <div className={styles.card}>
        <FileQuestion size={36} strokeWidth={1.25} className={styles.icon} aria-hidden />
        <h1 className={styles.title}>
          {missing.length === 1
            ? `${displayText(first?.name ?? '')} was not found`
            : `${formatCount(missing.length)} files were not found`}
        </h1>
        <p className={styles.lead}>
          The session {displayText(file.name)} needs {missing.length === 1 ? 'it' : 'them'}. Choose{' '}
          {missing.length === 1 ? 'it' : 'them'}, or drop {missing.length === 1 ? 'it' : 'them'} on the window.
        </p>
        {missing.length > 1 && (
          <ul className={styles.names}>
            {named.map(({ name }) => (
              <li key={name}>{displayText(name)}</li>
            ))}
            {missing.length > named.length && <li>and {formatCount(missing.length - named.length)} more</li>}
          </ul>
        )}
        {missing.map(
          ({ name, reason }) =>
            reason !== undefined && (
              <p key={name} className={styles.reason} role="alert">
                <TriangleAlert size={14} aria-hidden />
                This is a different file: {displayText(reason)}.
              </p>
            ),
        )}
        <div className={styles.actions}>
          <CommandButton
            id={isFolder ? 'open-folder' : 'open'}
            kind="primary"
            icon={<FolderOpen size={14} aria-hidden />}
            testId="waiting-choose"
            autoFocus
          />
          <CommandButton id="close" />
        </div>
      </div>
    </main>
  );
}
