import { expect, test, vi } from 'vitest';
import { StriaError } from '../core/shared/errors.ts';
import { answerCall, answerOf, type Handlers } from './answers.ts';
import { isAppFrame } from './app-origin.ts';
import { checkArguments, checkDroppedPath } from './call-arguments.ts';

const id = '01234567-89ab-4cde-8f01-23456789abcd';
const png = 'data:image/png;base64,iVBORw0KGgo=';

test('valid arguments pass unchanged', () => {
  const bytes = Uint8Array.of(1, 2);
  expect(checkArguments('shell-info', [])).toEqual([]);
  expect(checkArguments('open-sibling', [id, 'scan.img'])).toEqual([id, 'scan.img']);
  expect(checkArguments('open-relative', [id, '../data/scan.nii'])).toEqual([id, '../data/scan.nii']);
  expect(checkArguments('set-unfinished', [['saving', 'pictures']])).toEqual([['saving', 'pictures']]);
  expect(checkArguments('set-menu', [['open', 'save']])).toEqual([['open', 'save']]);
  expect(checkArguments('recent-add', [id, null, null])).toEqual([id, null, null]);
  expect(checkArguments('recent-add', [id, png, { id: '2', label: '' }])).toEqual([id, png, { id: '2', label: '' }]);
  expect(checkArguments('save-write', [id, bytes])[1]).toBe(bytes);
  expect(checkDroppedPath('/data/ä b.nii')).toBe('/data/ä b.nii');
});

test.each([
  ['shell-info', [1]],
  ['open-dialog', [undefined]],
  ['open-sibling', [id]],
  ['open-sibling', [id, 'a', 'b']],
  ['open-sibling', [id, '../a']],
  ['open-sibling', [id, '']],
  ['open-sibling', [id, 7]],
  ['open-sibling', ['../x', 'a']],
  ...['', '..', '/etc/passwd', 'a//b', './a', 'a/..', '..\\a', 'a\0b', 7].map((path) => ['open-relative', [id, path]] as const),
  ['recent-open', [{}]],
  ['recent-open', [[id]]],
  ['recent-add', [id, undefined, null]],
  ['allow-address', ['file:///etc/passwd']],
  ['allow-address', [`https://example.org/${'a'.repeat(9000)}`]],
  ['recent-add-address', ['/etc/passwd', null, null]],
  ['recent-add', [id, 'data:text/html;base64,AAAA', null]],
  ...[undefined, 'x', { id: 1, label: '' }, { id: 'x' }, { id: 'x'.repeat(1001), label: '' }].map(
    (dataset) => ['recent-add', [id, null, dataset]] as const,
  ),
  ['save-begin', ['/etc/passwd']],
  ['save-begin', ['a/b']],
  ['save-begin', [null]],
  ...['..', 'scan.nii', '.scan.stria', '.stria', 'a/b.stria', 'x.desktop', 'a\0.stria', 'a\n.stria'].map(
    (name) => ['save-beside', [id, name]] as const,
  ),
  ['folder-begin', ['.config']],
  ['folder-write', [id, '.bashrc', new Uint8Array(1)]],
  ['save-write', [id, [1, 2]]],
  ['save-write', [id, new Uint16Array(2)]],
  ['save-write', [id, 'text']],
  ['save-write', [id, new Uint8Array(64 * 1024 * 1024 + 1)]],
  ['save-commit', [1]],
  ['set-unfinished', ['saving']],
  ['set-menu', ['save']],
  ['set-menu', [['format-disk']]],
  ['set-menu', [Array(99).fill('save')]],
  ['set-unfinished', [['anything']]],
  ['set-unfinished', [Array(5).fill('saving')]],
  ['show-saved', ['']],
] as const)('%s refuses wrong arguments (%#)', (name, args) => {
  expect(() => checkArguments(name, args)).toThrow(expect.objectContaining({ tag: 'invalid-input' }));
});

test('a dropped path is text without NUL', () => {
  for (const wrong of [3, null, undefined, 'a\0b', {}, 'x'.repeat(40_000)]) expect(() => checkDroppedPath(wrong)).toThrow();
});

const handlers = (over: Partial<Handlers<string>>): Handlers<string> =>
  new Proxy(over as Handlers<string>, {
    get: (target, name) => Reflect.get(target, name) ?? expect.fail(`${String(name)} was called`),
  });

test('an answer carries the value, and the handler gets the context', async () => {
  const commit = vi.fn(() => null);
  expect(await answerCall(handlers({ 'save-commit': commit }), 'window', 'save-commit', [id])).toEqual({ ok: true, value: null });
  expect(commit).toHaveBeenCalledExactlyOnceWith('window', id);
});

test('unknown names and invalid arguments reach no handler', async () => {
  for (const [name, args] of [
    ['toString', []],
    ['__proto__', []],
    ['open-dropped', ['/etc/passwd']],
    [undefined, []],
    ['save-commit', []],
  ] as const) {
    expect(await answerCall(handlers({}), 'w', name, args)).toMatchObject({ ok: false, error: { tag: 'invalid-input' } });
  }
});

test('faults keep their tag, anything else is logged as internal', async () => {
  const complaint = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const fault = await answerOf(() => Promise.reject(new StriaError('not-writable', 'the disk is full')));
  expect(fault).toEqual({ ok: false, error: { tag: 'not-writable', message: 'the disk is full', context: [] } });
  expect(complaint).not.toHaveBeenCalled();
  expect(await answerOf(() => Promise.reject(new TypeError('x')))).toMatchObject({ ok: false, error: { tag: 'internal' } });
  expect(complaint).toHaveBeenCalledOnce();
  complaint.mockRestore();
});

test('only the top frame of the app itself may call', () => {
  const top = (url: string) => ({ url, parent: null });
  expect(isAppFrame(top('app://stria/index.html'), undefined)).toBe(true);
  expect(isAppFrame(top('http://localhost:5173/'), 'http://localhost:5173/')).toBe(true);
  expect(isAppFrame(null, undefined)).toBe(false);
  expect(isAppFrame({ url: 'app://stria/index.html', parent: {} }, undefined)).toBe(false);
  for (const url of [
    'app://evil/',
    'app://stria.evil/',
    'https://stria/',
    'file:///app/index.html',
    'http://localhost:5173/',
    'about:blank',
    'data:text/html,x',
    '',
  ]) {
    expect(isAppFrame(top(url), undefined), url).toBe(false);
  }
  expect(isAppFrame(top('http://localhost:5174/'), 'http://localhost:5173/')).toBe(false);
});
