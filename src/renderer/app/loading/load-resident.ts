import { chunkShapeOf } from '../../../core/chunks/chunk-shape.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { type ChunkShape, codecElementBytes, codecElementDims } from '../../../core/format/chunk-grid.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import type { EmptySpace } from '../../../core/shared/empty-space.ts';
import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../../core/shared/job.ts';
import type { OwnLabels } from '../../../core/shared/label-table.ts';
import type { SourceDescription } from '../../../core/shared/source.ts';
import { type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import type { VolumeTag } from '../../../core/shared/volume-facts.ts';
import { wholeFactors } from '../../../core/shared/volume-level.ts';
import type { Stopwatch } from '../../../core/stream/stage-times.ts';
import type { CutChunks } from '../../../core/volume/compressed-volume.ts';
import { ResidentVolume } from '../../../core/volume/resident-volume.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type { HostFile } from '../../host/host.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { type CompressedBytes, type KeptVolume, keepAs, type LoadingEngine, residencyOf } from '../gpu/residency.ts';
import type { SampleChoice } from '../state/samples.ts';
import type { BrickCommand } from './brick-protocol.ts';
import type { DetailCommand } from './detail-protocol.ts';
import { FileBricks } from './file-bricks.ts';
import { FileDetail } from './file-detail.ts';
import { keepHeaders, takeHeaders } from './kept-headers.ts';
import {
  finestChoice,
  firstChoice,
  hasBricks,
  isHeldBack,
  type LevelOffer,
  type LoadChoice,
  type LoadFacts,
} from './level-choice.ts';
import type { LoadCommand, LoadMessage, LoadRequest } from './load-protocol.ts';
import { serveSiblings } from './ports.ts';

/** What the user asked to open. Kept, so that it can be loaded again after a device loss. */
export type OpenRequest = (
  | {
      readonly kind: 'file';
      readonly file: HostFile;
      readonly raw?: RawLayout | undefined;
      /** The id of one of several volumes, and what people call it. */
      readonly dataset?: string | undefined;
      readonly label?: string | undefined;
    }
  | { readonly kind: 'sample'; readonly sample: SampleChoice }
  /** No volume, but room for surfaces. */
  | { readonly kind: 'space'; readonly name: string; readonly space: EmptySpace }
) & {
  /** Set if a session restores it: its file, and what to do before it is shown. */
  readonly session?: { readonly file: HostFile; readonly restore: (viewer: Viewer) => void } | undefined;
};

/**
 * Stages of opening a volume. 'Upload' is for voxels and overlaps reading. 'First picture' lasts from when the views are
 * ready until the GPU has drawn one.
 */
export const openStages = ['Read', 'Upload', 'Upload and decode', 'Statistics', 'Prepare views', 'First picture'] as const;
export type OpenStage = (typeof openStages)[number];

/** One of a file's levels: 1 is the finest below the volume itself. */
export interface ShownLevel {
  readonly number: number;
  readonly count: number;
}

export interface LoadedVolume {
  readonly kept: KeptVolume;
  readonly format: string;
  readonly source: SourceDescription;
  readonly chunkShape: ChunkShape;
  /** The resolution that is shown, counted from 1, if it is one of the file's levels. */
  readonly level?: ShownLevel | undefined;
  /** Whether a finer level would fit into GPU memory, but is too much to fetch from a network. */
  readonly isHeldBack?: boolean | undefined;
  /** Whether a finer resolution can be loaded, as with `LoadOptions.step` 'finest'. */
  readonly hasFiner: boolean;
  /** The compressed bytes, if the file was a .stria whose chunks went to the GPU. */
  readonly chunks: readonly EncodedChunk[] | undefined;
  /** What a recovered file lacks, as text; those voxels are 0. */
  readonly lost: string | undefined;
  /** What the file, or a file beside it, says about labels. */
  readonly labels?: OwnLabels | undefined;
  /** The file's metadata. */
  readonly tags: readonly VolumeTag[];
  /** The file's bricks, if the GPU cannot hold all of its voxels. They belong to whoever holds the volume. */
  readonly bricks?: FileBricks | undefined;
}

export interface LoadOptions extends JobOptions {
  /** 'first': what is there soonest. Default: the finest resolution that the GPU can hold. */
  readonly step?: 'first' | 'finest' | undefined;
  /**
   * Called before GPU memory is allocated. If it throws, loading stops. `payloadBytes` is an upper bound of the compressed bytes, if
   * the file has chunks that the GPU can hold.
   */
  readonly onInfo?: ((info: VolumeInfo, payloadBytes: number | undefined) => void) | undefined;
  /**
   * Whether chunks are decoded if the voxels fit. Asked after `onInfo`. Default: those of series and pictures stay compressed.
   */
  readonly keepsVoxels?: (() => boolean) | undefined;
  /** A lower resolution is of no use, so that all voxels are fetched from a network, too. */
  readonly isWhole?: boolean | undefined;
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
  throwIfAborted(job.signal);
  const worker = new Worker(new URL('./load.worker.ts', import.meta.url), { type: 'module', name: 'stria-load' });
  const loading = new Loading(engine, worker, job, stopwatch);
  try {
    return await loading.run(request);
  } catch (error) {
    loading.destroy();
    throw error;
  } finally {
    worker.terminate();
  }
}

/** Uploads a volume's compressed bytes to a new device, kept as on the old one. Known statistics are not computed again. */
export async function loadAgain(
  engine: LoadingEngine,
  volume: LoadedVolume,
  stored: CutChunks,
  known: JobOptions & { readonly statistics: VolumeStatistics | undefined },
): Promise<LoadedVolume> {
  const { info } = volume.kept;
  const kept = await keepAs(engine, residencyOf(volume.kept), { info, ...stored }, { ...known, verify: false });
  return { ...volume, kept };
}

/** Whether the GPU can hold these chunks: each must start at a whole word of its row. */
function fitsGpu(info: VolumeInfo, [width]: ChunkShape): boolean {
  return width >= codecElementDims(info)[0] || (width * codecElementBytes(info.type)) % 4 === 0;
}

class Loading {
  /** Where voxels are appended. Undefined if chunks arrive instead. */
  #resident: ResidentVolume | undefined;
  #info: VolumeInfo | undefined;
  /** What is loaded. */
  #choice: LoadChoice = { level: 0, as: 'voxels', residency: 'raw' };
  #hasFiner = false;
  #hasBricks = false;
  #isHeldBack = false;
  #levels: readonly LevelOffer[] = [];
  #areLevelsStored = false;
  #readsBoxes = false;
  readonly #engine: LoadingEngine;
  readonly #worker: Worker;
  readonly #job: LoadOptions;
  readonly #stopwatch: Stopwatch<OpenStage>;
  readonly #chunks: EncodedChunk[] = [];
  /** When the first voxels were passed to the GPU. */
  #uploadStart: number | undefined;
  #isRemote = false;
  #format = '';
  #lost: string | undefined;
  #tags: readonly VolumeTag[] = [];
  #chunkShape: ChunkShape | undefined;
  #done = 0;
  /** Messages are handled one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(engine: LoadingEngine, worker: Worker, job: LoadOptions, stopwatch: Stopwatch<OpenStage>) {
    this.#engine = engine;
    this.#worker = worker;
    this.#job = job;
    this.#stopwatch = stopwatch;
  }

  async run(request: OpenRequest): Promise<LoadedVolume> {
    this.#isRemote = request.kind === 'file' && request.file.handle.kind === 'address' && !this.#job.isWhole;
    const { signal } = this.#job;
    const start = performance.now();
    const { source, labels } = await new Promise<LoadMessage & { kind: 'end' }>((resolve, reject) => {
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
      this.#post({ kind: 'open', request: posted }, posted.kind === 'file' ? [posted.siblings] : []);
    });
    this.#stopwatch.add('Read', start, performance.now(), this.#done);
    const [info, chunkShape, resident] = [this.#info, this.#chunkShape, this.#resident];
    if (!info || !chunkShape) throw new StriaError('internal', 'the loading thread returned no volume');
    const { level } = this.#choice;
    const chunks = resident || level > 0 ? undefined : this.#chunks;
    const offer = this.#levels[level - 1];
    const keep = () =>
      this.#keepChunks({ info, chunkShape: offer?.chunkShape ?? chunkShape, chunks: this.#chunks, level: offer });
    const kept = resident ?? (await this.#stopwatch.time('Upload and decode', keep, this.#total));
    if (kept instanceof ResidentVolume) {
      this.#resident = kept;
      if (kept.decimation > 1) kept.file = this.#detailOf(request, info);
    }
    await this.#engine.gpu.finish();
    if (this.#uploadStart !== undefined) this.#stopwatch.add('Upload', this.#uploadStart, performance.now(), this.#done);
    return {
      kept,
      source,
      chunks,
      format: this.#format,
      chunkShape,
      level: level > 0 && this.#areLevelsStored ? { number: level, count: this.#levels.length } : undefined,
      hasFiner: this.#hasFiner,
      isHeldBack: this.#isHeldBack,
      lost: this.#lost,
      tags: this.#tags,
      labels,
      bricks: this.#hasBricks ? this.#bricksOf(request) : undefined,
    };
  }

  destroy(): void {
    this.#resident?.destroy();
  }

  #keepChunks(source: CompressedBytes): Promise<KeptVolume> {
    return keepAs(this.#engine, this.#choice.residency, source, { ...this.#job, verify: true });
  }

  /** Reads the voxels that the GPU does not hold. */
  #detailOf(request: OpenRequest, { dims }: VolumeInfo): FileDetail | undefined {
    if (!this.#readsBoxes) return undefined;
    return new FileDetail([{ dims, factors: wholeFactors }, ...this.#levels], () => {
      const worker = new Worker(new URL('./detail.worker.ts', import.meta.url), { type: 'module', name: 'stria-detail' });
      const posted = toPosted(request);
      const open: DetailCommand = { kind: 'open', request: posted };
      worker.postMessage(open, posted.kind === 'file' ? [posted.siblings] : []);
      return worker;
    });
  }

  #bricksOf(request: OpenRequest): FileBricks {
    return new FileBricks(this.#engine.brickBudgets, () => {
      const worker = new Worker(new URL('./bricks.worker.ts', import.meta.url), { type: 'module', name: 'stria-bricks' });
      const posted = toPosted(request);
      const open: BrickCommand = { kind: 'open', request: posted };
      worker.postMessage(open, posted.kind === 'file' ? [posted.siblings] : []);
      return worker;
    });
  }

  /** Bytes of the voxels to load. */
  get #total(): number | undefined {
    if (!this.#info) return undefined;
    return volumeBytes({ dims: this.#levels[this.#choice.level - 1]?.dims ?? this.#info.dims, type: this.#info.type });
  }

  async #take(message: Exclude<LoadMessage, { kind: 'end' }>): Promise<void> {
    const total = this.#total;
    switch (message.kind) {
      case 'fault':
        throw faultFromData(message.fault);
      case 'info': {
        const { info, format, chunkShape, arePictures, lost, payloadBytes, tags } = message;
        const isUsable = chunkShape !== undefined && fitsGpu(info, chunkShape);
        this.#job.onInfo?.(info, isUsable ? payloadBytes : undefined);
        this.#info = info;
        this.#chunkShape = isUsable ? chunkShape : chunkShapeOf(info, arePictures);
        this.#format = format;
        this.#lost = lost;
        this.#tags = tags;
        this.#levels = message.levels;
        this.#areLevelsStored = message.areLevelsStored;
        this.#readsBoxes = message.readsBoxes;
        const facts = this.#factsOf(message, this.#chunkShape, isUsable);
        const finest = finestChoice(facts);
        this.#choice = this.#job.step === 'first' ? firstChoice(facts) : finest;
        this.#hasFiner = this.#choice.level > finest.level;
        this.#isHeldBack = isHeldBack(facts, finest.level);
        this.#hasBricks = hasBricks(facts, chunkShape);
        const { level, as } = this.#choice;
        const { gpu, budgetBytes } = this.#engine;
        if (as === 'voxels') {
          const options = { chunkShape: this.#chunkShape, budgetBytes, level: this.#levels[level - 1] };
          this.#resident = await ResidentVolume.create(gpu, info, options);
        }
        throwIfAborted(this.#job.signal);
        this.#job.onProgress?.({ stage: 'Reading', done: 0, total: this.#total });
        this.#post({ kind: 'start', as, level });
        return;
      }
      case 'voxels':
        this.#uploadStart ??= performance.now();
        this.#resident?.append(message.bytes);
        this.#done += message.bytes.byteLength;
        this.#job.onProgress?.({ stage: 'Reading', done: this.#done, total });
        this.#afterwards(message.bytes.byteLength);
        return;
      case 'chunks':
        for (const chunk of message.chunks) this.#chunks.push(chunk);
        this.#done += message.payloadBytes;
        this.#job.onProgress?.({ stage: 'Reading', done: this.#done, total: undefined });
        this.#post({ kind: 'credit', bytes: message.payloadBytes });
    }
  }

  #factsOf(message: LoadMessage & { kind: 'info' }, chunkShape: ChunkShape, hasChunks: boolean): LoadFacts {
    const { gpu, budgetBytes } = this.#engine;
    const { info, levels, payloadBytes, arePictures } = message;
    // Voxels here and there are read only in place of voxels that do not fit.
    const isOffered = message.areLevelsStored || !ResidentVolume.fits(gpu, info, { chunkShape, budgetBytes });
    return {
      info,
      levels: isOffered ? levels : [],
      hasChunks,
      payloadBytes,
      budgetBytes,
      isRemote: this.#isRemote,
      staysCompressed: !(this.#job.keepsVoxels?.() ?? !(arePictures || info.dims[3] > 1)),
      fits: (level) => {
        const offer = levels[level - 1];
        const dims = offer?.dims ?? info.dims;
        return ResidentVolume.fits(gpu, { dims, type: info.type }, { chunkShape: offer?.chunkShape ?? chunkShape, budgetBytes });
      },
      canDecode: (offer) => offer.chunkShape !== undefined && fitsGpu({ ...info, dims: offer.dims }, offer.chunkShape),
    };
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

/** The request in a form that can be posted. Its port must be transferred. */
export function toPosted(request: OpenRequest): LoadRequest {
  if (request.kind === 'sample') return { kind: 'sample', sample: request.sample };
  if (request.kind === 'space') return { kind: 'space', space: request.space };
  const { file, raw, dataset } = request;
  const { handle, pictures, folder } = file;
  return {
    kind: 'file',
    handle,
    siblings: serveSiblings(file.siblings),
    raw,
    pictures,
    folder,
    headers: takeHeaders(file),
    dataset,
  };
}
