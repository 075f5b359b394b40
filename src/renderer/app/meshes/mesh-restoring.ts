import { type FaultData, faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { nextTurn } from '../../../core/shared/turn.ts';
import type { LayerStack } from '../../viewer/model/layers.ts';
import type { LayersState, MeshFileSource, MeshSource, SurfaceState } from '../state/layer-state.ts';
import { nextProgress, startProgress } from '../state/progress.ts';
import { partName, type SavedMeshFile } from '../state/saved-session.ts';
import type { AppStore } from '../state/store.ts';
import type { ExtractionJob, Readiness } from './surface-extraction.ts';

/** The place of a surface whose file was not found: its source, and its index in the file. */
export type LostMesh = Pick<SavedMeshFile, 'source' | 'object'>;

export interface RestoringNeeds {
  readonly store: AppStore;
  stack(): LayerStack;
  /** Whether a layer has its triangles. */
  has(id: string): boolean;
  /** Whether a volume is open and there is a device to show it. */
  isOpen(): boolean;
  /** @param from id of the layer, or `baseId` */
  readiness(from: string): Readiness;
  /** Makes the triangles of a layer. @throws StriaError */
  make(id: string, source: MeshSource | MeshFileSource, job: ExtractionJob): Promise<void>;
  /** Called when no surface is left to be made. */
  onIdle(): void;
}

interface Job {
  readonly id: string;
  readonly controller: AbortController;
  progress: Extract<SurfaceState, { kind: 'loading' }>['progress'];
}

/**
 * Makes the triangles of listed surfaces that lack them, such as those of a session, one surface after the other, in list order.
 * A surface of a layer waits until the layer is loaded. A notice names the surfaces that fail.
 */
export class MeshRestoring {
  readonly #needs: RestoringNeeds;
  readonly #sources = new Map<string, MeshSource | MeshFileSource>();
  readonly #lost = new Map<string, LostMesh & { readonly state: SurfaceState }>();
  readonly #failed = new Map<string, FaultData>();
  /** Ids of surfaces that a notice has named, or will name. */
  readonly #told = new Set<string>();
  readonly #untold: { readonly name: string; readonly message: string }[] = [];
  #job: Job | undefined;

  constructor(needs: RestoringNeeds) {
    this.#needs = needs;
  }

  /** Sets the sources of listed surfaces, by id. @param lost surfaces whose files were not found */
  restore(sources: ReadonlyMap<string, MeshSource | MeshFileSource>, lost: ReadonlyMap<string, LostMesh>): void {
    for (const [id, place] of lost)
      this.#lost.set(id, { ...place, state: { kind: 'lost', files: place.source.files.map(partName) } });
    for (const [id, source] of sources) {
      this.#sources.set(id, source);
      this.#lost.delete(id);
      this.#failed.delete(id);
    }
    this.reconcile();
  }

  /** The source of a surface that has not been made yet, or could not be made. */
  sourceOf(id: string): MeshSource | MeshFileSource | undefined {
    return this.#sources.get(id);
  }

  lostFileOf(id: string): LostMesh | undefined {
    return this.#lost.get(id);
  }

  /** The ids of surfaces without triangles, including those that undo may bring back. */
  get ids(): readonly string[] {
    return [...this.#sources.keys(), ...this.#lost.keys()];
  }

  /** Brings the work in step with the list. */
  reconcile(): void {
    const wanted = this.#needs.isOpen() ? this.#needs.stack().meshes : [];
    if (this.#job && !wanted.some(({ id }) => id === this.#job?.id)) this.#endJob();
    const states: Record<string, SurfaceState> = {};
    for (const { id, name } of wanted) {
      const state = this.#stateOf(id);
      if (state === 'ready' && !this.#job) this.#begin(id, name);
      const { progress } = this.#job?.id === id ? this.#job : {};
      if (typeof state === 'object') states[id] = state;
      else if (state !== undefined) states[id] = { kind: 'loading', progress };
      if (typeof state === 'object' && state.kind === 'failed') this.#tellLater(id, name, state.fault);
    }
    this.#show(states);
    if (this.#job || this.#untold.length === 0) return;
    this.#tell();
  }

  /** The volume was closed: forgets everything. */
  clear(): void {
    this.#endJob();
    for (const list of [this.#sources, this.#lost, this.#failed, this.#told]) list.clear();
    this.#untold.length = 0;
    this.#show({});
  }

  /** The device is gone. Surfaces that failed on it may succeed on the next one. */
  stop(): void {
    this.#endJob();
    this.#failed.clear();
    this.#told.clear();
    this.#show({});
  }

  #stateOf(id: string): SurfaceState | 'ready' | 'waiting' | undefined {
    if (this.#needs.has(id)) return undefined;
    const source = this.#sources.get(id);
    if (!source) return this.#lost.get(id)?.state;
    const fault = this.#failed.get(id);
    if (fault) return { kind: 'failed', fault };
    const readiness = 'file' in source ? 'ready' : this.#needs.readiness(source.from);
    if (readiness === 'removed') return { kind: 'failed', fault: removed };
    if (typeof readiness === 'string') return readiness;
    return 'lost' in readiness ? { kind: 'lost', files: readiness.lost } : { kind: 'failed', fault: readiness.fault };
  }

  #begin(id: string, name: string): void {
    const source = this.#sources.get(id);
    if (!source) return;
    const job: Job = { id, controller: new AbortController(), progress: startProgress(stage, undefined, performance.now()) };
    this.#job = job;
    void this.#run(job, name, source);
  }

  async #run(job: Job, name: string, source: MeshSource | MeshFileSource): Promise<void> {
    const { id } = job;
    const { signal } = job.controller;
    const onProgress = (done: number, total: number) => {
      if (signal.aborted || this.#job !== job || !job.progress) return;
      job.progress = nextProgress(job.progress, { stage, done, total }, performance.now());
      this.#show({ ...this.#needs.store.getState().layers.surfaces, [id]: { kind: 'loading', progress: job.progress } });
    };
    let isDeviceLost = false;
    try {
      await this.#needs.make(id, source, { signal, onProgress });
      if (!signal.aborted && !this.#needs.has(id)) throw new StriaError('internal', 'no triangles were made');
    } catch (error) {
      const { tag } = toStriaError(error);
      isDeviceLost = tag === 'device-lost';
      // The volume was replaced meanwhile, for example by its compressed form: its surface starts over.
      if (tag === 'aborted') await nextTurn();
      else if (!signal.aborted && !isDeviceLost) {
        this.#failed.set(id, faultToData(error));
        this.#tellLater(id, name, faultToData(error));
      }
    }
    if (this.#job !== job) return;
    this.#job = undefined;
    // Everything starts over on the next device.
    if (isDeviceLost) return;
    this.reconcile();
    if (!this.#job) this.#needs.onIdle();
  }

  #endJob(): void {
    const job = this.#job;
    this.#job = undefined;
    job?.controller.abort();
  }

  #tellLater(id: string, name: string, fault: FaultData): void {
    if (fault === removed || this.#told.has(id)) return;
    this.#told.add(id);
    this.#untold.push({ name, message: fault.message });
  }

  #tell(): void {
    const names = this.#untold.map(({ name }) => name).join(', ');
    const [first] = this.#untold.splice(0);
    this.#needs.store.setState({ notice: `Surfaces that could not be restored: ${names}. ${first?.message}` });
  }

  #show(surfaces: LayersState['surfaces']): void {
    if (areSame(surfaces, this.#needs.store.getState().layers.surfaces)) return;
    this.#needs.store.setState(({ layers }) => ({ layers: { ...layers, surfaces } }));
  }
}

const stage = 'Making a mesh';
const removed: FaultData = faultToData(new StriaError('unsupported', 'The layer whose surface it is was removed'));

function areSame(a: LayersState['surfaces'], b: LayersState['surfaces']): boolean {
  const ids = Object.keys(a);
  return ids.length === Object.keys(b).length && ids.every((id) => isSameState(a[id], b[id]));
}

function isSameState(a: SurfaceState | undefined, b: SurfaceState | undefined): boolean {
  if (a?.kind === 'loading') return b?.kind === 'loading' && a.progress === b.progress;
  return JSON.stringify(a) === JSON.stringify(b);
}
