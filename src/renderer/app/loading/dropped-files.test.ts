import { describe, expect, it } from 'vitest';
import { droppedFiles } from './dropped-files.ts';

const file = (name: string) => new File(['1'], name);
const fileEntry = (name: string) => ({
  isFile: true,
  isDirectory: false,
  name,
  file: (done: (file: File) => void) => done(file(name)),
});

/** A folder whose reader returns two entries at a time, as browsers return a hundred. */
function folderEntry(name: string, inner: readonly object[], fails = false) {
  return {
    isFile: false,
    isDirectory: true,
    name,
    createReader: () => {
      const left = [...inner];
      return {
        readEntries: (done: (entries: readonly object[]) => void, failed: (error: Error) => void) =>
          fails ? failed(new Error('no')) : done(left.splice(0, 2)),
      };
    },
  };
}

function transfer(entries: readonly { name: string }[]): DataTransfer {
  const items = entries.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry }));
  return { files: entries.map(({ name }) => file(name)), items: [...items, { kind: 'string' }] } as unknown as DataTransfer;
}

const names = async (entries: readonly { name: string }[]) => (await droppedFiles(transfer(entries))).map(({ name }) => name);

describe('droppedFiles', () => {
  it('are the files themselves', async () => {
    expect(await names([fileEntry('a.nii'), fileEntry('b.nii')])).toEqual(['a.nii', 'b.nii']);
  });

  it('include those in a folder, in its place, without hidden ones and subfolders', async () => {
    const inner = ['1.png', '2.png', '.DS_Store', '3.png'].map(fileEntry);
    const folder = folderEntry('frames', [...inner, folderEntry('more', [fileEntry('x.png')])]);
    expect(await names([fileEntry('a.nii'), folder, fileEntry('b.nii')])).toEqual(['a.nii', '1.png', '2.png', '3.png', 'b.nii']);
    expect(await names([folderEntry('empty', [])])).toEqual([]);
  });

  it('say which folder cannot be read', async () => {
    await expect(names([folderEntry('frames', [], true)])).rejects.toMatchObject({
      tag: 'not-readable',
      message: expect.stringContaining('frames'),
    });
  });
});
