import { chunkShapeOf } from '../../../core/chunks/chunk-shape.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { type ChunkShape, codecElementBytes, codecElementDims } from '../../../core/format/chunk-grid.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../../core/shared/job.ts';
import type { OwnLabels } from '../../../core/shared/label-table.ts';
import type { SourceDescription } from '../../../core/shared/source.ts';
import { type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import type { VolumeTag } from '../../../core/shared/volume-facts.ts';
import type { Stopwatch } from '../../../core/stream/stage-times.ts';
import { ResidentVolume } from '../../../core/volume/resident-volume.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type { HostFile } from '../../host/host.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { type CompressedBytes, type KeptVolume, keepAs, type LoadingEngine, residencyOf } from '../gpu/residency.ts';
import type { Residency } from '../state/residency-state.ts';
import type { SampleChoice } from '../state/samples.ts';
import { keepHeaders, takeHeaders } from './kept-headers.ts';
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

export interface LoadedVolume {
  readonly kept: KeptVolume;
  readonly format: string;
  readonly source: SourceDescription;
  readonly chunkShape: ChunkShape;
  /** The compressed bytes, if the file was a .stria whose chunks went to the GPU. */
  readonly chunks: readonly EncodedChunk[] | undefined;
  /** What a recovered file lacks, as text; those voxels are 0. */
  readonly lost: string | undefined;
  /** What the file, or a file beside it, says about labels. */
  readonly labels?: OwnLabels | undefined;
  /** The file's metadata. */
  readonly tags: readonly VolumeTag[];
}

export interface LoadOptions extends JobOptions {
  /** Called before GPU memory is allocated. If it throws, loading stops. */
  readonly onInfo?: ((info: VolumeInfo) => void) | undefined;
  /** Decodes the chunks of series and pictures, too, instead of keeping them compressed. */
  readonly keepsVoxels?: boolean | undefined;
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
  { kept, chunkShape, ...rest }: LoadedVolume,
  chunks: readonly EncodedChunk[],
  known: JobOptions & { readonly statistics: VolumeStatistics | undefined },
): Promise<LoadedVolume> {
  const again = await keepAs(engine, residencyOf(kept), { info: kept.info, chunkShape, chunks }, { ...known, verify: false });
  return { ...rest, kept: again, chunkShape };
}

/** Whether the GPU can hold these chunks: each must start at a whole word of its row. */
function fitsGpu(info: VolumeInfo, [width]: ChunkShape): boolean {
  return width >= codecElementDims(info)[0] || (width * codecElementBytes(info.type)) % 4 === 0;
}

class Loading {
  /** Where voxels are appended. Undefined if chunks arrive instead. */
  #resident: ResidentVolume | undefined;
  #info: VolumeInfo | undefined;
  /** How chunks will be kept. */
  #residency: Residency = 'raw';
  readonly #engine: LoadingEngine;
  readonly #worker: Worker;
  readonly #job: LoadOptions;
  readonly #stopwatch: Stopwatch<OpenStage>;
  readonly #chunks: EncodedChunk[] = [];
  /** When the first voxels were passed to the GPU. */
  #uploadStart: number | undefined;
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
    const chunks = resident ? undefined : this.#chunks;
    const keep = () => this.#keepChunks({ info, chunkShape, chunks: this.#chunks });
    const kept = resident ?? (await this.#stopwatch.time('Upload and decode', keep, volumeBytes(info)));
    await this.#engine.gpu.device.queue.onSubmittedWorkDone();
    if (this.#uploadStart !== undefined) this.#stopwatch.add('Upload', this.#uploadStart, performance.now(), this.#done);
    this.#engine.gpu.checkAlive();
    return { kept, source, chunks, format: this.#format, chunkShape, lost: this.#lost, tags: this.#tags, labels };
  }

  destroy(): void {
    this.#resident?.destroy();
  }

  #keepChunks(source: CompressedBytes): Promise<KeptVolume> {
    return keepAs(this.#engine, this.#residency, source, { ...this.#job, verify: true });
  }

  async #take(message: Exclude<LoadMessage, { kind: 'end' }>): Promise<void> {
    const total = this.#info && volumeBytes(this.#info);
    switch (message.kind) {
      case 'fault':
        throw faultFromData(message.fault);
      case 'info': {
        const { info, format, chunkShape, arePictures, lost, payloadBytes, tags } = message;
        const isUsable = chunkShape !== undefined && fitsGpu(info, chunkShape);
        this.#job.onInfo?.(info);
        this.#info = info;
        this.#chunkShape = isUsable ? chunkShape : chunkShapeOf(info, arePictures);
        this.#format = format;
        this.#lost = lost;
        this.#tags = tags;
        const { gpu, budgetBytes } = this.#engine;
        const options = { chunkShape: this.#chunkShape, budgetBytes };
        const fits = ResidentVolume.fits(gpu, info, options);
        const isSeries = arePictures || info.dims[3] > 1;
        this.#residency = !fits || (isSeries && !this.#job.keepsVoxels) ? 'compressed' : 'raw';
        const isTooLarge = this.#residency === 'compressed' && (payloadBytes ?? 0) > budgetBytes;
        const as = isUsable && !isTooLarge ? 'chunks' : 'voxels';
        if (as === 'voxels') this.#resident = await ResidentVolume.create(gpu, info, options);
        throwIfAborted(this.#job.signal);
        this.#job.onProgress?.({ stage: 'Reading', done: 0, total: volumeBytes(info) });
        this.#post({ kind: 'start', as });
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
