import { choiceByName } from '../../../core/codecs/registry.ts';
import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { Stopwatch } from '../../../core/stream/stage-times.ts';
import type { CutChunks } from '../../../core/volume/compressed/compressed-volume.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type { Host } from '../../host/host.ts';
import { emptyView } from '../../viewer/model/auto-view.ts';
import { shows3d } from '../../viewer/model/viewer-api.ts';
import type { BackgroundCompressor } from '../compress/background.ts';
import { codecChoice } from '../compress/compress-protocol.ts';
import type { Engine, EngineWatcher, LostView } from '../gpu/gpu-life.ts';
import type { KeptVolume } from '../gpu/residency.ts';
import { firstDocumentView } from '../layers/channels.ts';
import { type LoadedVolume, type OpenRequest, type OpenStage, openStages, withBricks } from '../loading/load-resident.ts';
import type { FileMeasurer } from '../measure/file-task.ts';
import { measurerOf } from '../measure/measure-file.ts';
import { startProgress } from '../state/progress.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import type { DocumentEvent } from './document-change.ts';
import { DocumentJobs } from './document-jobs.ts';
import { hasDocument } from './document-machine.ts';
import { DocumentRunner, type Running } from './document-runner.ts';
import { chunksOf, type DocumentWorks, documentWorks, type HeldVolume, stateOnGpu } from './document-works.ts';
import { loadFailure } from './load-failure.ts';
import { documentOf, nameOf } from './opened-document.ts';
import { RecentDocuments } from './recent-documents.ts';
import { Refining } from './refining.ts';

/**
 * The open volume: loads, shows and frees it, and restores it on a new device. The machine decides what may happen when; this
 * class does it. On the CPU side it keeps the request and, once available, the compressed bytes.
 */
export class DocumentLife implements EngineWatcher {
  /** Compressing, saving and other jobs on the open volume. */
  readonly jobs: DocumentJobs;
  readonly #store: AppStore;
  readonly #works: DocumentWorks;
  readonly #runner: DocumentRunner;
  readonly #refining: Refining;
  readonly #recent: RecentDocuments;
  #engine: Engine | undefined;
  #held: HeldVolume | undefined;
  /** The request that is open or being loaded, even while there is no device. */
  #request: OpenRequest | undefined;

  constructor(
    host: Host,
    store: AppStore,
    compressor: Pick<BackgroundCompressor, 'compress'>,
    works: DocumentWorks = documentWorks,
  ) {
    this.#store = store;
    this.#works = works;
    this.#runner = new DocumentRunner(store);
    const [engine, held] = [() => this.#engine, () => this.#held];
    const tell = (notice: string) => store.setState({ notice });
    this.#refining = new Refining({ store, works, runner: this.#runner, send: (event) => this.#send(event) });
    this.#recent = new RecentDocuments(host, store);
    this.jobs = new DocumentJobs({ host, compressor, works, runner: this.#runner, engine, held, tell });
  }

  /** The volume in GPU memory. Undefined while there is no device. */
  get kept(): KeptVolume | undefined {
    return this.#phase === 'ready' ? this.#held?.loaded.kept : undefined;
  }

  /** The request that is open or being opened. */
  get request(): OpenRequest | undefined {
    return this.#request;
  }

  /** The open volume's compressed bytes, once they are in host memory. Undefined if it is not compressed. @throws as `chunksOf` */
  chunks(): Promise<CutChunks> | undefined {
    return this.#held && chunksOf(this.#held);
  }

  /** The levels of the open volume as the file that is kept beside it, if they are made. */
  get wholeLevels(): Blob | undefined {
    return this.#held?.loaded.bricks?.wholeLevels;
  }

  /** Measures the open volume by reading its file. @throws StriaError like the readers, and `aborted` */
  readonly measureFile: FileMeasurer = measurerOf(() => this.#held?.request);

  /** Sets the statistics of the open volume to those of its full resolution. */
  takeStatistics(statistics: VolumeStatistics): void {
    this.#send({ kind: 'measured', statistics });
  }

  /**
   * Loads and shows a volume, and closes the old one at once. Failures become the document's state. Resolves when the volume is shown,
   * has failed or was cancelled. Without a device, loading waits for one.
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

  /** Resolves when the request is no longer being loaded: at once, unless the device was lost and the next one loads it again. */
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

  /** Shows progress before the document is known: while a session's volume is looked for, or surfaces are read. */
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
  async deviceBack(engine: Engine, view: LostView | undefined): Promise<void> {
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
    if (phase !== 'ready') this.#refining.abort();
    if (hasDocument(phase)) return;
    if (phase !== 'loading') this.#request = undefined;
    const held = this.#held;
    this.#held = undefined;
    held?.compressed?.payloads.release();
    if (held) void this.#runner.inTurn(() => this.#free(this.#engine, held.loaded));
  }

  async #free(engine: Engine | undefined, { kept, bricks }: LoadedVolume): Promise<void> {
    bricks?.close();
    if (engine && !engine.gpu.isLost) await engine.viewer.setVolume(undefined);
    kept.destroy();
    engine?.gpu.spare.free();
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
        const held: HeldVolume = { opening: {}, request, loaded, compressed: undefined, lostWhileRefining: 0 };
        this.#held = held;
        const document = documentOf(held, statistics);
        this.#send({ kind: 'loaded', document, ...stateOnGpu(this.#works, engine, held) });
        const notice = loaded.lost ?? loaded.note;
        if (notice) this.#store.setState({ notice });
        const isOpen = () => this.#held === held;
        void pictured.then(() => {
          const opening = { ms: performance.now() - start, timeline: stopwatch.timeline() };
          if (!isOpen()) return;
          this.#store.setState({ opening });
          const choice = codecChoice(this.#store.getState());
          // A software GPU compiles on the processor, which draws the volume meanwhile.
          if (held.loaded.kept.decimation === 1 && !engine.gpu.isSoftware) {
            void this.#works.prepareCompress(engine, held.loaded, { codec: choiceByName(choice.codec), options: choice });
          }
        });
        void this.#recent.add(request, engine.viewer, pictured, isOpen);
        if (loaded.hasFiner) void this.#refining.begin(held, engine);
      } catch (error) {
        if (loaded) await this.#free(engine, loaded);
        if (!signal.aborted && toStriaError(error).tag !== 'device-lost') this.#send(loadFailure(request, error));
      }
    });
  }

  /**
   * Loads the finest resolution. Loads the first one instead if the device has too little memory, or if two devices were lost while they
   * loaded the finest, which is then too much for this machine.
   */
  async #loadOnNewDevice(engine: Engine, held: HeldVolume, signal: AbortSignal): Promise<LoadedVolume> {
    const load = (step: 'first' | 'finest') =>
      this.#works.loadResident(engine, held.request, { signal, step }, new Stopwatch<OpenStage>(openStages));
    const first = async (): Promise<LoadedVolume> => ({ ...(await load('first')), hasFiner: false });
    if (held.loaded.hasFiner) held.lostWhileRefining++;
    if (held.lostWhileRefining > 1) return first();
    try {
      return await load('finest');
    } catch (error) {
      if (toStriaError(error).tag !== 'out-of-memory') throw error;
      return { ...(await first()), lacksMemory: true };
    }
  }

  /** Shows the volume on a new device as on the old one. Shows no progress. */
  async #bringBack(engine: Engine, held: HeldVolume, view: LostView | undefined, { signal }: Running): Promise<void> {
    await this.#runner.inTurn(async () => {
      const before = held.loaded;
      before.kept.destroy();
      if (signal.aborted) return;
      let loaded: LoadedVolume | undefined;
      try {
        const chunks = await chunksOf(held);
        const known = openDocument(this.#store.getState())?.statistics;
        loaded = chunks
          ? await this.#works.loadAgain(engine, before, chunks, { signal, statistics: known })
          : await this.#loadOnNewDevice(engine, held, signal);
        // Bricks in host memory have survived.
        if (before.bricks) loaded = withBricks(loaded, before.bricks);
        const statistics = await loaded.kept.statistics();
        await engine.viewer.setVolume(loaded.kept, view?.state, this.#shows3d);
        if (view) engine.viewer.views.startFrom(view.viewpoints);
        engine.viewer.setBricks(loaded.bricks);
        engine.gpu.checkAlive();
        if (signal.aborted) throw new StriaError('aborted', 'cancelled');
        held.loaded = loaded;
        // A first picture that was shown before did not tell it.
        if (loaded.lost && loaded.lost !== before.lost) this.#store.setState({ notice: loaded.lost });
        const document = documentOf(held, statistics);
        this.#send({ kind: 'returned', document, ...stateOnGpu(this.#works, engine, held) });
      } catch (error) {
        // Bricks of the volume that was open are closed with it.
        const bricks = before.bricks ? undefined : loaded?.bricks;
        if (loaded) await this.#free(engine, { ...loaded, bricks });
        if (!signal.aborted && toStriaError(error).tag !== 'device-lost') this.#send(loadFailure(held.request, error));
      }
    });
  }

  get #shows3d(): boolean {
    return shows3d(this.#store.getState().settings.layout);
  }
}
