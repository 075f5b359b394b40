import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { StriaError } from '../core/shared/errors.ts';
import type { OpenedFile } from '../core/shared/ipc.ts';
import { errorCode, toFileFault } from './file-faults.ts';
import { isPlainName } from './plain-name.ts';

/** A file that the renderer may read, as it was when it was opened. */
export interface FileOnDisk {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

/** The files that main has handed out, by id. The renderer knows ids only, never paths. */
export interface OpenedFiles {
  /** @throws StriaError `not-readable` where there is no such regular file */
  open(path: string): Promise<OpenedFile>;
  /** The file `name` in the folder of an opened one; null where there is none. @throws StriaError `invalid-input` */
  openSibling(id: string, name: string): Promise<OpenedFile | null>;
  /** The file at a path from the folder of an opened one; null where there is none. */
  openRelative(id: string, path: string): Promise<OpenedFile | null>;
  find(id: string): FileOnDisk | undefined;
  /** As `find`. @throws StriaError `invalid-input` for an id that was not handed out */
  get(id: string): FileOnDisk;
}

/** @param urlOf The URL under which the protocol serves an id. */
export function createOpenedFiles(urlOf: (id: string) => string): OpenedFiles {
  const files = new Map<string, FileOnDisk>();

  const open = async (path: string): Promise<OpenedFile> => {
    const absolute = resolve(path);
    const facts = await stat(absolute).catch((error: unknown) => {
      throw toFileFault(error, 'not-readable', absolute);
    });
    const name = basename(absolute);
    if (facts.isDirectory()) throw new StriaError('not-readable', `'${name}' is a folder. Open the files in it`);
    if (!facts.isFile()) throw new StriaError('not-readable', `'${name}' is a device or a pipe. Open a regular file`);
    const id = randomUUID();
    files.set(id, { path: absolute, size: facts.size, modifiedMs: facts.mtimeMs });
    return { id, name, size: facts.size, url: urlOf(id) };
  };

  const get = (id: string): FileOnDisk => {
    const file = files.get(id);
    if (file === undefined) throw new StriaError('invalid-input', 'No such file is open');
    return file;
  };

  const openIfThere = async (path: string): Promise<OpenedFile | null> => {
    try {
      if (!(await stat(path)).isFile()) return null;
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCode(error))) return null;
      throw toFileFault(error, 'not-readable', path);
    }
    return open(path);
  };

  return {
    open,
    async openSibling(id, name) {
      if (!isPlainName(name)) throw new StriaError('invalid-input', `'${name}' is no plain file name`);
      return openIfThere(join(dirname(get(id).path), name));
    },
    openRelative: async (id, path) => openIfThere(join(dirname(get(id).path), ...path.split('/'))),
    find: (id) => files.get(id),
    get,
  };
}
