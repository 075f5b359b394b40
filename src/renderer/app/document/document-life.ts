import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { isPictureFormat } from '../../../core/shared/source.ts';
import { type DatasetName, nameWithDataset } from '../../../core/shared/volume-names.ts';
import { Stopwatch } from '../../../core/stream/stage-times.ts';
import type { RegionStatistics } from '../../../core/volume/region-statistics.ts';
import type { Host } from '../../host/host.ts';
import { emptyView } from '../../viewer/model/auto-view.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import { shows3d, type ViewState } from '../../viewer/model/viewer-api.ts';
import type { BackgroundCompressor } from '../compress/background.ts';
import type { Engine, EngineWatcher } from '../gpu/gpu-life.ts';
import type { KeptVolume } from '../gpu/residency.ts';
import { firstDocumentView } from '../layers/channels.ts';
import { type LoadedVolume, type OpenRequest, type OpenStage, openStages } from '../loading/load-resident.ts';
import { suggestLayouts } from '../loading/raw-layout.ts';
import { regionOfFile } from '../measure/file-regions.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { startProgress } from '../state/progress.ts';
import { sampleTitle } from '../state/samples.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import type { DocumentEvent } from './document-change.ts';
import { DocumentJobs } from './document-jobs.ts';
import { hasDocument } from './document-machine.ts';
import { DocumentRunner, type Running } from './document-runner.ts';
import { chunksOf, type DocumentWorks, documentWorks, type HeldVolume, stateOnGpu } from './document-works.ts';

/** Extensions of files with nothing but voxels. If no reader recognises one, the user is asked for its layout. */
const rawEndings = /\.(raw|bin|dat|vol|img|u8|u16|i16|f32)(\.gz)?$/i;

/** How often a finer resolution is tried, and the first pause between two attempts. */
const mostAttempts = 3;
const pauseMs = 500;

/**
 * The open volume: loads, shows and frees it, and restores it on a new device. The machine decides what may happen when; this
 * class does it. On the CPU side it keeps the request and, once available, the compressed bytes.
 */
export class DocumentLife implements EngineWatcher {
  /** Compressing, saving and other jobs on the open volume. */
  readonly jobs: DocumentJobs;
  readonly #host: Host;
  readonly #store: AppStore;
  readonly #works: DocumentWorks;
  readonly #runner: DocumentRunner;
  #engine: Engine | undefined;
  /** Ends loading a finer resolution. */
  #refining: AbortController | undefined;
  #held: HeldVolume | undefined;
  /** The request that is open or being loaded, also while the device is away. */
  #request: OpenRequest | undefined;

  constructor(
    host: Host,
    store: AppStore,
    compressor: Pick<BackgroundCompressor, 'compress'>,
    works: DocumentWorks = documentWorks,
  ) {
    this.#host = host;
    this.#store = store;
    this.#works = works;
    this.#runner = new DocumentRunner(store);
    const [engine, held] = [() => this.#engine, () => this.#held];
    const tell = (notice: string) => store.setState({ notice });
    this.jobs = new DocumentJobs({ host, compressor, works, runner: this.#runner, engine, held, tell });
  }

  /** The volume in GPU memory. Undefined while the device is away. */
  get kept(): KeptVolume | undefined {
    return this.#phase === 'ready' ? this.#held?.loaded.kept : undefined;
  }

  /** The request that is open or being opened. */
  get request(): OpenRequest | undefined {
    return this.#request;
  }

  /** The open volume's compressed bytes, if there are any. */
  get chunks(): readonly EncodedChunk[] | undefined {
    return this.#held && chunksOf(this.#held);
  }

  /** Statistics of a region of the open volume, read from its file. @throws StriaError like the readers, and `aborted` */
  async regionOfFile(measurement: Measurement, signal: AbortSignal): Promise<RegionStatistics | undefined> {
    if (!this.#held) throw new StriaError('aborted', 'the volume is no longer open');
    return regionOfFile(this.#held.request, measurement, signal);
  }

  /**
   * Loads and shows a volume, and closes the old one at once. Failures become the document's state. Resolves when it is shown, has
   * failed or was given up; without a device, loading waits for one.
   */
  async open(request: OpenRequest): Promise<void> {
    const name = nameOf(request);
    const { gpu } = this.#store.getState();
    if (gpu.kind === 'failed') {
      const fault = faultToData(new StriaError('no-adapter', gpu.diagnosis.advice));
      this.#send({ kind: 'fail', name, fault });
      return;
    }
    const stage = request.kind === 'sample' ? 'Making the sample' : 'Opening';
    const progress = startProgress(stage, undefined, performance.now());
    const loading = this.#begin({ kind: 'open', name, progress });
    if (!loading) return;
    this.#request = request;
    await this.#load(request, loading);
    await this.#loadingEnds(request);
  }

  /** Resolves at once unless the device was lost: then the next one loads the request again. */
  #loadingEnds(request: OpenRequest): Promise<void> {
    const isOver = () => this.#request !== request || this.#phase !== 'loading';
    if (isOver()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = this.#store.subscribe(() => {
        if (!isOver()) return;
        end();
        resolve();
      });
    });
  }

  /** Shows that what will be opened is being looked for: the volume of a session, or where surfaces lie. */
  seek(name: string, stage = 'Looking for its volume'): void {
    this.#send({ kind: 'seek', name, progress: startProgress(stage, undefined, performance.now()) });
  }

  ask(question: Extract<DocumentEvent, { kind: 'ask' }>['question']): void {
    this.#send({ kind: 'ask', question });
  }

  fail(name: string, error: unknown): void {
    this.#send({ kind: 'fail', name, fault: faultToData(error) });
  }

  close(): void {
    this.#send({ kind: 'close' });
  }

  /** Cancels loading, compressing or saving. The state changes at once; the work stops at its next step. */
  cancel(): void {
    this.#send({ kind: 'cancel' });
  }

  deviceLost(message: string): void {
    this.#engine = undefined;
    this.#send({ kind: 'deviceLost', fault: faultToData(new StriaError('device-lost', message)) });
  }

  /** Restores the open volume, or restarts loading. */
  async deviceBack(engine: Engine, view: ViewState | undefined): Promise<void> {
    this.#engine = engine;
    const request = this.#request;
    const loading = this.#begin({ kind: 'deviceBack' });
    if (!loading || !request) return;
    if (this.#held) await this.#bringBack(engine, this.#held, view, loading);
    else await this.#load(request, loading);
  }

  deviceGone(message: string): void {
    this.#send({ kind: 'deviceGone', fault: faultToData(new StriaError('device-lost', message)) });
  }

  get #phase() {
    return this.#store.getState().life.phase;
  }

  #send(event: DocumentEvent): boolean {
    const isSent = this.#runner.send(event);
    if (isSent) this.#afterwards();
    return isSent;
  }

  #begin(event: DocumentEvent): Running | undefined {
    const running = this.#runner.begin(event);
    if (running) this.#afterwards();
    return running;
  }

  /** Frees the volume once the machine says that it is closed. */
  #afterwards(): void {
    const phase = this.#phase;
    if (phase !== 'ready') this.#refining?.abort();
    if (hasDocument(phase)) return;
    if (phase !== 'loading') this.#request = undefined;
    const held = this.#held;
    this.#held = undefined;
    if (held) void this.#runner.inTurn(() => this.#free(this.#engine, held.loaded));
  }

  async #free(engine: Engine | undefined, { kept, bricks }: LoadedVolume): Promise<void> {
    bricks?.close();
    if (engine && !engine.gpu.isLost) await engine.viewer.setVolume(undefined);
    kept.destroy();
  }

  async #load(request: OpenRequest, { signal, onProgress }: Running): Promise<void> {
    const start = performance.now();
    const stopwatch = new Stopwatch(openStages);
    await this.#runner.inTurn(async () => {
      // Without a device, loading waits for one.
      const engine = this.#engine;
      if (!engine || signal.aborted) return;
      let loaded: LoadedVolume | undefined;
      try {
        loaded = await this.#works.loadResident(engine, request, { signal, onProgress, step: 'first' }, stopwatch);
        const { kept } = loaded;
        const statistics = await stopwatch.time('Statistics', () => kept.statistics());
        const first =
          request.kind === 'space'
            ? emptyView(kept.info, statistics)
            : await firstDocumentView(engine.gpu, kept, statistics, loaded.labels);
        await stopwatch.time('Prepare views', () => engine.viewer.setVolume(kept, first, this.#shows3d));
        engine.viewer.setBricks(loaded.bricks);
        engine.gpu.checkAlive();
        if (signal.aborted) throw new StriaError('aborted', 'cancelled');
        const pictured = stopwatch.time('First picture', () => this.#works.firstPicture(engine));
        request.session?.restore(engine.viewer);
        const held: HeldVolume = { request, loaded, compressed: undefined };
        this.#held = held;
        const document = documentOf(held, statistics);
        this.#send({ kind: 'loaded', document, ...stateOnGpu(this.#works, engine, held) });
        if (loaded.lost) this.#store.setState({ notice: loaded.lost });
        void this.#whenPictured(held, engine, pictured, () => ({
          ms: performance.now() - start,
          timeline: stopwatch.timeline(),
        }));
        if (loaded.hasFiner) void this.#refine(held, engine);
      } catch (error) {
        if (loaded) await this.#free(engine, loaded);
        if (!signal.aborted && toStriaError(error).tag !== 'device-lost') this.#loadFailed(request, error);
      }
    });
  }

  /** Shows the volume on a new device as on the old one. Without progress. */
  async #bringBack(engine: Engine, held: HeldVolume, view: ViewState | undefined, { signal }: Running): Promise<void> {
    await this.#runner.inTurn(async () => {
      const before = held.loaded;
      before.kept.destroy();
      if (signal.aborted) return;
      let loaded: LoadedVolume | undefined;
      try {
        const chunks = chunksOf(held);
        const known = openDocument(this.#store.getState())?.statistics;
        loaded = chunks
          ? await this.#works.loadAgain(engine, before, chunks, { signal, statistics: known })
          : await this.#works.loadResident(engine, held.request, { signal }, new Stopwatch<OpenStage>(openStages));
        // Bricks in host memory have survived.
        if (before.bricks) loaded = { ...loaded, bricks: before.bricks };
        const statistics = await loaded.kept.statistics();
        await engine.viewer.setVolume(loaded.kept, view, this.#shows3d);
        engine.viewer.setBricks(loaded.bricks);
        engine.gpu.checkAlive();
        if (signal.aborted) throw new StriaError('aborted', 'cancelled');
        held.loaded = loaded;
        const document = documentOf(held, statistics);
        this.#send({ kind: 'returned', document, ...stateOnGpu(this.#works, engine, held) });
      } catch (error) {
        if (loaded) await this.#free(engine, loaded);
        if (!signal.aborted && toStriaError(error).tag !== 'device-lost') this.#loadFailed(held.request, error);
      }
    });
  }

  /** Loads the finest resolution and shows it in place of the first one. The view stays. */
  async #refine(held: HeldVolume, engine: Engine): Promise<void> {
    const controller = new AbortController();
    this.#refining = controller;
    const { signal } = controller;
    await this.#runner.inTurn(async () => {
      if (signal.aborted) return;
      const before = held.loaded;
      let finer: LoadedVolume | undefined;
      try {
        finer = await this.#loadFinest(engine, held.request, signal);
        const statistics = await finer.kept.statistics();
        if (signal.aborted) throw new StriaError('aborted', 'cancelled');
        const { kept } = finer;
        await engine.viewer.exchangeVolume(kept, true).catch(async (error: unknown) => {
          if (!engine.gpu.isLost) await engine.viewer.exchangeVolume(before.kept);
          throw error;
        });
        before.kept.destroy();
        held.loaded = { ...finer, bricks: before.bricks };
        finer = undefined;
        if (signal.aborted) return;
        const document = documentOf(held, statistics);
        this.#send({ kind: 'refined', document, ...stateOnGpu(this.#works, engine, held) });
      } catch (error) {
        finer?.kept.destroy();
        if (signal.aborted || toStriaError(error).tag === 'device-lost') return;
        const { document } = this.#store.getState();
        if (document.kind !== 'ready') return;
        const notice = `The volume stays at 1/${document.document.decimation} resolution: ${toStriaError(error).message}`;
        this.#store.setState({ notice });
        const known = { ...document.document, isRefining: false };
        this.#send({ kind: 'refined', document: known, ...stateOnGpu(this.#works, engine, held) });
      }
    });
  }

  /** A file that could not be read is tried again: a disk or a server may need a moment. */
  async #loadFinest(engine: Engine, request: OpenRequest, signal: AbortSignal): Promise<LoadedVolume> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#works.loadResident(engine, request, { signal }, new Stopwatch<OpenStage>(openStages));
      } catch (error) {
        if (attempt === mostAttempts || toStriaError(error).tag !== 'not-readable') throw error;
        await new Promise((resolve) => setTimeout(resolve, attempt * pauseMs));
        if (signal.aborted) throw error;
      }
    }
  }

  get #shows3d(): boolean {
    return shows3d(this.#store.getState().settings.layout);
  }

  #loadFailed(request: OpenRequest, error: unknown): void {
    const fault = faultToData(error);
    // A recent file may have changed, and hold other volumes now.
    const isGone = fault.tag === 'invalid-input' && request.kind === 'file' && request.file.dataset !== undefined;
    if ((fault.tag === 'several' || isGone) && request.kind === 'file') {
      this.ask({ kind: 'choice', file: request.file });
      return;
    }
    const file = request.kind === 'file' && !request.raw ? request.file : undefined;
    const isUnknown = fault.tag === 'unsupported' || fault.tag === 'invalid-input';
    if (file && isUnknown && rawEndings.test(file.name)) {
      this.ask({ kind: 'layout', file, suggestions: suggestLayouts(file.name, file.size) });
    } else {
      const incomplete = fault.missing ? file : undefined;
      this.#send({ kind: 'fail', name: nameOf(request), fault, rawFile: isUnknown ? file : undefined, incomplete });
    }
  }

  /** Adds the file to the recent files at once, and its thumbnail once it is drawn. Then also reports how long opening took. */
  async #whenPictured(
    held: HeldVolume,
    { viewer }: Engine,
    pictured: Promise<void>,
    opening: () => { readonly ms: number; readonly timeline: ReturnType<Stopwatch<OpenStage>['timeline']> },
  ): Promise<void> {
    const { request } = held;
    const file = request.session?.file ?? (request.kind === 'file' ? request.file : undefined);
    const add = async (thumbnail: string | undefined): Promise<void> => {
      if (!file) return;
      await this.#host.remember(file, thumbnail, request.session ? undefined : datasetOf(request));
      this.#store.setState({ recent: await this.#host.recent() });
    };
    const isOpen = () => this.#held === held;
    void pictured.then(() => isOpen() && this.#store.setState({ opening: opening() }));
    try {
      await add(undefined);
      await pictured;
      if (file && isOpen()) await add(await viewer.pictures.thumbnail());
    } catch (error) {
      console.warn('The file could not be put among the recent ones', error);
    }
  }
}

function nameOf(request: OpenRequest): string {
  if (request.kind === 'sample') return sampleTitle(request.sample);
  if (request.kind === 'space') return request.name;
  return nameWithDataset(request.file.name, datasetOf(request));
}

function datasetOf(request: OpenRequest): DatasetName | undefined {
  if (request.kind !== 'file' || request.dataset === undefined) return undefined;
  return { id: request.dataset, label: request.label ?? '' };
}

function documentOf(held: HeldVolume, statistics: OpenDocument['statistics']): OpenDocument {
  const { request } = held;
  const { kept, format, source, tags, labels, level, hasFiner, isHeldBack } = held.loaded;
  const { info, decimation } = kept;
  // A folder whose size is not known has size 0.
  const fileBytes = request.kind === 'file' && request.file.size > 0 ? request.file.size : undefined;
  const arePictures = isPictureFormat(source.format);
  const chosenFrom =
    request.kind === 'file' && (request.dataset !== undefined || request.file.folder)
      ? { file: request.file, dataset: request.dataset }
      : undefined;
  return {
    opened: held,
    name: nameOf(request),
    format,
    fileBytes,
    info,
    statistics,
    decimation,
    level,
    isHeldBack,
    isRefining: hasFiner,
    arePictures,
    tags,
    labels,
    space: request.kind === 'space' ? request.space : undefined,
    chosenFrom,
  };
}
