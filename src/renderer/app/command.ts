import { type MenuCommand, menuWords } from '../../core/shared/menu-commands.ts';
import type { Host } from '../host/host.ts';
import type { AppState, AppStore } from './state/store.ts';

/** Something that the app can do. Buttons, shortcuts, menus and the palette share one table of these. */
export interface Command {
  readonly id: string;
  /** The text in the palette, in menus, and on buttons unless `words` or `tip` replaces it. */
  readonly label: string;
  /** The text of a button, if it is shorter than the label or depends on the state. */
  readonly words?: string | ((state: AppState) => string);
  /** The tooltip of an icon button, if it depends on the state. */
  readonly tip?: (state: AppState) => string;
  readonly group: 'File' | 'Edit' | 'View' | 'Layers' | 'Measure' | 'Playback' | 'Compression' | 'Help' | 'Debug';
  /** Such as `Mod+O` or `[`; see shortcuts.ts. */
  readonly shortcut?: string;
  /** The command that the shell's menus send for it. */
  readonly menu?: MenuCommand;
  enabled(state: AppState): boolean;
  run(): void;
  /** The message if the shortcut is pressed while the command is disabled. Without `whyNot` there is no message. */
  whyNot?(state: AppState): string;
}

/** The fields that a command shares with its item in the shell's menus. */
export function ofMenu(menu: MenuCommand): Pick<Command, 'id' | 'label' | 'shortcut' | 'menu'> {
  const { label, shortcut } = menuWords[menu];
  return { id: menu, menu, label, ...(shortcut && { shortcut }) };
}

/** The text of a button. */
export function wordsOf({ words, label }: Command, state: AppState): string {
  return typeof words === 'function' ? words(state) : (words ?? label);
}

/** The tooltip of an icon button. */
export function tipOf({ tip, label }: Command, state: AppState): string {
  return tip?.(state) ?? label;
}

/** The command of a menu item. */
export function commandOfMenu(commands: readonly Command[], menu: MenuCommand): Command | undefined {
  return commands.find((command) => command.menu === menu);
}

/** Tells the shell which menu items are enabled, whenever that changes. */
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
