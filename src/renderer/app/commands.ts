import type { App } from './app.ts';
import { type Command, ofMenu } from './command.ts';
import { layerCommands } from './layer-commands.ts';
import { playbackCommands } from './playback-commands.ts';
import { hasVolume, isInViewer, isReady } from './state/shown.ts';
import { type AppState, openDocument } from './state/store.ts';
import { measureCommands, viewCommands } from './view-commands.ts';
import { always, canCancel, canCompareCompressed, canKeepLevels, canSave, isRunning, whyNoSurface, whyNotSave } from './when.ts';

/**
 * All commands, in the order of the palette. Buttons, menus, keys and the palette take labels, shortcuts and the enabled state
 * from here.
 */
export function createCommands(app: App): Command[] {
  return [
    ...fileCommands(app),
    ...editCommands(app),
    ...compressionCommands(app),
    ...viewCommands(app),
    ...layerCommands(app),
    ...measureCommands(app),
    ...playbackCommands(app),
    ...helpCommands(app),
    ...(app.debug ? debugCommands(app) : []),
  ];
}

function fileCommands(app: App): Command[] {
  const { store } = app;
  return [
    { ...ofMenu('open'), words: openWords, group: 'File', enabled: always, run: () => app.dialogs.open() },
    { ...ofMenu('open-folder'), words: openFolderWords, group: 'File', enabled: always, run: () => app.dialogs.openFolder() },
    {
      ...ofMenu('open-url'),
      group: 'File',
      enabled: always,
      run: () => store.setState({ overlay: 'address' }),
    },
    {
      id: 'choose-volume',
      label: 'Choose another volume in this file…',
      group: 'File',
      enabled: (state) => isReady(state) && openDocument(state)?.chosenFrom !== undefined,
      run: () => store.setState({ overlay: 'volumes' }),
    },
    { ...ofMenu('save'), group: 'File', enabled: canSave, run: () => app.document.save(), whyNot: whyNotSave },
    { ...ofMenu('save-session'), group: 'File', enabled: isReady, run: () => app.document.saveSession() },
    {
      id: 'picture',
      label: 'Save or copy picture…',
      group: 'File',
      shortcut: 'Mod+Shift+P',
      enabled: isInViewer,
      run: () => store.setState({ overlay: 'picture' }),
    },
    {
      id: 'surface',
      label: 'Save surface as mesh…',
      words: 'Save surface…',
      group: 'File',
      enabled: (state) => isInViewer(state) && hasVolume(state) && openDocument(state)?.decimation === 1,
      whyNot: whyNoSurface,
      run: () => store.setState({ overlay: 'surface' }),
    },
    {
      id: 'surface-show',
      label: 'Show surface, or surfaces of labels…',
      words: 'Surface…',
      group: 'Layers',
      enabled: (state) => isInViewer(state) && hasVolume(state) && openDocument(state)?.decimation === 1,
      whyNot: whyNoSurface,
      run: () => store.setState({ overlay: 'surface' }),
    },
    {
      id: 'movie',
      label: 'Make movie…',
      words: 'Movie…',
      group: 'File',
      enabled: (state) => isInViewer(state) && state.output.movieWork.kind !== 'running',
      run: () => store.setState({ overlay: 'movie' }),
    },
    {
      id: 'compare',
      label: 'Compare with…',
      group: 'File',
      enabled: (state) => isInViewer(state) && hasVolume(state),
      run: () => app.dialogs.compare(),
    },
    {
      id: 'compare-end',
      label: 'Stop comparing',
      words: ({ comparison }) => (comparison.kind === 'loading' ? 'Cancel' : 'Stop comparing'),
      group: 'File',
      enabled: (state) => state.comparison.kind !== 'none',
      run: () => app.comparison.end(),
    },
    {
      ...ofMenu('close'),
      words: ({ document }) => (document.kind === 'layout' ? 'Cancel' : 'Close'),
      group: 'File',
      enabled: (state) => state.document.kind !== 'empty',
      run: () => app.document.close(),
    },
    {
      id: 'clear-recent',
      label: 'Clear recent files',
      words: 'Clear',
      group: 'File',
      enabled: (state) => state.recent.length > 0,
      run: () => app.clearRecent(),
    },
  ];
}

function openWords({ document, gpu }: AppState): string {
  if (document.kind === 'waiting') return 'Choose…';
  if (document.kind === 'failed') return 'Open another…';
  return gpu.kind === 'failed' ? 'Compress files…' : 'Open…';
}

function openFolderWords({ document }: AppState): string {
  return document.kind === 'waiting' ? 'Choose…' : 'Open folder…';
}

function editCommands(app: App): Command[] {
  const exactly = (label: string, what: string | undefined) => (what === undefined ? label : `${label}: ${what}`);
  return [
    {
      ...ofMenu('undo'),
      tip: ({ undo }) => exactly('Undo', undo.undo),
      group: 'Edit',
      enabled: (state) => isReady(state) && state.undo.undo !== undefined,
      run: () => app.undo.undo(),
    },
    {
      ...ofMenu('redo'),
      tip: ({ undo }) => exactly('Redo', undo.redo),
      group: 'Edit',
      enabled: (state) => isReady(state) && state.undo.redo !== undefined,
      run: () => app.undo.redo(),
    },
  ];
}

function compressionCommands(app: App): Command[] {
  const { store } = app;
  return [
    {
      ...ofMenu('compress'),
      words: compressWords,
      group: 'Compression',
      enabled: (state) => hasVolume(state) && !isRunning(state),
      run: () => app.document.compress(),
    },
    {
      id: 'compare-compressed',
      label: 'Compare with compressed volume',
      group: 'Compression',
      enabled: canCompareCompressed,
      run: () => app.document.compareCompressed(),
    },
    {
      id: 'keep-levels',
      label: 'Keep levels beside the file',
      group: 'Compression',
      enabled: canKeepLevels,
      run: () => app.document.keepLevels(),
    },
    {
      id: 'cancel',
      label: 'Cancel the running task',
      words: 'Cancel',
      group: 'Compression',
      enabled: canCancel,
      run: () => app.document.cancel(),
    },
    {
      id: 'chunks',
      label: 'Show or hide chunks',
      group: 'Compression',
      shortcut: 'K',
      enabled: (state) => hasVolume(state) && state.chunks !== undefined,
      run: () => store.setState(({ showChunks }) => ({ showChunks: !showChunks })),
    },
  ];
}

function compressWords(state: AppState): string {
  if ((openDocument(state)?.decimation ?? 1) > 1) return 'Compress to a file…';
  return state.compressed ? 'Compress again' : 'Compress';
}

function helpCommands(app: App): Command[] {
  const { store } = app;
  return [
    {
      id: 'lab',
      label: 'Lab: benchmark this machine',
      tip: ({ page }) => (page === 'lab' ? 'Back to the viewer' : 'Lab: benchmark this machine'),
      group: 'Help',
      shortcut: 'B',
      enabled: always,
      run: () => app.showPage(store.getState().page === 'lab' ? 'viewer' : 'lab'),
    },
    { ...ofMenu('settings'), group: 'Edit', enabled: always, run: () => store.setState({ overlay: 'settings' }) },
    {
      id: 'palette',
      label: 'All commands',
      group: 'Help',
      shortcut: 'Mod+K',
      enabled: always,
      run: () => store.setState(({ overlay }) => ({ overlay: overlay === 'palette' ? 'none' : 'palette' })),
    },
    { ...ofMenu('shortcuts'), group: 'Help', enabled: always, run: () => store.setState({ overlay: 'shortcuts' }) },
    { ...ofMenu('about'), group: 'Help', enabled: always, run: () => store.setState({ overlay: 'about' }) },
    { ...ofMenu('diagnostics'), group: 'Help', enabled: always, run: () => app.reports.copyDiagnostics() },
    { id: 'report', label: 'Save error report…', group: 'Help', enabled: always, run: () => app.reports.saveReport() },
  ];
}

function debugCommands(app: App): Command[] {
  return [
    {
      id: 'lose-device',
      label: 'Simulate device loss',
      group: 'Debug',
      enabled: (state) => state.gpu.kind === 'ready',
      run: () => app.loseDevice(),
    },
  ];
}
