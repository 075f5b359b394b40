import { GpuMesh, meshBytes } from '../../../core/draw/gpu-mesh.ts';
import type { Mesh } from '../../../core/mesh/mesh.ts';
import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import type { ExactVoxels } from '../../../core/volume/volume-source.ts';
import { changedMesh, type LayerStack, type MeshLook, mostMeshes, noLayers } from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { whyNoRoom } from '../loading/room.ts';
import { isSameDocument } from '../state/document-state.ts';
import type { MeshSource, SurfaceSource } from '../state/layer-state.ts';
import { nextProgress, startProgress } from '../state/progress.ts';
import type { AppState, AppStore } from '../state/store.ts';
import { type ExtractionJob, type NewMesh, SurfaceExtraction } from './surface-extraction.ts';
import { extractInThread } from './surface-thread.ts';

/**
 * The mesh layers. The view's state says which there are (`ViewState.layers`), so undo restores them; this class keeps their triangles
 * until the volume is closed, and makes the meshes in GPU memory follow the state and the device.
 */
export class Meshes {
  readonly #store: AppStore;
  readonly #engine: () => Engine | undefined;
  readonly #extraction: SurfaceExtraction;
  /** Also of those that undo may bring back. */
  readonly #kept = new Map<string, { readonly mesh: Mesh; readonly source: MeshSource }>();
  readonly #onGpu = new Map<string, GpuMesh>();
  #adding: AbortController | undefined;

  /** @param volume the voxels under an id (`volumeIdOf`) */
  constructor(
    store: AppStore,
    engine: () => Engine | undefined,
    volume: (id: string) => ExactVoxels | undefined,
    extract = extractInThread,
  ) {
    this.#store = store;
    this.#engine = engine;
    this.#extraction = new SurfaceExtraction(store, engine, volume, extract);
    store.subscribe((state, before) => {
      if (!isSameDocument(state.document, before.document)) this.#closed();
      if (state.gpu !== before.gpu && state.gpu.kind !== 'ready') this.#free();
      if (state.gpu !== before.gpu || state.layers.stack !== before.layers.stack) this.#reconcile();
    });
  }

  /** Extracts surfaces of what is shown, and adds each as a layer. Failures become the state. @returns how many were added */
  async addSurfaces(wanted: Omit<SurfaceSource, 'timePoint'>): Promise<number> {
    const { from, surface } = wanted;
    const one = 'label' in surface ? `Label ${surface.label}` : 'Surface';
    const name = 'all' in surface ? 'Surfaces of labels' : one;
    const controller = this.#begin();
    const { signal } = controller;
    try {
      const source = { ...wanted, timePoint: this.#extraction.shownTime(from) };
      const count = await this.#add(name, signal, (job) => this.#extraction.extracted(source, job));
      this.#end(controller);
      return count;
    } catch (error) {
      const isOver = signal.aborted || ['aborted', 'device-lost'].includes(toStriaError(error).tag);
      this.#end(controller, isOver ? undefined : { kind: 'failed', name, fault: faultToData(error) });
      return 0;
    }
  }

  /** Stops adding. */
  cancelAdding(): void {
    if (!this.#adding) return;
    this.#adding.abort();
    this.#adding = undefined;
    this.#tell({ kind: 'none' });
  }

  change(id: string, change: Partial<Omit<MeshLook, 'id'>>): void {
    this.#set(changedMesh(this.#stack, id, change));
  }

  /** The triangles of a layer, in world coordinates of the open volume. */
  meshOf(id: string): Mesh | undefined {
    return this.#kept.get(id)?.mesh;
  }

  /** What a layer was made from. */
  sourceOf(id: string): MeshSource | undefined {
    return this.#kept.get(id)?.source;
  }

  /** Makes the meshes of a restored view again. Each of its layers appears once it is there. A notice names those that fail. */
  async restore(saved: readonly { readonly look: MeshLook; readonly source: MeshSource }[]): Promise<void> {
    if (saved.length === 0) return;
    const controller = this.#begin();
    const { signal } = controller;
    const failures: { readonly name: string; readonly message: string }[] = [];
    for (const { look, source } of saved) {
      try {
        await this.#add(look.name, signal, async (job) => {
          if (!(await this.#extraction.isThere(source.from, signal))) return [];
          const [first] = await this.#extraction.extracted(source, job);
          return first ? [{ ...first, look }] : [];
        });
      } catch (error) {
        if (signal.aborted) return;
        failures.push({ name: look.name, message: toStriaError(error).message });
      }
    }
    this.#end(controller);
    const [first] = failures;
    if (!first) return;
    const names = failures.map(({ name }) => name).join(', ');
    this.#store.setState({ notice: `Surfaces that could not be restored: ${names}. ${first.message}` });
  }

  /** Ends what is being added, and begins anew. */
  #begin(): AbortController {
    this.cancelAdding();
    this.#adding = new AbortController();
    return this.#adding;
  }

  #end(controller: AbortController, adding: AppState['layers']['adding'] = { kind: 'none' }): void {
    if (this.#adding !== controller) return;
    this.#adding = undefined;
    this.#tell(adding);
  }

  #tell(adding: AppState['layers']['adding']): void {
    this.#store.setState(({ layers }) => ({ layers: { ...layers, adding } }));
  }

  /** @returns how many were added @throws StriaError `aborted`, and those of the work */
  async #add(name: string, signal: AbortSignal, work: (job: ExtractionJob) => Promise<readonly NewMesh[]>): Promise<number> {
    const stage = 'Extracting';
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
    const problem = whyNoRoom(
      engine,
      found.reduce((sum, { mesh }) => sum + meshBytes(mesh), 0),
      'the surface',
    );
    if (problem !== undefined) throw new StriaError('out-of-memory', problem);
    const onGpu: GpuMesh[] = [];
    try {
      for (const { mesh } of found) onGpu.push(new GpuMesh(engine.gpu, mesh));
    } catch (error) {
      for (const mesh of onGpu) mesh.destroy();
      throw error;
    }
    const looks = found.map(({ mesh, source, look }, at): MeshLook => {
      const id = this.#newId();
      this.#kept.set(id, { mesh, source });
      this.#onGpu.set(id, onGpu[at] as GpuMesh);
      return { isVisible: true, opacity: 1, ...look, id };
    });
    engine.viewer.setMeshes(new Map(this.#onGpu));
    this.#set({ ...this.#stack, meshes: [...meshes, ...looks] });
    const last = looks.at(-1);
    if (last) this.#store.setState(({ layers }) => ({ layers: { ...layers, chosen: last.id } }));
  }

  get #stack(): LayerStack {
    return this.#engine()?.viewer.snapshot().state.layers ?? noLayers;
  }

  #set(layers: LayerStack): void {
    this.#engine()?.viewer.set({ layers });
  }

  #newId(): string {
    const taken = new Set([...this.#kept.keys(), ...this.#stack.meshes.map(({ id }) => id)]);
    let number = 1;
    while (taken.has(`mesh-${number}`)) number++;
    return `mesh-${number}`;
  }

  #closed(): void {
    this.cancelAdding();
    this.#free();
    this.#kept.clear();
  }

  #free(): void {
    if (this.#onGpu.size === 0) return;
    const meshes = [...this.#onGpu.values()];
    this.#onGpu.clear();
    this.#engine()?.viewer.setMeshes(new Map());
    for (const mesh of meshes) mesh.destroy();
  }

  /** Makes the meshes in GPU memory follow the view. */
  #reconcile(): void {
    const engine = this.#engine();
    const { gpu, layers } = this.#store.getState();
    if (!engine || gpu.kind !== 'ready' || gpu.viewer !== engine.viewer) return;
    const wanted = new Set(layers.stack.meshes.map(({ id }) => id));
    const gone = [...this.#onGpu].filter(([id]) => !wanted.has(id));
    const added = [...wanted].filter((id) => this.#kept.has(id) && !this.#onGpu.has(id));
    if (gone.length + added.length === 0) return;
    for (const [id] of gone) this.#onGpu.delete(id);
    for (const id of added) this.#onGpu.set(id, new GpuMesh(engine.gpu, (this.#kept.get(id) as { mesh: Mesh }).mesh));
    engine.viewer.setMeshes(new Map(this.#onGpu));
    for (const [, mesh] of gone) mesh.destroy();
  }
}
