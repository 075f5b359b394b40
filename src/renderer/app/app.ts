import { projections } from '../../core/draw/ray-pass.ts';
import type { RawLayout } from '../../core/io/common/volume-reader.ts';
import type { FaultData } from '../../core/shared/errors.ts';
import { isMeshName } from '../../core/shared/mesh-names.ts';
import type { Host, HostFile } from '../host/host.ts';
import type { ClockSettings } from '../playback/frame-clock.ts';
import { autoView } from '../viewer/model/auto-view.ts';
import { baseId, hasChannelGroup, volumeIdOf } from '../viewer/model/layers.ts';
import type { SceneSide } from '../viewer/model/orientation.ts';
import { type SliceAxis, shows3d, type ViewState } from '../viewer/model/viewer-api.ts';
import { Addresses } from './addresses.ts';
import { type Command, commandOfMenu, watchMenu } from './command.ts';
import { Comparison } from './compare/comparison.ts';
import { BackgroundCompressor } from './compress/background.ts';
import { codecChoice } from './compress/compress-protocol.ts';
import { CompressQueue } from './compress/queue.ts';
import { DocumentLife } from './document/document-life.ts';
import { LeaveGuard } from './document/leave-guard.ts';
import { Playback } from './document/playback.ts';
import { watchUnfinished } from './document/unfinished.ts';
import { ErrorLog } from './error-log.ts';
import { Exports, orNotice } from './exports.ts';
import { FirstStart } from './first-start.ts';
import { diagnosticsText, reportText } from './gpu/diagnostics.ts';
import { GpuLife } from './gpu/gpu-life.ts';
import { isOfText, runKey, tryCommand } from './keys.ts';
import { Lab } from './lab/lab.ts';
import { Labels } from './labels/labels.ts';
import { Alignment } from './layers/alignment.ts';
import { Channels } from './layers/channels.ts';
import { Layers } from './layers/layers.ts';
import { Meshes } from './layers/meshes.ts';
import { SecondVolume } from './layers/second-volume.ts';
import { SurfaceFiles } from './layers/surface-files.ts';
import { completed, completes, joined } from './loading/companions.ts';
import { groupDatasets } from './loading/datasets.ts';
import type { Dropped } from './loading/dropped-files.ts';
import { withStacks } from './loading/picture-stacks.ts';
import { suggestLayouts } from './loading/raw-layout.ts';
import { withSeries } from './loading/series-files.ts';
import { VolumeList } from './loading/volume-list.ts';
import { Measuring } from './measure/measuring.ts';
import { Profiles } from './measure/profiles.ts';
import { TimeCurves } from './measure/time-curves.ts';
import { Output } from './output/output.ts';
import { SurfaceSaver } from './output/surface-saver.ts';
import { SavedSessions } from './saved/saved-sessions.ts';
import { isSessionName } from './session/session-file.ts';
import { isSameDocument } from './state/document-state.ts';
import { applyTuning, withTuning } from './state/gpu-tuning.ts';
import type { Residency } from './state/residency-state.ts';
import type { SampleChoice } from './state/samples.ts';
import { defaultSettings, readSettings, type Settings, writeSettings } from './state/settings.ts';
import { type AppState, type AppStore, createAppStore, openDocument } from './state/store.ts';
import { Undo } from './state/undo.ts';
import { presetWindow } from './view/window-presets.ts';
import { isInViewer } from './when.ts';
import { setUnits } from './words/units.ts';

/** Everything that panels can request. Results come back through the store. */
export class App {
  readonly host: Host;
  readonly store: AppStore;
  readonly queue: CompressQueue;
  readonly lab: Lab;
  readonly addresses: Addresses;
  readonly output: Output;
  readonly exports: Exports;
  readonly comparison: Comparison;
  readonly layers: Layers;
  readonly meshes: Meshes;
  readonly alignment: Alignment;
  readonly channels: Channels;
  readonly labels: Labels;
  readonly timeCurves: TimeCurves;
  readonly second: SecondVolume;
  readonly playback: Playback;
  readonly surfaces: SurfaceSaver;
  readonly undo: Undo;
  readonly measuring: Measuring;
  readonly commands: readonly Command[];
  readonly isMac = /mac/i.test(navigator.platform);
  /** Started with `?debug`, or with `stria.debug` in storage: shows commands for testing. */
  readonly debug: boolean;
  readonly leaving: LeaveGuard;
  readonly firstStart: FirstStart;
  readonly #document: DocumentLife;
  readonly #sessions: SavedSessions;
  readonly #surfaceFiles: SurfaceFiles;
  readonly #gpuLife: GpuLife;
  readonly #errors = new ErrorLog();
  /** The layout to return to from a single view. */
  #layoutOfSeveral: Settings['layout'] = 'quad';
  /** Files may arrive before the GPU is ready, so they wait for this. */
  #opened: Promise<void> = Promise.resolve();

  /** @param commands creates all commands, which buttons, keys, menus and the palette share */
  constructor(host: Host, commands: (app: App) => Command[]) {
    this.host = host;
    this.debug = new URLSearchParams(location.search).has('debug') || storage()?.getItem('stria.debug') === '1';
    this.store = createAppStore(readSettings(storage()));
    // First of all store listeners, so that the others format texts in the right units.
    setUnits(this.store.getState().settings);
    this.store.subscribe(({ settings }) => setUnits(settings));
    const compressor = new BackgroundCompressor(() => this.store.getState().settings.tunings);
    this.queue = new CompressQueue(host, this.store, compressor);
    this.lab = new Lab(this.store, ({ adapter, tuning }) => {
      if (adapter) this.set({ tunings: withTuning(this.store.getState().settings.tunings, adapter, tuning) });
    });
    this.output = new Output(host, this.store);
    this.exports = new Exports(host, this.store);
    this.surfaces = new SurfaceSaver(host, this.store, () => this.#document.kept);
    this.leaving = new LeaveGuard(this.store);
    this.#document = new DocumentLife(host, this.store, compressor);
    this.#gpuLife = new GpuLife(this.store, this.#document);
    this.firstStart = new FirstStart({
      store: this.store,
      open: (sample) => void this.#document.open({ kind: 'sample', sample }),
      compress: () => this.compress(),
      cancel: () => this.cancel(),
      set: (change) => this.set(change),
    });
    this.playback = new Playback(this.store, {
      targetOf: (viewer, axis) => ({ showFrame: (index) => viewer.frames.show({ axis, index }) }),
      prepare: () => this.#keepCompressed(),
      cancel: () => this.#document.cancel(),
      loop: {
        now: () => performance.now(),
        request: (callback) => requestAnimationFrame(callback),
        cancel: (request) => cancelAnimationFrame(request),
      },
    });
    this.#sessions = new SavedSessions({
      host,
      store: this.store,
      document: this.#document,
      layers: {
        requestOf: (id) => this.layers.requestOf(id),
        restore: (requests, lost) => this.layers.restore(requests, lost),
        lostSourceOf: (id) => this.layers.lostSourceOf(id),
      },
      meshes: {
        sourceOf: (id) => this.meshes.sourceOf(id),
        fileOf: (id) => this.meshes.fileOf(id),
        lostFileOf: (id) => this.meshes.lostFileOf(id),
        restore: (sources, lost) => this.meshes.restore(sources, lost),
      },
      restoreTables: (tables) => this.labels.restore(tables),
      set: (change) => this.set(change),
      playAlong: (axis) => this.playback.choose(axis),
    });
    this.addresses = new Addresses({
      host,
      store: this.store,
      open: (files) => this.open(files),
      seek: (name) => this.#document.seek(name),
      fail: (name, error) => this.#document.fail(name, error),
    });
    this.comparison = new Comparison(
      this.store,
      () => this.#gpuLife.engine,
      () => this.#document.kept && { kept: this.#document.kept, chunks: this.#document.chunks },
    );
    this.layers = new Layers(this.store, () => this.#gpuLife.engine);
    this.alignment = new Alignment(host, this.store, this.layers);
    this.meshes = new Meshes(
      this.store,
      () => this.#gpuLife.engine,
      (id) => (id === baseId ? this.#document.kept : this.layers.volumeOf(id)),
    );
    this.#surfaceFiles = new SurfaceFiles({
      store: this.store,
      document: this.#document,
      meshes: this.meshes,
      addLayers: (files) => this.addLayers(files),
    });
    this.second = new SecondVolume(this.store);
    this.undo = new Undo(this.store, (change) => this.set(change));
    this.measuring = new Measuring(
      this.store,
      () => this.#document.kept,
      (measurement, signal) => this.#document.regionOfFile(measurement, signal),
    );
    const volumes = {
      base: () => this.#document.kept,
      layer: (id: string) => (id === baseId ? this.#document.kept : this.layers.volumeOf(id)),
    };
    this.channels = new Channels(this.store, volumes);
    this.labels = new Labels(host, this.store, volumes);
    new Profiles(this.store, volumes);
    this.timeCurves = new TimeCurves(this.store, volumes);
    this.commands = commands(this);
    this.store.subscribe(({ gpu, chunks, showChunks, showBricks, settings }) => {
      if (gpu.kind !== 'ready') return;
      gpu.viewer.overlays.showChunks(showChunks ? chunks : undefined);
      gpu.viewer.overlays.showBricks(showBricks);
      gpu.viewer.setGround(settings.ground);
      applyTuning(settings.tunings, gpu.gpu);
    });
  }

  /** Opens the GPU, and listens to the shell, to keys and for files. */
  async start(): Promise<void> {
    this.host.onMenuCommand((menu) => {
      const command = commandOfMenu(this.commands, menu);
      if (command && isOfText(command, document.activeElement)) document.execCommand(command.id);
      else if (command) tryCommand(this, command);
    });
    this.#errors.watch(window);
    window.addEventListener('keydown', (event) => runKey(this, event));
    window.addEventListener('pointerdown', this.undo.beginGesture, true);
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, this.undo.endGesture, true);
    watchUnfinished(this.store, this.host);
    watchMenu(this.store, this.commands, this.host);
    this.host.onFilesOpened(
      (files) => this.open(files),
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

  /** Opens one volume, or compresses several as a queue. Without a GPU everything goes to the queue. */
  open(files: readonly HostFile[]): void {
    void this.#opened.then(() =>
      orNotice(this.store, async () => {
        const [file] = files;
        // A text file may hold a matrix or something else.
        const isMatrix = file && this.alignment.mayTake(files) && (await this.alignment.take(file));
        if (!isMatrix) this.#open(files);
      }),
    );
  }

  #open(files: readonly HostFile[]): void {
    const session = files.find(({ name }) => isSessionName(name));
    const { document, gpu } = this.store.getState();
    const meshes = files.filter(isMeshFile);
    const others = files.filter((file) => !isMeshFile(file));
    if (this.labels.takes(others)) {
      for (const file of others) void this.labels.load(file);
      this.#showSurfaces(meshes);
      return;
    }
    if (session && gpu.kind === 'failed') {
      this.store.setState({ notice: 'A session needs a GPU to be shown, and there is none here' });
      return;
    }
    if (session) {
      const given = files.filter(({ name }) => !isSessionName(name));
      this.leaving.before(() => void this.#sessions.open(session, given));
      return;
    }
    if (document.kind === 'waiting' && files.length > 0) {
      void this.#sessions.complete(document.session, files);
      return;
    }
    if (document.kind === 'failed' && document.incomplete && completes(files, document.fault.missing)) {
      this.#complete(document.incomplete, document.fault.missing, files);
      return;
    }
    if (others.length > 0) this.#openVolumes(others, meshes);
    else this.#showSurfaces(meshes);
  }

  /** @param meshes surfaces to show over the volume */
  #openVolumes(files: readonly HostFile[], meshes: readonly HostFile[]): void {
    const { gpu, settings } = this.store.getState();
    const datasets = groupDatasets(withSeries(withStacks(files))).map((one) => ({ ...one, primary: joined(one) }));
    const [first] = datasets;
    if (!first) return;
    if (datasets.length > 1 || gpu.kind === 'failed') {
      this.queue.add(datasets);
      this.#showSurfaces(meshes);
      return;
    }
    const { primary: file } = first;
    const isFirst = this.firstStart.makeWay();
    const open = () =>
      this.leaving.before(() => {
        if (file.pictures) this.playback.playNext();
        this.#surfaceFiles.keepFor(file.name, meshes);
        void this.#document.open({ kind: 'file', file, dataset: file.dataset?.id, label: file.dataset?.label });
      });
    const isAlone = isFirst || !isInViewer(this.store.getState()) || openDocument(this.store.getState())?.space !== undefined;
    if (isAlone || settings.openingSecond === 'replace') {
      open();
      return;
    }
    const compare = () => {
      this.compare(files);
      if (meshes.length > 0) this.addLayers(meshes);
    };
    this.second.ask(file.name, { layer: () => this.addLayers([...files, ...meshes]), compare, replace: open });
  }

  /** Shows surfaces over the open volume, or without one. */
  #showSurfaces(meshes: readonly HostFile[]): void {
    if (meshes.length === 0) return;
    if (this.store.getState().gpu.kind === 'failed') {
      this.store.setState({ notice: 'A surface needs a GPU to be shown, and there is none here' });
      return;
    }
    const isFirst = this.firstStart.makeWay();
    // Also while the device is away: the volume stays open.
    if (openDocument(this.store.getState()) && !isFirst) this.addLayers(meshes);
    else {
      this.showInspector('layers');
      if (!this.#surfaceFiles.join(meshes)) this.leaving.before(() => void this.#surfaceFiles.open(meshes));
    }
  }

  /** Adds volumes and meshes as layers over the open volume, one after the other. */
  addLayers(files: readonly HostFile[]): void {
    const meshes = files.filter(isMeshFile);
    const volumes = files.filter((file) => !isMeshFile(file));
    if (openDocument(this.store.getState())?.space && volumes.length > 0) {
      this.#openVolumes(volumes, meshes);
      return;
    }
    const datasets = groupDatasets(withSeries(withStacks(volumes)));
    this.showInspector('layers');
    const wholes = datasets.map((dataset) => joined(dataset));
    const added = this.layers.addAll(
      wholes.map((file) => ({
        request: { kind: 'file', file, dataset: file.dataset?.id, label: file.dataset?.label },
        name: file.name,
      })),
    );
    const { document } = this.store.getState();
    // A volume that could not be added is in the list, with the reason.
    void added.then(async () => {
      const { document: now, layers } = this.store.getState();
      if (meshes.length === 0 || layers.adding.kind !== 'none' || !isSameDocument(now, document)) return;
      // A file for which a surface of the session waits adds no other.
      await orNotice(this.store, async () => {
        const added = await this.#sessions.takeSurfaces(meshes);
        if (!isSameDocument(this.store.getState().document, document)) return;
        if (openDocument(this.store.getState())?.space) await this.#surfaceFiles.add(added);
        else await this.meshes.addFiles(added);
      });
    });
  }

  addLayerDialog(): void {
    void orNotice(this.store, async () => {
      const files = await this.host.openDialog();
      if (files.length > 0) this.addLayers(files);
    });
  }

  /** Asks for the file of the chosen layer or surface, which a session could not find. A surface may need that of its layer. */
  findLayerDialog(): void {
    const { stack, chosen } = this.store.getState().layers;
    if (chosen === undefined) return;
    const owner = this.meshes.sourceOf(chosen)?.from ?? chosen;
    const look = stack.layers.find(({ id }) => id === owner);
    void orNotice(this.store, async () => {
      const files = await this.host.openDialog();
      if (files.length === 0) return;
      const find = look ? this.#sessions.findLayer(volumeIdOf(look), files) : this.#sessions.findSurface(chosen, files);
      const reason = await find;
      const wrongFile = reason === undefined ? undefined : { id: chosen, reason };
      this.store.setState(({ layers }) => ({ layers: { ...layers, wrongFile } }));
    });
  }

  /** Asks for a table, and gives its names and colours to the labels that are shown. */
  loadLabelTable(): void {
    void orNotice(this.store, () => this.labels.loadDialog());
  }

  showInspector(inspectorTab: Settings['inspectorTab']): void {
    this.set({ inspectorTab, inspectorOpen: true });
  }

  /** @param asSecond compares it with the open volume */
  async openDropped(dropped: Promise<Dropped>, asSecond = false): Promise<void> {
    await orNotice(this.store, async () => {
      const { files, folders } = await dropped;
      if (files.length + folders.length === 0) return;
      const adopted = await this.host.adopt(files, folders);
      if (asSecond) this.compare(adopted);
      else this.open(adopted);
    });
  }

  openDialog(): void {
    void orNotice(this.store, async () => this.open(await this.host.openDialog()));
  }

  /** Asks for the file that is missing beside this one, and opens both. */
  completeDialog(file: HostFile, missing: readonly string[]): void {
    void orNotice(this.store, async () => {
      const given = await this.host.openDialog();
      if (given.length > 0) this.#complete(file, missing, given);
    });
  }

  #complete(file: HostFile, missing: readonly string[] = [], given: readonly HostFile[]): void {
    void this.#document.open({ kind: 'file', file: completed(file, missing, given) });
  }

  openFolderDialog(): void {
    void orNotice(this.store, async () => {
      const folder = await this.host.openFolderDialog();
      if (folder) this.open([folder]);
    });
  }

  /** Looks through a file or folder for its volumes. The caller ends it. */
  listVolumes(file: HostFile): VolumeList {
    return new VolumeList(file);
  }

  /** Opens one of the volumes of a file or folder. */
  openChoice(file: HostFile, dataset: string, label: string): void {
    this.leaving.before(() => void this.#document.open({ kind: 'file', file, dataset, label }));
  }

  /** Compares the first volume of these files with the open one. */
  compare(files: readonly HostFile[]): void {
    const [first] = groupDatasets(withSeries(withStacks(files)));
    if (first) void this.comparison.open({ kind: 'file', file: joined(first) }, first.primary.name);
  }

  compareDialog(): void {
    void orNotice(this.store, async () => this.compare(await this.host.openDialog()));
  }

  /**
   * Shows the difference between the volume and its compressed version. For a volume kept compressed the source is read
   * again, since it would otherwise be compared with itself.
   */
  compareCompressed(): void {
    const state = this.store.getState();
    const document = openDocument(state);
    if (!document) return;
    const { request } = this.#document;
    if (state.residency?.kept === 'compressed' && request)
      void this.comparison.open(request, `${document.name}, read again`, 'difference');
    else void this.comparison.openCompressed(`${document.name}, compressed and restored`);
  }

  openRecent(id: string, name: string): void {
    this.host.openRecent(id).then(
      (file) => this.open([file]),
      (error: unknown) => this.leaving.before(() => this.#document.fail(name, error)),
    );
  }

  openSample(sample: SampleChoice): void {
    void this.#opened.then(() => {
      this.firstStart.makeWay();
      this.leaving.before(() => void this.#document.open({ kind: 'sample', sample }));
    });
  }

  openRaw(file: HostFile, raw: RawLayout): void {
    void this.#document.open({ kind: 'file', file, raw });
  }

  /** Asks for the layout of a file that no reader recognises. */
  askLayout(file: HostFile): void {
    this.#document.ask({ kind: 'layout', file, suggestions: suggestLayouts(file.name, file.size) });
  }

  close(): void {
    this.leaving.before(() => this.#document.close());
  }

  cancel(): void {
    this.#document.cancel();
  }

  compress(): void {
    this.set({ foldedSections: this.store.getState().settings.foldedSections.filter((name) => name !== 'compression') });
    void this.#document.jobs.compress(codecChoice(this.store.getState()));
  }

  /** Keeps the volume in GPU memory as voxels or compressed. Resolves with whether that succeeded. */
  setResidency(residency: Residency): Promise<boolean> {
    return this.#document.jobs.setResidency(residency, codecChoice(this.store.getState()));
  }

  /** False if it was cancelled. A volume that cannot be compressed, because it is not complete, is played uncompressed. */
  async #keepCompressed(): Promise<boolean> {
    const { residency } = this.store.getState();
    return !residency?.canBeCompressed || residency.kept === 'compressed' || this.setResidency('compressed');
  }

  save(): void {
    void this.#document.jobs.save();
  }

  /** Saves the open volume's view as a `.stria-session`. */
  saveSession(): void {
    void orNotice(this.store, async () => {
      const notice = await this.#sessions.save();
      if (notice !== undefined) this.store.setState({ notice });
    });
  }

  clearRecent(): void {
    void orNotice(this.store, async () => {
      await this.host.clearRecent();
      this.store.setState({ recent: await this.host.recent() });
    });
  }

  set(change: Partial<Settings>): void {
    const settings = { ...this.store.getState().settings, ...change };
    this.store.setState({ settings });
    writeSettings(storage(), settings);
  }

  /** Resets all settings except the layout and the inspector. */
  resetSettings(): void {
    const { layout, inspectorOpen, inspectorWidth, inspectorTab, foldedSections, introduced } = this.store.getState().settings;
    this.set({ ...defaultSettings, layout, inspectorOpen, inspectorWidth, inspectorTab, foldedSections, introduced });
  }

  /** Resets the workgroup sizes of this GPU to the defaults. */
  resetTuning(): void {
    const { gpu, settings } = this.store.getState();
    const adapter = gpu.kind === 'ready' ? gpu.gpu.diagnosis.adapter : undefined;
    if (adapter) this.set({ tunings: withTuning(settings.tunings, adapter, undefined) });
  }

  setPlayback(change: Partial<ClockSettings>): void {
    this.set({ playback: { ...this.store.getState().settings.playback, ...change } });
    this.playback.set(change);
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

  stepSlice(by: number): void {
    const viewer = this.#gpuLife.engine?.viewer;
    if (!viewer) return;
    const crosshair = [...viewer.snapshot().state.crosshair] as [number, number, number];
    const axis = 'xyz'.indexOf(this.store.getState().sliceAxis);
    crosshair[axis] = (crosshair[axis] as number) + by;
    viewer.set({ crosshair });
  }

  showSlice(sliceAxis: SliceAxis): void {
    this.store.setState({ sliceAxis });
    this.set({ layout: 'slice' });
  }

  /** Shows only one view (without an axis: the 3D view), or returns to the previous layout. */
  toggleAlone(axis: SliceAxis | undefined): void {
    const { layout } = this.store.getState().settings;
    if (layout === '3d' || layout === 'slice') this.set({ layout: this.#layoutOfSeveral });
    else {
      this.#layoutOfSeveral = layout;
      if (axis) this.showSlice(axis);
      else this.set({ layout: '3d' });
    }
  }

  resetView(): void {
    this.#gpuLife.engine?.viewer.views.reset();
  }

  /** Resets zoom and pan of the slices, but not of the 3D view. */
  fitSlices(): void {
    this.#gpuLife.engine?.viewer.views.fit();
  }

  /** Turns the 3D view to a side, and shows it if it is hidden. */
  lookFrom({ toEye }: SceneSide): void {
    this.#show3d();
    this.#gpuLife.engine?.viewer.views.lookFrom(toEye);
  }

  #show3d(): void {
    if (!shows3d(this.store.getState().settings.layout)) this.set({ layout: 'quad' });
  }

  /** Shows or hides the clip handles. Showing them switches to a layout with a 3D view. */
  showClipHandles(clipHandles: boolean): void {
    if (clipHandles) this.#show3d();
    this.store.setState({ clipHandles });
  }

  /** Adds an oblique clip plane that faces the camera, or removes it. */
  toggleCut(): void {
    const viewer = this.#gpuLife.engine?.viewer;
    if (viewer?.snapshot().state.cut) viewer.set({ cut: undefined });
    else viewer?.cutFacing();
  }

  /** @param preset see window-presets.ts */
  presetWindow(preset: string): void {
    const state = this.store.getState();
    const document = openDocument(state);
    // The statistics of the volume are those of all channels.
    if (preset === 'auto' && hasChannelGroup(state.layers.stack)) void this.channels.contrast(baseId);
    else if (document) this.changeView(() => ({ window: presetWindow(preset, document) }));
  }

  resetOpacity(): void {
    const document = openDocument(this.store.getState());
    if (document) this.changeView(() => ({ opacity: autoView(document.info, document.statistics).opacity }));
  }

  /** Changes the view of the open volume, if there is one. */
  changeView(change: (state: ViewState) => Partial<ViewState>): void {
    const viewer = this.#gpuLife.engine?.viewer;
    viewer?.set(change(viewer.snapshot().state));
  }

  nextProjection(): void {
    this.changeView(({ projection }) => ({
      projection: projections[(projections.indexOf(projection) + 1) % projections.length] ?? 'mip',
    }));
  }

  async copyDiagnostics(fault?: FaultData): Promise<void> {
    const text = await diagnosticsText(this.store.getState(), fault, this.#errors.entries);
    await navigator.clipboard.writeText(text).then(
      () => this.store.setState({ notice: 'Diagnostics copied' }),
      () => this.store.setState({ notice: 'The clipboard is not available here', overlay: 'about' }),
    );
  }

  /** Saves a report that a person can read before sending it. */
  async saveReport(fault?: FaultData): Promise<void> {
    const text = await reportText(this.store.getState(), fault, this.#errors.entries);
    await this.exports.saveText('stria-report.txt', text);
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
    return this.#document.kept;
  }
}

function isMeshFile({ name, folder }: HostFile): boolean {
  return folder === undefined && isMeshName(name);
}

function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
