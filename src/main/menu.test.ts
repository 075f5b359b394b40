import type { MenuItemConstructorOptions } from 'electron';
import { expect, test } from 'vitest';
import { type MenuCommand, menuCommands } from '../core/shared/menu-commands.ts';
import { type MenuOptions, menuTemplate } from './menu.ts';

const sent: MenuCommand[] = [];
const opened: string[] = [];
const options: MenuOptions = {
  platform: 'linux',
  recent: [],
  compatible: false,
  enabled: undefined,
  development: false,
  send: (command) => sent.push(command),
  openRecent: (id) => opened.push(id),
  clearRecent: () => undefined,
  toggleCompatible: () => undefined,
  updates: undefined,
};

function itemsOf(template: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] {
  return template.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? itemsOf(item.submenu) : [])]);
}
const click = (item: MenuItemConstructorOptions | undefined) => (item?.click as (() => void) | undefined)?.();

test.each(['linux', 'win32', 'darwin'])('every command has one item that sends it: %s', (platform) => {
  const items = itemsOf(menuTemplate({ ...options, platform }));
  for (const command of menuCommands) {
    const found = items.filter(({ id }) => id === command);
    expect(found, command).toHaveLength(1);
    sent.length = 0;
    click(found[0]);
    expect(sent).toEqual([command]);
  }
});

test('each platform has its usual items', () => {
  const mac = menuTemplate({ ...options, platform: 'darwin' });
  expect(mac.map(({ label, role }) => role ?? label)).toEqual([
    'Stria',
    '&File',
    '&Edit',
    '&View',
    'V&olume',
    'windowMenu',
    'help',
  ]);
  const roles = (template: MenuItemConstructorOptions[]) => itemsOf(template).map(({ role }) => role);
  expect(roles(mac)).toContain('services');
  for (const role of ['cut', 'copy', 'paste', 'selectAll']) expect(roles(mac)).toContain(role);
  expect(roles(menuTemplate(options))).toContain('quit');
  expect(roles(menuTemplate(options))).not.toContain('toggleDevTools');
  expect(roles(menuTemplate({ ...options, development: true }))).toContain('toggleDevTools');
});

test('updates are offered only by a copy of the app that has an address for them', () => {
  const labels = (updates: MenuOptions['updates']) => itemsOf(menuTemplate({ ...options, updates })).map(({ label }) => label);
  expect(labels(undefined).filter((label) => label?.startsWith('Check'))).toEqual([]);
  const calls: string[] = [];
  const updates = { atStart: true, check: () => void calls.push('check'), toggleAtStart: () => void calls.push('toggle') };
  const items = itemsOf(menuTemplate({ ...options, updates })).filter(({ label }) => label?.startsWith('Check'));
  expect(items.map(({ checked }) => checked)).toEqual([undefined, true]);
  for (const item of items) click(item);
  expect(calls).toEqual(['check', 'toggle']);
});

test('recent files are listed by name and opened by id', () => {
  const recent = [{ id: 'x', name: 'a & b.nii', folder: '/data', openedAt: '2020-01-01' }];
  const item = itemsOf(menuTemplate({ ...options, recent })).find(({ label }) => label === 'a && b.nii');
  click(item);
  expect(opened).toEqual(['x']);
});

test('items have the labels and shortcuts of the commands, and are enabled with them', () => {
  const enabled = new Set<MenuCommand>(['save', 'compress']);
  const items = itemsOf(menuTemplate({ ...options, enabled }));
  const item = (id: MenuCommand) => items.find((one) => one.id === id);
  expect(item('save')).toMatchObject({ label: '&Save as .stria…', accelerator: 'CmdOrCtrl+S', enabled: true });
  expect(item('save-session')).toMatchObject({ label: 'Sav&e session…', accelerator: 'CmdOrCtrl+Shift+S', enabled: false });
  expect(item('close')).toMatchObject({ label: '&Close volume', accelerator: 'CmdOrCtrl+W', enabled: false });
  // A shortcut without Ctrl is left out, since the menu would take the key from text fields.
  expect(item('compress')).toMatchObject({ label: '&Compress', enabled: true });
  expect(item('compress')).not.toHaveProperty('accelerator');
  // Text fields have their own undo.
  expect([item('undo')?.enabled, item('open')?.enabled]).toEqual([true, true]);
  const before = itemsOf(menuTemplate(options)).filter((one) => one.enabled === false);
  expect(before.map(({ id }) => id)).toContain('save');
});
