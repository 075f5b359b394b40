import { constants } from 'node:fs';
import { access, lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { StriaError } from '../core/shared/errors.ts';
import { errorCode } from '../node/system-faults.ts';
import { toFileFault } from './file-faults.ts';

/** The maximum number of links to follow, as on Linux. */
const mostLinks = 40;

export interface SaveTarget {
  readonly path: string;
  /** Permissions of the file being replaced; undefined if there is none. */
  readonly mode: number | undefined;
}

/**
 * The file that a save to `chosen` writes. A symbolic link is kept, and its target is written, whether the target exists or not.
 * @throws StriaError `not-writable` for anything except a regular file, and for a file without write permission
 */
export async function resolveTarget(chosen: string): Promise<SaveTarget> {
  try {
    let path = chosen;
    for (let links = 0; links <= mostLinks; links++) {
      const facts = await lstat(path).catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') return undefined;
        throw error;
      });
      if (facts === undefined) return { path, mode: undefined };
      if (!facts.isSymbolicLink()) {
        await checkReplaceable(path, facts);
        return { path, mode: facts.mode & 0o777 };
      }
      path = resolve(await realpath(dirname(path)), await readlink(path));
    }
    throw new StriaError('not-writable', `'${basename(chosen)}' is a circular link. Choose another name`);
  } catch (error) {
    throw toFileFault(error, 'not-writable', chosen);
  }
}

async function checkReplaceable(path: string, facts: { readonly mode: number; isDirectory(): boolean; isFile(): boolean }) {
  const refuse = (what: string) => new StriaError('not-writable', `'${basename(path)}' ${what}`);
  if (facts.isDirectory()) throw refuse('is a folder. Choose another name');
  if (!facts.isFile()) throw refuse('is a device or a pipe. Choose another name');
  // Renaming over a file needs no permission for the file itself, so check here. `access` alone would let an administrator pass.
  const isReadOnly = (facts.mode & 0o222) === 0;
  const mayWrite = await access(path, constants.W_OK).then(
    () => true,
    (error: unknown) => {
      if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return false;
      throw error;
    },
  );
  if (isReadOnly || !mayWrite) throw refuse('is read-only. Choose another name, or change its permissions first');
}

/** `folder/name`, or the first of ` (2)`, ` (3)` … before the extension that is not taken. */
export function freePath(folder: string, name: string, taken: (path: string) => boolean): string {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let count = 1; ; count++) {
    const path = join(folder, count === 1 ? name : `${stem} (${count})${ending}`);
    if (!taken(path)) return path;
  }
}
