/** The label and shortcut of a command that is also in the desktop app's menus. */
export interface MenuWords {
  readonly label: string;
  /** The letter of the label that opens the item from the keyboard. */
  readonly mnemonic?: string;
  /** `Mod+O`, `R`. Mod is ⌘ on macOS and Ctrl elsewhere. Menus show only shortcuts with Mod. */
  readonly shortcut?: string;
  /** A shortcut only for the menu, because browsers use it for something else. */
  readonly shellShortcut?: string;
}

/** Commands that menus send. The page maps each to the same command that its buttons and keys run. */
export const menuCommands = [
  'open',
  'open-folder',
  'open-url',
  'save',
  'save-session',
  'close',
  'undo',
  'redo',
  'settings',
  'compress',
  'reset-view',
  'layout-1',
  'layout-2',
  'layout-3',
  'layout-4',
  'layout-5',
  'shortcuts',
  'about',
  'diagnostics',
] as const;
export type MenuCommand = (typeof menuCommands)[number];

export const menuWords: Readonly<Record<MenuCommand, MenuWords>> = {
  open: { label: 'Open…', mnemonic: 'O', shortcut: 'Mod+O' },
  'open-folder': { label: 'Open folder…', mnemonic: 'f' },
  'open-url': { label: 'Open URL…', mnemonic: 'U', shortcut: 'Mod+U' },
  save: { label: 'Save as .stria…', mnemonic: 'S', shortcut: 'Mod+S' },
  'save-session': { label: 'Save session…', mnemonic: 'e', shortcut: 'Mod+Shift+S' },
  close: { label: 'Close volume', mnemonic: 'C', shellShortcut: 'Mod+W' },
  undo: { label: 'Undo', mnemonic: 'U', shortcut: 'Mod+Z' },
  redo: { label: 'Redo', mnemonic: 'R', shortcut: 'Mod+Shift+Z' },
  settings: { label: 'Settings…', mnemonic: 'S', shortcut: 'Mod+,' },
  compress: { label: 'Compress', mnemonic: 'C', shortcut: 'C' },
  'reset-view': { label: 'Reset view', mnemonic: 'R', shortcut: 'R' },
  'layout-1': { label: '3D only', shortcut: '1' },
  'layout-2': { label: 'One slice', shortcut: '2' },
  'layout-3': { label: 'Three slices', shortcut: '3' },
  'layout-4': { label: '3D and three slices', shortcut: '4' },
  'layout-5': { label: '3D, three slices and oblique slice', shortcut: '5' },
  shortcuts: { label: 'Keyboard shortcuts', mnemonic: 's', shortcut: '?' },
  about: { label: 'About Stria', mnemonic: 'A' },
  diagnostics: { label: 'Copy diagnostics', mnemonic: 'd' },
};
