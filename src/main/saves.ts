import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { StriaError } from '../core/shared/errors.ts';
import type { BegunSave } from '../core/shared/ipc.ts';
import { freeSpace } from '../node/free-space.ts';
import { renameToFree } from '../node/rename-to-free.ts';
import { toFileFault } from './file-faults.ts';
import { type PendingSave, SaveRegistry } from './save-registry.ts';
import { freePath, resolveTarget, type SaveTarget } from './save-target.ts';
import { temporaryName, type UnfinishedSaves } from './unfinished-saves.ts';

/**
 * Files that are being written. The bytes go to a temporary file beside the target, which gets the target's name on commit. Calls
 * for one save run in order. `owner` is the window; its saves are aborted when it closes.
 */
export interface Saves {
  /** Replaces `target` on commit and keeps its permissions. @throws StriaError `not-writable`, also while another save writes to it */
  begin(owner: number, target: string): Promise<BegunSave>;
  /**
   * Like `begin`, under the first free of `name`, `name (2)` …; never replaces a file. With `mayReplace`, it is called `name` and
   * replaces a file or link of that name. @throws StriaError `not-writable`
   */
  beginBeside(owner: number, folder: string, name: string, mayReplace?: boolean): Promise<BegunSave>;
  /** Appends bytes. @throws StriaError `not-writable`, `invalid-input` */
  write(owner: number, id: string, bytes: Uint8Array): Promise<void>;
  /** Drops all bytes written so far. @throws StriaError `not-writable`, `invalid-input` */
  restart(owner: number, id: string): Promise<void>;
  /** Flushes to the disk and renames. If this fails, the temporary file is removed and the target is unchanged. */
  commit(owner: number, id: string): Promise<void>;
  /** Removes the temporary file. Does nothing for a save that was committed or aborted. */
  abort(owner: number, id: string): Promise<void>;
  /** The relative path from the target's folder to another file, with `/`; null if there is none. @throws StriaError `invalid-input` */
  relativePath(owner: number, id: string, path: string): string | null;
  /** Aborts the saves of a window, or all. Resolves when no temporary file is left, including those of saves that were already ending. */
  abortAll(owner?: number): Promise<void>;
  /** The number of saves, of one window or of all, that may have a temporary file. */
  pending(owner?: number): number;
  /** The path of a committed save. @throws StriaError `invalid-input` */
  savedPath(owner: number, id: string): string;
}

interface Save extends PendingSave {
  readonly target: string;
  /** `keyOf` its target when it began: a folder may vanish meanwhile. */
  readonly key: string;
  readonly mayReplace: boolean;
  /** Undefined until the temporary file is open. */
  file: FileHandle | undefined;
  /** The place of the next write. The file is not opened to append, since Windows then refuses to truncate it. */
  written: number;
  /** The first failed write, after which the save can only be aborted. */
  failure: StriaError | undefined;
}

/** @param unfinished records the temporary files, in case the app is killed */
export function createSaves(unfinished?: UnfinishedSaves): Saves {
  /** Keys of the targets of saves in progress: no two of them have the same. */
  const reserved = new Set<string>();
  const discard = async (save: Save): Promise<void> => {
    await save.file?.close().catch(() => undefined);
    await rm(save.temporary, { force: true }).catch(() => undefined);
    reserved.delete(save.key);
  };
  const registry = new SaveRegistry<Save>('file', discard, unfinished);

  const start = async (
    owner: number,
    { path: target, mode }: SaveTarget,
    key: string,
    mayReplace: boolean,
  ): Promise<BegunSave> => {
    const id = randomUUID();
    const temporary = join(dirname(target), temporaryName(id));
    const save: Save = {
      owner,
      target,
      key,
      temporary,
      mayReplace,
      file: undefined,
      written: 0,
      tail: Promise.resolve(),
      failure: undefined,
    };
    await registry.begin(id, save, async () => {
      try {
        save.file = await open(temporary, 'wx', mode ?? 0o666);
        // `open` applies the umask. File systems without permissions refuse chmod, which does no harm.
        if (mode !== undefined) await save.file.chmod(mode).catch(() => undefined);
      } catch (error) {
        throw toFileFault(error, 'not-writable', target);
      }
    });
    const folder = dirname(target);
    return { id, name: basename(target), folder, freeBytes: (await freeSpace(folder)) ?? null };
  };

  const startReserved = async (owner: number, target: SaveTarget, mayReplace: boolean): Promise<BegunSave> => {
    const key = keyOf(target.path);
    reserved.add(key);
    try {
      return await start(owner, target, key, mayReplace);
    } catch (error) {
      reserved.delete(key);
      throw error;
    }
  };

  /** Changes the temporary file after earlier calls. */
  const change = async (owner: number, id: string, work: (save: Save, file: FileHandle) => Promise<void>): Promise<void> => {
    const save = registry.find(owner, id);
    await registry.inOrder(save, async () => {
      if (save.failure !== undefined) throw save.failure;
      try {
        if (save.file) await work(save, save.file);
      } catch (error) {
        save.failure = toFileFault(error, 'not-writable', save.target);
        throw save.failure;
      }
    });
  };

  return {
    async begin(owner, chosen) {
      const target = await resolveTarget(chosen);
      if (reserved.has(keyOf(target.path))) {
        const words = `'${basename(target.path)}' is being written. Choose another name, or wait until it is saved`;
        throw new StriaError('not-writable', words);
      }
      return startReserved(owner, target, true);
    },

    beginBeside: async (owner, folder, name, mayReplace = false) => {
      const path = freePath(folder, name, (one) => (existsSync(one) && !mayReplace) || reserved.has(keyOf(one)));
      return startReserved(owner, { path, mode: undefined }, mayReplace);
    },

    write: (owner, id, bytes) =>
      change(owner, id, async (save, file) => {
        for (let done = 0; done < bytes.byteLength; ) {
          const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, save.written);
          done += bytesWritten;
          save.written += bytesWritten;
        }
      }),
    restart: (owner, id) =>
      change(owner, id, async (save, file) => {
        await file.truncate(0);
        save.written = 0;
      }),

    async commit(owner, id) {
      await registry.commit(owner, id, async (save) => {
        await finish(save).finally(() => reserved.delete(save.key));
        return save.target;
      });
    },

    abort: (owner, id) => registry.abort(owner, id),

    relativePath(owner, id, path) {
      const way = relative(dirname(registry.find(owner, id).target), path);
      return isAbsolute(way) ? null : way.split(sep).join('/');
    },

    abortAll: (owner) => registry.abortAll(owner),
    pending: (owner) => registry.pending(owner),
    savedPath: (owner, id) => registry.savedPath(owner, id),
  };
}

/** Equal for all paths of a file: a folder may be reached by links, and some systems ignore letter case and the encoding of accents. */
function keyOf(path: string): string {
  return join(realFolder(dirname(path)), basename(path))
    .normalize()
    .toLowerCase();
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** Flushes, closes and renames; on failure removes the temporary file. */
async function finish(save: Save): Promise<void> {
  try {
    try {
      if (save.failure !== undefined) throw save.failure;
      await save.file?.sync();
    } finally {
      await save.file?.close();
    }
    if (save.mayReplace) await rename(save.temporary, save.target);
    else await renameToFree(save.temporary, save.target);
  } catch (error) {
    await rm(save.temporary, { force: true }).catch(() => undefined);
    throw toFileFault(error, 'not-writable', save.target);
  }
}
