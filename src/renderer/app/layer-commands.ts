import { blendings } from '../../core/draw/slice-pass.ts';
import { colormap } from '../viewer/colors/colormaps.ts';
import { hasChannels } from '../viewer/model/channel-group.ts';
import { baseId, hasChannelGroup, type LayerLook, type LayerStack, placeOf, volumeIdOf } from '../viewer/model/layers.ts';
import { alignCommands } from './align-commands.ts';
import type { App } from './app.ts';
import type { Command } from './command.ts';
import { labelledVolume } from './labels/label-tables.ts';
import { orNotice } from './state/or-notice.ts';
import { isInViewer, isReady } from './state/shown.ts';
import { type AppState, openDocument } from './state/store.ts';

/** Commands that add layers over the open volume, or change the chosen layer. */
export function layerCommands(app: App): Command[] {
  const onChosen = (id: string, label: string, words: string, run: () => void): Command => ({
    id,
    label,
    words,
    group: 'Layers',
    enabled: (state) => placeOfChosen(state) !== undefined,
    run,
  });
  return [
    {
      id: 'add-layer',
      label: 'Add a file as layer…',
      words: 'Add layer…',
      group: 'Layers',
      shortcut: 'Shift+L',
      enabled: isInViewer,
      run: () => app.dialogs.addLayers(),
    },
    {
      id: 'add-layer-cancel',
      label: 'Stop adding a layer',
      words: ({ layers }) => (layers.adding.kind === 'none' ? 'Dismiss' : 'Cancel'),
      group: 'Layers',
      enabled: ({ layers }) => layers.adding.kind !== 'none' || layers.notAdded.length > 0,
      run: () => app.adding.cancel(),
    },
    {
      id: 'layer-find',
      label: 'Find the file of the chosen layer or surface…',
      words: 'Find…',
      group: 'Layers',
      enabled: (state) => {
        const { chosen, surfaces, volumes } = state.layers;
        const look = chosenLook(state);
        if (look) return volumes[volumeIdOf(look)]?.kind === 'lost';
        return chosen !== undefined && surfaces[chosen]?.kind === 'lost';
      },
      run: () => app.dialogs.findLayer(),
    },
    {
      id: 'show-layers',
      label: 'Show the list of layers',
      group: 'Layers',
      shortcut: 'L',
      enabled: isInViewer,
      run: () => app.settings.showInspector('layers'),
    },
    {
      ...onChosen('layer-toggle', 'Show or hide the chosen layer', 'Show or hide', () => app.layers.toggleChosen()),
      enabled: (state) => stackOf(state) !== undefined && state.layers.chosen !== undefined,
    },
    {
      ...onChosen('layer-solo', 'Show only the chosen layer, or all again', 'Solo', () => app.layers.soloChosen()),
      tip: (state) => (isSolo(state) ? 'Show all layers again' : 'Show only this layer'),
      enabled: (state) => isChosenBase(state) || placeOfChosen(state) !== undefined,
    },
    {
      ...onChosen('layer-up', 'Move the chosen layer up', 'Up', () => app.layers.moveChosen(1)),
      enabled: (state) => {
        const at = placeOfChosen(state);
        return at !== undefined && at.place < at.count - 1;
      },
    },
    {
      ...onChosen('layer-down', 'Move the chosen layer down', 'Down', () => app.layers.moveChosen(-1)),
      enabled: (state) => (placeOfChosen(state)?.place ?? 0) > 0,
    },
    ...layerSettings(app),
    ...alignCommands(app),
    {
      id: 'labels-load',
      label: 'Load a label table…',
      words: 'Load table…',
      group: 'Layers',
      enabled: hasLabels,
      run: () => void orNotice(app.store, () => app.labels.loadDialog()),
    },
    {
      id: 'labels-count',
      label: 'Count the labels at full resolution',
      words: 'Count at full resolution',
      group: 'Layers',
      enabled: ({ labels: { counted } }) => counted?.kind === 'partial',
      run: () => app.labels.countAll(),
    },
    {
      id: 'labels-show-all',
      label: 'Show all labels',
      words: 'Show all',
      group: 'Layers',
      enabled: hasLabels,
      run: () => app.labels.showAll('all'),
    },
    {
      id: 'labels-hide-all',
      label: 'Hide all labels',
      words: 'Hide all',
      group: 'Layers',
      enabled: hasLabels,
      run: () => app.labels.showAll('none'),
    },
    {
      id: 'layer-contrast',
      label: 'Automatic contrast of the chosen layer',
      words: 'Automatic contrast',
      group: 'Layers',
      enabled: (state) => (chosenLook(state) !== undefined || isChosenBase(state)) && !isLabels(state),
      run: () => void app.channels.contrast(app.store.getState().layers.chosen ?? baseId),
    },
    {
      id: 'channels-together',
      label: 'Show all channels together, each in its colour',
      words: 'Show all channels together',
      group: 'Layers',
      enabled: (state) => hasOpenChannels(state) && !hasChannelGroup(state.layers.stack),
      run: () => void app.channels.showAll(),
    },
    {
      id: 'channels-single',
      label: 'Show one channel by itself',
      group: 'Layers',
      enabled: (state) => hasOpenChannels(state) && hasChannelGroup(state.layers.stack),
      run: () => void app.channels.showOne(chosenLook(app.store.getState())?.channel ?? 0),
    },
    {
      id: 'channels-contrast',
      label: 'Automatic contrast of all channels',
      words: 'Automatic contrast of all',
      group: 'Layers',
      enabled: (state) => hasOpenChannels(state) && hasChannelGroup(state.layers.stack),
      run: () => void app.channels.contrastAll(),
    },
    onChosen('layer-remove', 'Remove the chosen layer', 'Remove', () => app.layers.removeChosen()),
  ];
}

/** The settings of the chosen layer, for the palette. */
function layerSettings(app: App): Command[] {
  const setting = (id: string, label: string, isOfLabels: boolean, change: (look: LayerLook) => Partial<LayerLook>): Command => ({
    id,
    label,
    group: 'Layers',
    enabled: (state) => chosenLook(state) !== undefined && isLabels(state) === isOfLabels,
    run: () => {
      const look = chosenLook(app.store.getState());
      if (look) app.layers.change(look.id, change(look));
    },
  });
  return [
    setting('layer-outline', 'Draw labels as outlines, or filled', true, ({ outline }) => ({ outline: !outline })),
    setting('layer-invert', 'Invert the colormap of the chosen layer', false, ({ inverted }) => ({ inverted: !inverted })),
    setting('layer-smooth', 'Interpolate the chosen layer, or not', false, ({ smooth }) => ({ smooth: !smooth })),
    setting('layer-hide-below', 'Hide or show the chosen layer below its window', false, ({ hidesBelow }) => ({
      hidesBelow: !hidesBelow,
    })),
    ...blendings.map(
      (blending): Command => ({
        ...setting(`layer-${blending}`, `Blend the chosen layer: ${blending}`, false, () => ({ blending })),
        enabled: (state) => (chosenLook(state)?.blending ?? blending) !== blending,
      }),
    ),
  ];
}

function chosenLook(state: AppState): LayerLook | undefined {
  return stackOf(state)?.layers.find(({ id }) => id === state.layers.chosen);
}

function isLabels(state: AppState): boolean {
  return colormap(chosenLook(state)?.colormap ?? '').isCategorical;
}

function hasOpenChannels(state: AppState): boolean {
  const document = openDocument(state);
  return isReady(state) && document !== undefined && hasChannels(document.info);
}

function hasLabels(state: AppState): boolean {
  return isReady(state) && labelledVolume(state) !== undefined;
}

function stackOf(state: AppState): LayerStack | undefined {
  return isReady(state) ? state.layers.stack : undefined;
}

/** The place of the chosen layer in its list; undefined if no layer is chosen, or the open volume is. */
function placeOfChosen(state: AppState): ReturnType<typeof placeOf> {
  const stack = stackOf(state);
  return stack && placeOf(stack, state.layers.chosen);
}

function isChosenBase(state: AppState): boolean {
  return state.layers.chosen === baseId && stackOf(state) !== undefined;
}

function isSolo(state: AppState): boolean {
  const solo = stackOf(state)?.solo;
  return solo !== undefined && solo === state.layers.chosen;
}
