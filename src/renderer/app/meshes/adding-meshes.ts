import type { NamedMesh } from '../../../core/mesh/mesh-formats.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { HostFile } from '../../host/host.ts';
import type { AddingJob, AddingQueue } from '../state/adding-queue.ts';
import type { SurfaceSource } from '../state/layer-state.ts';
import { nextProgress, startProgress } from '../state/progress.ts';
import { tellReplaced } from '../state/replaced-volume.ts';
import type { AppStore } from '../state/store.ts';
import type { MeshSources } from './mesh-sources.ts';
import type { ExtractionJob, NewMesh } from './surface-extraction.ts';

/** A file of meshes, and the meshes that were read from it. */
export interface ReadMeshFile {
  readonly file: HostFile;
  readonly meshes: readonly NamedMesh[];
}

const stage = 'Making a mesh';
/** Of the files in a notice, which is shown for a few seconds. */
const mostNamed = 5;

/** Adds surfaces of volumes and meshes of files as layers. Failures become the state. */
export class AddingMeshes {
  readonly #queue: AddingQueue;
  readonly #store: AppStore;
  readonly #sources: MeshSources;
  readonly #take: (found: readonly NewMesh[]) => void;

  /** @param take adds meshes as layers, all or none; throws StriaError */
  constructor(queue: AddingQueue, store: AppStore, sources: MeshSources, take: (found: readonly NewMesh[]) => void) {
    this.#queue = queue;
    this.#store = store;
    this.#sources = sources;
    this.#take = take;
  }

  /** Extracts surfaces of a shown volume and adds each as a layer. @returns how many were added */
  async addSurfaces(wanted: Omit<SurfaceSource, 'timePoint'>): Promise<number> {
    const { from, surface } = wanted;
    const { extraction } = this.#sources;
    const one = 'label' in surface ? `Label ${surface.label}` : 'Surface';
    const source = { ...wanted, timePoint: extraction.shownTime(from) };
    return this.#add('all' in surface ? 'Surfaces of labels' : one, (job) => extraction.extracted(source, job));
  }

  /**
   * Adds the meshes of files as layers, one file after the other. Stops at the first file that cannot be read, and names those after it in a
   * notice.
   * @param isWanted whether to add them, which is known at the latest when what was requested before is done
   */
  async addFiles(files: readonly HostFile[], isWanted: boolean | Promise<boolean> = true): Promise<void> {
    await this.#addEach(files, (file, job) => this.#sources.ofFile(file, job), isWanted);
  }

  /** Like `addFiles`, for files that were already read, in the open volume's unit of length. */
  async addRead(files: readonly ReadMeshFile[]): Promise<void> {
    const found = new Map(files.map(({ file, meshes }) => [file, meshes]));
    await this.#addEach([...found.keys()], async (file) => this.#sources.ofRead(file, found.get(file) ?? []));
  }

  async #addEach(
    files: readonly HostFile[],
    make: (file: HostFile, job: ExtractionJob) => Promise<readonly NewMesh[]>,
    isWanted: boolean | Promise<boolean> = true,
  ): Promise<void> {
    const dropped: string[] = [];
    const batch = { isWanted, dropped };
    await Promise.all(files.map((file) => this.#add(file.name, (job) => make(file, job), batch)));
    if (dropped.length === 0) return;
    const more = dropped.length > mostNamed ? ` and ${dropped.length - mostNamed} more` : '';
    this.#store.setState({ notice: `Also not added: ${dropped.slice(0, mostNamed).join(', ')}${more}` });
  }

  /** @param batch is not wanted any more if nothing is added; `dropped` gets the names that follow @returns how many were added */
  async #add(
    name: string,
    make: (job: ExtractionJob) => Promise<readonly NewMesh[]>,
    batch: { isWanted: boolean | Promise<boolean>; readonly dropped: string[] } = { isWanted: true, dropped: [] },
  ): Promise<number> {
    const add = async (job: AddingJob) => {
      if (typeof batch.isWanted !== 'boolean') batch.isWanted = await batch.isWanted;
      if (!batch.isWanted) {
        batch.dropped.push(name);
        return 0;
      }
      batch.isWanted = false;
      const found = await make(extractionJob(job));
      throwIfAborted(job.signal);
      if (found.length === 0) return 0;
      this.#take(found);
      batch.isWanted = true;
      return found.length;
    };
    const told = (job: AddingJob) =>
      add(job).catch((error: unknown) => {
        tellReplaced(this.#store, name, error, job.signal);
        throw error;
      });
    const count = await this.#queue.add(name, stage, told, batch.isWanted === true);
    return count ?? 0;
  }
}

function extractionJob({ signal, onProgress }: AddingJob): ExtractionJob {
  let progress = startProgress(stage, undefined, performance.now());
  return {
    signal,
    onProgress: (done, total) => {
      progress = nextProgress(progress, { stage, done, total }, performance.now());
      onProgress(progress);
    },
  };
}
