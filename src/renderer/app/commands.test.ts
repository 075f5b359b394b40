import { describe, expect, it } from 'vitest';
import { menuCommands } from '../../core/shared/ipc.ts';
import type { App } from './app.ts';
import { commandOfMenu, createCommands } from './commands.ts';
import { createAppStore } from './store.ts';

const store = createAppStore();
const appWith = (debug: boolean) => ({ store, debug }) as unknown as App;
const commands = createCommands(appWith(false));

describe('commands', () => {
  it('have an id and a shortcut of their own', () => {
    const ids = commands.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const shortcuts = commands.flatMap(({ shortcut }) => (shortcut ? [shortcut] : []));
    expect(new Set(shortcuts).size).toBe(shortcuts.length);
  });

  it('answer every menu item', () => {
    for (const menu of menuCommands) expect(commandOfMenu(commands, menu)?.label, menu).toBeDefined();
  });

  it('are off where there is nothing to do', () => {
    const enabled = commands.filter((command) => command.enabled(store.getState())).map(({ id }) => id);
    expect(enabled).toContain('open');
    for (const id of ['save', 'close', 'compress', 'cancel', 'layout-1', 'reset-view', 'slice-next', 'play', 'frame-next']) {
      expect(enabled).not.toContain(id);
    }
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
