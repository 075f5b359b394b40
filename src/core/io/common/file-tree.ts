import { type ByteSource, memorySource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';

/** A file of a tree, not opened yet. */
export interface TreeFile {
  /** From the tree's root, with `/`: `study/IM0001`. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** @throws StriaError `not-readable`, `aborted` */
  open(job?: JobOptions): Promise<ByteSource>;
}

/** Files that may hold volumes together: a folder with all that lies in it, or files that were chosen at once. */
export interface FileTree {
  /** The folder's name, or a word for the files. */
  readonly name: string;
  /** All files, in the order of their paths; hidden ones are left out. @throws StriaError `not-readable`, `unsupported` for too many */
  files(job?: JobOptions): Promise<readonly TreeFile[]>;
  /** The file at a path; undefined where there is none. @throws StriaError `not-readable` */
  find(path: string): Promise<ByteSource | undefined>;
}

/** The most files that a tree may have. */
export const treeFileLimit = 100_000;

/**
 * Whether a listing leaves a file or folder out: hidden ones, and what systems leave behind in folders. The hidden files of Zarr are
 * its metadata, and stay.
 */
export function isLeftOut(name: string): boolean {
  return (name.startsWith('.') && !/^\.z(array|attrs|group|metadata)$/.test(name)) || leftBehind.has(name);
}
const leftBehind = new Set(['Thumbs.db', 'desktop.ini', '__MACOSX', '$RECYCLE.BIN', 'System Volume Information']);

export function tooManyFiles(): StriaError {
  return new StriaError('unsupported', `the folder holds more than ${treeFileLimit} files: open a folder in it`);
}

export function isFileTree(input: ByteSource | FileTree): input is FileTree {
  return 'files' in input;
}

/** A path's folder with its `/`, '' at the root, and the file's name. */
export function splitPath(path: string): readonly [folder: string, name: string] {
  const slash = path.lastIndexOf('/') + 1;
  return [path.slice(0, slash), path.slice(slash)];
}

/** A tree over files that are known already. */
export function fileTreeOf(name: string, files: readonly TreeFile[]): FileTree {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const byPath = new Map(sorted.map((file) => [file.path, file]));
  return {
    name,
    files: async () => sorted,
    find: async (path) => byPath.get(path)?.open(),
  };
}

/** A tree over files in memory, by their paths. */
export function memoryTree(name: string, contents: Readonly<Record<string, Uint8Array>>): FileTree {
  return fileTreeOf(
    name,
    Object.entries(contents).map(([path, bytes]) => ({
      path,
      size: bytes.byteLength,
      open: async () => memorySource(splitPath(path)[1], bytes),
    })),
  );
}
