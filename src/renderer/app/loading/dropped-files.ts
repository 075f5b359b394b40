import { StriaError } from '../../../core/shared/errors.ts';

/**
 * The dropped files, and those directly in dropped folders, without hidden files and subfolders. Call it during the drop's
 * event; its items are gone afterwards.
 * @throws StriaError `not-readable` if a folder cannot be listed
 */
export function droppedFiles(transfer: DataTransfer): Promise<readonly File[]> {
  const files = [...transfer.files];
  const entries = [...transfer.items].filter(({ kind }) => kind === 'file').map((item) => item.webkitGetAsEntry());
  if (!entries.some((entry) => entry?.isDirectory)) return Promise.resolve(files);
  // Files have the same order as their items.
  return Promise.all(entries.map((entry, index) => (isFolder(entry) ? filesIn(entry) : files.slice(index, index + 1)))).then(
    (all) => all.flat(),
  );
}

function isFolder(entry: FileSystemEntry | null): entry is FileSystemDirectoryEntry {
  return entry?.isDirectory === true;
}

async function filesIn(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader();
  const files: File[] = [];
  try {
    for (;;) {
      // A reader returns a hundred entries at a time, and none at the end.
      const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (entries.length === 0) return files;
      for (const entry of entries) {
        if (entry.isFile && !entry.name.startsWith('.')) files.push(await fileOf(entry as FileSystemFileEntry));
      }
    }
  } catch (cause) {
    throw new StriaError('not-readable', `the folder '${folder.name}' cannot be read`, { cause });
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
