import type { FileHandle, FolderHandle, HostFile } from './host.ts';

/** A folder that the user opened, represented as a file. */
export function folderFile(folder: FolderHandle): HostFile {
  const { name } = folder;
  const size = folder.kind === 'files' ? folder.files.reduce((sum, { handle }) => sum + sizeOf(handle), 0) : 0;
  return {
    name,
    size,
    handle: { kind: 'blob', name, blob: new Blob([]) },
    siblings: async () => undefined,
    folder,
  };
}

/** A folder of files in the page's memory. */
export function blobFolder(name: string, files: readonly { readonly path: string; readonly file: File }[]): HostFile {
  return folderFile({
    kind: 'files',
    name,
    files: files.map(({ path, file }) => ({ path, handle: { kind: 'blob', name: file.name, blob: file } })),
  });
}

function sizeOf(handle: FileHandle): number {
  return handle.kind === 'blob' ? handle.blob.size : handle.size;
}
