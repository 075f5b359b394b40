import type { MenuCommand } from '../../core/shared/ipc.ts';
import type { AppState } from './state/store.ts';

/** One thing that can be done. Buttons, keys, menus and the palette all run the same. */
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
  /** What is said when its key is pressed while it cannot be done. Without it nothing is said. */
  whyNot?(state: AppState): string;
}

/** The command of a menu item. */
export function commandOfMenu(commands: readonly Command[], menu: MenuCommand): Command | undefined {
  return commands.find((command) => command.menu === menu);
}
