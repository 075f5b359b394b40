import type { MenuCommand } from '../../core/shared/ipc.ts';
import type { ClockSettings } from '../playback/frame-clock.ts';
import { kindNames, measurementKinds, type SliceTool } from '../viewer/model/measure.ts';
import type { Layout, SliceAxis } from '../viewer/model/viewer-api.ts';
import type { App } from './app.ts';
import type { Command } from './command.ts';
import { sideCommands } from './sides.ts';
import { type AppState, openDocument } from './state/store.ts';
import { presetsOf, windowPresets } from './view/window-presets.ts';

const always = () => true;
const isReady = (state: AppState): boolean => state.document.kind === 'ready' && state.gpu.kind === 'ready';
const canPlay = (state: AppState): boolean => state.playback !== undefined;
const isPlayerOpen = (state: AppState): boolean => state.playback?.isOpen === true;
const isRunning = (state: AppState): boolean => state.compression.kind === 'running' || state.save.kind === 'saving';

const hasPreset = (state: AppState, id: string): boolean => {
  const document = openDocument(state);
  return document !== undefined && presetsOf(document).some((preset) => preset.id === id);
};

/** What was compressed can be restored beside its source. */
export const canCompareCompressed = (state: AppState): boolean =>
  isReady(state) &&
  state.compressed !== undefined &&
  state.compression.kind !== 'running' &&
  state.residency?.canBeCompressed === true;

/** What was compressed from its file is saved already. */
const canSave = (state: AppState): boolean =>
  state.compressed !== undefined && !isRunning(state) && openDocument(state)?.decimation === 1;

function whyNotSave(state: AppState): string {
  const { document, compression, save, compressed } = state;
  if (document.kind === 'loading') return 'Nothing to save yet: the volume is still loading';
  if (document.kind !== 'ready') return 'Nothing to save: no volume is open';
  if (save.kind === 'saving') return 'Already saving';
  if (compression.kind === 'running') return 'Nothing to save yet: compression is still running';
  if (compressed) return 'Already saved: this volume was compressed straight to a file';
  return 'Nothing to save yet: compress the volume first (C)';
}

/** Every command there is, in the order of the palette. */
export function createCommands(app: App): Command[] {
  const { store } = app;
  const layout = (key: number, name: Layout, label: string): Command => ({
    id: `layout-${key}`,
    label,
    group: 'View',
    shortcut: String(key),
    menu: `layout-${key}` as MenuCommand,
    enabled: isReady,
    run: () => app.set({ layout: name }),
  });
  const step = (by: number, shortcut: string, label: string): Command => ({
    id: by > 0 ? 'slice-next' : 'slice-previous',
    label,
    group: 'View',
    shortcut,
    enabled: isReady,
    run: () => app.stepSlice(by),
  });
  const slice = (axis: SliceAxis): Command => ({
    id: `slice-${axis}`,
    label: `Slice across ${axis} only`,
    group: 'View',
    enabled: isReady,
    run: () => app.showSlice(axis),
  });
  const measure = (tool: SliceTool, label: string): Command => ({
    id: `tool-${tool}`,
    label,
    group: 'Measure',
    enabled: isReady,
    run: () => app.measuring.setTool(tool),
  });
  const goTo = (id: string, by: number, shortcut: string, label: string): Command => ({
    id,
    label,
    group: 'Playback',
    shortcut,
    enabled: isPlayerOpen,
    run: () => app.playback.step(by),
  });
  const playAs = (id: string, change: Partial<ClockSettings>, label: string): Command => ({
    id,
    label,
    group: 'Playback',
    enabled: isPlayerOpen,
    run: () => app.setPlayback(change),
  });
  return [
    { id: 'open', label: 'Open…', group: 'File', shortcut: 'Mod+O', menu: 'open', enabled: always, run: () => app.openDialog() },
    {
      id: 'open-folder',
      label: 'Open folder…',
      group: 'File',
      menu: 'open-folder',
      enabled: always,
      run: () => app.openFolderDialog(),
    },
    {
      id: 'choose-volume',
      label: 'Choose another volume in this file…',
      group: 'File',
      enabled: (state) => isReady(state) && openDocument(state)?.chosenFrom !== undefined,
      run: () => store.setState({ overlay: 'volumes' }),
    },
    {
      id: 'save',
      label: 'Save as .stria…',
      group: 'File',
      shortcut: 'Mod+S',
      menu: 'save',
      enabled: canSave,
      run: () => app.save(),
      whyNot: whyNotSave,
    },
    {
      id: 'save-session',
      label: 'Save session…',
      group: 'File',
      shortcut: 'Mod+Shift+S',
      menu: 'save-session',
      enabled: isReady,
      run: () => app.saveSession(),
    },
    {
      id: 'picture',
      label: 'Save or copy picture…',
      group: 'File',
      shortcut: 'Mod+Shift+P',
      enabled: (state) => isReady(state) && state.page === 'viewer',
      run: () => store.setState({ overlay: 'picture' }),
    },
    {
      id: 'movie',
      label: 'Make movie…',
      group: 'File',
      enabled: (state) => isReady(state) && state.page === 'viewer' && state.output.movieWork.kind !== 'running',
      run: () => store.setState({ overlay: 'movie' }),
    },
    {
      id: 'compare',
      label: 'Compare with…',
      group: 'File',
      enabled: (state) => isReady(state) && state.page === 'viewer',
      run: () => app.compareDialog(),
    },
    {
      id: 'compare-end',
      label: 'Stop comparing',
      group: 'File',
      enabled: (state) => state.comparison.kind !== 'none',
      run: () => app.comparison.end(),
    },
    {
      id: 'close',
      label: 'Close volume',
      group: 'File',
      menu: 'close',
      enabled: (state) => state.document.kind !== 'empty',
      run: () => app.close(),
    },
    {
      id: 'clear-recent',
      label: 'Clear recent files',
      group: 'File',
      enabled: (state) => state.recent.length > 0,
      run: () => app.clearRecent(),
    },
    {
      id: 'undo',
      label: 'Undo',
      group: 'Edit',
      shortcut: 'Mod+Z',
      menu: 'undo',
      enabled: (state) => isReady(state) && state.undo.undo !== undefined,
      run: () => app.undo.undo(),
    },
    {
      id: 'redo',
      label: 'Redo',
      group: 'Edit',
      shortcut: 'Mod+Shift+Z',
      menu: 'redo',
      enabled: (state) => isReady(state) && state.undo.redo !== undefined,
      run: () => app.undo.redo(),
    },
    {
      id: 'compress',
      label: 'Compress',
      group: 'Compression',
      shortcut: 'C',
      menu: 'compress',
      enabled: (state) => isReady(state) && !isRunning(state),
      run: () => app.compress(),
    },
    {
      id: 'compare-compressed',
      label: 'Compare with compressed volume',
      group: 'Compression',
      enabled: canCompareCompressed,
      run: () => app.compareCompressed(),
    },
    {
      id: 'cancel',
      label: 'Cancel the running task',
      group: 'Compression',
      enabled: (state) => isRunning(state) || state.document.kind === 'loading',
      run: () => app.cancel(),
    },
    {
      id: 'chunks',
      label: 'Show or hide chunks',
      group: 'Compression',
      shortcut: 'K',
      enabled: (state) => isReady(state) && state.chunks !== undefined,
      run: () => store.setState(({ showChunks }) => ({ showChunks: !showChunks })),
    },
    layout(1, '3d', '3D only'),
    layout(2, 'slice', 'One slice'),
    layout(3, 'slices', 'Three slices'),
    layout(4, 'quad', '3D and three slices'),
    {
      id: 'layout-5',
      label: '3D, three slices and oblique slice',
      group: 'View',
      shortcut: '5',
      enabled: isReady,
      run: () => app.set({ layout: 'oblique' }),
    },
    slice('x'),
    slice('y'),
    slice('z'),
    step(-1, '[', 'Previous slice'),
    step(1, ']', 'Next slice'),
    {
      id: 'reset-view',
      label: 'Reset view',
      group: 'View',
      shortcut: 'R',
      menu: 'reset-view',
      enabled: isReady,
      run: () => app.resetView(),
    },
    {
      id: 'fit',
      label: 'Fit slices',
      group: 'View',
      shortcut: 'F',
      enabled: isReady,
      run: () => app.fitSlices(),
    },
    ...sideCommands(app),
    {
      id: 'clip-handles',
      label: 'Show or hide clip handles',
      group: 'View',
      enabled: isReady,
      run: () => app.showClipHandles(!store.getState().clipHandles),
    },
    {
      id: 'cut',
      label: 'Turn oblique clip plane on or off',
      group: 'View',
      enabled: isReady,
      run: () => app.toggleCut(),
    },
    {
      id: 'tool-window',
      label: 'Window and level by dragging',
      group: 'View',
      shortcut: 'W',
      enabled: isReady,
      run: () => app.measuring.setTool(store.getState().tool === 'window' ? 'pointer' : 'window'),
    },
    ...windowPresets.map(
      ({ id, label, group }): Command => ({
        id: `window-${id}`,
        label: group === 'ct' ? `CT window: ${label.toLowerCase()}` : `Window: ${label.toLowerCase()}`,
        group: 'View',
        ...(id === 'auto' && { shortcut: 'Shift+W' }),
        enabled: (state) => isReady(state) && hasPreset(state, id),
        run: () => app.presetWindow(id),
      }),
    ),
    {
      id: 'reset-opacity',
      label: 'Reset opacity',
      group: 'View',
      enabled: isReady,
      run: () => app.resetOpacity(),
    },
    {
      id: 'invert-colors',
      label: 'Invert colormap',
      group: 'View',
      enabled: isReady,
      run: () => app.changeView(({ inverted }) => ({ inverted: !inverted })),
    },
    {
      id: 'projection',
      label: 'Next projection',
      group: 'View',
      shortcut: 'P',
      enabled: isReady,
      run: () => app.nextProjection(),
    },
    {
      id: 'measure',
      label: 'Turn measuring on or off',
      group: 'Measure',
      shortcut: 'M',
      enabled: isReady,
      run: () => app.measuring.toggle(),
    },
    ...measurementKinds.map((kind) => measure(kind, `Measure: ${kindNames[kind].toLowerCase()}`)),
    {
      id: 'delete-measurement',
      label: 'Delete selected measurement',
      group: 'Measure',
      shortcut: 'Delete',
      enabled: (state) => isReady(state) && state.chosenMeasurement !== undefined,
      run: () => {
        const { chosenMeasurement } = store.getState();
        if (chosenMeasurement !== undefined) app.measuring.remove(chosenMeasurement);
      },
    },
    {
      id: 'export-measurements',
      label: 'Export measurements as CSV…',
      group: 'Measure',
      enabled: (state) => isReady(state) && state.measurements.length > 0,
      run: () => app.saveMeasurements(),
    },
    {
      id: 'copy-measurements',
      label: 'Copy measurements as CSV',
      group: 'Measure',
      enabled: (state) => isReady(state) && state.measurements.length > 0,
      run: () => app.copyMeasurements(),
    },
    {
      id: 'play',
      label: 'Play or pause',
      group: 'Playback',
      shortcut: 'Space',
      enabled: canPlay,
      run: () => app.playback.toggle(),
    },
    goTo('frame-previous', -1, 'ArrowLeft', 'Previous frame'),
    goTo('frame-next', 1, 'ArrowRight', 'Next frame'),
    goTo('frame-first', -Infinity, 'Home', 'First frame'),
    goTo('frame-last', Infinity, 'End', 'Last frame'),
    playAs('play-loop', { atEnd: 'loop' }, 'Play in a loop'),
    playAs('play-bounce', { atEnd: 'bounce' }, 'Play back and forth'),
    playAs('play-once', { atEnd: 'once' }, 'Play once'),
    playAs('play-hold', { pace: 'hold' }, 'Keep the frame rate, dropping late frames'),
    playAs('play-every', { pace: 'every' }, 'Show every frame, slowing down if needed'),
    {
      id: 'inspector',
      label: 'Show or hide inspector',
      group: 'View',
      shortcut: 'I',
      enabled: always,
      run: () => app.set({ inspectorOpen: !store.getState().settings.inspectorOpen }),
    },
    ...(['system', 'light', 'dark'] as const).map(
      (theme): Command => ({
        id: `theme-${theme}`,
        label: theme === 'system' ? 'Follow the system theme' : `${theme === 'light' ? 'Light' : 'Dark'} theme`,
        group: 'View',
        enabled: always,
        run: () => app.set({ theme }),
      }),
    ),
    {
      id: 'lab',
      label: 'Lab: benchmark this machine',
      group: 'Help',
      shortcut: 'B',
      enabled: always,
      run: () => app.showPage(store.getState().page === 'lab' ? 'viewer' : 'lab'),
    },
    {
      id: 'settings',
      label: 'Settings…',
      group: 'Edit',
      shortcut: 'Mod+,',
      menu: 'settings',
      enabled: always,
      run: () => store.setState({ overlay: 'settings' }),
    },
    {
      id: 'palette',
      label: 'All commands',
      group: 'Help',
      shortcut: 'Mod+K',
      enabled: always,
      run: () => store.setState(({ overlay }) => ({ overlay: overlay === 'palette' ? 'none' : 'palette' })),
    },
    {
      id: 'shortcuts',
      label: 'Keyboard shortcuts',
      group: 'Help',
      shortcut: '?',
      menu: 'shortcuts',
      enabled: always,
      run: () => store.setState({ overlay: 'shortcuts' }),
    },
    {
      id: 'about',
      label: 'About Stria',
      group: 'Help',
      menu: 'about',
      enabled: always,
      run: () => store.setState({ overlay: 'about' }),
    },
    {
      id: 'diagnostics',
      label: 'Copy diagnostics',
      group: 'Help',
      menu: 'diagnostics',
      enabled: always,
      run: () => app.copyDiagnostics(),
    },
    ...(app.debug
      ? [
          {
            id: 'lose-device',
            label: 'Simulate device loss',
            group: 'Debug',
            enabled: (state: AppState) => state.gpu.kind === 'ready',
            run: () => app.loseDevice(),
          } satisfies Command,
        ]
      : []),
  ];
}
