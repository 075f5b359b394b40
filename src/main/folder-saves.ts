import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StriaError } from '../core/shared/errors.ts';
import { toFileFault } from './file-faults.ts';
import { freePath } from './saves.ts';

/**
 * Folders being filled with files. They grow under a temporary name, and take their own on commit only; no folder or file
 * that is there is ever replaced. Calls for one folder run in the order in which they came. `owner` is the window: when it
 * goes, so do its folders.
 */
export interface FolderSaves {
  /** @param parent where the folder is to be @throws StriaError `not-writable` */
  begin(owner: number, parent: string, name: string): Promise<string>;
  /** Adds bytes to the end of a file in the folder. @throws StriaError `not-writable`, `invalid-input` */
  write(owner: number, id: string, fileName: string, bytes: Uint8Array): Promise<void>;
  /** Gives the folder the first free one of `name`, `name (2)` … On a failure it is gone. */
  commit(owner: number, id: string): Promise<{ readonly name: string; readonly folder: string }>;
  /** Removes what was written. Does nothing for a folder that has ended. */
  abort(owner: number, id: string): Promise<void>;
  abortAllOf(owner: number): Promise<void>;
  abortAll(): Promise<void>;
  readonly pending: number;
  /** Where a committed folder lies. @throws StriaError `invalid-input` */
  savedPath(owner: number, id: string): string;
}

interface FolderSave {
  readonly owner: number;
  readonly parent: string;
  readonly name: string;
  readonly temporary: string;
  /** Ends when all that was asked of this folder so far is done; never rejects. */
  tail: Promise<void>;
}

export function createFolderSaves(): FolderSaves {
  const saves = new Map<string, FolderSave>();
  const committed = new Map<string, { readonly owner: number; readonly path: string }>();

  const find = (owner: number, id: string): FolderSave => {
    const save = saves.get(id);
    if (save === undefined || save.owner !== owner) throw new StriaError('invalid-input', 'This save has ended already');
    return save;
  };

  const inOrder = <T>(save: FolderSave, work: () => Promise<T>): Promise<T> => {
    const done = save.tail.then(work);
    save.tail = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  };

  const discard = async (id: string, save: FolderSave): Promise<void> => {
    saves.delete(id);
    await inOrder(save, () => rm(save.temporary, { recursive: true, force: true }).catch(() => undefined));
  };

  const abortWhere = async (matches: (save: FolderSave) => boolean): Promise<void> => {
    await Promise.all([...saves].filter(([, save]) => matches(save)).map(([id, save]) => discard(id, save)));
  };

  return {
    async begin(owner, parent, name) {
      const id = randomUUID();
      const temporary = join(parent, `.stria-${id}.part`);
      try {
        await mkdir(temporary);
      } catch (error) {
        throw toFileFault(error, 'not-writable', parent);
      }
      saves.set(id, { owner, parent, name, temporary, tail: Promise.resolve() });
      return id;
    },

    async write(owner, id, fileName, bytes) {
      const save = find(owner, id);
      await inOrder(save, async () => {
        try {
          await appendFile(join(save.temporary, fileName), bytes);
        } catch (error) {
          throw toFileFault(error, 'not-writable', join(save.parent, save.name, fileName));
        }
      });
    },

    async commit(owner, id) {
      const save = find(owner, id);
      saves.delete(id);
      return inOrder(save, async () => {
        const path = freePath(save.parent, save.name, existsSync);
        try {
          await rename(save.temporary, path);
        } catch (error) {
          await rm(save.temporary, { recursive: true, force: true }).catch(() => undefined);
          throw toFileFault(error, 'not-writable', path);
        }
        committed.set(id, { owner, path });
        return { name: basename(path), folder: dirname(path) };
      });
    },

    async abort(owner, id) {
      const save = saves.get(id);
      if (save !== undefined && save.owner === owner) await discard(id, save);
    },

    abortAllOf: (owner) => abortWhere((save) => save.owner === owner),
    abortAll: () => abortWhere(() => true),
    get pending() {
      return saves.size;
    },

    savedPath(owner, id) {
      const save = committed.get(id);
      if (save === undefined || save.owner !== owner) throw new StriaError('invalid-input', 'No such folder was saved');
      return save.path;
    },
  };
}
