import { describe, expect, it, vi } from 'vitest';
import { menuCommands } from '../../core/shared/menu-commands.ts';
import { testInfo } from '../../core/volume/resident-testing.ts';
import type { VolumeStatistics } from '../../core/volume/statistics.ts';
import { testLook } from '../viewer/model/layer-testing.ts';
import { type LayerLook, noLayers } from '../viewer/model/layers.ts';
import type { App } from './app.ts';
import { type Command, commandOfMenu, tipOf, watchMenu, wordsOf } from './command.ts';
import { rankedCommands } from './command-rank.ts';
import { createCommands } from './commands.ts';
import { tryCommand } from './keys.ts';
import { startProgress } from './state/progress.ts';
import { type AppState, createAppStore } from './state/store.ts';
import { presetsOf } from './view/window-presets.ts';

const store = createAppStore();
const appWith = (debug: boolean) => ({ store, debug }) as unknown as App;
const commands = createCommands(appWith(false));

describe('commands', () => {
  it('have unique ids and shortcuts', () => {
    const ids = commands.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const shortcuts = commands.flatMap(({ shortcut }) => (shortcut ? [shortcut] : []));
    expect(new Set(shortcuts).size).toBe(shortcuts.length);
  });

  it('are ranked by whole words, then by the beginnings of words', () => {
    const labels = (typed: string) => rankedCommands(commands, typed).map(({ label }) => label);
    expect(labels('lab')[0]).toMatch(/\bLab\b/);
    expect(labels('lab').findIndex((label) => /\blabels?\b/i.test(label))).toBeLessThan(
      labels('lab').findIndex((label) => !/\blab/i.test(label)),
    );
    expect(labels('c++ (')).toEqual(commands.map(({ label }) => label));
    expect(labels(' ')).toEqual(commands.map(({ label }) => label));
  });

  it('exist for every menu item', () => {
    for (const menu of menuCommands) expect(commandOfMenu(commands, menu)?.label, menu).toBeDefined();
  });

  it('exist for every window that a volume offers, those of its file included', () => {
    const info = {
      ...testInfo([8, 8, 8, 1], 'i16'),
      windows: Array.from({ length: 30 }, (_, low) => ({ name: '', low, high: 99 })),
    };
    const statistics = { numbers: [-1000, 3000] } as unknown as VolumeStatistics;
    const offered = presetsOf({ info, statistics });
    expect(offered.filter(({ group }) => group === 'file')).toHaveLength(24);
    const state = {
      ...createAppStore().getState(),
      gpu: { kind: 'ready' },
      document: { kind: 'ready', document: { info, statistics } },
    };
    for (const { id } of offered) {
      const command = commands.find((one) => one.id === `window-${id}`);
      expect(command?.enabled(state as unknown as AppState), id).toBe(true);
    }
    expect(commands.find(({ id }) => id === 'window-file-0')?.label).toBe('Window: number 1 of the file');
  });

  it('tell the shell which menu items are enabled, when that changes', () => {
    const shown = createAppStore();
    const setMenu = vi.fn();
    watchMenu(shown, commands, { setMenu });
    expect(setMenu.mock.calls).toEqual([[['open', 'open-folder', 'open-url', 'settings', 'shortcuts', 'about', 'diagnostics']]]);
    shown.setState({ notice: 'something else' });
    expect(setMenu).toHaveBeenCalledTimes(1);
    shown.setState({ document: { kind: 'failed', name: 'a.nii', fault: { tag: 'corrupt', message: '', context: [] } } });
    expect(setMenu.mock.lastCall?.[0]).toContain('close');
  });

  it('label their buttons with what they do in the current state', () => {
    const words = (id: string, state: AppState) => wordsOf(commands.find((command) => command.id === id) as Command, state);
    const state = createAppStore().getState();
    const open = { ...state, document: { kind: 'ready', document: { decimation: 1 } } } as AppState;
    const compressed = { result: {}, isAsked: true } as AppState['compressed'];
    const part = { ...state, document: { kind: 'ready', document: { decimation: 2 } } } as AppState;
    expect(words('compress', open)).toBe('Compress');
    expect(words('compress', { ...open, compressed })).toBe('Compress again');
    expect(words('compress', part)).toBe('Compress to a file…');
    expect(words('open', { ...state, gpu: { kind: 'failed' } as AppState['gpu'] })).toBe('Compress files…');
    const undo = commands.find(({ id }) => id === 'undo') as Command;
    expect(tipOf(undo, state)).toBe('Undo');
    expect(tipOf(undo, { ...state, undo: { undo: 'window', redo: undefined } })).toBe('Undo: window');
  });

  it('are disabled if there is nothing to do', () => {
    const enabled = commands.filter((command) => command.enabled(store.getState())).map(({ id }) => id);
    expect(enabled).toContain('open');
    for (const id of ['save', 'close', 'compress', 'cancel', 'layout-1', 'reset-view', 'slice-next', 'play', 'frame-next']) {
      expect(enabled).not.toContain(id);
    }
  });

  it('change the settings of the chosen layer, and settings of labels only if it shows labels', () => {
    const change = vi.fn();
    const shown = createAppStore();
    const ofLayers = createCommands({ store: shown, debug: false, layers: { change } } as unknown as App);
    const run = (id: string) => {
      const command = ofLayers.find((candidate) => candidate.id === id) as Command;
      change.mockClear();
      if (command.enabled(shown.getState())) command.run();
      return change.mock.calls[0];
    };
    const choose = (look: LayerLook) =>
      shown.setState(({ layers }) => ({
        gpu: { kind: 'ready' } as AppState['gpu'],
        document: { kind: 'ready', document: {} } as AppState['document'],
        layers: { ...layers, stack: { ...noLayers, layers: [look] }, chosen: look.id },
      }));
    expect(run('layer-smooth')).toBeUndefined();
    choose(testLook({ id: 'a', smooth: true }));
    expect(run('layer-smooth')).toEqual(['a', { smooth: false }]);
    expect(run('layer-add')).toEqual(['a', { blending: 'add' }]);
    expect(run('layer-over')).toBeUndefined();
    expect(run('layer-outline')).toBeUndefined();
    choose(testLook({ id: 'b', colormap: 'labels' }));
    expect(run('layer-outline')).toEqual(['b', { outline: true }]);
    expect(run('layer-invert')).toBeUndefined();
  });

  it('say why nothing can be saved', () => {
    const save = commands.find(({ id }) => id === 'save') as Command;
    const state = createAppStore().getState();
    const progress = startProgress('Compressing', 10, 0);
    const open = { ...state, document: { kind: 'ready', document: { decimation: 1 } } } as AppState;
    const compressed = { result: {}, isAsked: true } as AppState['compressed'];
    const whyNot = (one: AppState): string | undefined => (save.enabled(one) ? undefined : save.whyNot?.(one));
    expect(whyNot(state)).toBe('Nothing to save: no volume is open');
    expect(whyNot({ ...state, document: { kind: 'loading', name: 'a', progress } })).toContain('still loading');
    expect(whyNot(open)).toBe('Nothing to save yet: compress the volume first (C)');
    // An earlier result exists, but another compression is running.
    expect(whyNot({ ...open, compressed, compression: { kind: 'running', progress, isAsked: true } })).toContain('still running');
    expect(whyNot({ ...open, compressed, save: { kind: 'saving', name: 'a', progress } })).toBe('Already saving');
    const streamed = { ...open, document: { kind: 'ready', document: { decimation: 2 } }, compressed } as AppState;
    expect(whyNot(streamed)).toContain('straight to a file');
    expect(whyNot({ ...open, compressed })).toBeUndefined();
  });

  it('say why they are disabled when their shortcut is pressed', () => {
    const quiet = createAppStore();
    const [save, undo] = ['save', 'undo'].map((id) => commands.find((command) => command.id === id) as Command);
    tryCommand({ store: quiet }, undo as Command);
    expect(quiet.getState().notice).toBeUndefined();
    tryCommand({ store: quiet }, save as Command);
    expect(quiet.getState().notice).toBe('Nothing to save: no volume is open');
  });

  it('of menus and keys take no question’s place, except those whose files wait for the answer', () => {
    const asking = createAppStore();
    asking.setState({ overlay: 'second' });
    const ran: string[] = [];
    for (const id of ['palette', 'about', 'close', 'open', 'open-folder']) {
      const command = commands.find((one) => one.id === id) as Command;
      tryCommand({ store: asking }, { ...command, enabled: () => true, run: () => ran.push(id) });
    }
    expect([ran, asking.getState().notice]).toEqual([['open', 'open-folder'], 'Answer the question first']);
  });

  it('open and close the palette', () => {
    const palette = commands.find(({ id }) => id === 'palette');
    palette?.run();
    expect(store.getState().overlay).toBe('palette');
    palette?.run();
    expect(store.getState().overlay).toBe('none');
  });

  it('lose the device only when debugging', () => {
    expect(commands.some(({ id }) => id === 'lose-device')).toBe(false);
    expect(createCommands(appWith(true)).some(({ id }) => id === 'lose-device')).toBe(true);
  });
});
