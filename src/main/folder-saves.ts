import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { toFileFault } from './file-faults.ts';
import { type PendingSave, SaveRegistry } from './save-registry.ts';
import { freePath } from './save-target.ts';
import { temporaryName, type UnfinishedSaves } from './unfinished-saves.ts';

/**
 * Folders that are being filled with files. They have a temporary name until commit, and never replace a folder or file.
 * Calls for one folder run in order. `owner` is the window; its folders are aborted when it closes.
 */
export interface FolderSaves {
  /** @param parent where to create the folder @throws StriaError `not-writable` */
  begin(owner: number, parent: string, name: string): Promise<string>;
  /** Appends to a file in the folder. @throws StriaError `not-writable`, `invalid-input` */
  write(owner: number, id: string, fileName: string, bytes: Uint8Array): Promise<void>;
  /** Renames the folder to the first free of `name`, `name (2)` … If this fails, the folder is removed. */
  commit(owner: number, id: string): Promise<{ readonly name: string; readonly folder: string }>;
  /** Removes everything that was written. Does nothing for a folder that was committed or aborted. */
  abort(owner: number, id: string): Promise<void>;
  /**
   * Aborts the folders of a window, or all. Resolves when no temporary folder is left, including those that were already being
   * committed or aborted.
   */
  abortAll(owner?: number): Promise<void>;
  /** The number of folders, of one window or of all, that may still have their temporary name. */
  pending(owner?: number): number;
  /** The path of a committed folder. @throws StriaError `invalid-input` */
  savedPath(owner: number, id: string): string;
}

interface FolderSave extends PendingSave {
  readonly parent: string;
  readonly name: string;
}

/** @param unfinished records the temporary folders, in case the app is killed */
export function createFolderSaves(unfinished?: UnfinishedSaves): FolderSaves {
  const remove = ({ temporary }: FolderSave) => rm(temporary, { recursive: true, force: true }).catch(() => undefined);
  const registry = new SaveRegistry<FolderSave>('folder', remove, unfinished);

  return {
    async begin(owner, parent, name) {
      const id = randomUUID();
      const temporary = join(parent, temporaryName(id));
      await registry.begin(id, { owner, parent, name, temporary, tail: Promise.resolve() }, async () => {
        try {
          await mkdir(temporary);
        } catch (error) {
          throw toFileFault(error, 'not-writable', parent);
        }
      });
      return id;
    },

    async write(owner, id, fileName, bytes) {
      const save = registry.find(owner, id);
      await registry.inOrder(save, async () => {
        try {
          await appendFile(join(save.temporary, fileName), bytes);
        } catch (error) {
          throw toFileFault(error, 'not-writable', join(save.parent, save.name, fileName));
        }
      });
    },

    async commit(owner, id) {
      const path = await registry.commit(owner, id, async (save) => {
        const free = freePath(save.parent, save.name, existsSync);
        try {
          await rename(save.temporary, free);
        } catch (error) {
          await remove(save);
          throw toFileFault(error, 'not-writable', free);
        }
        return free;
      });
      return { name: basename(path), folder: dirname(path) };
    },

    abort: (owner, id) => registry.abort(owner, id),
    abortAll: (owner) => registry.abortAll(owner),
    pending: (owner) => registry.pending(owner),
    savedPath: (owner, id) => registry.savedPath(owner, id),
  };
}
