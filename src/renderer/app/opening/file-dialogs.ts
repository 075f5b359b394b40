import type { Host, HostFile } from '../../host/host.ts';
import { volumeIdOf } from '../../viewer/model/layers.ts';
import type { Dropped } from '../loading/dropped-files.ts';
import type { Meshes } from '../meshes/meshes.ts';
import type { LostFiles } from '../saved/lost-files.ts';
import { orNotice } from '../state/or-notice.ts';
import type { AppStore } from '../state/store.ts';
import type { FileOpener } from './file-opener.ts';

export interface FileDialogsNeeds {
  readonly host: Pick<Host, 'openDialog' | 'openFolderDialog' | 'adopt'>;
  readonly store: AppStore;
  readonly opener: Pick<FileOpener, 'open' | 'addLayers' | 'compare' | 'complete'>;
  readonly lostFiles: Pick<LostFiles, 'findLayer' | 'findSurface'>;
  readonly meshes: Pick<Meshes, 'sourceOf'>;
}

/** Asks the user for files, or takes dropped ones, and passes them to the opener. */
export class FileDialogs {
  readonly #needs: FileDialogsNeeds;

  constructor(needs: FileDialogsNeeds) {
    this.#needs = needs;
  }

  open(): void {
    this.#ask((files) => this.#needs.opener.open(files));
  }

  openFolder(): void {
    const { host, store, opener } = this.#needs;
    void orNotice(store, async () => {
      const folder = await host.openFolderDialog();
      if (folder) opener.open([folder]);
    });
  }

  addLayers(): void {
    this.#ask((files) => this.#needs.opener.addLayers(files));
  }

  compare(): void {
    this.#ask((files) => this.#needs.opener.compare(files));
  }

  /** Asks for the file that is missing beside a file, and opens both. */
  complete(file: HostFile, missing: readonly string[]): void {
    this.#ask((files) => this.#needs.opener.complete(file, missing, files));
  }

  /** Asks for the file of the chosen layer or surface that a session could not find. A surface may need its layer's file. */
  findLayer(): void {
    const { store, lostFiles, meshes } = this.#needs;
    const { stack, chosen } = store.getState().layers;
    if (chosen === undefined) return;
    const owner = meshes.sourceOf(chosen)?.from ?? chosen;
    const look = stack.layers.find(({ id }) => id === owner);
    this.#ask(async (files) => {
      const find = look ? lostFiles.findLayer(volumeIdOf(look), files) : lostFiles.findSurface(chosen, files);
      const reason = await find;
      const wrongFile = reason === undefined ? undefined : { id: chosen, reason };
      store.setState(({ layers }) => ({ layers: { ...layers, wrongFile } }));
    });
  }

  /** @param asSecond whether to compare the dropped volume with the open one */
  async drop(dropped: Promise<Dropped>, asSecond = false): Promise<void> {
    const { host, store, opener } = this.#needs;
    await orNotice(store, async () => {
      const { files, folders } = await dropped;
      if (files.length + folders.length === 0) return;
      const adopted = await host.adopt(files, folders);
      if (asSecond) opener.compare(adopted);
      else opener.open(adopted);
    });
  }

  #ask(take: (files: readonly HostFile[]) => void | Promise<void>): void {
    const { host, store } = this.#needs;
    void orNotice(store, async () => {
      const files = await host.openDialog();
      if (files.length > 0) await take(files);
    });
  }
}
