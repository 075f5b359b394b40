import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { StriaError } from '../core/shared/errors.ts';
import { errorCode, toFileFault } from './file-faults.ts';

/** What the renderer is told about a save that has begun. */
export interface BegunSave {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
}

/**
 * Files being written. The bytes go to a temporary file beside the target, which takes the target's name on commit only.
 * Calls for one save run in the order in which they came. `owner` is the window: when it goes, so do its saves.
 */
export interface Saves {
  /** Replaces what is at `target` on commit. @throws StriaError `not-writable` */
  begin(owner: number, target: string): Promise<BegunSave>;
  /** As `begin`, under the first free one of `name`, `name (2)` …; never replaces a file. @throws StriaError `not-writable` */
  beginBeside(owner: number, folder: string, name: string): Promise<BegunSave>;
  /** @throws StriaError `not-writable`, `invalid-input` */
  write(owner: number, id: string, bytes: Uint8Array): Promise<void>;
  /** Flushes to the disk and renames. On a failure the temporary file is gone and the target is as it was. */
  commit(owner: number, id: string): Promise<void>;
  /** Removes the temporary file. Does nothing for a save that has ended. */
  abort(owner: number, id: string): Promise<void>;
  /** From the target's folder to another path, with `/`; null where no way leads there. @throws StriaError `invalid-input` */
  relativePath(owner: number, id: string, path: string): string | null;
  abortAllOf(owner: number): Promise<void>;
  abortAll(): Promise<void>;
  /** The number of saves that have begun and not ended. */
  readonly pending: number;
  /** Where a committed save went. @throws StriaError `invalid-input` */
  savedPath(owner: number, id: string): string;
}

interface Save {
  readonly owner: number;
  readonly target: string;
  readonly temporary: string;
  readonly file: FileHandle;
  readonly mayReplace: boolean;
  /** Ends when all that was asked of this save so far is done; never rejects. */
  tail: Promise<void>;
  /** The first failed write: from then on the save can only be aborted. */
  failure: StriaError | undefined;
}

export function createSaves(): Saves {
  const saves = new Map<string, Save>();
  const committed = new Map<string, { owner: number; path: string }>();
  /** Targets of saves in progress, so that two of them never choose the same free name. */
  const reserved = new Set<string>();

  const find = (owner: number, id: string): Save => {
    const save = saves.get(id);
    if (save === undefined || save.owner !== owner) throw new StriaError('invalid-input', 'This save has ended already');
    return save;
  };

  const start = async (owner: number, target: string, mayReplace: boolean): Promise<BegunSave> => {
    const id = randomUUID();
    const temporary = join(dirname(target), `.stria-${id}.part`);
    try {
      const file = await open(temporary, 'wx');
      saves.set(id, { owner, target, temporary, file, mayReplace, tail: Promise.resolve(), failure: undefined });
    } catch (error) {
      throw toFileFault(error, 'not-writable', target);
    }
    return { id, name: basename(target), folder: dirname(target) };
  };

  /** Runs `work` after everything that was asked of this save before. */
  const inOrder = <T>(save: Save, work: () => Promise<T>): Promise<T> => {
    const done = save.tail.then(work);
    save.tail = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  };

  const discard = async (id: string, save: Save): Promise<void> => {
    saves.delete(id);
    reserved.delete(save.target);
    await inOrder(save, async () => {
      await save.file.close().catch(() => undefined);
      await rm(save.temporary, { force: true }).catch(() => undefined);
    });
  };

  const abortWhere = async (matches: (save: Save) => boolean): Promise<void> => {
    await Promise.all([...saves].filter(([, save]) => matches(save)).map(([id, save]) => discard(id, save)));
  };

  return {
    async begin(owner, target) {
      // Through a symbolic link we write the file that it names, and leave the link.
      const path = await realpath(target).catch(() => target);
      const facts = await stat(path).catch(() => undefined);
      if (facts?.isDirectory()) throw new StriaError('not-writable', `'${basename(path)}' is a folder. Choose another name`);
      return start(owner, path, true);
    },

    async beginBeside(owner, folder, name) {
      const target = freePath(folder, name, (path) => existsSync(path) || reserved.has(path));
      reserved.add(target);
      try {
        return await start(owner, target, false);
      } catch (error) {
        reserved.delete(target);
        throw error;
      }
    },

    async write(owner, id, bytes) {
      const save = find(owner, id);
      await inOrder(save, async () => {
        if (save.failure !== undefined) throw save.failure;
        try {
          await save.file.appendFile(bytes);
        } catch (error) {
          save.failure = toFileFault(error, 'not-writable', save.target);
          throw save.failure;
        }
      });
    },

    async commit(owner, id) {
      const save = find(owner, id);
      saves.delete(id);
      try {
        await inOrder(save, () => finish(save));
        committed.set(id, { owner, path: save.target });
      } finally {
        reserved.delete(save.target);
      }
    },

    async abort(owner, id) {
      const save = saves.get(id);
      if (save !== undefined && save.owner === owner) await discard(id, save);
    },

    relativePath(owner, id, path) {
      const way = relative(dirname(find(owner, id).target), path);
      return isAbsolute(way) ? null : way.split(sep).join('/');
    },

    abortAllOf: (owner) => abortWhere((save) => save.owner === owner),
    abortAll: () => abortWhere(() => true),
    get pending() {
      return saves.size;
    },

    savedPath(owner, id) {
      const save = committed.get(id);
      if (save === undefined || save.owner !== owner) throw new StriaError('invalid-input', 'No such file was saved');
      return save.path;
    },
  };
}

/** Flushes, closes and renames; on a failure removes the temporary file. */
async function finish(save: Save): Promise<void> {
  try {
    try {
      if (save.failure !== undefined) throw save.failure;
      await save.file.sync();
    } finally {
      await save.file.close();
    }
    if (save.mayReplace) await rename(save.temporary, save.target);
    else await renameToFree(save.temporary, save.target);
  } catch (error) {
    await rm(save.temporary, { force: true }).catch(() => undefined);
    throw toFileFault(error, 'not-writable', save.target);
  }
}

/** Gives a file a name that nothing else has: `link` fails where `rename` would replace. */
async function renameToFree(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
    await rm(temporary, { force: true });
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL'].includes(errorCode(error))) throw error;
    // The file system has no hard links (exFAT, some network drives): take the name with an empty file, then replace that.
    const placeholder = await open(target, 'wx');
    await placeholder.close();
    try {
      await rename(temporary, target);
    } catch (cause) {
      await rm(target, { force: true });
      throw cause;
    }
  }
}

/** `folder/name`, or with ` (2)`, ` (3)` … before its ending: the first that is not taken. */
export function freePath(folder: string, name: string, taken: (path: string) => boolean): string {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let count = 1; ; count++) {
    const path = join(folder, count === 1 ? name : `${stem} (${count})${ending}`);
    if (!taken(path)) return path;
  }
}
