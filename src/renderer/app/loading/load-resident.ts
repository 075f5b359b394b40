import type { EncodedChunk } from '../../../core/format/chunk.ts';
import type { ChunkShape } from '../../../core/format/chunk-grid.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import type { EmptySpace } from '../../../core/shared/empty-space.ts';
import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../../core/shared/job.ts';
import type { OwnLabels } from '../../../core/shared/label-table.ts';
import type { SourceDescription } from '../../../core/shared/source.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeTag } from '../../../core/shared/volume-facts.ts';
import type { Stopwatch } from '../../../core/stream/stage-times.ts';
import type { CutChunks } from '../../../core/volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { handleForWorker } from '../../host/address-reader.ts';
import type { HostFile } from '../../host/host.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { type KeptVolume, keepAs, type LoadingEngine, residencyOf } from '../gpu/residency.ts';
import type { SampleChoice } from '../state/samples.ts';
import type { FileBricks } from './file-bricks.ts';
import type { FileDetail } from './file-detail.ts';
import { bricksOf, detailOf } from './file-workers.ts';
import { keepHeaders, takeHeaders } from './kept-headers.ts';
import { loadFitting } from './load-fitting.ts';
import { areChunksUsable, type FileInfo, type LoadPlan, planLoad } from './load-plan.ts';
import { type LoadCommand, type LoadMessage, type LoadRequest, portsOf } from './load-protocol.ts';
import { serveSiblings } from './ports.ts';

/** What the user asked to open. It is kept so that it can be loaded again after a device loss. */
export type OpenRequest = (
  | {
      readonly kind: 'file';
      readonly file: HostFile;
      readonly raw?: RawLayout | undefined;
      /** The id of one of several volumes, and the name to show for it. */
      readonly dataset?: string | undefined;
      readonly label?: string | undefined;
    }
  | { readonly kind: 'sample'; readonly sample: SampleChoice }
  /** An empty space for surfaces, without a volume. */
  | { readonly kind: 'space'; readonly name: string; readonly space: EmptySpace }
) & {
  /** Set if a session restores it: the session's file, and what to do before the volume is shown. */
  readonly session?: { readonly file: HostFile; readonly restore: (viewer: Viewer) => void } | undefined;
};

/**
 * Stages of opening a volume. 'Upload' is for voxels and overlaps reading. 'First picture' lasts from when the views are
 * ready until the GPU has drawn one.
 */
export const openStages = ['Read', 'Upload', 'Upload and decode', 'Statistics', 'Prepare views', 'First picture'] as const;
export type OpenStage = (typeof openStages)[number];

/** One of a file's levels; 1 is the next coarser after the volume itself. */
export interface ShownLevel {
  readonly number: number;
  readonly count: number;
}

export interface LoadedVolume {
  readonly kept: KeptVolume;
  readonly format: string;
  readonly source: SourceDescription;
  readonly chunkShape: ChunkShape;
  /** The shown level, if it is one of the file's. */
  readonly level?: ShownLevel | undefined;
  /** Whether it holds only the chunks that the middle slices cross (`middlePreview`). */
  readonly isPreview?: boolean | undefined;
  /** Whether a finer level would fit into GPU memory, but is too much to fetch from a network. */
  readonly isHeldBack?: boolean | undefined;
  /** Whether a finer resolution can be loaded, as with `LoadOptions.step` 'finest'. */
  readonly hasFiner: boolean;
  /** The compressed bytes, if the file was a .stria whose chunks went to the GPU. */
  readonly chunks: readonly EncodedChunk[] | undefined;
  /** The voxels that a recovered file lacks, as text; they are 0. Undefined also while `hasFiner`. */
  readonly lost: string | undefined;
  /** Something to tell about the file, as a sentence. */
  readonly note?: string | undefined;
  /** Whether levels can be kept beside the file, and no usable ones are there. */
  readonly canKeepLevels?: boolean | undefined;
  /** Whether a finer level was tried, for which the device had no memory. */
  readonly lacksMemory?: boolean | undefined;
  /** What the file, or a file beside it, says about labels. */
  readonly labels?: OwnLabels | undefined;
  /** The file's metadata. */
  readonly tags: readonly VolumeTag[];
  /** Reads voxels that the GPU does not hold. It belongs to `kept`. */
  readonly detail?: FileDetail | undefined;
  /** The file's bricks, if the GPU cannot hold all voxels. The volume's owner closes them. */
  readonly bricks?: FileBricks | undefined;
}

/** A volume that was loaded again, with the bricks of its file that were open before. */
export function withBricks(loaded: LoadedVolume, bricks: FileBricks | undefined): LoadedVolume {
  bricks?.giveLevels(loaded.detail);
  return { ...loaded, bricks };
}

export interface LoadOptions extends JobOptions {
  /** 'first': what can be shown soonest. Default: the finest resolution that the GPU can hold. */
  readonly step?: 'first' | 'finest' | undefined;
  /**
   * Called before GPU memory is allocated. If it throws, loading stops. `payloadBytes` is an upper bound of the compressed bytes, if
   * the file has chunks that the GPU can hold; `readsBoxes` says whether any box of the file can be read.
   */
  readonly onInfo?: ((info: VolumeInfo, payloadBytes: number | undefined, readsBoxes: boolean) => void) | undefined;
  /**
   * Whether chunks are decoded if the voxels fit. Called after `onInfo`. Default: chunks of series and pictures stay compressed.
   */
  readonly keepsVoxels?: (() => boolean) | undefined;
  /** Whether a lower resolution is useless, so that all voxels are fetched even over a network. */
  readonly isWhole?: boolean | undefined;
  /**
   * The bytes of voxels that a lower resolution may take, which is then loaded in spite of `isWhole`; undefined if all voxels fit. Called
   * after `onInfo`.
   */
  readonly levelBytes?: (() => number | undefined) | undefined;
}

/**
 * Loads a volume into GPU memory: a worker reads and unpacks, and this thread passes the data to the GPU. Series from a
 * .stria, and volumes over the GPU's budget, stay compressed. The caller frees the volume. @throws StriaError like the
 * readers, and `aborted`
 */
export async function loadResident(
  engine: LoadingEngine,
  request: OpenRequest,
  job: LoadOptions,
  stopwatch: Stopwatch<OpenStage>,
): Promise<LoadedVolume> {
  return loadFitting(
    async (fromLevel, onPlan) => {
      throwIfAborted(job.signal);
      const worker = new Worker(new URL('./load.worker.ts', import.meta.url), { type: 'module', name: 'stria-load' });
      const loading = new Loading(engine, worker, { ...job, fromLevel, onPlan }, stopwatch);
      try {
        return await loading.run(request);
      } catch (error) {
        loading.destroy();
        throw error;
      } finally {
        worker.terminate();
      }
    },
    () => needsAll(job),
  );
}

/** Uploads a volume's compressed bytes to a new device, with the same residency. Known statistics are not computed again. */
export async function loadAgain(
  engine: LoadingEngine,
  volume: LoadedVolume,
  stored: CutChunks,
  known: JobOptions & { readonly statistics: VolumeStatistics | undefined },
): Promise<LoadedVolume> {
  const { info } = volume.kept;
  const kept = await keepAs(engine, residencyOf(volume.kept), { info, ...stored }, { ...known, verify: false });
  return { ...volume, kept, detail: undefined };
}

/** Whether a lower resolution is useless. */
function needsAll({ isWhole, levelBytes }: LoadOptions): boolean {
  return isWhole === true && levelBytes?.() === undefined;
}

interface LoadingOptions extends LoadOptions {
  readonly fromLevel: number;
  onPlan(plan: LoadPlan): void;
}

class Loading {
  /** The volume that voxels are appended to. Undefined if chunks arrive instead. */
  #resident: ResidentVolume | undefined;
  #plan: LoadPlan | undefined;
  readonly #engine: LoadingEngine;
  readonly #worker: Worker;
  readonly #job: LoadingOptions;
  readonly #stopwatch: Stopwatch<OpenStage>;
  readonly #chunks: EncodedChunk[] = [];
  /** When the first voxels were passed to the GPU. */
  #uploadStart: number | undefined;
  #isAddress = false;
  #done = 0;
  #isDestroyed = false;
  /** Messages are handled one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(engine: LoadingEngine, worker: Worker, job: LoadingOptions, stopwatch: Stopwatch<OpenStage>) {
    this.#engine = engine;
    this.#worker = worker;
    this.#job = job;
    this.#stopwatch = stopwatch;
  }

  async run(request: OpenRequest): Promise<LoadedVolume> {
    this.#isAddress = request.kind === 'file' && request.file.handle.kind === 'address';
    const start = performance.now();
    const { source, labels, lost } = await this.#readAll(request);
    this.#stopwatch.add('Read', start, performance.now(), this.#done);
    const plan = this.#plan;
    if (!plan) throw new StriaError('internal', 'the loading thread returned no volume');
    const { file, choice, chunkShape } = plan;
    const chunks = this.#resident || choice.level > 0 ? undefined : this.#chunks;
    const keep = () => this.#keepChunks(plan);
    const kept = this.#resident ?? (await this.#stopwatch.time('Upload and decode', keep, plan.voxelBytes));
    const posted = () => toPosted(request);
    let detail: FileDetail | undefined;
    if (kept instanceof ResidentVolume) {
      this.#resident = kept;
      if (kept.decimation > 1 && file.boxLevels) detail = detailOf(posted, file.boxLevels, file.making);
      kept.file = detail;
    }
    await this.#engine.gpu.finish();
    if (this.#uploadStart !== undefined) this.#stopwatch.add('Upload', this.#uploadStart, performance.now(), this.#done);
    const bricks = plan.hasBricks ? bricksOf(posted, this.#engine.brickBudgets) : undefined;
    bricks?.giveLevels(detail);
    return {
      kept,
      detail,
      source,
      chunks,
      chunkShape,
      labels,
      format: file.format,
      lost,
      tags: file.tags,
      note: file.note,
      canKeepLevels: file.canKeepLevels,
      isPreview: choice.as === 'preview',
      level: choice.level > 0 && file.areLevelsStored ? { number: choice.level, count: file.levels.length } : undefined,
      hasFiner: plan.hasFiner,
      isHeldBack: plan.isHeldBack,
      bricks,
    };
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#resident?.destroy();
  }

  /** Resolves when the worker has sent everything and all of it was processed. */
  #readAll(request: OpenRequest): Promise<LoadMessage & { kind: 'end' }> {
    const { signal } = this.#job;
    return new Promise((resolve, reject) => {
      const abort = () => reject(new StriaError('aborted', 'cancelled'));
      signal?.addEventListener('abort', abort, { once: true });
      this.#worker.onerror = (event) => reject(new StriaError('internal', `the loading thread ended: ${event.message}`));
      this.#worker.onmessage = ({ data }: MessageEvent<LoadMessage>) => {
        const isChoice = data.kind === 'fault' && data.fault.tag === 'several';
        if (isChoice && request.kind === 'file') keepHeaders(request.file, data.headers);
        this.#turn = this.#turn
          .then(async () => {
            throwIfAborted(signal);
            if (data.kind === 'end') resolve(data);
            else await this.#take(data);
          })
          .catch(reject);
      };
      const posted = toPosted(request);
      this.#post({ kind: 'open', request: posted }, portsOf(posted));
    });
  }

  #keepChunks({ file: { info }, chunkShape, choice, level }: LoadPlan): Promise<KeptVolume> {
    const source = { info, chunkShape: level?.chunkShape ?? chunkShape, chunks: this.#chunks, level };
    return keepAs(this.#engine, choice.residency, source, { ...this.#job, verify: true });
  }

  async #take(message: Exclude<LoadMessage, { kind: 'end' }>): Promise<void> {
    switch (message.kind) {
      case 'fault':
        throw faultFromData(message.fault);
      case 'info':
        await this.#begin(message);
        return;
      case 'voxels':
        this.#uploadStart ??= performance.now();
        this.#resident?.append(message.bytes);
        this.#done += message.bytes.byteLength;
        this.#job.onProgress?.({ stage: 'Reading', done: this.#done, total: this.#plan?.voxelBytes });
        this.#afterwards(message.bytes.byteLength);
        return;
      case 'chunks':
        for (const chunk of message.chunks) this.#chunks.push(chunk);
        this.#done += message.payloadBytes;
        this.#job.onProgress?.({ stage: 'Reading', done: this.#done, total: undefined });
        this.#post({ kind: 'credit', bytes: message.payloadBytes });
    }
  }

  /** Decides what to load, allocates memory, and lets the worker start. */
  async #begin(file: FileInfo): Promise<void> {
    const { info } = file;
    const { onInfo, onPlan, onProgress, keepsVoxels, step = 'finest', fromLevel, signal } = this.#job;
    onInfo?.(info, areChunksUsable(file) ? file.payloadBytes : undefined, file.boxLevels !== undefined);
    const staysCompressed = !(keepsVoxels?.() ?? !(file.arePictures || info.dims[3] > 1));
    const levelBytes = this.#job.levelBytes?.();
    const { gpu } = this.#engine;
    const budgetBytes = levelBytes ?? this.#engine.budgetBytes;
    const plan = planLoad({ gpu, budgetBytes }, file, {
      step,
      isRemote: this.#isAddress && !needsAll(this.#job),
      staysCompressed,
      fromLevel: levelBytes === undefined ? fromLevel : Math.max(1, fromLevel),
    });
    this.#plan = plan;
    onPlan(plan);
    const { choice, chunkShape, level, voxelBytes } = plan;
    if (choice.as !== 'chunks') {
      const resident = await ResidentVolume.create(gpu, info, { chunkShape, budgetBytes, level });
      // Loading may have been cancelled meanwhile, or its thread may have ended.
      if (this.#isDestroyed) resident.destroy();
      this.#resident = resident;
    }
    throwIfAborted(signal);
    onProgress?.({ stage: 'Reading', done: 0, total: voxelBytes });
    this.#post({ kind: 'start', as: choice.as, level: choice.level, hasFiner: plan.hasFiner });
  }

  /** Lets the worker send more once the GPU has processed what it was given. */
  #afterwards(bytes: number): void {
    const give = () => this.#post({ kind: 'credit', bytes });
    this.#engine.gpu.device.queue.onSubmittedWorkDone().then(give, give);
  }

  #post(command: LoadCommand, transfer: Transferable[] = []): void {
    this.#worker.postMessage(command, transfer);
  }
}

/** The request in a form that can be posted to one worker. Its ports (`portsOf`) must be transferred. */
export function toPosted(request: OpenRequest): LoadRequest {
  if (request.kind === 'sample') return { kind: 'sample', sample: request.sample };
  if (request.kind === 'space') return { kind: 'space', space: request.space };
  const { file, raw, dataset } = request;
  const { handle, pictures, folder } = file;
  return {
    kind: 'file',
    handle: handleForWorker(handle),
    siblings: serveSiblings(file.siblings),
    raw,
    pictures,
    folder,
    headers: takeHeaders(file),
    dataset,
  };
}
