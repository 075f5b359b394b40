import type { Mesh } from '../../../core/mesh/mesh.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { changedMesh, type LayerStack, type MeshLook, mostMeshes, noLayers } from '../../viewer/model/layers.ts';
import { moved } from '../../viewer/model/mesh-place.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import type { AddingQueue } from '../state/adding-queue.ts';
import { isSameDocument } from '../state/document-state.ts';
import type { MeshFileSource, MeshSource } from '../state/layer-state.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { AddingMeshes } from './adding-meshes.ts';
import { extractShown, type SurfaceVolume } from './extract-shown.ts';
import { readInThread } from './mesh-file-thread.ts';
import { MeshMemory } from './mesh-memory.ts';
import { type LostMesh, MeshRestoring } from './mesh-restoring.ts';
import { MeshSources } from './mesh-sources.ts';
import { type ExtractionJob, type NewMesh, SurfaceExtraction } from './surface-extraction.ts';

/** Surfaces that can be shown over another volume: their looks, and their sources by id. */
export interface KeptSurfaces {
  readonly looks: readonly MeshLook[];
  readonly sources: ReadonlyMap<string, MeshSource | MeshFileSource>;
  readonly lost: ReadonlyMap<string, LostMesh>;
}

/**
 * The mesh layers. Their list is a part of the view (`ViewState.layers`), so undo restores it. Their triangles are kept until
 * the volume is closed, and those in GPU memory follow the state and the device.
 */
export class Meshes {
  readonly adding: AddingMeshes;
  readonly #store: AppStore;
  readonly #engine: () => Engine | undefined;
  readonly #sources: MeshSources;
  readonly #memory = new MeshMemory();
  readonly #restoring: MeshRestoring;

  /** @param volume the voxels under an id (`volumeIdOf`) */
  constructor(
    store: AppStore,
    engine: () => Engine | undefined,
    queue: AddingQueue,
    volume: (id: string) => SurfaceVolume | undefined,
    extract = extractShown,
    read = readInThread,
  ) {
    this.#store = store;
    this.#engine = engine;
    this.#sources = new MeshSources(store, new SurfaceExtraction(store, engine, volume, extract), read);
    this.adding = new AddingMeshes(queue, store, this.#sources, (found) => this.#add(found));
    this.#restoring = new MeshRestoring({
      store,
      stack: () => this.#stack,
      has: (id) => this.#memory.get(id) !== undefined,
      isOpen: () => openDocument(store.getState()) !== undefined && this.#shownEngine() !== undefined,
      readiness: (from) => this.#sources.extraction.readiness(from),
      make: (id, source, job) => this.#make(id, source, job),
      onIdle: () => this.#sources.forgetFile(),
    });
    store.subscribe((state, before) => {
      if (!isSameDocument(state.document, before.document)) this.#closed();
      if (state.gpu !== before.gpu && state.gpu.kind !== 'ready') this.#free();
      const isOther = state.gpu !== before.gpu || state.layers.stack !== before.layers.stack;
      if (isOther) this.#reconcile();
      if (isOther || state.document !== before.document || state.layers.volumes !== before.layers.volumes)
        this.#restoring.reconcile();
    });
  }

  /** For tests: see `ShownJob.onlyGpu`. */
  extractOnlyOnGpu(): void {
    this.#sources.extraction.onlyGpu = true;
  }

  change(id: string, change: Partial<Omit<MeshLook, 'id'>>): void {
    this.#set(changedMesh(this.#stack, id, change));
  }

  /** An empty name changes nothing. */
  rename(id: string, name: string): void {
    const trimmed = name.trim().slice(0, 200);
    if (trimmed !== '') this.change(id, { name: trimmed });
  }

  /** The triangles of a layer as they are shown, in world coordinates of the open volume. */
  meshOf(id: string): Mesh | undefined {
    const mesh = this.#memory.get(id)?.mesh;
    const motion = this.#stack.meshes.find((look) => look.id === id)?.motion;
    return mesh && motion ? moved(mesh, motion) : mesh;
  }

  /** The number of triangles of a layer; 0 if they have not been made. */
  triangleCount(id: string): number {
    return (this.#memory.get(id)?.mesh.triangles.length ?? 0) / 3;
  }

  /** The volume and settings that a layer was extracted from. */
  sourceOf(id: string): MeshSource | undefined {
    const source = this.#memory.get(id)?.source ?? this.#restoring.sourceOf(id);
    return source && 'from' in source ? source : undefined;
  }

  /** The file that a layer was read from. */
  fileOf(id: string): MeshFileSource | undefined {
    const source = this.#memory.get(id)?.source ?? this.#restoring.sourceOf(id);
    return source && 'file' in source ? source : undefined;
  }

  /** The place of a layer's file that was not found. */
  lostFileOf(id: string): LostMesh | undefined {
    return this.#restoring.lostFileOf(id);
  }

  /** Sets the sources of the surfaces that a restored view lists, by id. @param lost surfaces whose files were not found */
  restore(sources: ReadonlyMap<string, MeshSource | MeshFileSource>, lost: ReadonlyMap<string, LostMesh> = new Map()): void {
    this.#restoring.restore(sources, lost);
  }

  /** The surfaces that were read from files, for `bring` over the next volume. */
  kept(): KeptSurfaces {
    const looks = this.#stack.meshes.filter(({ id }) => this.fileOf(id) || this.lostFileOf(id));
    const entries = <Place>(placeOf: (id: string) => Place | undefined) =>
      looks.flatMap(({ id }): [string, Place][] => {
        const place = placeOf(id);
        return place === undefined ? [] : [[id, place]];
      });
    return {
      looks,
      sources: new Map(entries((id) => this.fileOf(id))),
      lost: new Map(entries((id) => this.lostFileOf(id))),
    };
  }

  /** Lists surfaces over a newly opened volume, and reads their files again, since the unit of length may differ. */
  bring({ looks, sources, lost }: KeptSurfaces): void {
    this.#set({ ...this.#stack, meshes: looks });
    this.#choose(looks.at(-1));
    this.restore(sources, lost);
  }

  /** The triangles of all listed surfaces that have any. */
  shown(): readonly Mesh[] {
    return this.#stack.meshes.flatMap(({ id }) => this.meshOf(id) ?? []);
  }

  /** Makes the triangles of a listed layer. @throws StriaError `aborted`, `out-of-memory`, and those of reading or extracting */
  async #make(id: string, source: MeshSource | MeshFileSource, job: ExtractionJob): Promise<void> {
    const { mesh } = await this.#sources.one(source, job);
    const engine = this.#engine();
    if (job.signal.aborted || !engine) throw new StriaError('aborted', 'cancelled');
    this.#memory.add(engine, new Map([[id, { mesh, source }]]));
  }

  /** Adds meshes as layers, all or none. @throws StriaError `aborted` without a device, `unsupported`, `out-of-memory` */
  #add(found: readonly NewMesh[]): void {
    const engine = this.#engine();
    if (!engine) throw new StriaError('aborted', 'cancelled');
    const { meshes } = this.#stack;
    if (meshes.length + found.length > mostMeshes)
      throw new StriaError('unsupported', `there would be more than ${mostMeshes} surfaces. Choose fewer labels, or remove some`);
    const ids = this.#newIds(found.length);
    const looks = found.map(({ look }, at): MeshLook => {
      return { isVisible: true, opacity: 1, ...look, name: look.name.slice(0, 200) || 'Surface', id: ids[at] as string };
    });
    this.#memory.add(engine, new Map(found.map(({ mesh, source }, at) => [ids[at] as string, { mesh, source }])));
    this.#set({ ...this.#stack, meshes: [...meshes, ...looks] });
    this.#choose(looks.at(-1));
  }

  #choose(look: MeshLook | undefined): void {
    if (look) this.#store.setState(({ layers }) => ({ layers: { ...layers, chosen: look.id } }));
  }

  get #stack(): LayerStack {
    return this.#engine()?.viewer.snapshot().state.layers ?? noLayers;
  }

  #set(layers: LayerStack): void {
    this.#engine()?.viewer.set({ layers });
  }

  /** The engine, once its viewer is the shown one. */
  #shownEngine(): Engine | undefined {
    const engine = this.#engine();
    const { gpu } = this.#store.getState();
    return gpu.kind === 'ready' && gpu.viewer === engine?.viewer ? engine : undefined;
  }

  #newIds(count: number): readonly string[] {
    const taken = new Set([...this.#memory.ids, ...this.#restoring.ids, ...this.#stack.meshes.map(({ id }) => id)]);
    const ids: string[] = [];
    for (let number = 1; ids.length < count; number++) {
      if (!taken.has(`mesh-${number}`)) ids.push(`mesh-${number}`);
    }
    return ids;
  }

  #closed(): void {
    this.#restoring.clear();
    this.#sources.forgetFile();
    this.#free();
    this.#memory.clear();
  }

  #free(): void {
    this.#restoring.stop();
    this.#memory.free(this.#engine());
  }

  /** Brings the meshes in GPU memory in step with the view. */
  #reconcile(): void {
    const engine = this.#shownEngine();
    const { layers } = this.#store.getState();
    if (engine) this.#memory.reconcile(engine, new Set(layers.stack.meshes.map(({ id }) => id)));
  }
}
