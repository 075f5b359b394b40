import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FileTree } from '../core/io/common/file-tree.ts';
import { faultFromData, StriaError } from '../core/shared/errors.ts';
import { fileUrl } from './app-origin.ts';
import { createOpenedFiles } from './opened-files.ts';
import { createProtocol, pagePath } from './protocol.ts';

let folder = '';
let files = createOpenedFiles(fileUrl);
let answer = createProtocol({ root: '', findFile: files.find, findFolder: files.folder });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-'));
  mkdirSync(join(folder, 'renderer', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'renderer', 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'renderer', 'assets', 'a b.js'), '1');
  files = createOpenedFiles(fileUrl);
  answer = createProtocol({ root: join(folder, 'renderer'), findFile: files.find, findFolder: files.folder });
});
afterEach(() => rmSync(folder, { recursive: true }));
const ask = (url: string, init?: RequestInit) => answer(new Request(url, init));

test('the page is served with its type and a policy without inline scripts', async () => {
  for (const url of ['app://stria/', 'app://stria/index.html', 'app://stria/index.html?a#b']) {
    const response = await ask(url);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('<!doctype html>');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    // WebAssembly is allowed, but code from text is not.
    expect(policy).toMatch(/script-src 'self' 'wasm-unsafe-eval'(;|$)/);
    expect(policy).not.toContain("'unsafe-eval'");
  }
  const script = await ask('app://stria/assets/a%20b.js');
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(script.headers.get('x-content-type-options')).toBe('nosniff');
});

test.each([
  '/../secret.txt',
  '/..%2fsecret.txt',
  '/%2e%2e/secret.txt',
  '/%2e%2e%2fsecret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/..%5csecret.txt',
  '/index.html%00',
  '/%',
  '/assets',
  '/none.js',
  '/file/',
  '/file/../index.html/x',
])('nothing outside the folder is served: %s', async (path) => {
  const response = await ask(`app://stria${path}`);
  expect(response.status).toBe(404);
  expect(await response.text()).toBe('');
});

test('a path outside the root is not served', () => {
  for (const path of ['/../a', '/a/../../b', '/C:/x', '/..\\a', '/%2e%2e/a']) expect(pagePath('/root', path)).toBeUndefined();
  expect(pagePath('/root', '/a/../b')).toBe('/root/b');
});

test('other hosts and methods are refused', async () => {
  expect((await ask('app://elsewhere/index.html')).status).toBe(404);
  expect((await ask('app://stria/index.html', { method: 'POST', body: 'x' })).status).toBe(405);
  const head = await ask('app://stria/index.html', { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '15', '']);
});

test('an opened file is served by range, exactly', async () => {
  const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 31) >> 3);
  writeFileSync(join(folder, 'scan.raw'), bytes);
  const { url } = await files.choose(join(folder, 'scan.raw'));
  const part = await ask(url, { headers: { range: 'bytes=1000-2500999' } });
  expect(part.status).toBe(206);
  expect(part.headers.get('content-range')).toBe('bytes 1000-2500999/3000000');
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2_501_000))).toBe(true);
  const all = await ask(url);
  expect(all.status).toBe(200);
  expect(Buffer.from(await all.arrayBuffer()).equals(bytes)).toBe(true);
  const behind = await ask(url, { headers: { range: 'bytes=3000000-' } });
  expect([behind.status, behind.headers.get('content-range')]).toEqual([416, 'bytes */3000000']);
});

test('the stream ends when its reader cancels', async () => {
  writeFileSync(join(folder, 'scan.raw'), new Uint8Array(5_000_000));
  const { url } = await files.choose(join(folder, 'scan.raw'));
  const response = await ask(url);
  const reader = response.body?.getReader();
  expect((await reader?.read())?.value?.byteLength).toBe(1024 * 1024);
  await reader?.cancel();
  expect(await reader?.read()).toEqual({ done: true, value: undefined });
});

test('an empty file has no range and is served as a whole', async () => {
  writeFileSync(join(folder, 'empty'), '');
  const { url } = await files.choose(join(folder, 'empty'));
  expect((await ask(url, { headers: { range: 'bytes=0-0' } })).status).toBe(416);
  expect((await ask(url)).status).toBe(200);
});

test('a file that was changed, replaced or removed is not served', async () => {
  const path = join(folder, 'scan.raw');
  writeFileSync(path, 'first');
  const { url } = await files.choose(path);
  writeFileSync(path, 'longer than the first');
  expect((await ask(url)).status).toBe(409);
  rmSync(path);
  expect((await ask(url)).status).toBe(404);
  symlinkSync(folder, path);
  expect((await ask(url)).status).toBe(409);
});

test('an unknown id is not found', async () => {
  expect((await ask('app://stria/file/00000000-0000-0000-0000-000000000000')).status).toBe(404);
});

test('only in development may another origin read, and only the dev server', async () => {
  writeFileSync(join(folder, 'a'), 'a');
  const { url } = await files.choose(join(folder, 'a'));
  expect((await ask(url)).headers.get('access-control-allow-origin')).toBeNull();
  const development = createProtocol({
    root: folder,
    findFile: files.find,
    findFolder: files.folder,
    devServer: 'http://localhost:5173/',
  });
  expect((await development(new Request(url))).headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
});

test('a folder is listed, and its files are served by range, but nothing beside it is', async () => {
  mkdirSync(join(folder, 'study', 'S 1'), { recursive: true });
  writeFileSync(join(folder, 'study', 'S 1', 'IM#0'), 'abcdef');
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'study', 'link'));
  const { url } = await files.choose(join(folder, 'study'));
  const list = await ask(url);
  expect([list.status, await list.json()]).toEqual([200, [['S 1/IM#0', 6]]]);
  const part = await ask(`${url}/S%201/IM%230`, { headers: { range: 'bytes=1-3' } });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 1-3/6', 'bcd']);
  expect((await ask(`${url}/S%201/IM%230`, { headers: { range: 'bytes=9-' } })).status).toBe(416);
  expect((await ask(`${url}/S%201/IM%230`, { method: 'HEAD' })).headers.get('content-range')).toBe('bytes 0-5/6');
  for (const path of ['/link', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/S%201', '/none', '/%', '//etc/passwd']) {
    expect((await ask(url + path)).status, path).toBe(404);
  }
  expect((await ask('app://stria/folder/00000000-0000-0000-0000-000000000000')).status).toBe(404);
});

test('a file in a folder that cannot be read is refused with the reason', async () => {
  const read = () => Promise.reject(new StriaError('not-readable', '/study/IM2: permission denied'));
  const tree: FileTree = { name: 'study', files: async () => [], find: async () => ({ name: 'IM2', size: 6, read }) };
  const refusing = createProtocol({ root: folder, findFile: () => undefined, findFolder: () => tree });
  const url = `${fileUrl('00000000-0000-0000-0000-000000000000', 'folder')}/IM2`;
  const response = await refusing(new Request(url, { headers: { range: 'bytes=0-5' } }));
  expect(response.status).toBe(403);
  expect(faultFromData(await response.json())).toMatchObject({ tag: 'not-readable', message: '/study/IM2: permission denied' });
  expect((await refusing(new Request(url, { method: 'HEAD' }))).headers.get('content-range')).toBe('bytes 0-5/6');
});
