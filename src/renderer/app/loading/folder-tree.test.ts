import { afterEach, expect, test, vi } from 'vitest';
import type { FolderHandle } from '../../host/host.ts';
import { treeOf } from './folder-tree.ts';

afterEach(() => vi.unstubAllGlobals());

test('files of the page form a tree without hidden files', async () => {
  const handle = (name: string) => ({ kind: 'blob', name, blob: new Blob(['abc']) }) as const;
  const files = ['b/2', 'a', '.hidden', '.git/x', '.zattrs'].map((path) => ({ path, handle: handle(path) }));
  const tree = treeOf({ kind: 'files', name: 'study', files });
  expect((await tree.files()).map(({ path, size }) => [path, size])).toEqual([
    ['.zattrs', 3],
    ['a', 3],
    ['b/2', 3],
  ]);
  expect(await (await tree.find('b/2'))?.read(1, 2)).toEqual(new TextEncoder().encode('bc'));
  expect(await tree.find('none')).toBeUndefined();
});

const folder: FolderHandle = { kind: 'url', name: 'study', url: 'app://stria/folder/1' };

test('a folder behind a URL is listed once, on demand, with one request', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url);
    return Response.json([
      ['S 1/IM#0', 5],
      ['b', 2],
    ]);
  });
  const tree = treeOf(folder);
  expect(asked).toEqual([]);
  const files = await tree.files();
  expect((await tree.files()).map(({ path }) => path)).toEqual(['S 1/IM#0', 'b']);
  expect(await files[0]?.open()).toMatchObject({ name: 'IM#0', size: 5 });
  expect(await tree.find('c')).toBeUndefined();
  expect(asked).toEqual([folder.url]);
});

test('a file is found without listing', async () => {
  vi.stubGlobal('fetch', async (url: string) =>
    url.endsWith('/a/.zarray')
      ? new Response(null, { headers: { 'content-range': 'bytes 0-8/9' } })
      : new Response(null, { status: 404 }),
  );
  const tree = treeOf(folder);
  expect(await tree.find('a/.zarray')).toMatchObject({ name: '.zarray', size: 9 });
  expect(await tree.find('b')).toBeUndefined();
});

test('a fault that main reports about a folder is thrown in the worker', async () => {
  const fault = { tag: 'unsupported', message: 'the folder holds more than 100000 files', context: [] };
  vi.stubGlobal('fetch', async () => Response.json(fault, { status: 403 }));
  await expect(treeOf(folder).files()).rejects.toMatchObject(fault);
  vi.stubGlobal('fetch', async () => new Response(null, { status: 404 }));
  await expect(treeOf(folder).files()).rejects.toMatchObject({ tag: 'not-readable' });
});
