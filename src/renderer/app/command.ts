import { type MenuCommand, menuWords } from '../../core/shared/menu-commands.ts';
import type { Host } from '../host/host.ts';
import type { AppState, AppStore } from './state/store.ts';

/** Something that the app can do. Buttons, shortcuts, menus and the palette share one table of these. */
export interface Command {
  readonly id: string;
  /** In the palette, in menus, and on buttons where nothing else is said below. */
  readonly label: string;
  /** The text of a button, if it is shorter than the label or depends on the state. */
  readonly words?: string | ((state: AppState) => string);
  /** The tooltip of an icon button, if it depends on the state. */
  readonly tip?: (state: AppState) => string;
  readonly group: 'File' | 'Edit' | 'View' | 'Layers' | 'Measure' | 'Playback' | 'Compression' | 'Help' | 'Debug';
  /** `Mod+O`, `[`; see shortcuts.ts. */
  readonly shortcut?: string;
  /** Sent by the shell's menus. */
  readonly menu?: MenuCommand;
  enabled(state: AppState): boolean;
  run(): void;
  /** What to say if its shortcut is pressed while it is disabled. Without this nothing is said. */
  whyNot?(state: AppState): string;
}

/** What a command that the shell's menus have, too, shares with them. */
export function ofMenu(menu: MenuCommand): Pick<Command, 'id' | 'label' | 'shortcut' | 'menu'> {
  const { label, shortcut } = menuWords[menu];
  return { id: menu, menu, label, ...(shortcut && { shortcut }) };
}

/** What a button with words says. */
export function wordsOf({ words, label }: Command, state: AppState): string {
  return typeof words === 'function' ? words(state) : (words ?? label);
}

/** What a button with an icon says. */
export function tipOf({ tip, label }: Command, state: AppState): string {
  return tip?.(state) ?? label;
}

/** The command of a menu item. */
export function commandOfMenu(commands: readonly Command[], menu: MenuCommand): Command | undefined {
  return commands.find((command) => command.menu === menu);
}

/** Tells the shell which items of its menus can be clicked, whenever that changes. */
export function watchMenu(store: AppStore, commands: readonly Command[], { setMenu }: Pick<Host, 'setMenu'>): void {
  if (!setMenu) return;
  const inMenus = commands.filter(({ menu }) => menu !== undefined);
  let told: string | undefined;
  const tell = (state: AppState) => {
    const enabled = inMenus.flatMap((command) => (command.menu && command.enabled(state) ? [command.menu] : []));
    if (enabled.join() === told) return;
    told = enabled.join();
    setMenu(enabled);
  };
  tell(store.getState());
  store.subscribe(tell);
}
