import {
  Box,
  Camera,
  CircleDashed,
  Columns3,
  Command as CommandIcon,
  Contrast,
  FlaskConical,
  FolderOpen,
  Grid2x2,
  MousePointer2,
  PanelRight,
  Redo2,
  Ruler,
  Settings2,
  Square,
  SquareDashed,
  SquareSlash,
  TriangleRight,
  Undo2,
  X,
} from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { displayText } from '../../../core/shared/display-text.ts';
import type { App } from '../../app/app.ts';
import { openDocument } from '../../app/state/store.ts';
import { formatDims } from '../../app/words/units.ts';
import { needsVoxels, type SliceTool } from '../../viewer/model/measure.ts';
import type { Layout } from '../../viewer/model/viewer-api.ts';
import buttonStyles from '../controls/button.module.css';
import { classes } from '../controls/classes.ts';
import { CommandIconButton } from '../controls/command-button.tsx';
import { Menu } from '../controls/menu.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { choiceOf } from '../hooks/use-command.ts';
import styles from './top-bar.module.css';

const layouts: readonly { readonly key: Layout; readonly command: string; readonly icon: React.ReactNode }[] = [
  { key: '3d', command: 'layout-1', icon: <Box size={16} aria-hidden /> },
  { key: 'slice', command: 'layout-2', icon: <Square size={16} aria-hidden /> },
  { key: 'slices', command: 'layout-3', icon: <Columns3 size={16} aria-hidden /> },
  { key: 'quad', command: 'layout-4', icon: <Grid2x2 size={16} aria-hidden /> },
  { key: 'oblique', command: 'layout-5', icon: <SquareSlash size={16} aria-hidden /> },
];

export function TopBar() {
  const app = useApp();
  const document = useAppState(openDocument);
  const isEmpty = useAppState((state) => state.document.kind === 'empty');
  const layout = useAppState((state) => state.settings.layout);
  const isViewer = useAppState((state) => state.page === 'viewer');
  return (
    <header className={styles.bar}>
      <div className={styles.start}>
        <span className={styles.mark} aria-hidden>
          <i />
          <i />
          <i />
        </span>
        {document ? (
          <h1 className={styles.title}>
            <span className={styles.name} title={displayText(document.name)}>
              {displayText(document.name)}
            </span>
            <span className={styles.shape}>
              {document.space ? 'Surfaces' : `${formatDims(document.info.dims)} · ${document.info.type}`}
            </span>
          </h1>
        ) : (
          <span className={styles.product}>Stria</span>
        )}
        {!isEmpty && <CommandIconButton id="close" icon={<X size={16} aria-hidden />} testId="close-button" />}
      </div>
      {document && isViewer && (
        <div className={styles.middle}>
          <Segmented
            label="Layout"
            value={layout}
            onChange={(chosen) => runOf(app, layouts, chosen)}
            segments={layouts.map((one) => ({ ...one, ...choiceOf(app, one.command), testId: `layout-${one.key}` }))}
          />
          <ToolChoice />
        </div>
      )}
      <div className={styles.end}>
        {!isEmpty && <CommandIconButton id="open" icon={<FolderOpen size={16} aria-hidden />} testId="open-button" />}
        {document && isViewer && (
          <>
            <CommandIconButton id="undo" icon={<Undo2 size={16} aria-hidden />} testId="undo-button" />
            <CommandIconButton id="redo" icon={<Redo2 size={16} aria-hidden />} testId="redo-button" />
          </>
        )}
        {document && isViewer && (
          <CommandIconButton id="picture" icon={<Camera size={16} aria-hidden />} testId="picture-button" />
        )}
        <CommandIconButton id="palette" icon={<CommandIcon size={16} aria-hidden />} testId="palette-button" />
        <CommandIconButton id="lab" icon={<FlaskConical size={16} aria-hidden />} testId="lab-button" />
        <SettingsMenu />
        {document && isViewer && <CommandIconButton id="inspector" icon={<PanelRight size={16} aria-hidden />} />}
      </div>
    </header>
  );
}

const tools: readonly { readonly key: SliceTool; readonly command: string; readonly icon: React.ReactNode }[] = [
  { key: 'pointer', command: 'tool-pointer', icon: <MousePointer2 size={16} aria-hidden /> },
  { key: 'window', command: 'tool-window', icon: <Contrast size={16} aria-hidden /> },
  { key: 'distance', command: 'tool-distance', icon: <Ruler size={16} aria-hidden /> },
  { key: 'angle', command: 'tool-angle', icon: <TriangleRight size={16} aria-hidden /> },
  { key: 'rectangle', command: 'tool-rectangle', icon: <SquareDashed size={16} aria-hidden /> },
  { key: 'sphere', command: 'tool-sphere', icon: <CircleDashed size={16} aria-hidden /> },
];

/** Runs the command that was chosen in a row. */
function runOf<Key>(app: App, row: readonly { readonly key: Key; readonly command: string }[], chosen: Key): void {
  const one = row.find(({ key }) => key === chosen);
  if (one) app.runCommand(one.command);
}

/** Chooses what the pointer does on slices. */
function ToolChoice() {
  const app = useApp();
  const tool = useAppState((state) => state.tool);
  const isSpace = useAppState((state) => openDocument(state)?.space !== undefined);
  // Surfaces alone have no values.
  const offered = isSpace ? tools.filter(({ key }) => !needsVoxels(key)) : tools;
  return (
    <Segmented
      label="Tool"
      value={tool}
      onChange={(chosen) => runOf(app, tools, chosen)}
      segments={offered.map(({ key, command, icon }) => {
        const { words, shortcut } = choiceOf(app, command);
        // M selects the measuring tool used last; initially that is the distance tool.
        const ownKey = key === 'distance' ? choiceOf(app, 'measure').shortcut : shortcut;
        return { key, icon, label: words, shortcut: ownKey, testId: `tool-${key}` };
      })}
    />
  );
}

function SettingsMenu() {
  const app = useApp();
  const theme = useAppState((state) => state.settings.theme);
  return (
    <Menu
      label="Settings"
      trigger={
        <AriaButton className={classes(buttonStyles.button, buttonStyles.quiet, buttonStyles.icon)} aria-label="Settings">
          <Settings2 size={16} aria-hidden />
        </AriaButton>
      }
      groups={[
        {
          title: 'Theme',
          entries: (['system', 'light', 'dark'] as const).map((key) => ({
            key,
            label: choiceOf(app, `theme-${key}`).words,
            isChecked: key === theme,
            onAction: () => app.runCommand(`theme-${key}`),
          })),
        },
        {
          title: 'More',
          entries: ['settings', 'shortcuts', 'about', 'diagnostics'].map((id) => ({
            key: id,
            ...choiceOf(app, id),
            onAction: () => app.runCommand(id),
          })),
        },
      ]}
    />
  );
}
