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
import { showShortcut } from '../../app/shortcuts.ts';
import { openDocument } from '../../app/state/store.ts';
import { formatDims } from '../../app/words/units.ts';
import type { SliceTool } from '../../viewer/model/measure.ts';
import type { Layout } from '../../viewer/model/viewer-api.ts';
import buttonStyles from '../controls/button.module.css';
import { IconButton } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import { Menu } from '../controls/menu.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './top-bar.module.css';

const layouts: readonly { readonly key: Layout; readonly label: string; readonly icon: React.ReactNode }[] = [
  { key: '3d', label: '3D only', icon: <Box size={16} aria-hidden /> },
  { key: 'slice', label: 'One slice', icon: <Square size={16} aria-hidden /> },
  { key: 'slices', label: 'Three slices', icon: <Columns3 size={16} aria-hidden /> },
  { key: 'quad', label: '3D and three slices', icon: <Grid2x2 size={16} aria-hidden /> },
  { key: 'oblique', label: '3D, three slices and oblique slice', icon: <SquareSlash size={16} aria-hidden /> },
];

export function TopBar() {
  const app = useApp();
  const document = useAppState(openDocument);
  const isEmpty = useAppState((state) => state.document.kind === 'empty');
  const layout = useAppState((state) => state.settings.layout);
  const isViewer = useAppState((state) => state.page === 'viewer');
  const key = (shortcut: string) => showShortcut(shortcut, app.isMac);
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
              {formatDims(document.info.dims)} · {document.info.type}
            </span>
          </h1>
        ) : (
          <span className={styles.product}>Stria</span>
        )}
        {!isEmpty && (
          <IconButton label="Close volume" icon={<X size={16} aria-hidden />} onPress={() => app.close()} testId="close-button" />
        )}
      </div>
      {document && isViewer && (
        <div className={styles.middle}>
          <Segmented
            label="Layout"
            value={layout}
            onChange={(chosen) => app.set({ layout: chosen })}
            segments={layouts.map((one, index) => ({ ...one, shortcut: String(index + 1), testId: `layout-${one.key}` }))}
          />
          <ToolChoice />
        </div>
      )}
      <div className={styles.end}>
        {!isEmpty && (
          <IconButton
            label="Open…"
            shortcut={key('Mod+O')}
            icon={<FolderOpen size={16} aria-hidden />}
            onPress={() => app.openDialog()}
            testId="open-button"
          />
        )}
        {document && isViewer && <UndoButtons />}
        {document && isViewer && (
          <IconButton
            label="Save or copy picture…"
            shortcut={key('Mod+Shift+P')}
            icon={<Camera size={16} aria-hidden />}
            onPress={() => app.runCommand('picture')}
            testId="picture-button"
          />
        )}
        <IconButton
          label="All commands"
          shortcut={key('Mod+K')}
          icon={<CommandIcon size={16} aria-hidden />}
          onPress={() => app.runCommand('palette')}
          testId="palette-button"
        />
        <IconButton
          label="Lab: benchmark this machine"
          shortcut="B"
          icon={<FlaskConical size={16} aria-hidden />}
          onPress={() => app.runCommand('lab')}
          testId="lab-button"
        />
        <SettingsMenu />
        {document && isViewer && (
          <IconButton
            label="Show or hide inspector"
            shortcut="I"
            icon={<PanelRight size={16} aria-hidden />}
            onPress={() => app.runCommand('inspector')}
          />
        )}
      </div>
    </header>
  );
}

const tools: readonly { readonly key: SliceTool; readonly label: string; readonly icon: React.ReactNode }[] = [
  { key: 'pointer', label: 'Pointer', icon: <MousePointer2 size={16} aria-hidden /> },
  { key: 'window', label: 'Window and level', icon: <Contrast size={16} aria-hidden /> },
  { key: 'distance', label: 'Measure distance', icon: <Ruler size={16} aria-hidden /> },
  { key: 'angle', label: 'Measure angle', icon: <TriangleRight size={16} aria-hidden /> },
  { key: 'rectangle', label: 'Measure rectangle', icon: <SquareDashed size={16} aria-hidden /> },
  { key: 'sphere', label: 'Measure sphere', icon: <CircleDashed size={16} aria-hidden /> },
];

/** Chooses what the pointer does on slices. */
function ToolChoice() {
  const app = useApp();
  const tool = useAppState((state) => state.tool);
  return (
    <Segmented
      label="Tool"
      value={tool}
      onChange={(chosen) => app.measuring.setTool(chosen)}
      segments={tools.map((one) => ({
        ...one,
        shortcut: { distance: 'M', window: 'W' }[one.key as string],
        testId: `tool-${one.key}`,
      }))}
    />
  );
}

function UndoButtons() {
  const app = useApp();
  const { undo, redo } = useAppState((state) => state.undo);
  const key = (shortcut: string) => showShortcut(shortcut, app.isMac);
  return (
    <>
      <IconButton
        label={undo === undefined ? 'Undo' : `Undo: ${undo}`}
        shortcut={key('Mod+Z')}
        icon={<Undo2 size={16} aria-hidden />}
        onPress={() => app.runCommand('undo')}
        isDisabled={undo === undefined}
        testId="undo-button"
      />
      <IconButton
        label={redo === undefined ? 'Redo' : `Redo: ${redo}`}
        shortcut={key('Mod+Shift+Z')}
        icon={<Redo2 size={16} aria-hidden />}
        onPress={() => app.runCommand('redo')}
        isDisabled={redo === undefined}
        testId="redo-button"
      />
    </>
  );
}

function SettingsMenu() {
  const app = useApp();
  const theme = useAppState((state) => state.settings.theme);
  const themes = [
    ['system', 'Follow the system'],
    ['light', 'Light'],
    ['dark', 'Dark'],
  ] as const;
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
          entries: themes.map(([key, label]) => ({
            key,
            label,
            isChecked: key === theme,
            onAction: () => app.set({ theme: key }),
          })),
        },
        {
          title: 'More',
          entries: ['settings', 'shortcuts', 'about', 'diagnostics'].map((id) => {
            const command = app.commands.find((candidate) => candidate.id === id);
            return {
              key: id,
              label: command?.label ?? id,
              shortcut: command?.shortcut && showShortcut(command.shortcut, app.isMac),
              onAction: () => app.runCommand(id),
            };
          }),
        },
      ]}
    />
  );
}
