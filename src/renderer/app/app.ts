import type { Host } from '../host/host.ts';
import { baseId } from '../viewer/model/layers.ts';
import { AppSettings } from './app-settings.ts';
import { type Command, commandOfMenu, watchMenu } from './command.ts';
import { Comparison } from './compare/comparison.ts';
import { BackgroundCompressor } from './compress/background.ts';
import { CompressQueue } from './compress/queue.ts';
import { DocumentLife } from './document/document-life.ts';
import { LeaveGuard } from './document/leave-guard.ts';
import { Playback } from './document/playback.ts';
import { watchUnfinished } from './document/unfinished.ts';
import { DocumentActions } from './document-actions.ts';
import { ErrorReports } from './error-reports.ts';
import { Exports } from './exports.ts';
import { FirstStart } from './first-start.ts';
import { GpuLife } from './gpu/gpu-life.ts';
import { isOfText, runKey, tryCommand } from './keys.ts';
import { Lab } from './lab/lab.ts';
import { Labels } from './labels/labels.ts';
import { Alignment } from './layers/alignment.ts';
import { Channels } from './layers/channels.ts';
import { Layers } from './layers/layers.ts';
import { SecondVolume } from './layers/second-volume.ts';
import { FullStatistics } from './measure/full-statistics.ts';
import { measurerOf } from './measure/measure-file.ts';
import { Measuring } from './measure/measuring.ts';
import { Profiles } from './measure/profiles.ts';
import { TimeCurves } from './measure/time-curves.ts';
import { Meshes } from './meshes/meshes.ts';
import { SurfaceFiles } from './meshes/surface-files.ts';
import { Addresses } from './opening/addresses.ts';
import { FileDialogs } from './opening/file-dialogs.ts';
import { FileOpener } from './opening/file-opener.ts';
import { Output } from './output/output.ts';
import { SurfaceSaver } from './output/surface-saver.ts';
import { LostFiles } from './saved/lost-files.ts';
import { SavedSessions } from './saved/saved-sessions.ts';
import { SessionSaver } from './saved/session-saver.ts';
import { AddingQueue } from './state/adding-queue.ts';
import { applyTuning, withTuning } from './state/gpu-tuning.ts';
import { orNotice } from './state/or-notice.ts';
import { readSettings } from './state/settings.ts';
import { type AppState, type AppStore, createAppStore } from './state/store.ts';
import { Undo } from './state/undo.ts';
import { ViewActions } from './view-actions.ts';
import { setUnits } from './words/units.ts';

/** Everything that panels can request, by subject. Results come back through the store. */
export class App {
  readonly host: Host;
  readonly store: AppStore;
  readonly settings: AppSettings;
  readonly commands: readonly Command[];
  readonly opener: FileOpener;
  readonly dialogs: FileDialogs;
  readonly addresses: Addresses;
  readonly document: DocumentActions;
  readonly leaving: LeaveGuard;
  readonly view: ViewActions;
  readonly playback: Playback;
  readonly adding: AddingQueue;
  readonly layers: Layers;
  readonly meshes: Meshes;
  readonly alignment: Alignment;
  readonly channels: Channels;
  readonly labels: Labels;
  readonly second: SecondVolume;
  readonly comparison: Comparison;
  readonly measuring: Measuring;
  readonly fullStatistics: FullStatistics;
  readonly timeCurves: TimeCurves;
  readonly undo: Undo;
  readonly output: Output;
  readonly surfaces: SurfaceSaver;
  readonly exports: Exports;
  readonly queue: CompressQueue;
  readonly lab: Lab;
  readonly reports: ErrorReports;
  readonly firstStart: FirstStart;
  readonly isMac = /mac/i.test(navigator.platform);
  /** Started with `?debug`, or with `stria.debug` in storage: shows commands for testing. */
  readonly debug: boolean;
  readonly #life: DocumentLife;
  readonly #gpuLife: GpuLife;
  /** Files may arrive before the GPU is ready, so they wait for this. */
  #opened: Promise<void> = Promise.resolve();

  /** @param commands creates all commands, which buttons, keys, menus and the palette share */
  constructor(host: Host, commands: (app: App) => Command[]) {
    const store = createAppStore(readSettings(storage()));
    // Must be the first listener of the store, so that the others format text in the right units.
    setUnits(store.getState().settings);
    store.subscribe(({ settings }) => setUnits(settings));
    this.host = host;
    this.store = store;
    this.debug = new URLSearchParams(location.search).has('debug') || storage()?.getItem('stria.debug') === '1';
    this.settings = new AppSettings(store, storage());
    const { set } = this.settings;
    const compressor = new BackgroundCompressor(() => this.settings.current.tunings);
    this.queue = new CompressQueue(host, store, compressor);
    this.lab = new Lab(store, ({ adapter, tuning }) => {
      if (adapter) set({ tunings: withTuning(this.settings.current.tunings, adapter, tuning) });
    });
    this.output = new Output(host, store);
    this.exports = new Exports(host, store);
    this.reports = new ErrorReports(store, this.exports);
    this.surfaces = new SurfaceSaver(host, store, () => this.#life.kept);
    this.leaving = new LeaveGuard(store);
    this.#life = new DocumentLife(host, store, compressor);
    this.#gpuLife = new GpuLife(store, this.#life);
    const engine = () => this.#gpuLife.engine;
    this.firstStart = new FirstStart({
      store,
      set,
      open: (sample) => void this.#life.open({ kind: 'sample', sample }),
      compress: () => this.document.compress(),
      cancel: () => this.document.cancel(),
    });
    this.playback = new Playback(store, {
      targetOf: (viewer, axis) => ({ showFrame: (index) => viewer.frames.show({ axis, index }) }),
      prepare: () => this.document.keepCompressed(),
      cancel: () => this.document.cancel(),
      save: (playback) => set({ playback }),
      loop: {
        now: () => performance.now(),
        request: (callback) => requestAnimationFrame(callback),
        cancel: (request) => cancelAnimationFrame(request),
      },
    });
    this.comparison = new Comparison(
      store,
      engine,
      () => this.#life.kept && { kept: this.#life.kept, chunks: () => this.#life.chunks() },
    );
    const volumes = {
      base: () => this.#life.kept,
      layer: (id: string) => (id === baseId ? this.#life.kept : this.layers.volumes.volumeOf(id)),
    };
    this.adding = new AddingQueue(store);
    this.layers = new Layers(store, engine, this.adding);
    this.alignment = new Alignment(host, store, this.layers);
    this.meshes = new Meshes(store, engine, this.adding, volumes.layer);
    const surfaceFiles = new SurfaceFiles({
      store,
      document: this.#life,
      meshes: this.meshes,
      addLayers: (files) => this.opener.addLayers(files),
    });
    this.second = new SecondVolume(store);
    this.undo = new Undo(store, set);
    const { measureFile } = this.#life;
    this.measuring = new Measuring(store, volumes.base, (measurement, job) => measureFile({ kind: 'region', measurement }, job));
    this.fullStatistics = new FullStatistics(store, measureFile, (statistics) => this.#life.takeStatistics(statistics));
    this.channels = new Channels(store, volumes);
    this.labels = new Labels(host, store, volumes, (volumeId) =>
      volumeId === baseId ? measureFile : measurerOf(() => this.layers.volumes.requestOf(volumeId)),
    );
    new Profiles(store, volumes);
    this.timeCurves = new TimeCurves(store, volumes);
    const restored = { host, store, document: this.#life, layers: this.layers.volumes, meshes: this.meshes };
    const lostFiles = new LostFiles(restored);
    const sessions = new SavedSessions({
      ...restored,
      set,
      restoreTables: (tables) => this.labels.restore(tables),
      playAlong: (axis) => this.playback.choose(axis),
    });
    this.opener = new FileOpener({
      host,
      store,
      document: this.#life,
      leaving: this.leaving,
      queue: this.queue,
      playback: this.playback,
      sessions,
      lostFiles,
      comparison: this.comparison,
      second: this.second,
      layers: this.layers.adding,
      meshes: this.meshes.adding,
      surfaceFiles,
      labels: this.labels,
      alignment: this.alignment,
      gpuOpened: () => this.#opened,
      makeWay: () => this.firstStart.makeWay(),
      showLayers: () => this.settings.showInspector('layers'),
    });
    this.dialogs = new FileDialogs({ host, store, opener: this.opener, lostFiles, meshes: this.meshes });
    this.addresses = new Addresses({
      host,
      store,
      open: (files) => this.opener.open(files),
      openSought: (file) => this.opener.openSought(file),
      seek: (name) => this.#life.seek(name),
      fail: (name, error) => this.#life.fail(name, error),
    });
    this.document = new DocumentActions({
      store,
      settings: this.settings,
      life: this.#life,
      queue: this.queue,
      leaving: this.leaving,
      sessions: new SessionSaver(restored),
      comparison: this.comparison,
    });
    this.view = new ViewActions(store, this.settings, this.channels);
    this.commands = commands(this);
    store.subscribe(showInViewer);
  }

  /** Opens the GPU, and starts to handle menu commands, keys and opened files. */
  async start(): Promise<void> {
    this.host.onMenuCommand((menu) => {
      const command = commandOfMenu(this.commands, menu);
      if (command && isOfText(command, document.activeElement)) document.execCommand(command.id);
      else if (command) tryCommand(this, command);
    });
    this.reports.watch(window);
    window.addEventListener('keydown', (event) => runKey(this, event));
    window.addEventListener('pointerdown', this.undo.beginGesture, true);
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, this.undo.endGesture, true);
    watchUnfinished(this.store, this.host);
    watchMenu(this.store, this.commands, this.host);
    this.host.onFilesOpened(
      (files) => this.opener.open(files),
      (error) => void orNotice(this.store, () => Promise.reject(error)),
    );
    await Promise.all([
      this.host.info().then((shell) => this.store.setState({ shell })),
      this.host.recent().then((recent) => this.store.setState({ recent })),
      this.openGpu(),
    ]);
    if (this.host.givenAddress !== undefined) await this.addresses.openGiven(this.host.givenAddress);
    else if (!this.debug) this.firstStart.begin();
  }

  openGpu(): Promise<void> {
    this.#opened = this.#gpuLife.open();
    return this.#opened;
  }

  /** Playback stops while the Lab is shown. */
  showPage(page: AppState['page']): void {
    this.store.getState().playback?.player.pause();
    this.store.setState({ page, overlay: 'none' });
  }

  runCommand(id: string): void {
    const command = this.commands.find((candidate) => candidate.id === id);
    if (command?.enabled(this.store.getState())) command.run();
  }

  clearRecent(): void {
    void orNotice(this.store, async () => {
      await this.host.clearRecent();
      this.store.setState({ recent: await this.host.recent() });
    });
  }

  /** For testing. */
  loseDevice(): void {
    this.#gpuLife.engine?.gpu.device.destroy();
  }

  /** See `GpuLife.forgetLosses`. */
  forgetLosses(): void {
    this.#gpuLife.forgetLosses();
  }

  /** For the debug hook. */
  get kept() {
    return this.#life.kept;
  }
}

/** Copies the parts of the state that no command sets on the viewer or the device. */
function showInViewer({ gpu, chunks, showChunks, showBricks, settings }: AppState): void {
  if (gpu.kind !== 'ready') return;
  gpu.viewer.overlays.showChunks(showChunks ? chunks : undefined);
  gpu.viewer.overlays.showBricks(showBricks);
  gpu.viewer.setGround(settings.ground);
  applyTuning(settings.tunings, gpu.gpu);
}

function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
