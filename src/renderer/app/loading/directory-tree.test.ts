import { expect, test } from 'vitest';
import { directoryTree } from './directory-tree.ts';

interface Folder {
  readonly [name: string]: Folder | string;
}

/** A fake of the browser's directory handle, with texts as files. `asked` receives the names of folders that are listed. */
function directory(name: string, content: Folder, asked: string[] = []): FileSystemDirectoryHandle {
  const file = (fileName: string, text: string) => ({
    kind: 'file',
    name: fileName,
    getFile: async () => new File([text], fileName),
  });
  const of = (inner: string) => {
    if (inner === '..') throw new TypeError('Name is not allowed.');
    const found = content[inner];
    if (found === undefined) throw new DOMException('', 'NotFoundError');
    return found;
  };
  const mismatch = () => new DOMException('', 'TypeMismatchError');
  return {
    kind: 'directory',
    name,
    async *entries() {
      asked.push(name);
      for (const [inner, value] of Object.entries(content)) {
        yield [inner, typeof value === 'string' ? file(inner, value) : directory(inner, value, asked)];
      }
    },
    async getDirectoryHandle(inner: string) {
      const found = of(inner);
      if (typeof found === 'string') throw mismatch();
      return directory(inner, found, asked);
    },
    async getFileHandle(inner: string) {
      const found = of(inner);
      if (typeof found !== 'string') throw mismatch();
      return file(inner, found);
    },
  } as unknown as FileSystemDirectoryHandle;
}

const study = { S2: { IM1: 'abc', '.DS_Store': 'x' }, a: '12345', '.git': { head: 'y' }, '.zattrs': '{}' };

test('a folder is listed once, on demand, without hidden files', async () => {
  const asked: string[] = [];
  const tree = directoryTree(directory('study', study, asked));
  expect(tree.name).toBe('study');
  expect(asked).toEqual([]);
  const files = await tree.files();
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ['.zattrs', 2],
    ['S2/IM1', 3],
    ['a', 5],
  ]);
  expect(await (await files[1]?.open())?.read(1, 5)).toEqual(new TextEncoder().encode('bc'));
  await tree.files();
  expect(asked).toEqual(['study', 'S2']);
});

test('a file is found without listing, and nothing outside the folder is', async () => {
  const asked: string[] = [];
  const tree = directoryTree(directory('study', study, asked));
  expect(await tree.find('S2/IM1')).toMatchObject({ name: 'IM1', size: 3 });
  for (const path of ['S2', 'none', 'none/IM1', 'a/IM1', '../a']) expect(await tree.find(path)).toBeUndefined();
  expect(asked).toEqual([]);
});

test('a listing that fails says why, and can be tried again', async () => {
  const handle = directory('study', study);
  const { entries } = handle;
  handle.entries = () => {
    throw new DOMException('', 'NotAllowedError');
  };
  const tree = directoryTree(handle);
  await expect(tree.files()).rejects.toMatchObject({ tag: 'not-readable', message: expect.stringContaining('permission') });
  handle.entries = entries;
  expect(await tree.files()).toHaveLength(3);
  await expect(directoryTree(handle).files({ signal: AbortSignal.abort() })).rejects.toMatchObject({ tag: 'aborted' });
});
