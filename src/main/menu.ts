import type { MenuItemConstructorOptions } from 'electron';
import type { MenuCommand, RecentFile } from '../core/shared/ipc.ts';

export interface MenuOptions {
  readonly platform: string;
  readonly recent: readonly RecentFile[];
  readonly compatible: boolean;
  /** Shows the developer tools' items. */
  readonly development: boolean;
  readonly send: (command: MenuCommand) => void;
  readonly openRecent: (id: string) => void;
  readonly clearRecent: () => void;
  readonly toggleCompatible: () => void;
}

/** The application's menus as the platform expects them, for `Menu.buildFromTemplate`. */
export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  const mac = options.platform === 'darwin';
  const item = (label: string, command: MenuCommand, accelerator?: string): MenuItemConstructorOptions => ({
    id: command,
    label,
    click: () => options.send(command),
    ...(accelerator === undefined ? {} : { accelerator }),
  });
  const appMenu: MenuItemConstructorOptions = {
    label: 'Stria',
    submenu: [
      item('About Stria', 'about'),
      separator,
      item('Settings…', 'settings', 'CmdOrCtrl+,'),
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
      item('&Open…', 'open', 'CmdOrCtrl+O'),
      item('Open &folder…', 'open-folder'),
      { label: 'Open &Recent', submenu: recentItems(options) },
      separator,
      item('&Save as .stria…', 'save', 'CmdOrCtrl+S'),
      item('Save s&ession…', 'save-session', 'CmdOrCtrl+Shift+S'),
      separator,
      item('&Close', 'close', 'CmdOrCtrl+W'),
      mac ? { role: 'close', accelerator: 'Shift+Cmd+W' } : { role: 'quit' },
    ],
  };
  // macOS hands the clipboard's keys to text fields through this menu.
  const edit: MenuItemConstructorOptions = {
    label: '&Edit',
    submenu: [
      item('&Undo', 'undo', 'CmdOrCtrl+Z'),
      item('&Redo', 'redo', 'CmdOrCtrl+Shift+Z'),
      separator,
      { role: 'cut' },
      { role: 'copy' },
      { role: 'paste' },
      { role: 'selectAll' },
      ...(mac ? [] : [separator, item('&Settings…', 'settings', 'CmdOrCtrl+,')]),
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: '&View',
    submenu: [
      item('3D only', 'layout-1'),
      item('One slice', 'layout-2'),
      item('Three slices', 'layout-3'),
      item('3D and three slices', 'layout-4'),
      separator,
      item('&Reset view', 'reset-view'),
      separator,
      { role: 'togglefullscreen' },
      ...(options.development ? ([separator, { role: 'reload' }, { role: 'toggleDevTools' }] as const) : []),
    ],
  };
  const volume: MenuItemConstructorOptions = { label: 'V&olume', submenu: [item('&Compress', 'compress')] };
  const help: MenuItemConstructorOptions = {
    role: 'help',
    label: '&Help',
    submenu: [
      item('Keyboard &shortcuts', 'shortcuts'),
      item('Copy &diagnostics', 'diagnostics'),
      {
        label: 'Compatibility &mode',
        type: 'checkbox',
        checked: options.compatible,
        click: options.toggleCompatible,
      },
      ...(mac ? [] : [separator, item('&About Stria', 'about')]),
    ],
  };
  return [...(mac ? [appMenu] : []), file, edit, view, volume, ...(mac ? [{ role: 'windowMenu' } as const] : []), help];
}

const separator: MenuItemConstructorOptions = { type: 'separator' };

function recentItems({ recent, openRecent, clearRecent }: MenuOptions): MenuItemConstructorOptions[] {
  if (recent.length === 0) return [{ label: 'No recent files', enabled: false }];
  return [
    // A single & would mark the next letter as a key.
    ...recent.map(({ id, name, folder }) => ({
      label: name.replaceAll('&', '&&'),
      sublabel: folder,
      click: () => openRecent(id),
    })),
    separator,
    { label: 'Clear recent files', click: clearRecent },
  ];
}
