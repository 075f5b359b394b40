import type { MenuCommand } from '../../core/shared/ipc.ts';
import type { AppState } from './state/store.ts';

/** Something that the app can do. Buttons, shortcuts, menus and the palette share one table of these. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: 'File' | 'Edit' | 'View' | 'Measure' | 'Playback' | 'Compression' | 'Help' | 'Debug';
  /** `Mod+O`, `[`; see shortcuts.ts. */
  readonly shortcut?: string;
  /** Sent by the shell's menus. */
  readonly menu?: MenuCommand;
  enabled(state: AppState): boolean;
  run(): void;
  /** What to say if its shortcut is pressed while it is disabled. Without this nothing is said. */
  whyNot?(state: AppState): string;
}

/** The command of a menu item. */
export function commandOfMenu(commands: readonly Command[], menu: MenuCommand): Command | undefined {
  return commands.find((command) => command.menu === menu);
}
