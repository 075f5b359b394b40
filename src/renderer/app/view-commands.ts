import type { MenuCommand } from '../../core/shared/menu-commands.ts';
import { kindNames, measurementKinds, needsVoxels, type SliceTool } from '../viewer/model/measure.ts';
import type { Layout, SliceAxis } from '../viewer/model/viewer-api.ts';
import type { App } from './app.ts';
import { type Command, ofMenu } from './command.ts';
import { hasCoarseStatistics } from './measure/full-statistics.ts';
import { sideCommands } from './sides.ts';
import { hasVolume, isReady } from './state/shown.ts';
import { mostPinnedCurves } from './state/time-curve-state.ts';
import { filePresets, windowPresets } from './view/window-presets.ts';
import { always, hasMeasurements, hasPreset } from './when.ts';

/** Layout, slices, cameras, windows and colours. */
export function viewCommands(app: App): Command[] {
  const { store } = app;
  const layout = (menu: MenuCommand, name: Layout): Command => ({
    ...ofMenu(menu),
    group: 'View',
    enabled: isReady,
    run: () => app.settings.set({ layout: name }),
  });
  const step = (by: number, shortcut: string, label: string): Command => ({
    id: by > 0 ? 'slice-next' : 'slice-previous',
    label,
    group: 'View',
    shortcut,
    enabled: isReady,
    run: () => app.view.stepSlice(by),
  });
  const slice = (axis: SliceAxis): Command => ({
    id: `slice-${axis}`,
    label: `Slice across ${axis} only`,
    group: 'View',
    enabled: isReady,
    run: () => app.view.showSlice(axis),
  });
  return [
    layout('layout-1', '3d'),
    layout('layout-2', 'slice'),
    layout('layout-3', 'slices'),
    layout('layout-4', 'quad'),
    layout('layout-5', 'oblique'),
    slice('x'),
    slice('y'),
    slice('z'),
    step(-1, '[', 'Previous slice'),
    step(1, ']', 'Next slice'),
    { ...ofMenu('reset-view'), group: 'View', enabled: isReady, run: () => app.view.reset() },
    { id: 'fit', label: 'Fit slices', group: 'View', shortcut: 'F', enabled: isReady, run: () => app.view.fitSlices() },
    ...sideCommands(app),
    {
      id: 'clip-handles',
      label: 'Show or hide clip handles',
      group: 'View',
      enabled: isReady,
      run: () => app.view.showClipHandles(!store.getState().clipHandles),
    },
    {
      id: 'cut',
      label: 'Turn oblique clip plane on or off',
      group: 'View',
      enabled: isReady,
      run: () => app.view.toggleCut(),
    },
    ...[...windowPresets, ...filePresets].map(
      ({ id, label, group }): Command => ({
        id: `window-${id}`,
        label: group === 'ct' ? `CT window: ${label.toLowerCase()}` : `Window: ${label.toLowerCase()}`,
        words: id === 'auto' ? 'Auto' : label,
        group: 'View',
        ...(id === 'auto' && { shortcut: 'Shift+W' }),
        enabled: (state) => isReady(state) && hasPreset(state, id),
        run: () => app.view.presetWindow(id),
      }),
    ),
    {
      id: 'full-statistics',
      label: 'Compute histogram and statistics at full resolution',
      words: 'Compute for full resolution',
      group: 'View',
      enabled: (state) => hasCoarseStatistics(state) && state.fullStatistics.kind !== 'running',
      run: () => void app.fullStatistics.compute(),
    },
    {
      id: 'reset-opacity',
      label: 'Reset opacity',
      group: 'View',
      enabled: isReady,
      run: () => app.view.resetOpacity(),
    },
    {
      id: 'invert-colors',
      label: 'Invert colormap',
      group: 'View',
      enabled: isReady,
      run: () => app.view.change(({ inverted }) => ({ inverted: !inverted })),
    },
    {
      id: 'projection',
      label: 'Next projection',
      group: 'View',
      shortcut: 'P',
      enabled: isReady,
      run: () => app.view.nextProjection(),
    },
    {
      id: 'inspector',
      label: 'Show or hide inspector',
      group: 'View',
      shortcut: 'I',
      enabled: always,
      run: () => app.settings.set({ inspectorOpen: !store.getState().settings.inspectorOpen }),
    },
    ...(['system', 'light', 'dark'] as const).map(
      (theme): Command => ({
        id: `theme-${theme}`,
        label: theme === 'system' ? 'Follow the system theme' : `${theme === 'light' ? 'Light' : 'Dark'} theme`,
        words: { system: 'System', light: 'Light', dark: 'Dark' }[theme],
        group: 'View',
        enabled: always,
        run: () => app.settings.set({ theme }),
      }),
    ),
  ];
}

/** Tools for the pointer on slices, and commands for measurements. */
export function measureCommands(app: App): Command[] {
  const { store } = app;
  const tool = (name: SliceTool, label: string, words: string): Command => ({
    id: `tool-${name}`,
    label,
    words,
    group: 'Measure',
    // Surfaces without a volume have no values to measure.
    enabled: needsVoxels(name) ? hasVolume : isReady,
    run: () => app.measuring.setTool(name),
  });
  return [
    tool('pointer', 'Pointer on slices, without measuring', 'Pointer'),
    {
      ...tool('window', 'Window and level by dragging', 'Window and level'),
      group: 'View',
      shortcut: 'W',
      run: () => app.measuring.setTool(store.getState().tool === 'window' ? 'pointer' : 'window'),
    },
    {
      id: 'measure',
      label: 'Turn measuring on or off',
      group: 'Measure',
      shortcut: 'M',
      enabled: isReady,
      run: () => app.measuring.toggle(),
    },
    ...measurementKinds.map((kind) => {
      const name = kindNames[kind].toLowerCase();
      return tool(kind, `Measure: ${name}`, `Measure ${name}`);
    }),
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
      words: 'Export CSV…',
      group: 'Measure',
      enabled: hasMeasurements,
      run: () => app.exports.saveMeasurements(),
    },
    {
      id: 'export-profile',
      label: 'Export the profile of the selected distance as CSV…',
      words: 'Export profile…',
      group: 'Measure',
      enabled: (state) => isReady(state) && state.profile !== undefined,
      run: () => app.exports.saveProfile(),
    },
    {
      id: 'export-time-curve',
      label: 'Export the curve over time, and pinned ones, as CSV…',
      words: 'Export CSV…',
      group: 'Measure',
      enabled: (state) => isReady(state) && (state.timeCurve !== undefined || state.pinnedCurves.length > 0),
      run: () => app.exports.saveTimeCurves(),
    },
    {
      id: 'pin-time-curve',
      label: 'Pin the curve over time, to compare it with other places',
      words: 'Pin',
      group: 'Measure',
      enabled: (state) => isReady(state) && state.timeCurve !== undefined && state.pinnedCurves.length < mostPinnedCurves,
      run: () => app.timeCurves.pin(),
    },
    {
      id: 'unpin-time-curves',
      label: 'Remove all pinned curves',
      words: 'Remove pins',
      group: 'Measure',
      enabled: (state) => isReady(state) && state.pinnedCurves.length > 0,
      run: () => app.timeCurves.unpinAll(),
    },
    {
      id: 'copy-measurements',
      label: 'Copy measurements as CSV',
      words: 'Copy',
      group: 'Measure',
      enabled: hasMeasurements,
      run: () => app.exports.copyMeasurements(),
    },
  ];
}
