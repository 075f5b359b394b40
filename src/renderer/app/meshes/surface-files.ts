import { betweenSpaces, boundsOf, isInside, joinedBounds, spaceAround } from '../../../core/mesh/space-around.ts';
import type { HostFile } from '../../host/host.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { sampleTitle } from '../state/samples.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import type { AddingMeshes, ReadMeshFile } from './adding-meshes.ts';
import { readInThread } from './mesh-file-thread.ts';
import type { KeptSurfaces, Meshes } from './meshes.ts';

export interface SurfaceFilesNeeds {
  readonly store: AppStore;
  /** The open document and its life. */
  readonly document: {
    readonly request: OpenRequest | undefined;
    seek(name: string, stage: string): void;
    fail(name: string, error: unknown): void;
    /** Resolves when the document is shown or has failed. */
    open(request: OpenRequest): Promise<void>;
  };
  readonly meshes: Pick<Meshes, 'kept' | 'bring' | 'shown'> & { readonly adding: Pick<AddingMeshes, 'addFiles' | 'addRead'> };
  addLayers(files: readonly HostFile[]): void;
}

/** Surfaces and files that wait until a volume is open. */
interface Waiting {
  /** The volume's file or sample; see `volumeName`. */
  readonly name: string;
  /** Surfaces that were open without a volume. */
  readonly kept: KeptSurfaces | undefined;
  /** Surfaces, and volumes to add as layers. */
  readonly files: readonly HostFile[];
}

/**
 * Opens files of surfaces without a volume, in an empty space around them, which is a document without voxels. A volume that is opened
 * later replaces the space and shows the surfaces. Surfaces that are opened together with a volume wait until it is open.
 */
export class SurfaceFiles {
  readonly #needs: SurfaceFilesNeeds;
  readonly #read: typeof readInThread;
  /** The files that are being read, by the name under which they will be opened. */
  #reading: { readonly name: string; readonly files: readonly HostFile[]; readonly controller: AbortController } | undefined;
  #waiting: Waiting | undefined;

  constructor(needs: SurfaceFilesNeeds, read = readInThread) {
    this.#needs = needs;
    this.#read = read;
    needs.store.subscribe(({ document }, before) => {
      if (document === before.document) return;
      // Something else is being opened, or opening was cancelled.
      if (document.kind !== 'loading' || document.name !== this.#reading?.name) this.#endReading();
      const waiting = this.#waiting;
      if (!waiting || (document.kind !== 'ready' && document.kind !== 'empty')) return;
      this.#waiting = undefined;
      const isIt = document.kind === 'ready' && volumeName(needs.document.request) === waiting.name;
      // After the other listeners have seen the new document.
      if (isIt) void Promise.resolve().then(() => this.#show(waiting));
    });
  }

  /** Opens surfaces alone. Failures become the document's state. */
  async open(files: readonly HostFile[]): Promise<void> {
    const { document, meshes, store } = this.#needs;
    const [first] = files;
    if (!first) return;
    const name = files.length > 1 ? `${first.name} and ${files.length - 1} more` : first.name;
    this.#endReading();
    const controller = new AbortController();
    const { signal } = controller;
    this.#reading = { name, files, controller };
    document.seek(name, 'Reading');
    try {
      const read: ReadMeshFile[] = [];
      for (const file of files) read.push({ file, meshes: await this.#read(file, Number.NaN, signal) });
      if (signal.aborted) return;
      const space = spaceAround(boundsOf(read.flatMap((one) => one.meshes.map(({ mesh }) => mesh))));
      await document.open({ kind: 'space', name, space });
      if (isOpen(store, space)) await meshes.adding.addRead(read);
    } catch (error) {
      if (!signal.aborted) document.fail(name, error);
    }
  }

  /** Adds surfaces to the open space, which grows if necessary. */
  async add(files: readonly HostFile[]): Promise<void> {
    const { document, meshes, store } = this.#needs;
    const { request } = document;
    if (request?.kind !== 'space') return;
    await meshes.adding.addFiles(files);
    const bounds = boundsOf(meshes.shown());
    if (!isOpen(store, request.space) || isInside(bounds, request.space)) return;
    const kept = meshes.kept();
    const { measurements, savedMeasurements } = store.getState();
    const space = spaceAround(joinedBounds(request.space, bounds));
    const there = measurements.map((one) => ({
      ...one,
      points: one.points.map((point) => betweenSpaces(point, request.space, space)),
    }));
    // As soon as the space is open, so that its undo history starts with the surfaces.
    const end = store.subscribe(({ document: now }) => {
      if (now.kind === 'loading') return;
      end();
      if (!isOpen(store, space)) return;
      store.setState({
        measurements: there,
        savedMeasurements: savedMeasurements === measurements ? there : savedMeasurements,
      });
      meshes.bring(kept);
    });
    await document.open({ ...request, session: undefined, space });
  }

  /**
   * Keeps files for a volume that is about to be opened, and adds them once it is open, even if the user is asked something first. Surfaces
   * that were open without a volume are shown over it, too.
   * @param name the name of the volume's file or sample; see `volumeName`
   */
  keepFor(name: string, files: readonly HostFile[]): void {
    const { meshes, store } = this.#needs;
    const kept = openDocument(store.getState())?.space ? meshes.kept() : undefined;
    this.#waiting = kept || files.length > 0 ? { name, kept, files } : undefined;
  }

  /** Opens surfaces together with the surfaces or the volume being opened now. @returns false if nothing is being opened */
  join(files: readonly HostFile[]): boolean {
    const { document, store } = this.#needs;
    if (store.getState().document.kind !== 'loading') return false;
    if (this.#reading) {
      void this.open([...this.#reading.files, ...files]);
      return true;
    }
    const name = volumeName(document.request);
    if (name === undefined) return false;
    const before = this.#waiting?.name === name ? this.#waiting : undefined;
    this.#waiting = { name, kept: before?.kept, files: [...(before?.files ?? []), ...files] };
    return true;
  }

  #show({ kept, files }: Waiting): void {
    const { meshes, addLayers } = this.#needs;
    if (kept) meshes.bring(kept);
    if (files.length > 0) addLayers(files);
  }

  #endReading(): void {
    this.#reading?.controller.abort();
    this.#reading = undefined;
  }
}

/** The name under which files wait for a volume; undefined if the request is for no volume. */
function volumeName(request: OpenRequest | undefined): string | undefined {
  if (request?.kind === 'sample') return sampleTitle(request.sample);
  return request?.kind === 'file' ? request.file.name : undefined;
}

/** Whether a space is still open. */
function isOpen(store: AppStore, space: object): boolean {
  return openDocument(store.getState())?.space === space;
}
