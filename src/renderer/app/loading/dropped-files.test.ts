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

const dropped = (entries: readonly { name: string }[]) => droppedFiles(transfer(entries));
const names = async (entries: readonly { name: string }[]) => (await dropped(entries)).files.map(({ name }) => name);

describe('droppedFiles', () => {
  it('are the files themselves', async () => {
    expect(await names([fileEntry('a.nii'), fileEntry('b.nii')])).toEqual(['a.nii', 'b.nii']);
  });

  it('are the pictures in a folder instead of the folder, without hidden files', async () => {
    const inner = ['1.png', '2.png', '.DS_Store', '3.png'].map(fileEntry);
    const entries = [fileEntry('a.nii'), folderEntry('frames', inner), fileEntry('b.nii')];
    expect(await names(entries)).toEqual(['a.nii', '1.png', '2.png', '3.png', 'b.nii']);
    expect((await dropped(entries)).folders).toEqual([]);
  });

  it('are folders if they contain anything else; these list their content on demand', async () => {
    const inner = ['1.png', 'a.nii', '.DS_Store'].map(fileEntry);
    const entries = [
      folderEntry('study', [...inner, folderEntry('S1', [fileEntry('IM0')]), folderEntry('.git', [fileEntry('x')])]),
    ];
    const { files, folders } = await dropped(entries);
    expect([files, folders.map(({ name }) => name)]).toEqual([[], ['study']]);
    expect((await folders[0]?.list())?.map(({ path }) => path)).toEqual(['1.png', 'a.nii', 'S1/IM0']);
    expect((await dropped([folderEntry('empty', [])])).folders).toHaveLength(1);
  });

  it('say which folder cannot be read', async () => {
    await expect(names([folderEntry('frames', [], true)])).rejects.toMatchObject({
      tag: 'not-readable',
      message: expect.stringContaining('frames'),
    });
  });
});
