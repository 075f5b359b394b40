import { type ByteSource, memorySource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';

/** A file in a tree that is not open yet. */
export interface TreeFile {
  /** Relative to the tree's root, with `/`: `study/IM0001`. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** @throws StriaError `not-readable`, `aborted` */
  open(job?: JobOptions): Promise<ByteSource>;
}

/** Files that may form volumes together: a folder with its contents, or files that were chosen at once. */
export interface FileTree {
  /** The folder's name, or a general name for the files. */
  readonly name: string;
  /** All files except hidden ones, in the order of their paths. @throws StriaError `not-readable`, `unsupported` for too many */
  files(job?: JobOptions): Promise<readonly TreeFile[]>;
  /** The file at a path; undefined if there is none. @throws StriaError `not-readable`, `aborted` */
  find(path: string, job?: JobOptions): Promise<ByteSource | undefined>;
}

/** The maximum number of files in a tree. */
export const treeFileLimit = 100_000;

/**
 * Whether a listing skips a file or folder, because it is hidden or was left by the operating system. Hidden files of Zarr are
 * kept, because they are its metadata.
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

/** A path's folder with its `/`, or '' at the root, and the file's name. */
export function splitPath(path: string): readonly [folder: string, name: string] {
  const slash = path.lastIndexOf('/') + 1;
  return [path.slice(0, slash), path.slice(slash)];
}

/** A tree of files that are already known. */
export function fileTreeOf(name: string, files: readonly TreeFile[]): FileTree {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const byPath = new Map(sorted.map((file) => [file.path, file]));
  return {
    name,
    files: async () => sorted,
    find: async (path) => byPath.get(path)?.open(),
  };
}

/** A tree of files in memory, keyed by path. */
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
