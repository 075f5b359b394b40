import type { HostFile } from '../../host/host.ts';
import { withStacks } from '../loading/picture-stacks.ts';
import { withSeries } from '../loading/series-files.ts';
import { partName } from '../state/saved-session.ts';
import type { AppStore } from '../state/store.ts';
import { foundSurfaces, type SessionMeshes } from './saved-surfaces.ts';
import { candidatesOf, fittingOne } from './session-files.ts';
import type { SessionLayers } from './session-needs.ts';

export interface LostFilesNeeds {
  readonly store: AppStore;
  readonly layers: Pick<SessionLayers, 'lostSourceOf' | 'restore'>;
  readonly meshes: Pick<SessionMeshes, 'lostFileOf' | 'restore'>;
}

/** Restores layers and surfaces of an open session whose files were not found, once the user gives the files. */
export class LostFiles {
  readonly #needs: LostFilesNeeds;

  constructor(needs: LostFilesNeeds) {
    this.#needs = needs;
  }

  /** Loads a layer whose files were not found. @returns why the given files are not the right ones; undefined if they are */
  async findLayer(id: string, given: readonly HostFile[]): Promise<string | undefined> {
    const { layers } = this.#needs;
    const source = layers.lostSourceOf(id);
    if (!source || !('files' in source)) return undefined;
    const together = withSeries(given);
    const found: HostFile[] = [];
    for (const part of source.files) {
      const { one, reason } = await fittingOne(part, candidatesOf(part, together, source.files.length === 1));
      if (!one) return reason ?? `${partName(part)} is not among the chosen files`;
      found.push(one);
    }
    const [primary] = withStacks(found);
    if (!primary || layers.lostSourceOf(id) !== source) return undefined;
    layers.restore(new Map([[id, { kind: 'file', file: primary, raw: source.raw, dataset: source.dataset }]]));
    return undefined;
  }

  /** Reads a surface whose file was not found, and all others whose files are among the given ones. @returns like `findLayer` */
  async findSurface(id: string, given: readonly HostFile[]): Promise<string | undefined> {
    const [part] = this.#needs.meshes.lostFileOf(id)?.source.files ?? [];
    if (!part) return undefined;
    const { one, reason } = await fittingOne(part, candidatesOf(part, given, true));
    if (!one) return reason ?? `${partName(part)} is not among the chosen files`;
    await this.takeSurfaces(given);
    return undefined;
  }

  /** Reads the surfaces whose missing files are among the given ones. @returns the files that no surface needed */
  async takeSurfaces(given: readonly HostFile[]): Promise<readonly HostFile[]> {
    const { store, meshes } = this.#needs;
    const ids = store.getState().layers.stack.meshes.map(({ id }) => id);
    const found = await foundSurfaces(ids, meshes, given);
    if (found.size > 0) meshes.restore(found);
    const taken = new Set([...found.values()].map(({ file }) => file));
    return given.filter((file) => !taken.has(file));
  }
}
