import { StriaError } from '../core/shared/errors.ts';
import type { UnfinishedSaves } from './unfinished-saves.ts';

/** A file or folder being written, under a temporary name until it is complete. */
export interface PendingSave {
  /** The id of the window. Its saves are aborted when it closes. */
  readonly owner: number;
  /** The path of the temporary file or folder. */
  readonly temporary: string;
  /** Resolves when all requests for this save so far are done; never rejects. */
  tail: Promise<void>;
}

/** Unfinished saves by id. Requests for one save run in order. */
export class SaveRegistry<Save extends PendingSave> {
  readonly #open = new Map<string, Save>();
  /** The owners of saves whose last step has started. Their temporary files may still exist. */
  readonly #ending = new Map<Promise<void>, number>();
  readonly #saved = new Map<string, { readonly owner: number; readonly path: string }>();
  readonly #what: string;
  readonly #discard: (save: Save) => Promise<void>;
  readonly #unfinished: UnfinishedSaves | undefined;

  /**
   * @param what the kind of save, for messages
   * @param discard removes everything that was written
   * @param unfinished records the temporary files, in case the app is killed
   */
  constructor(what: 'file' | 'folder', discard: (save: Save) => Promise<void>, unfinished?: UnfinishedSaves) {
    this.#what = what;
    this.#discard = discard;
    this.#unfinished = unfinished;
  }

  /** Registers a save before its temporary file is created, so that an abort at any time finds the file. */
  async begin(id: string, save: Save, make: () => Promise<void>): Promise<void> {
    this.#open.set(id, save);
    this.#unfinished?.add(save.temporary);
    try {
      await this.inOrder(save, make);
    } catch (error) {
      this.#open.delete(id);
      this.#unfinished?.remove(save.temporary);
      throw error;
    }
  }

  /** @throws StriaError `invalid-input` for another window's save, or one that has ended */
  find(owner: number, id: string): Save {
    const save = this.#open.get(id);
    if (save === undefined || save.owner !== owner) throw new StriaError('invalid-input', 'This save has ended already');
    return save;
  }

  inOrder<T>(save: Save, work: () => Promise<T>): Promise<T> {
    const done = save.tail.then(work);
    save.tail = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /** Performs the last step of a save. @param finish resolves with the final path */
  async commit(owner: number, id: string, finish: (save: Save) => Promise<string>): Promise<string> {
    const save = this.find(owner, id);
    const path = await this.#end(id, save, () => finish(save));
    this.#saved.set(id, { owner, path });
    return path;
  }

  async abort(owner: number, id: string): Promise<void> {
    const save = this.#open.get(id);
    if (save?.owner === owner) await this.#end(id, save, () => this.#discard(save));
  }

  /** Discards all saves of a window, or all saves. Resolves when no temporary file is left. */
  async abortAll(owner?: number): Promise<void> {
    for (const [id, save] of this.#open) {
      if (owner === undefined || save.owner === owner) void this.#end(id, save, () => this.#discard(save));
    }
    await Promise.all([...this.#ending].filter(([, one]) => owner === undefined || one === owner).map(([ending]) => ending));
  }

  /** The number of saves, of one window or of all, that may have a temporary file. */
  pending(owner?: number): number {
    const owners = [...[...this.#open.values()].map((save) => save.owner), ...this.#ending.values()];
    return owners.filter((one) => owner === undefined || one === owner).length;
  }

  /** The final path of a committed save. @throws StriaError `invalid-input` */
  savedPath(owner: number, id: string): string {
    const saved = this.#saved.get(id);
    if (saved === undefined || saved.owner !== owner) throw new StriaError('invalid-input', `No such ${this.#what} was saved`);
    return saved.path;
  }

  #end<T>(id: string, save: Save, work: () => Promise<T>): Promise<T> {
    this.#open.delete(id);
    const done = this.inOrder(save, work);
    const ending = save.tail;
    this.#ending.set(ending, save.owner);
    void ending.then(() => {
      this.#ending.delete(ending);
      this.#unfinished?.remove(save.temporary);
    });
    return done;
  }
}
