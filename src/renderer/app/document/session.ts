import { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import { chainByName } from '../../../core/codecs/registry.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import type { JobOptions, Progress } from '../../../core/shared/job.ts';
import { isPictureFormat } from '../../../core/shared/source.ts';
import { volumeBytes } from '../../../core/shared/volume.ts';
import { type StageSpan, Stopwatch } from '../../../core/stream/stage-times.ts';
import type { RegionStatistics } from '../../../core/volume/region-statistics.ts';
import type { Host, HostSink } from '../../host/host.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import { shows3d, type ViewState } from '../../viewer/model/viewer-api.ts';
import type { BackgroundCompressor } from '../compress/background.ts';
import type { CodecChoice } from '../compress/compress-protocol.ts';
import { type Compressed, compressResident, writeContainer } from '../compress/compress-resident.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { type KeptVolume, keepAs, residencyOf, residencyState } from '../gpu/residency.ts';
import { offeredName } from '../loading/datasets.ts';
import { firstPicture } from '../loading/first-picture.ts';
import {
  type LoadedVolume,
  loadAgain,
  loadResident,
  type OpenRequest,
  type OpenStage,
  openStages,
} from '../loading/load-resident.ts';
import { suggestLayouts } from '../loading/raw-layout.ts';
import { regionOfFile } from '../measure/file-regions.ts';
import { nextProgress, startProgress, throttleProgress } from '../state/progress.ts';
import type { Residency } from '../state/residency-state.ts';
import { streamedResult } from '../state/result.ts';
import { sampleTitle } from '../state/samples.ts';
import { type AppState, type AppStore, type CompressedState, openDocument, showDocument } from '../state/store.ts';

interface OpenVolume extends LoadedVolume {
  readonly request: OpenRequest;
}

/** What was open when the device was lost, and its compressed bytes, where there are any: then nothing is read again. */
interface LostVolume {
  readonly volume: OpenVolume;
  readonly chunks: readonly EncodedChunk[] | undefined;
}

/** How a loaded volume is to be shown. */
interface Showing {
  readonly name: string;
  readonly view: ViewState | undefined;
  /** When opening began, by `performance.now()`. */
  readonly start: number;
  readonly signal: AbortSignal;
  readonly stopwatch: Stopwatch<OpenStage>;
}

/** Endings of files that hold nothing but voxels: where no reader knows one, people are asked for its layout. */
const rawEndings = /\.(raw|bin|dat|vol|img|u8|u16|i16|f32)(\.gz)?$/i;

/**
 * The one volume that is open: loads it, shows it, compresses and saves it, and brings it back on a new device. What it
 * keeps on the CPU side is the request and, once there are any, the compressed bytes.
 */
export class Session {
  readonly #host: Host;
  readonly #store: AppStore;
  readonly #compressor: BackgroundCompressor;
  #engine: Engine | undefined;
  #volume: OpenVolume | undefined;
  /** Kept until it is back, since the new device may be lost before. */
  #lost: LostVolume | undefined;
  #compressed: Compressed | undefined;
  /** What is being loaded, also while the device is away. */
  #request: OpenRequest | undefined;
  #loading: AbortController | undefined;
  #job: AbortController | undefined;
  /** The work before is always over, and has freed its memory, before the next begins. */
  #work: Promise<void> = Promise.resolve();

  constructor(host: Host, store: AppStore, compressor: BackgroundCompressor) {
    this.#host = host;
    this.#store = store;
    this.#compressor = compressor;
  }

  /** The volume in GPU memory, for the debug hook. */
  get kept(): KeptVolume | undefined {
    return this.#volume?.kept;
  }

  /** What is open, or being opened. */
  get request(): OpenRequest | undefined {
    return this.#request;
  }

  /** The open volume's compressed bytes, where there are any. */
  get chunks(): readonly EncodedChunk[] | undefined {
    return this.#chunks;
  }

  /** What a region of the open volume holds, read from its file. @throws StriaError as the readers, and `aborted` */
  async regionOfFile(measurement: Measurement, signal: AbortSignal): Promise<RegionStatistics | undefined> {
    if (!this.#volume) throw new StriaError('aborted', 'the volume is not there any more');
    return regionOfFile(this.#volume.request, measurement, signal);
  }

  setEngine(engine: Engine | undefined): void {
    this.#engine = engine;
  }

  /** Loads and shows a volume; the one before is gone at once. Failures become the document's state. */
  open(request: OpenRequest): Promise<void> {
    this.#request = request;
    this.#lost = undefined;
    return this.#load(request, undefined);
  }

  /** Brings back what was open, or begins again what was being opened, on a new device. */
  async recover(engine: Engine, view: ViewState): Promise<void> {
    if (this.#volume) {
      this.#volume.kept.destroy();
      this.#lost = { volume: this.#volume, chunks: this.#compressed?.chunks ?? this.#volume.chunks };
      this.#volume = undefined;
    }
    this.#engine = engine;
    const { kind } = this.#store.getState().document;
    if (!this.#request || (kind !== 'ready' && kind !== 'loading')) return;
    await this.#load(this.#request, this.#lost && { ...this.#lost, view });
  }

  close(): void {
    this.cancel();
    this.#loading?.abort();
    this.#request = undefined;
    this.#lost = undefined;
    showDocument(this.#store, { kind: 'empty' });
    this.#work = this.#work.then(() => this.#free());
  }

  /** Ends loading, compressing or saving. The state answers at once; the work stops at its next step. */
  cancel(): void {
    this.#job?.abort();
    this.#job = undefined;
    const { compression, save, residency, document } = this.#store.getState();
    if (compression.kind === 'running') this.#store.setState({ compression: { kind: 'idle' } });
    if (save.kind === 'saving') this.#store.setState({ save: { kind: 'idle' } });
    if (residency?.progress) this.#store.setState({ residency: { ...residency, progress: undefined } });
    if (document.kind === 'loading') {
      this.#loading?.abort();
      showDocument(this.#store, { kind: 'empty' });
    }
  }

  /** @param isAsked whether people see to it, or something else needs it */
  async compress(choice: CodecChoice, isAsked = true): Promise<void> {
    if (!this.#volume) return;
    const { request, kept } = this.#volume;
    if (kept.decimation > 1) return this.#compressFromFile(this.#volume, choice);
    const controller = this.#newJob();
    const onProgress = this.#progressOf(controller, (progress) => ({ compression: { kind: 'running', progress, isAsked } }));
    onProgress({ stage: 'Compressing', done: 0, total: volumeBytes(kept.info) });
    await this.#inTurn(async () => {
      try {
        const engine = this.#engine;
        const volume = this.#volume;
        if (!engine || !volume || volume.request !== request) return;
        const codec = choice.codec === 'auto' ? 'auto' : chainByName(choice.codec);
        const job = { signal: controller.signal, onProgress };
        const compressed = await compressResident(engine.backend, volume, { codec, options: choice }, job).finally(() =>
          engine.gpu.spare.free(),
        );
        if (controller.signal.aborted) return;
        this.#compressed = compressed;
        const chunks = chunkMapOf(volume, compressed.chunks);
        this.#compressedTo({ result: compressed.result, isAsked }, { chunks });
        // What is kept compressed is kept as it is now.
        if (residencyOf(volume.kept) === 'compressed') await this.#keep(engine, volume, 'compressed', job);
        else this.#showResidency(engine, volume);
      } catch (error) {
        this.#failed(controller, error, (fault) => ({ compression: { kind: 'failed', fault } }));
      }
    });
  }

  /**
   * Keeps the open volume in GPU memory as voxels or compressed. What was not compressed yet is first, as `compress` does.
   * Resolves with whether it is kept so.
   */
  async setResidency(residency: Residency, choice: CodecChoice): Promise<boolean> {
    const request = this.#volume?.request;
    if (this.#volume && residency === 'compressed' && !this.#chunks) {
      if (this.#volume.kept.decimation > 1) return false;
      await this.compress(choice, false);
    }
    const isKept = (): boolean => {
      const volume = this.#volume;
      return volume !== undefined && volume.request === request && residencyOf(volume.kept) === residency;
    };
    if (!this.#volume || this.#volume.request !== request || !this.#chunks || isKept()) return isKept();
    const controller = this.#newJob();
    const onProgress = this.#progressOf(controller, (progress) => {
      const before = this.#store.getState().residency;
      return { residency: before && { ...before, progress } };
    });
    onProgress({ stage: 'Decompressing', done: 0, total: volumeBytes(this.#volume.kept.info) });
    await this.#inTurn(async () => {
      const engine = this.#engine;
      const volume = this.#volume;
      if (!engine || !volume || volume.request !== request || controller.signal.aborted) return;
      try {
        await this.#keep(engine, volume, residency, { signal: controller.signal, onProgress });
      } catch (error) {
        if (toStriaError(error).tag !== 'device-lost') this.#failed(controller, error, ({ message }) => ({ notice: message }));
      } finally {
        this.#showResidency(engine, this.#volume);
      }
    });
    return isKept();
  }

  /** The open volume's compressed bytes: as they were made last, or as they came. */
  get #chunks(): readonly EncodedChunk[] | undefined {
    return this.#compressed?.chunks ?? this.#volume?.chunks;
  }

  /** Exchanges what is in GPU memory, from the compressed bytes. */
  async #keep(engine: Engine, volume: OpenVolume, residency: Residency, job: JobOptions): Promise<void> {
    const { kept: before, chunkShape } = volume;
    const source = { info: before.info, chunkShape, chunks: this.#chunks ?? [] };
    const statistics = await before.statistics();
    const kept = await keepAs(engine, residency, source, { ...job, verify: false, statistics });
    this.#volume = { ...volume, kept };
    try {
      await engine.viewer.exchangeVolume(kept);
    } finally {
      before.destroy();
    }
    this.#showResidency(engine, this.#volume);
  }

  #showResidency(engine: Engine, volume: OpenVolume | undefined): void {
    if (volume) this.#store.setState({ residency: residencyState(engine, volume.kept, volume.chunkShape, this.#chunks) });
  }

  /** Writes what was compressed where people say. */
  async save(): Promise<void> {
    const volume = this.#volume;
    const compressed = this.#compressed;
    if (!volume || !compressed) return;
    const sink = await this.#askWhere(volume);
    if (!sink) return;
    const controller = this.#newJob();
    const onProgress = this.#progressOf(controller, (progress) => ({ save: { kind: 'saving', name: sink.name, progress } }));
    try {
      onProgress({ stage: 'Saving', done: 0, total: undefined });
      const stopwatch = new Stopwatch(['Write', 'Save']);
      const job = { signal: controller.signal, onProgress };
      await stopwatch.time('Write', () => writeContainer(sink, volume, compressed.chunks, job), compressed.result.bytesOut);
      await stopwatch.time('Save', () => sink.close());
      if (!controller.signal.aborted) this.#saved(sink, stopwatch.timeline());
    } catch (error) {
      await sink.abort().catch(() => undefined);
      this.#failed(controller, error, (fault) => ({ save: { kind: 'failed', fault } }));
    }
  }

  /** A volume of which the GPU holds only a part is compressed from its file, straight into the saved one. */
  async #compressFromFile(volume: OpenVolume, choice: CodecChoice): Promise<void> {
    const sink = await this.#askWhere(volume);
    if (!sink) return;
    const controller = this.#newJob();
    const onProgress = this.#progressOf(controller, (progress) => ({
      compression: { kind: 'running', progress, isAsked: true },
    }));
    onProgress({ stage: 'Reading', done: 0, total: undefined });
    try {
      const report = await this.#compressor.compress(volume.request, sink, choice, { signal: controller.signal, onProgress });
      if (controller.signal.aborted) return;
      this.#compressedTo({ result: streamedResult(report), isAsked: true });
      this.#saved(sink, []);
    } catch (error) {
      this.#failed(controller, error, (fault) => ({ compression: { kind: 'failed', fault } }));
    }
  }

  /** What was saved before is not this. */
  #compressedTo(compressed: CompressedState, change: Partial<AppState> = {}): void {
    this.#store.setState({ ...change, compressed, compression: { kind: 'idle' }, save: { kind: 'idle' } });
  }

  async #askWhere(volume: OpenVolume): Promise<HostSink | undefined> {
    const { request } = volume;
    const name = request.kind === 'file' ? request.file.name : volume.source.parts.find((part) => part.hasVoxels)?.name;
    try {
      return await this.#host.saveAs(offeredName(name ?? 'volume'));
    } catch (error) {
      this.#store.setState({ save: { kind: 'failed', fault: faultToData(error) } });
      return undefined;
    }
  }

  #saved({ name, folder, reveal }: HostSink, timeline: readonly StageSpan[]): void {
    this.#store.setState({ save: { kind: 'saved', name, folder, reveal, timeline } });
  }

  /** @param lost given: it is brought back as it was, without a word of its own */
  async #load(request: OpenRequest, lost: (LostVolume & { readonly view: ViewState }) | undefined): Promise<void> {
    this.#loading?.abort();
    const isReload = lost !== undefined;
    if (!isReload) this.cancel();
    const controller = new AbortController();
    this.#loading = controller;
    const { signal } = controller;
    const start = performance.now();
    const stopwatch = new Stopwatch(openStages);
    const name = request.kind === 'file' ? request.file.name : sampleTitle(request.sample);
    let progress = startProgress(request.kind === 'file' ? 'Opening' : 'Making the sample', undefined, start);
    if (!isReload) showDocument(this.#store, { kind: 'loading', name, progress });
    const report = throttleProgress((next) => {
      if (signal.aborted || isReload) return;
      progress = nextProgress(progress, next, performance.now());
      this.#store.setState({ document: { kind: 'loading', name, progress } });
    });
    await this.#inTurn(async () => {
      const engine = this.#engine;
      if (!engine || signal.aborted) return;
      try {
        await this.#free({ keepCompressed: isReload });
        const job = { signal, onProgress: report };
        const statistics = openDocument(this.#store.getState())?.statistics;
        const loaded = lost?.chunks
          ? await loadAgain(engine, lost.volume, lost.chunks, { ...job, statistics })
          : await loadResident(engine, request, job, stopwatch);
        this.#volume = { ...loaded, request };
        await this.#show(engine, this.#volume, { name, view: lost?.view, start, signal, stopwatch });
        this.#lost = undefined;
      } catch (error) {
        if (signal.aborted || toStriaError(error).tag === 'device-lost') return;
        await this.#free();
        this.#lost = undefined;
        this.#loadFailed(request, name, error);
      }
    });
  }

  async #show(engine: Engine, volume: OpenVolume, { name, view, start, signal, stopwatch }: Showing): Promise<void> {
    const { kept, format, source, request } = volume;
    const { viewer } = engine;
    const statistics = await stopwatch.time('Statistics', () => kept.statistics());
    const { layout } = this.#store.getState().settings;
    await stopwatch.time('Prepare views', () => viewer.setVolume(kept, view, shows3d(layout)));
    engine.gpu.checkAlive();
    if (signal.aborted) return;
    if (view) {
      this.#showResidency(engine, volume);
      return;
    }
    const pictured = stopwatch.time('First picture', () => firstPicture(engine));
    request.session?.restore(viewer);
    const file = request.kind === 'file' ? request.file : undefined;
    const { info, decimation } = kept;
    const arePictures = isPictureFormat(source.format);
    const document = { name, format, fileBytes: file?.size, info, statistics, decimation, arePictures };
    const residency = residencyState(engine, kept, volume.chunkShape, this.#chunks);
    showDocument(this.#store, { kind: 'ready', document }, { residency, chunks: chunkMapOf(volume, this.#chunks) });
    if (volume.lost) this.#store.setState({ notice: `${volume.lost}: 0 is shown in their places` });
    void pictured.then(() => {
      if (signal.aborted || this.#volume?.request !== request) return;
      this.#store.setState({ opening: { ms: performance.now() - start, timeline: stopwatch.timeline() } });
    });
    void this.#remember(request, viewer, pictured);
  }

  /** Puts the file among the recent ones at once, and its picture there once it is drawn. */
  async #remember(request: OpenRequest, viewer: Engine['viewer'], pictured: Promise<void>): Promise<void> {
    const file = request.session?.file ?? (request.kind === 'file' ? request.file : undefined);
    if (!file) return;
    const add = async (thumbnail: string | undefined) => {
      await this.#host.remember(file, thumbnail);
      this.#store.setState({ recent: await this.#host.recent() });
    };
    try {
      await add(undefined);
      await pictured;
      if (this.#volume?.request === request) await add(await viewer.thumbnail());
    } catch (error) {
      console.warn('The file could not be put among the recent ones', error);
    }
  }

  #loadFailed(request: OpenRequest, name: string, error: unknown): void {
    const fault = faultToData(error);
    const file = request.kind === 'file' && !request.raw ? request.file : undefined;
    const isUnknown = fault.tag === 'unsupported' || fault.tag === 'invalid-input';
    if (file && isUnknown && rawEndings.test(file.name)) {
      showDocument(this.#store, { kind: 'layout', file, suggestions: suggestLayouts(file.name, file.size) });
    } else {
      showDocument(this.#store, { kind: 'failed', name, fault, rawFile: isUnknown ? file : undefined });
    }
  }

  async #free({ keepCompressed = false } = {}): Promise<void> {
    const volume = this.#volume;
    this.#volume = undefined;
    if (!keepCompressed) this.#compressed = undefined;
    if (this.#engine && !this.#engine.gpu.isLost) await this.#engine.viewer.setVolume(undefined);
    volume?.kept.destroy();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work);
    return this.#work;
  }

  /** Ends the job before it. */
  #newJob(): AbortController {
    this.#job?.abort();
    if (this.#store.getState().save.kind === 'saving') this.#store.setState({ save: { kind: 'idle' } });
    this.#job = new AbortController();
    return this.#job;
  }

  #progressOf(
    { signal }: AbortController,
    toState: (progress: ReturnType<typeof startProgress>) => Partial<AppState>,
  ): (progress: Progress) => void {
    let progress = startProgress('', undefined, performance.now());
    return throttleProgress((next) => {
      if (signal.aborted) return;
      progress = nextProgress(progress, next, performance.now());
      this.#store.setState(toState(progress));
    });
  }

  /** A cancelled job has answered already; one whose device was lost begins again when people ask for it. */
  #failed(
    { signal }: AbortController,
    error: unknown,
    toState: (fault: ReturnType<typeof faultToData>) => Partial<AppState>,
  ): void {
    if (!signal.aborted) this.#store.setState(toState(faultToData(error)));
  }
}

function chunkMapOf({ kept, chunkShape }: OpenVolume, chunks: readonly EncodedChunk[] | undefined): ChunkMap | undefined {
  return chunks && new ChunkMap(kept.info, chunkShape, chunks);
}
