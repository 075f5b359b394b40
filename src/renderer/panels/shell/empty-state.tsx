import { Boxes, FolderOpen, Sparkles } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { sampleSummaries } from '../../../core/samples/sample-kinds.ts';
import { displayText } from '../../../core/shared/display-text.ts';
import type { RecentFile } from '../../../core/shared/ipc.ts';
import { readableNames } from '../../../core/shared/readable-formats.ts';
import { nameWithDataset } from '../../../core/shared/volume-names.ts';
import { type SampleChoice, sampleChoices } from '../../app/state/samples.ts';
import { formatCount } from '../../app/words/units.ts';
import buttonStyles from '../controls/button.module.css';
import { classes } from '../controls/classes.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { Menu } from '../controls/menu.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './empty-state.module.css';

/** Shown while nothing is open: what to drop, the formats, Open, samples and recent files. */
export function EmptyState() {
  return (
    <main className={styles.place} data-testid="empty-state">
      <div className={styles.invitation}>
        <Boxes size={36} strokeWidth={1.25} className={styles.icon} aria-hidden />
        <h1 className={styles.title}>Drop a volume here</h1>
        <p className={styles.formats}>{readableNames}, .stria or a saved session. Drop several files to compress them.</p>
        <div className={styles.actions}>
          <CommandButton id="open" kind="primary" icon={<FolderOpen size={14} aria-hidden />} testId="open-button" />
          <CommandButton id="open-folder" testId="open-folder-button" />
          <CommandButton id="open-url" testId="open-url-button" />
          <SampleMenu />
        </div>
      </div>
      <RecentFiles />
    </main>
  );
}

function SampleMenu() {
  const app = useApp();
  const groups = sampleChoices.map(({ kind, title, sides }) => ({
    title,
    hint: sampleSummaries[kind],
    entries: sides.map((side) => ({
      key: `${kind}-${side}`,
      label: `${side} × ${side} × ${side}`,
      onAction: () => app.opener.openSample({ kind, side } satisfies SampleChoice),
    })),
  }));
  return (
    <Menu
      label="Samples"
      groups={groups}
      trigger={
        <AriaButton className={classes(buttonStyles.button)} data-testid="sample-button">
          <Sparkles size={14} aria-hidden />
          Try a sample
        </AriaButton>
      }
    />
  );
}

const nameOf = ({ name, dataset }: RecentFile) => nameWithDataset(name, dataset);

function RecentFiles() {
  const app = useApp();
  const recent = useAppState((state) => state.recent);
  if (recent.length === 0) return null;
  const shown = recent.slice(0, 8);
  return (
    <section className={styles.recent} aria-labelledby="recent-title">
      <div className={styles.recentHead}>
        <h2 id="recent-title" className={styles.recentTitle}>
          Recent
        </h2>
        <span className={styles.recentCount}>{recent.length > shown.length && `${formatCount(recent.length)} files`}</span>
        <CommandButton id="clear-recent" kind="quiet" />
      </div>
      <ul className={styles.files}>
        {shown.map((file) => (
          <li key={file.id}>
            <AriaButton className={classes(styles.file)} onPress={() => app.opener.openRecent(file.id, nameOf(file))}>
              <span className={styles.thumbnail}>
                {file.thumbnail ? <img src={file.thumbnail} alt="" /> : <Boxes size={24} strokeWidth={1.25} aria-hidden />}
              </span>
              <span className={styles.fileName} title={displayText(nameOf(file))}>
                {displayText(nameOf(file))}
              </span>
              <span className={styles.folder} title={displayText(file.folder)}>
                {displayText(file.folder) || new Date(file.openedAt).toLocaleDateString()}
              </span>
            </AriaButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
