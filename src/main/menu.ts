import type { MenuItemConstructorOptions } from 'electron';
import type { RecentFile } from '../core/shared/ipc.ts';
import { type MenuCommand, type MenuWords, menuWords } from '../core/shared/menu-commands.ts';
import { nameWithDataset } from '../core/shared/volume-names.ts';

export interface MenuOptions {
  readonly platform: string;
  readonly recent: readonly RecentFile[];
  readonly compatible: boolean;
  /** Whether to include items of the developer tools. */
  readonly development: boolean;
  /** The commands that the page has enabled; undefined if no page has reported any yet. */
  readonly enabled: ReadonlySet<MenuCommand> | undefined;
  readonly send: (command: MenuCommand) => void;
  readonly openRecent: (id: string) => void;
  readonly clearRecent: () => void;
  readonly toggleCompatible: () => void;
  /** Undefined if this copy of the app has no address for updates. */
  readonly updates: { readonly atStart: boolean; readonly check: () => void; readonly toggleAtStart: () => void } | undefined;
}

/** The application's menus as the platform expects them, for `Menu.buildFromTemplate`. */
export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  const mac = options.platform === 'darwin';
  const item = (command: MenuCommand): MenuItemConstructorOptions => ({
    id: command,
    label: labelOf(menuWords[command]),
    enabled: isEnabled(command, options.enabled),
    click: () => options.send(command),
    ...acceleratorOf(menuWords[command]),
  });
  const appMenu: MenuItemConstructorOptions = {
    label: 'Stria',
    submenu: [
      item('about'),
      separator,
      item('settings'),
      separator,
      { role: 'services' },
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { role: 'quit' },
    ],
  };
  const file: MenuItemConstructorOptions = {
    label: '&File',
    submenu: [
      item('open'),
      item('open-folder'),
      item('open-url'),
      { label: 'Open &Recent', submenu: recentItems(options) },
      separator,
      item('save'),
      item('save-session'),
      separator,
      item('close'),
      mac ? { role: 'close', accelerator: 'Shift+Cmd+W' } : { role: 'quit' },
    ],
  };
  // On macOS, text fields get the clipboard's keys through this menu.
  const edit: MenuItemConstructorOptions = {
    label: '&Edit',
    submenu: [
      item('undo'),
      item('redo'),
      separator,
      { role: 'cut' },
      { role: 'copy' },
      { role: 'paste' },
      { role: 'selectAll' },
      ...(mac ? [] : [separator, item('settings')]),
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: '&View',
    submenu: [
      item('layout-1'),
      item('layout-2'),
      item('layout-3'),
      item('layout-4'),
      item('layout-5'),
      separator,
      item('reset-view'),
      separator,
      { role: 'togglefullscreen' },
      ...(options.development ? ([separator, { role: 'reload' }, { role: 'toggleDevTools' }] as const) : []),
    ],
  };
  const volume: MenuItemConstructorOptions = { label: 'V&olume', submenu: [item('compress')] };
  const help: MenuItemConstructorOptions = {
    role: 'help',
    label: '&Help',
    submenu: [
      item('shortcuts'),
      item('diagnostics'),
      {
        label: 'Compatibility &mode',
        type: 'checkbox',
        checked: options.compatible,
        click: options.toggleCompatible,
      },
      ...updateItems(options),
      ...(mac ? [] : [separator, item('about')]),
    ],
  };
  return [...(mac ? [appMenu] : []), file, edit, view, volume, ...(mac ? [{ role: 'windowMenu' } as const] : []), help];
}

/** Commands that are enabled without a window, and before a page reports. Typing in a text field can always be undone there. */
const alwaysEnabled: readonly MenuCommand[] = [
  'open',
  'open-folder',
  'open-url',
  'undo',
  'redo',
  'settings',
  'shortcuts',
  'about',
  'diagnostics',
];

export function isEnabled(command: MenuCommand, enabled: ReadonlySet<MenuCommand> | undefined): boolean {
  return alwaysEnabled.includes(command) || enabled?.has(command) === true;
}

/** The label with a mnemonic: in `&Open…`, the letter after the & opens the item. */
function labelOf({ label, mnemonic }: MenuWords): string {
  return mnemonic === undefined ? label : label.replace(mnemonic, `&${mnemonic}`);
}

/** The accelerator of an item. The page handles keys without Mod itself: a menu would take them from text fields. */
function acceleratorOf({ shortcut, shellShortcut }: MenuWords): { readonly accelerator?: string } {
  const key = shellShortcut ?? shortcut;
  return key?.includes('Mod+') ? { accelerator: key.replace('Mod', 'CmdOrCtrl') } : {};
}

const separator: MenuItemConstructorOptions = { type: 'separator' };

function updateItems({ updates }: MenuOptions): MenuItemConstructorOptions[] {
  if (updates === undefined) return [];
  return [
    separator,
    { label: 'Check for &updates…', click: updates.check },
    { label: 'Check at each &start', type: 'checkbox', checked: updates.atStart, click: updates.toggleAtStart },
  ];
}

function recentItems({ recent, openRecent, clearRecent }: MenuOptions): MenuItemConstructorOptions[] {
  if (recent.length === 0) return [{ label: 'No recent files', enabled: false }];
  return [
    // A single & would mark the next letter as a mnemonic.
    ...recent.map(({ id, name, folder, dataset }) => ({
      label: nameWithDataset(name, dataset).replaceAll('&', '&&'),
      sublabel: folder,
      click: () => openRecent(id),
    })),
    separator,
    { label: 'Clear recent files', click: clearRecent },
  ];
}
