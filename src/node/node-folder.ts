import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { type FileTree, isLeftOut, type TreeFile, tooManyFiles, treeFileLimit } from '../core/io/common/file-tree.ts';
import type { ByteSource } from '../core/shared/bytes.ts';
import { StriaError } from '../core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../core/shared/job.ts';
import { type FileIdentity, identityOf, NodeFiles } from './node-source.ts';
import { errorCode, systemFault } from './system-faults.ts';

/** So many files are looked at at a time. */
const looksAtOnce = 64;

/** Whether a path is a folder's. A path that is not there is none. */
export async function isExistingFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

/**
 * A folder as a tree of files. A link to a file inside the folder counts as a file; links to folders, and all that leads out of
 * the folder, are passed over. Each file is open only while a piece of it is read.
 * @param opened is told the path of each file that is opened
 * @throws StriaError `not-readable`
 */
export async function openFolder(path: string, opened: (path: string) => void = () => {}): Promise<FileTree> {
  const root = await realpath(path).catch((error: unknown) => {
    throw systemFault('not-readable', path, error);
  });
  let listed: Promise<readonly TreeFile[]> | undefined;
  const open = (inner: string, identity: FileIdentity): Promise<ByteSource> => {
    const full = join(path, ...inner.split('/'));
    opened(full);
    return NodeFiles.openWhenRead(full, identity);
  };
  return {
    name: basename(resolve(path)),
    files: async (job) => {
      listed ??= list(root, path, open, job ?? {});
      return listed.catch((error: unknown) => {
        listed = undefined;
        throw error;
      });
    },
    async find(inner) {
      const parts = inner.split('/');
      if (parts.some((part) => part === '' || part === '.' || part === '..' || /[\\\0]/.test(part))) return undefined;
      const identity = await identityInside(root, join(root, ...parts));
      return identity && open(inner, identity);
    },
  };
}

async function list(
  root: string,
  shown: string,
  open: (inner: string, identity: FileIdentity) => Promise<ByteSource>,
  job: JobOptions,
): Promise<readonly TreeFile[]> {
  const paths: string[] = [];
  const links = new Set<string>();
  const folders = [''];
  for (let at = 0; at < folders.length; at++) {
    throwIfAborted(job.signal);
    const folder = folders[at] as string;
    const entries: Dirent[] = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      throw systemFault('not-readable', join(shown, folder), error);
    });
    for (const entry of entries) {
      if (isLeftOut(entry.name)) continue;
      if (entry.isDirectory()) folders.push(`${folder}${entry.name}/`);
      else if (entry.isFile() || entry.isSymbolicLink()) paths.push(`${folder}${entry.name}`);
      if (entry.isSymbolicLink()) links.add(`${folder}${entry.name}`);
    }
    if (paths.length > treeFileLimit || folders.length > treeFileLimit) throw tooManyFiles();
  }
  paths.sort();
  const files: TreeFile[] = [];
  for (let at = 0; at < paths.length; at += looksAtOnce) {
    throwIfAborted(job.signal);
    const some = paths.slice(at, at + looksAtOnce);
    const found = await Promise.all(some.map((path) => identityInside(root, join(root, path), links.has(path))));
    for (const [index, path] of some.entries()) {
      const identity = found[index];
      if (identity !== undefined) files.push({ path, size: Number(identity.size), open: () => open(path, identity) });
    }
  }
  return files;
}

/** A file in a folder; undefined if it does not exist, is not an ordinary file, or is elsewhere because of a link. */
async function identityInside(root: string, path: string, mayBeLink = true): Promise<FileIdentity | undefined> {
  try {
    const target = mayBeLink ? await realpath(path) : path;
    if (!target.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined;
    const facts = await lstat(target, { bigint: true });
    return facts.isFile() ? identityOf(facts) : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(errorCode(error) ?? '')) return undefined;
    throw systemFault('not-readable', path, error);
  }
}

/** Files that were named together, as a tree. Two of the same name are refused. @throws StriaError `not-readable`, `invalid-input` */
export async function treeOfFiles(paths: readonly string[]): Promise<FileTree> {
  const files = new Map<string, TreeFile>();
  for (const path of paths) {
    const name = basename(path);
    if (files.has(name)) {
      throw new StriaError('invalid-input', `two of the files are called ${name}; name their folder instead`);
    }
    const { size } = await stat(path).catch((error: unknown) => {
      throw systemFault('not-readable', path, error);
    });
    files.set(name, { path: name, size, open: () => NodeFiles.openWhenRead(path) });
  }
  const sorted = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { name: sorted[0]?.path ?? '', files: async () => sorted, find: async (name) => files.get(name)?.open() };
}
