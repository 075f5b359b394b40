import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A complete temporary file that still needs its name. */
interface PendingFile {
  /** Gives the file its name. */
  commit(): Promise<void>;
  /** Removes the file after `commit`, unless it replaced another one. */
  undo(): Promise<void>;
  /** Removes the file. */
  discard(): Promise<void>;
}

/**
 * The files of one result. They get their names together, so that a failure or a cancel leaves none of them. Only if the names
 * cannot be given do those that have already replaced other files stay.
 */
export class PendingFiles {
  readonly #files: PendingFile[] = [];
  /** Folders created for the files, each after its parent. */
  readonly #folders: string[] = [];

  add(file: PendingFile): void {
    this.#files.push(file);
  }

  /**
   * @param folder a folder that was created for the files
   * @param first the topmost folder that was created on the way to it
   */
  addFolder(folder: string, first: string): void {
    const made = [folder];
    for (let path = folder; path !== first && dirname(path) !== path; made.unshift(path)) path = dirname(path);
    this.#folders.push(...made);
  }

  async commit(): Promise<void> {
    const named: PendingFile[] = [];
    try {
      for (let file = this.#files.shift(); file !== undefined; file = this.#files.shift()) {
        await file.commit();
        named.push(file);
      }
    } catch (error) {
      for (const file of named) await file.undo();
      throw error;
    }
  }

  /** Removes the files that have no name yet, and the folders that are then empty. */
  async discard(): Promise<void> {
    for (const file of this.#files.splice(0)) await file.discard();
    for (const folder of this.#folders.splice(0).reverse()) await rmdir(folder).catch(() => {});
  }
}

/** Runs work that writes files. They get their names once all of them are complete. */
export async function withPendingFiles<T>(work: (pending: PendingFiles) => Promise<T>): Promise<T> {
  const pending = new PendingFiles();
  try {
    const result = await work(pending);
    await pending.commit();
    return result;
  } catch (error) {
    await pending.discard();
    throw error;
  }
}
