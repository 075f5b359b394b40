import type { FileTree, TreeFile } from '../../common/file-tree.ts';
import type { FileFacts } from './facts.ts';

/** A file that cannot be read, and why. */
export interface UnreadFile {
  readonly path: string;
  readonly problem: string;
}

/** The facts from the headers of a folder's DICOM files, as plain data that can be posted to another thread. */
export interface FolderHeaders {
  /** All files that were examined. */
  readonly looked: readonly (readonly [path: string, size: number])[];
  readonly files: readonly (Omit<FileFacts, 'file'> & { readonly path: string })[];
  readonly unread: readonly UnreadFile[];
}

const known = new WeakMap<FileTree, FolderHeaders>();

/** The headers of a listed folder. Undefined if it has no DICOM files or was not listed. */
export function folderHeaders(tree: FileTree): FolderHeaders | undefined {
  return known.get(tree);
}

/** Avoids reading headers again. A folder whose files have changed is read again nevertheless. */
export function giveFolderHeaders(tree: FileTree, headers: FolderHeaders): void {
  known.set(tree, headers);
}

/** The known headers, if they belong to exactly these files. */
export function knownFacts(
  tree: FileTree,
  candidates: readonly TreeFile[],
): { readonly files: FileFacts[]; readonly unread: UnreadFile[] } | undefined {
  const headers = known.get(tree);
  const isSame = ({ path, size }: TreeFile, index: number) => {
    const [lookedPath, lookedSize] = headers?.looked[index] ?? [];
    return path === lookedPath && size === lookedSize;
  };
  if (headers?.looked.length !== candidates.length || !candidates.every(isSame)) return undefined;
  const byPath = new Map(candidates.map((file) => [file.path, file]));
  const files = headers.files.flatMap(({ path, ...facts }): FileFacts[] => {
    const file = byPath.get(path);
    return file ? [{ ...facts, file }] : [];
  });
  return { files, unread: [...headers.unread] };
}
