import { isLeftOut, tooManyFiles, treeFileLimit } from '../../../core/io/common/file-tree.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { DroppedFolder } from '../../host/host.ts';

/** The content of a drop. */
export interface Dropped {
  readonly files: readonly File[];
  readonly folders: readonly DroppedFolder[];
}

const pictures = [/\.png$/i, /\.tiff?$/i];

/**
 * The files and folders of a drop. A folder that contains only pictures of one kind is replaced by its files, which form a stack.
 * Call this in the drop's event handler, since the items are gone afterwards.
 * @throws StriaError `not-readable` if a folder cannot be listed
 */
export function droppedFiles(transfer: DataTransfer): Promise<Dropped> {
  const files = [...transfer.files];
  const entries = [...transfer.items].filter(({ kind }) => kind === 'file').map((item) => item.webkitGetAsEntry());
  if (!entries.some((entry) => entry?.isDirectory)) return Promise.resolve({ files, folders: [] });
  // Files have the same order as items.
  return Promise.all(
    entries.map(async (entry, index): Promise<Dropped> => {
      const file = files[index] as File;
      if (!isFolder(entry)) return { files: [file], folders: [] };
      const inside = await entriesIn(entry);
      const areFiles = inside.every((one) => one.isFile);
      if (areFiles && pictures.some((kind) => inside.length > 0 && inside.every(({ name }) => kind.test(name)))) {
        return { files: await Promise.all(inside.map((one) => fileOf(one as FileSystemFileEntry))), folders: [] };
      }
      return { files: [], folders: [{ name: entry.name, file, list: () => filesBelow(entry) }] };
    }),
  ).then((all) => ({ files: all.flatMap((one) => one.files), folders: all.flatMap((one) => one.folders) }));
}

function isFolder(entry: FileSystemEntry | null): entry is FileSystemDirectoryEntry {
  return entry?.isDirectory === true;
}

/** All files of a folder and its subfolders, with their paths. @throws StriaError if there are too many */
async function filesBelow(root: FileSystemDirectoryEntry): Promise<{ path: string; file: File }[]> {
  const found: { path: string; file: File }[] = [];
  const folders = [{ path: '', entry: root }];
  for (const { path, entry } of folders) {
    for (const inner of await entriesIn(entry)) {
      if (isFolder(inner)) folders.push({ path: `${path}${inner.name}/`, entry: inner });
      else found.push({ path: path + inner.name, file: await fileOf(inner as FileSystemFileEntry) });
    }
    if (found.length > treeFileLimit || folders.length > treeFileLimit) throw tooManyFiles();
  }
  return found;
}

/** The entries of a folder, without hidden ones. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  try {
    for (;;) {
      // A reader returns at most a hundred entries at a time, and none at the end.
      const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (entries.length === 0) return found;
      found.push(...entries.filter(({ name }) => !isLeftOut(name)));
    }
  } catch (cause) {
    throw new StriaError('not-readable', `the folder '${folder.name}' cannot be read`, { cause });
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
