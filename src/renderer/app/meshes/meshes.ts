import type { Mesh } from '../../../core/mesh/mesh.ts';
import type { NamedMesh } from '../../../core/mesh/mesh-formats.ts';
import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { metresOf } from '../../../core/shared/volume.ts';
import type { HostFile } from '../../host/host.ts';
import { changedMesh, type LayerStack, type MeshLook, mostMeshes, noLayers } from '../../viewer/model/layers.ts';
import { moved } from '../../viewer/model/mesh-place.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { isSameDocument } from '../state/document-state.ts';
import { type MeshFileSource, type MeshSource, type SurfaceSource, withAdding } from '../state/layer-state.ts';
import { nextProgress, startProgress } from '../state/progress.ts';
import { tellReplaced } from '../state/replaced-volume.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';
import { Turns } from '../state/turns.ts';
import { extractShown, type SurfaceVolume } from './extract-shown.ts';
import { readInThread } from './mesh-file-thread.ts';
import { MeshMemory } from './mesh-memory.ts';
import { type LostMesh, MeshRestoring } from './mesh-restoring.ts';
import { type ExtractionJob, meshColors, type NewMesh, SurfaceExtraction } from './surface-extraction.ts';

/** A file of meshes, and the meshes that were read from it. */
export interface ReadMeshFile {
  readonly file: HostFile;
  readonly meshes: readonly NamedMesh[];
}

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
  readonly #store: AppStore;
  readonly #engine: () => Engine | undefined;
  readonly #extraction: SurfaceExtraction;
  readonly #read: typeof readInThread;
  readonly #memory = new MeshMemory();
  readonly #turns = new Turns();
  readonly #restoring: MeshRestoring;
  /** The file whose objects are being restored, so that it is read only once. */
  #restoredFile: { readonly file: HostFile; readonly meshes: readonly NewMesh[] } | undefined;

  /** @param volume the voxels under an id (`volumeIdOf`) */
  constructor(
    store: AppStore,
    engine: () => Engine | undefined,
    volume: (id: string) => SurfaceVolume | undefined,
    extract = extractShown,
    read = readInThread,
  ) {
    this.#store = store;
    this.#engine = engine;
    this.#read = read;
    this.#extraction = new SurfaceExtraction(store, engine, volume, extract);
    this.#restoring = new MeshRestoring({
      store,
      stack: () => this.#stack,
      has: (id) => this.#memory.get(id) !== undefined,
      isOpen: () => openDocument(store.getState()) !== undefined && this.#shownEngine() !== undefined,
      readiness: (from) => this.#extraction.readiness(from),
      make: (id, source, job) => this.#make(id, source, job),
      onIdle: () => {
        this.#restoredFile = undefined;
      },
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
    this.#extraction.onlyGpu = true;
  }

  /**
   * Extracts surfaces of a shown volume and adds each as a layer, after those that were requested before. Failures become the state.
   * @returns how many were added
   */
  async addSurfaces(wanted: Omit<SurfaceSource, 'timePoint'>): Promise<number> {
    const { from, surface } = wanted;
    const one = 'label' in surface ? `Label ${surface.label}` : 'Surface';
    const name = 'all' in surface ? 'Surfaces of labels' : one;
    const source = { ...wanted, timePoint: this.#extraction.shownTime(from) };
    this.#forgetFailed();
    const add = (signal: AbortSignal) => this.#addAs(name, signal, (job) => this.#extraction.extracted(source, job));
    return (await this.#turns.take(name, add)) ?? 0;
  }

  /** Adds the meshes of files as layers, one file after the other. Stops at the first file that cannot be read; the state says why. */
  async addFiles(files: readonly HostFile[]): Promise<void> {
    await this.#addEach(files, (file, job) => this.#readFile(file, job));
  }

  /** Like `addFiles`, for files that were already read, in the open volume's unit of length. */
  async addRead(files: readonly ReadMeshFile[]): Promise<void> {
    const found = new Map(files.map(({ file, meshes }) => [file, meshes]));
    await this.#addEach([...found.keys()], async (file) => this.#newMeshes(file, found.get(file) ?? []));
  }

  async #addEach(
    files: readonly HostFile[],
    work: (file: HostFile, job: ExtractionJob) => Promise<readonly NewMesh[]>,
  ): Promise<void> {
    this.#forgetFailed();
    await this.#turns.take(files.map(({ name }) => name).join(', '), async (signal) => {
      for (const file of files) if ((await this.#addAs(file.name, signal, (job) => work(file, job))) === 0) return;
    });
  }

  async #addAs(name: string, signal: AbortSignal, work: (job: ExtractionJob) => Promise<readonly NewMesh[]>): Promise<number> {
    try {
      const count = await this.#add(name, signal, work);
      if (!signal.aborted) this.#tell({ kind: 'none' });
      return count;
    } catch (error) {
      tellReplaced(this.#store, name, error, signal);
      if (!signal.aborted) this.#tellFailed(name, error);
      return 0;
    }
  }

  /** Removes the messages of earlier files, unless something is being added. */
  #forgetFailed(): void {
    const { adding } = this.#store.getState().layers;
    if (this.#turns.isBusy || adding.kind === 'loading' || adding.kind === 'choosing') return;
    this.#store.setState(({ layers }) => ({ layers: { ...layers, adding: { kind: 'none' }, notAdded: [] } }));
  }

  /** The meshes of a file, in world coordinates of the open volume. */
  async #readFile(file: HostFile, { signal }: ExtractionJob): Promise<readonly NewMesh[]> {
    const document = openDocument(this.#store.getState());
    if (!document) throw new StriaError('aborted', 'the volume was closed');
    return this.#newMeshes(file, await this.#read(file, metresOf[document.info.spatialUnit], signal));
  }

  #newMeshes(file: HostFile, found: readonly NamedMesh[]): readonly NewMesh[] {
    const { length } = this.#stack.meshes;
    return found.map(({ name, mesh }, object) => ({
      mesh,
      source: { file, object },
      look: { name, color: meshColors[(length + object) % meshColors.length] as string },
    }));
  }

  /** Stops adding what is being added, and what waits. */
  cancelAdding(): void {
    if (!this.#turns.isBusy) return;
    this.#turns.cancel();
    this.#tell({ kind: 'none' });
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
    const { mesh } = await ('file' in source ? this.#objectOf(source, job) : this.#surfaceOf(source, job));
    const engine = this.#engine();
    if (job.signal.aborted || !engine) throw new StriaError('aborted', 'cancelled');
    this.#memory.add(engine, new Map([[id, { mesh, source }]]));
  }

  async #objectOf(source: MeshFileSource, job: ExtractionJob): Promise<NewMesh> {
    const { file, object } = source;
    if (this.#restoredFile?.file !== file) this.#restoredFile = { file, meshes: await this.#readFile(file, job) };
    const mesh = this.#restoredFile.meshes[object];
    if (!mesh) throw new StriaError('invalid-input', `${file.name} has no object ${object + 1}`);
    return mesh;
  }

  async #surfaceOf(source: MeshSource, job: ExtractionJob): Promise<NewMesh> {
    const [first] = await this.#extraction.extracted(source, job);
    return first as NewMesh;
  }

  /** While others wait, the message is listed beside them. */
  #tellFailed(name: string, error: unknown): void {
    const isOver = ['aborted', 'device-lost'].includes(toStriaError(error).tag);
    const failed = { name, fault: faultToData(error) };
    if (isOver) this.#tell({ kind: 'none' });
    else if (!this.#turns.hasWaiting) this.#tell({ kind: 'failed', ...failed });
    else {
      this.#tell({ kind: 'none' });
      this.#store.setState(({ layers }) => ({ layers: { ...layers, notAdded: [...layers.notAdded, failed] } }));
    }
  }

  /** Shows the state of adding. While a dialog asks which volume of a file to add as a layer, the question stays. */
  #tell(adding: AppState['layers']['adding']): void {
    const isAsking = this.#store.getState().layers.adding.kind === 'choosing';
    if (!isAsking) this.#store.setState(({ layers }) => ({ layers: { ...layers, ...withAdding(layers, adding) } }));
    else if (adding.kind === 'failed') this.#store.setState({ notice: `${adding.name}: ${adding.fault.message}` });
  }

  /** @returns how many were added @throws StriaError `aborted`, `unsupported` if there would be too many, and those of the work */
  async #add(name: string, signal: AbortSignal, work: (job: ExtractionJob) => Promise<readonly NewMesh[]>): Promise<number> {
    const stage = 'Making a mesh';
    let progress = startProgress(stage, undefined, performance.now());
    this.#tell({ kind: 'loading', name, progress });
    const onProgress = (done: number, total: number) => {
      progress = nextProgress(progress, { stage, done, total }, performance.now());
      if (!signal.aborted) this.#tell({ kind: 'loading', name, progress });
    };
    const found = await work({ signal, onProgress });
    const engine = this.#engine();
    if (signal.aborted || !engine) throw new StriaError('aborted', 'cancelled');
    if (found.length > 0) this.#take(engine, found);
    return found.length;
  }

  #take(engine: Engine, found: readonly NewMesh[]): void {
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
    this.cancelAdding();
    this.#restoring.clear();
    this.#restoredFile = undefined;
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
