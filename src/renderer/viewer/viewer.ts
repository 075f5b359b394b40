import type { ChunkMap } from '../../core/chunks/chunk-map.ts';
import type { GpuMesh } from '../../core/draw/gpu-mesh.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import { BrickFeed } from './brick-feed.ts';
import { CanvasSize } from './canvas-size.ts';
import { withPresentName } from './colors/colormaps.ts';
import { type Ground, grounds } from './colors/grounds.ts';
import { DisplayFeed } from './display-feed.ts';
import type { BrickFile } from './draw/brick-space.ts';
import { LayerDisplays, type WantedDisplay } from './draw/layer-displays.ts';
import { besidesVolume } from './draw/one-volume.ts';
import { SliceRenderer } from './draw/slice-renderer.ts';
import { decodeMs, frameAxis, withFrame } from './frames.ts';
import { default3d, defaultColors, firstView } from './model/auto-view.ts';
import type { CameraFrame, ScenePoint } from './model/camera-frame.ts';
import { facingCut } from './model/cut-plane.ts';
import { type DetailFault, withDetailFault } from './model/detail-faults.ts';
import { fittedView } from './model/fitted-view.ts';
import type { ShownLabels } from './model/label-look.ts';
import { layerVoxelAt, shownLayers, shownMeshes } from './model/layer-place.ts';
import { baseId, layersIn3d, layerTime, noLayers, volumeIdOf } from './model/layers.ts';
import { checkPictureSize, type PictureRequest, type ViewPicture } from './model/picture.ts';
import type { FittedScales, Viewpoints } from './model/same-place.ts';
import { type SliceOnScreen, type Voxel, voxelAt } from './model/slice-geometry.ts';
import { emptyBoard, type LayerIn3d, type MeasureBoard, type ShownLayer, type View, type ViewHost } from './model/view-host.ts';
import type { BrickMemory, Frame, FrameReport, SliceAxis, ViewerSnapshot, ViewState } from './model/viewer-api.ts';
import { type LayerWish, ProbeReader } from './probe-reader.ts';
import { ObliqueView } from './slices/oblique-view.ts';
import { SliceCanvas } from './slices/slice-canvas.ts';
import { SliceView } from './slices/slice-view.ts';
import { type FrameTime, VolumeView } from './space/volume-view.ts';

/** What a canvas shows: the 3D view, the slice across a voxel axis, or the oblique slice. */
export type ViewName = '3d' | 'x' | 'y' | 'z' | 'oblique';

const initialState: ViewState = {
  ...default3d,
  ...defaultColors,
  projection: 'mip',
  window: [0, 255],
  level: 127,
  colormap: 'gray',
  opacity: [
    [0, 0],
    [1, 1],
  ],
  crosshair: [0, 0, 0],
  timePoint: 0,
  smooth: false,
  slab: { kind: 'none', thickness: 5 },
  sliceSlabs: undefined,
  oblique: { turn: 0, tilt: 0 },
  layers: noLayers,
};

/** A view that shows a slice. */
export type SliceName = Exclude<ViewName, '3d'>;

/** During playback, panels are notified at this interval in milliseconds. */
const playingNoticeMs = 200;

/**
 * Draws a volume in GPU memory, in 3D and in slices. Without React: panels write through `set` and read snapshots, which
 * change on probe, crosshair and state changes, never at frame rate. It draws only when something changed.
 */
export class Viewer {
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #slices: SliceRenderer;
  readonly #display: DisplayFeed;
  readonly #bricks: BrickFeed;
  readonly #layerDisplays: LayerDisplays;
  readonly #probe: ProbeReader;
  readonly #views = new Map<ViewName, { view: View; detach: () => void; isFitted: () => boolean }>();
  readonly #listeners = new Set<() => void>();
  readonly #drawnListeners = new Set<() => void>();
  readonly #cameraListeners = new Set<(frame: CameraFrame) => void>();
  readonly #dirty = new Set<View>();
  readonly #host: ViewHost;
  #volume: VolumeSource | undefined;
  #layers: ReadonlyMap<string, VolumeSource> = new Map();
  #meshes: ReadonlyMap<string, GpuMesh> = new Map();
  #labels: ReadonlyMap<string, ShownLabels> = new Map();
  /** The viewer that draws this one's layers, too. */
  #borrower: Viewer | undefined;
  #ground: Ground = 'near-black';
  /** Viewpoints for views that are attached later. */
  #firstViewpoints: Viewpoints = {};
  #chunks: ChunkMap | undefined;
  #showsBricks = false;
  /** The `BrickMap.version` on the slices. */
  #paintedBricks: number | undefined;
  #board = emptyBoard;
  #snapshot: ViewerSnapshot = {
    info: undefined,
    state: initialState,
    probe: undefined,
    decimation: 1,
    detailFaults: {},
    missingIn3d: [],
  };
  /** The display texture exists or is being created. */
  #has3d = false;
  #frameRequest: number | undefined;
  #drawnFrames = 0;
  #fixedScale: number | undefined;
  /** The arguments of the last `prepareFrames`, and the timer of the next notification. */
  #prepared = '';
  #noticeTimer: ReturnType<typeof setTimeout> | undefined;
  /** Counts `setVolume` calls, so that an outdated call stops. */
  #turn = 0;

  /** @param gpu belongs to the caller; the viewer frees only what it created */
  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.#format = navigator.gpu.getPreferredCanvasFormat();
    this.#slices = new SliceRenderer(gpu, this.#format);
    this.#display = new DisplayFeed(
      () => {
        this.#volumeView()?.setVolume(this.#display.shown);
        this.#followBricks();
      },
      () => this.requestRender(),
    );
    this.#bricks = new BrickFeed(gpu, () => this.#volume?.numbers ?? [-Infinity, Infinity], {
      changed: () => this.#bricksChanged(),
      arrived: () => {
        this.#volumeView()?.refresh();
        this.#requestFrame(this.#obliqueViews());
      },
    });
    this.#layerDisplays = new LayerDisplays(() => this.#layersDisplayed());
    this.#probe = new ProbeReader((probe, beyond) => this.#change({ probe, beyond }));
    const viewer = this;
    this.#host = {
      get state() {
        return viewer.#snapshot.state;
      },
      get volume() {
        return viewer.#volume;
      },
      get labels() {
        return viewer.#labels.get(baseId);
      },
      get ground() {
        return grounds[viewer.#ground];
      },
      get chunks() {
        return (viewer.#showsBricks ? viewer.#bricks.map : undefined) ?? viewer.#chunks;
      },
      get board() {
        return viewer.#board;
      },
      get hasOblique() {
        return viewer.#views.get('oblique')?.view.isShown === true;
      },
      set: this.set,
      layersIn: (state) => this.#layersIn(state),
      layersIn3d: (state) => this.#layersIn3d(state),
      meshesIn: ({ layers }) => (this.#volume ? shownMeshes(this.#volume.info, layers, (id) => this.#meshes.get(id)) : []),
      probe: (position) => this.#probeAt(position),
      requestRender: (view) => this.#requestFrame([view]),
      detailFailed: (view, fault) => this.#detailFailed(view, fault),
      drawn: () => {
        this.#drawnFrames++;
      },
    };
  }

  /**
   * Shows a volume, or nothing. The volume belongs to the caller, who must await `setVolume(undefined)` before destroying it.
   * @param state initial state; default: `firstView` of its statistics. All views are reset.
   * @param with3d whether a 3D view is visible, or will be at once, so that its texture is created immediately
   * @throws StriaError `device-lost`, `out-of-memory`
   */
  async setVolume(volume: VolumeSource | undefined, state?: ViewState, with3d = true): Promise<void> {
    const turn = ++this.#turn;
    this.#probe.clear();
    this.#volume = undefined;
    this.#bricks.close();
    this.#followLayers();
    await this.#display.clear();
    await this.#layerDisplays.settled();
    this.#change({ info: undefined, probe: undefined, decimation: 1, detailFaults: {} });
    this.requestRender();
    if (!volume || turn !== this.#turn) return;
    // Needed even with a given state, since the statistics tell which values mark missing data.
    const statistics = await volume.statistics();
    const first = withPresentName(state ?? firstView(volume.info, statistics));
    if (turn !== this.#turn) return;
    this.#take(volume);
    this.#change({ info: volume.info, state: first, probe: undefined, decimation: volume.decimation });
    this.resetView();
    this.#has3d = with3d;
    this.#followLayers();
    if (with3d) await this.#display.show(volume, first.timePoint);
    if (turn === this.#turn) this.prepareFrames(volume.info.dims[3] > 1 ? 't' : 'z');
  }

  /**
   * The voxels of the layers in `ViewState.layers`, by id (`volumeIdOf`); layers without voxels are not drawn. They belong to the caller, who
   * may destroy those of an earlier call at once.
   */
  setLayers(layers: ReadonlyMap<string, VolumeSource>): void {
    this.#layers = layers;
    this.#layerDisplays.memoryFreed();
    this.#probe.clear();
    this.#followLayers();
    this.requestRender();
    this.#borrower?.setLayers(layers);
  }

  /**
   * Lends the voxels, triangles and label tables of the layers to another viewer, now and whenever they change. Which of them it draws,
   * its own state says. @param borrower undefined: nobody any more
   */
  lendLayers(borrower: Viewer | undefined): void {
    this.#borrower?.setLayers(new Map());
    this.#borrower?.setMeshes(new Map());
    this.#borrower = borrower;
    borrower?.setLayers(this.#layers);
    borrower?.setMeshes(this.#meshes);
    borrower?.setLabels(lentLabels(this.#labels));
  }

  /** The bricks of the open volume's file, from which the 3D view and the oblique slice draw what GPU memory lacks. They belong to the caller. */
  setBricks(file: BrickFile | undefined): void {
    this.#bricks.set(file);
    this.#followBricks();
    this.#bricksChanged();
  }

  /** The memory of the 3D view's bricks, if it draws from any. */
  get brickMemory(): BrickMemory | undefined {
    return this.#bricks.memory;
  }

  /** The meshes in `ViewState.layers`, by id. They belong to the caller, like layers. */
  setMeshes(meshes: ReadonlyMap<string, GpuMesh>): void {
    this.#meshes = meshes;
    this.#bricksChanged();
    this.requestRender();
    this.#borrower?.setMeshes(meshes);
  }

  /** The labels of the layers, and of the open volume (`baseId`); those of unknown volumes have the colours of the palette. */
  setLabels(labels: ReadonlyMap<string, ShownLabels>): void {
    this.#labels = labels;
    this.#bricksChanged();
    this.requestRender();
    this.#borrower?.setLabels(lentLabels(labels));
  }

  /**
   * Continues with the same volume kept in another way. State and cameras stay. Resolves when the previous one is no longer
   * in use. @param keepsPicture the 3D view shows the previous one until the next can be drawn, with the memory of both
   * @throws StriaError `device-lost`, `out-of-memory`
   */
  async exchangeVolume(volume: VolumeSource, keepsPicture = false): Promise<void> {
    const turn = ++this.#turn;
    this.#probe.clear();
    this.#take(volume);
    this.#followLayers();
    this.#change({ decimation: volume.decimation, detailFaults: {} });
    this.requestRender();
    if (keepsPicture && this.#has3d) {
      const { timePoint } = this.#snapshot.state;
      await this.#display.show(volume, timePoint).catch(async (error: unknown) => {
        await this.#display.clear();
        throw error;
      });
      await this.#layerDisplays.settled();
      if (turn === this.#turn) this.prepareFrames(volume.info.dims[3] > 1 ? 't' : 'z');
      return;
    }
    await this.#display.clear();
    await this.#layerDisplays.settled();
    if (turn === this.#turn && this.#has3d) await this.#display.show(volume, this.#snapshot.state.timePoint);
    if (turn === this.#turn) this.prepareFrames(volume.info.dims[3] > 1 ? 't' : 'z');
  }

  /**
   * Draws a view into a canvas, at its CSS size times the screen's pixel ratio, and listens to its pointer and wheel. The
   * canvas may have no context except one from an earlier `attach`. A view is on one canvas at a time: the last.
   * @returns detaches
   */
  attach(name: ViewName, canvas: HTMLCanvasElement): () => void {
    this.#views.get(name)?.detach();
    const view =
      name === '3d'
        ? new VolumeView(this.#gpu, canvas, this.#host)
        : name === 'oblique'
          ? new ObliqueView(this.#gpu, this.#slices, this.#format, canvas, this.#host)
          : new SliceView(this.#gpu, this.#slices, this.#format, name, canvas, this.#host);
    if (view instanceof VolumeView) {
      view.fixedScale = this.#fixedScale;
      view.setVolume(this.#display.shown);
      view.setBricks(this.#bricks.space);
    }
    if (view instanceof ObliqueView) view.setBricks(this.#bricks.space);
    const resize = (): void => {
      view.resize(canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio);
      this.#requestFrame([view]);
      if (name === '3d') this.#follow3d();
      // The other views show where the oblique slice cuts them.
      if (name === 'oblique') {
        this.#followBricks();
        this.requestRender();
      }
    };
    const size = new CanvasSize(canvas, resize);
    const detach = (): void => {
      if (this.#views.get(name)?.view !== view) return;
      size.disconnect();
      this.#detailFailed(view, undefined);
      this.#views.delete(name);
      this.#dirty.delete(view);
      view.dispose();
      if (name === '3d') this.#follow3d();
      if (name === 'oblique') this.#followBricks();
    };
    this.#views.set(name, { view, detach, isFitted: () => size.isFitted });
    size.fit();
    view.reset();
    const first = this.#firstViewpoints[name];
    if (first) view.viewpoint = first;
    this.#firstViewpoints = { ...this.#firstViewpoints, [name]: undefined };
    return detach;
  }

  /**
   * Replaces parts of the state and redraws. Crosshair and time point are clamped to the volume, and the window is ordered by
   * physical value.
   */
  readonly set = (change: Partial<ViewState>): void => {
    const state = this.#fitted(withPresentName({ ...this.#snapshot.state, ...change }));
    const before = this.#snapshot.state;
    if (JSON.stringify(state) === JSON.stringify(before)) return;
    this.#change({ state });
    // The 3D view shows the outline of the oblique slice.
    const notIn3d = {
      smooth: 0,
      missing: 0,
      slab: 0,
      sliceSlabs: 0,
      ...(!this.#host.hasOblique && { crosshair: 0, oblique: 0 }),
    };
    const is3dSame = JSON.stringify({ ...state, ...notIn3d }) === JSON.stringify({ ...before, ...notIn3d });
    if (state.timePoint !== before.timePoint && this.#volume && this.#has3d) {
      // This fails only if the device is lost, which `Gpu.onLost` reports.
      this.#display.show(this.#volume, state.timePoint).catch(() => {});
    }
    this.#followLayers();
    this.#bricksChanged();
    const views = [...this.#views].filter(([name]) => name !== '3d' || !is3dSame);
    this.#requestFrame(views.map(([, { view }]) => view));
  };

  /**
   * Shows a slice (in the view across its axis) or a time point (in all views) in the current task, for playback at any rate.
   * Compressed frames are decoded in the submit that draws them; after `prepareFrames` nothing is uploaded. The crosshair or
   * time point of the state follows, and panels are notified a few times a second.
   * @returns when the GPU has finished the frame
   * @throws StriaError `invalid-input` if nothing is shown, `device-lost`
   */
  async showFrame({ axis, index }: Frame): Promise<FrameReport> {
    const volume = this.#volume;
    if (!volume) throw new StriaError('invalid-input', 'there is no volume to show a frame of');
    const { state } = this.#snapshot;
    const next = this.#fitted(withFrame(state, { axis, index }));
    this.#snapshot = { ...this.#snapshot, state: next };
    this.prepareFrames(axis);
    const commands = this.#gpu.commands('frame', this.#gpu.hasTimestamps ? () => {} : undefined);
    const is3dNew = axis === 't' && next.timePoint !== state.timePoint && this.#display.shown !== undefined;
    if (is3dNew) {
      volume.recordDisplay(commands, next.timePoint);
      this.#layerDisplays.record(commands, this.#wantedDisplays());
    }
    for (const { view } of this.#views.values()) {
      if (!(view instanceof SliceView && view.isShown)) continue;
      view.record(commands);
      this.#dirty.delete(view);
    }
    const submittedAt = performance.now();
    const submitted = commands.submit();
    // A volume decoded layer by layer waits for the next notification.
    if (volume.holdsTimePoints) this.#views.get('oblique')?.view.render();
    if (is3dNew) {
      this.#display.changed();
      this.#followLayers();
      this.#volumeView()?.render();
    }
    this.#noticeTimer ??= setTimeout(() => {
      this.#noticeTimer = undefined;
      this.#change({});
      // Work that no frame waits for: the outline of the oblique slice, and its picture if that takes longer.
      if (this.#host.hasOblique) {
        const late = [this.#volumeView(), this.#volume?.holdsTimePoints ? undefined : this.#views.get('oblique')?.view];
        this.#requestFrame(late.filter((view) => view !== undefined));
      }
    }, playingNoticeMs);
    const { stages, wallMs } = await submitted;
    return { decodeMs: decodeMs(stages), presentedAt: submittedAt + wallMs };
  }

  /**
   * Creates the decode tables for frames along an axis, so that `showFrame` uploads nothing. `showFrame` calls it by itself.
   * The tables stay valid until the crosshair moves along another axis.
   */
  prepareFrames(axis: Frame['axis']): void {
    const { crosshair, timePoint } = this.#snapshot.state;
    const number = frameAxis(axis);
    const position = [...crosshair, timePoint] as const;
    const shown = [...this.#views].filter(([, { view }]) => view.isShown).map(([name]) => name);
    const key = [axis, position.toSpliced(number, 1), shown, this.#display.shown !== undefined].join();
    if (key === this.#prepared) return;
    this.#prepared = key;
    this.#volume?.prepareFrames(number, position);
  }

  /** Reads the crosshair's voxel as if the pointer were over it, for keyboard use. */
  probeCrosshair(): void {
    const [x, y, z] = this.#snapshot.state.crosshair;
    this.#host.probe([x + 0.5, y + 0.5, z + 0.5]);
  }

  /** Paints the chunks over slices, each in the colour of its way; undefined for none. They must belong to the volume shown. */
  showChunks(chunks: ChunkMap | undefined): void {
    if (chunks === this.#chunks) return;
    this.#chunks = chunks;
    this.requestRender();
  }

  /** Paints over slices which bricks of the 3D view are loaded, in place of chunks. */
  showBricks(isOn: boolean): void {
    if (isOn === this.#showsBricks) return;
    this.#showsBricks = isOn;
    this.requestRender();
  }

  /** Shows measurements on the slices, and lets the pointer create and change them. */
  showMeasurements(board: MeasureBoard): void {
    this.#board = board;
    for (const view of this.#sliceViews()) view.boardChanged();
    this.#requestFrame(this.#sliceViews());
  }

  /** Cancels a measurement in progress. @returns whether there was one */
  cancelMeasuring(): boolean {
    return this.#sliceViews().some((view) => view.cancelMeasuring());
  }

  /** Sets the tool's next point at the crosshair, for measuring by keyboard. */
  measureAtCrosshair(axis: SliceAxis): void {
    const view = this.#views.get(axis)?.view;
    if (view instanceof SliceView) view.measureAtCrosshair();
  }

  /** Sets the background of the viewports. */
  setGround(ground: Ground): void {
    if (ground === this.#ground) return;
    this.#ground = ground;
    this.requestRender();
  }

  /** Stable between changes, as `useSyncExternalStore(viewer.subscribe, viewer.snapshot)` needs it. */
  readonly snapshot = (): ViewerSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Follows the 3D view's camera. The listener is called at once if there is one, and before each new frame is on screen. Not
   * for React state, since it runs at frame rate. @returns stops following
   */
  readonly followCamera = (listener: (frame: CameraFrame) => void): (() => void) => {
    this.#cameraListeners.add(listener);
    const view = this.#volumeView();
    if (view?.isShown) listener(view.cameraFrame);
    return () => this.#cameraListeners.delete(listener);
  };

  /**
   * Whether a view, or every view, shows everything requested at full quality, so that nothing is drawn until something
   * changes.
   */
  isSettled(name?: ViewName): boolean {
    if (this.#frameRequest !== undefined || this.#display.isBusy || this.#bricks.isBusy || this.#layerDisplays.isBusy)
      return false;
    return [...this.#views].every(([each, { view, isFitted }]) => (name ?? each) !== each || (isFitted() && view.isSettled));
  }

  /** Whether the 3D view's picture, if any, is at full quality. */
  get isSharp(): boolean {
    const view = this.#volumeView();
    return !view?.isShown || view.isSharp;
  }

  /** Fixes the 3D view's resolution, whatever the GPU can do, so that pictures of it can be compared. */
  fixScale(scale: number): void {
    this.#fixedScale = scale;
    const view = this.#volumeView();
    if (view) view.fixedScale = scale;
    this.requestRender();
  }

  /** Records frame times of the visible 3D view from now on. */
  recordFrameTimes(): readonly FrameTime[] {
    const times: FrameTime[] = [];
    const view = this.#volumeView();
    if (view) view.onMeasured = (frame) => times.push(frame);
    return times;
  }

  /** The number of frames, and strips of frames, submitted so far. */
  get drawnFrames(): number {
    return this.#drawnFrames;
  }

  /** Viewpoints of the visible views. */
  viewpoints(): Viewpoints {
    const shown = [...this.#views].filter(([, { view }]) => view.isShown);
    return Object.fromEntries(shown.map(([name, { view }]) => [name, view.viewpoint]));
  }

  /** Views shown from now on start at these viewpoints, each once, unless the view is reset before. */
  startFrom(viewpoints: Viewpoints): void {
    this.setViewpoints(viewpoints);
    this.#firstViewpoints = viewpoints;
  }

  /** Moves the visible views to given viewpoints. */
  setViewpoints(viewpoints: Viewpoints): void {
    for (const [name, { view }] of this.#views) {
      const viewpoint = viewpoints[name];
      if (viewpoint && view.isShown) view.viewpoint = viewpoint;
    }
  }

  /** Called after views were drawn because of a change; at frame rate while things move. @returns stops listening */
  onDrawn(listener: () => void): () => void {
    this.#drawnListeners.add(listener);
    return () => this.#drawnListeners.delete(listener);
  }

  /** Draws all views at the next animation frame. */
  requestRender(): void {
    this.#requestFrame([...this.#views.values()].map(({ view }) => view));
  }

  /** Resets camera, zoom and pan. The state stays. */
  resetView(): void {
    this.#firstViewpoints = {};
    for (const { view } of this.#views.values()) view.reset();
    this.requestRender();
  }

  /** Resets zoom and pan of one slice or of all. */
  fit(name?: SliceName): void {
    for (const [each, view] of this.#canvases()) {
      if ((name ?? each) !== each || !view.isMoved) continue;
      view.reset();
      this.#requestFrame([view]);
    }
  }

  /** Whether a slice was panned or zoomed. */
  isMoved(name: SliceName): boolean {
    return this.#canvases().some(([each, view]) => each === name && view.isShown && view.isMoved);
  }

  /** Where a visible slice lies on the screen. */
  onScreen(name: SliceName): SliceOnScreen | undefined {
    return this.#canvases().find(([each]) => each === name)?.[1].onScreen;
  }

  /** CSS pixels per spatial unit at a zoom of 1, for the visible slices. */
  fittedScales(): FittedScales {
    return Object.fromEntries(this.#canvases().flatMap(([name, { fittedScale }]) => (fittedScale ? [[name, fittedScale]] : [])));
  }

  /**
   * Turns the oblique clip plane to face the 3D camera, through the same point or else through the volume's centre. The near
   * side is cut away.
   */
  cutFacing(): void {
    const frame = this.#volumeView()?.cameraFrame;
    if (frame) this.set({ cut: facingCut(this.#snapshot.state.cut, frame) });
  }

  /** Turns the 3D view, if there is one, to view from a direction of its scene; see `sceneSides`. */
  lookFrom(direction: ScenePoint): void {
    this.#volumeView()?.lookFrom(direction);
  }

  /**
   * Draws a visible view as a picture of any size.
   * @throws StriaError `invalid-input` if it is not visible, `limit-too-small`, `aborted`, `device-lost`
   */
  async picture(name: ViewName, request: PictureRequest): Promise<ViewPicture> {
    const { width, height } = request;
    checkPictureSize(width, height, this.longestPictureEdge);
    const view = this.#views.get(name)?.view;
    if (!view?.isShown || !this.#volume) throw new StriaError('invalid-input', `there is no ${name} view to take a picture of`);
    if (name === '3d') await Promise.all([this.#display.settled(), this.#layerDisplays.settled()]);
    if (name === '3d' || name === 'oblique') await this.#bricks.opened();
    return view.picture(request);
  }

  /** In pixels. */
  get longestPictureEdge(): number {
    return this.#gpu.device.limits.maxTextureDimension2D;
  }

  /** The stored value of a voxel, read back. @throws StriaError `invalid-input` outside the volume or without one, `device-lost` */
  async storedAt(voxel: ViewState['crosshair'], timePoint: number): Promise<number> {
    if (!this.#volume) throw new StriaError('invalid-input', 'there is no volume to read from');
    return this.#volume.voxel(...voxel, timePoint);
  }

  /** The sizes of the visible views, in CSS pixels. */
  shownSizes(): ReadonlyMap<ViewName, readonly [width: number, height: number]> {
    const shown = [...this.#views].filter(([, { view }]) => view.isShown);
    return new Map(shown.map(([name, { view }]) => [name, [view.canvas.clientWidth, view.canvas.clientHeight]]));
  }

  /** A thumbnail of the 3D view, or else of a slice, as a PNG data URL; undefined if nothing is attached. */
  async thumbnail(width = 160, height = 120): Promise<string | undefined> {
    const source = (['3d', 'z', 'y', 'x'] as const).map((name) => this.#drawNow(name)).find((canvas) => canvas !== undefined);
    const target = document.createElement('canvas');
    Object.assign(target, { width, height });
    const context = target.getContext('2d');
    if (!source || !context || !this.#volume) return undefined;
    const scale = Math.min(width / source.width, height / source.height);
    const [across, down] = [scale * source.width, scale * source.height];
    context.drawImage(source, (width - across) / 2, (height - down) / 2, across, down);
    return target.toDataURL('image/png');
  }

  /** Detaches all canvases and frees all GPU memory that the viewer created. */
  dispose(): void {
    this.#turn++;
    this.#volume = undefined;
    for (const { detach } of [...this.#views.values()]) detach();
    if (this.#frameRequest !== undefined) cancelAnimationFrame(this.#frameRequest);
    clearTimeout(this.#noticeTimer);
    this.#listeners.clear();
    this.#cameraListeners.clear();
    this.#bricks.close();
    void this.#display.clear();
    this.#layerDisplays.keep(new Map());
    this.#slices.destroy();
  }

  /**
   * Draws a view in the current task, so that its canvas still holds the picture when it is read. Undefined if it is not
   * visible.
   */
  #drawNow(name: ViewName): HTMLCanvasElement | undefined {
    const view = this.#views.get(name)?.view;
    if (!view || view.canvas.clientWidth === 0 || view.canvas.clientHeight === 0) return undefined;
    if (view instanceof VolumeView) view.renderStill();
    else view.render();
    return view.canvas;
  }

  #layersIn({ layers }: ViewState): readonly ShownLayer[] {
    const base = this.#volume?.info;
    const shown = base ? shownLayers(base, layers, (id) => this.#volumeOf(id)) : [];
    return shown.map((layer) => ({ ...layer, labels: this.#labels.get(layer.look.id) }));
  }

  #layersIn3d(state: ViewState): readonly LayerIn3d[] {
    return layersIn3d(state.layers, this.#layersIn(state)).flatMap(({ look, volume: { info }, map, labels }) => {
      const display = this.#layerDisplays.displayOf(look.id);
      return display ? [{ look, info, map, display, labels }] : [];
    });
  }

  /** Makes the layers' textures follow the state; without a 3D view there are none. */
  #followLayers(): void {
    const { state } = this.#snapshot;
    const base = this.#volume?.info;
    const looks = this.#has3d && base ? state.layers.layers : [];
    this.#layerDisplays.keep(new Map(looks.map((look) => [look.id, this.#volumeOf(volumeIdOf(look))])));
    if (this.#has3d && base) this.#layerDisplays.show(this.#wantedDisplays());
  }

  #wantedDisplays(): readonly WantedDisplay[] {
    const { state } = this.#snapshot;
    const base = this.#volume?.info;
    if (!base) return [];
    return layersIn3d(state.layers, this.#layersIn(state)).map(({ look: { id, channel }, volume }) => ({
      id,
      volume,
      timePoint: layerTime(base, state.timePoint, volume.info, channel),
    }));
  }

  #volumeOf(id: string): VolumeSource | undefined {
    return id === baseId ? this.#volume : this.#layers.get(id);
  }

  #layersDisplayed(): void {
    const { withoutMemory } = this.#layerDisplays;
    if (withoutMemory.join() !== this.#snapshot.missingIn3d.join()) this.#change({ missingIn3d: withoutMemory });
    this.#bricksChanged();
    const view = this.#volumeView();
    if (view) this.#requestFrame([view]);
  }

  #followBricks(): void {
    const isCoarse = this.#volume !== undefined && this.#volume.decimation > 1;
    this.#bricks.follow(this.#display.shown, isCoarse && this.#host.hasOblique);
  }

  #bricksChanged(): void {
    this.#volumeView()?.setBricks(this.#bricks.space);
    for (const view of this.#obliqueViews()) view.setBricks(this.#bricks.space);
    const { state, bricks3d } = this.#snapshot;
    const meshes = this.#host.meshesIn(state).length;
    const besides = besidesVolume(state, this.#layersIn3d(state).length, meshes, this.#host.labels);
    const next = this.#bricks.told(besides);
    if (JSON.stringify(next) !== JSON.stringify(bricks3d)) this.#change({ bricks3d: next });
    const painted = this.#showsBricks ? this.#bricks.map?.version : undefined;
    if (painted !== this.#paintedBricks) this.#requestFrame(this.#sliceViews());
    this.#paintedBricks = painted;
  }

  #probeAt(position: Voxel | undefined): void {
    const { state, probe, beyond } = this.#snapshot;
    const volume = this.#volume;
    const layers = volume && position ? this.#layersAt(volume, state, position) : [];
    const [x, y, z] = volume?.info.dims ?? [0, 0, 0];
    const voxel = position && voxelAt(position, [x, y, z]);
    if (volume && voxel) this.#probe.request(volume, voxel, state.timePoint, layers);
    else if (volume && position && layers.length > 0) {
      const beside = position.map(Math.floor) as [number, number, number];
      this.#probe.requestBeyond(volume, beside, state.timePoint, layers);
    } else if (probe || beyond) this.#probe.clear();
  }

  /** The voxels of the layers at a position of the open volume. */
  #layersAt({ info }: VolumeSource, state: ViewState, position: Voxel): readonly LayerWish[] {
    return this.#layersIn(state).flatMap(({ look, volume, map }) => {
      const there = layerVoxelAt(map, position, volume.info);
      const timePoint = layerTime(info, state.timePoint, volume.info, look.channel);
      return there ? [{ id: look.id, volume, voxel: there, timePoint }] : [];
    });
  }

  #take(volume: VolumeSource): void {
    this.#volume = volume;
    this.#prepared = '';
  }

  /** Creates the display texture when the 3D view becomes visible and frees it when it is hidden, since it may be large. */
  #follow3d(): void {
    const volume = this.#volume;
    const isShown = (): boolean => this.#volumeView()?.isShown === true;
    if (!volume || isShown() === this.#has3d) return;
    this.#has3d = isShown();
    this.#followLayers();
    if (this.#has3d) {
      // This fails only if the device is lost, which `Gpu.onLost` reports.
      this.#display.show(volume, this.#snapshot.state.timePoint).catch(() => {});
    } else {
      void this.#display.clear().then(() => {
        if (this.#volume === volume && !this.#has3d) volume.releaseDisplay();
      });
    }
  }

  #canvases(): (readonly [SliceName, SliceCanvas])[] {
    return [...this.#views].flatMap(([name, { view }]) => (name !== '3d' && view instanceof SliceCanvas ? [[name, view]] : []));
  }

  #obliqueViews(): ObliqueView[] {
    return [...this.#views.values()].flatMap(({ view }) => (view instanceof ObliqueView ? [view] : []));
  }

  #sliceViews(): (SliceView | ObliqueView)[] {
    return [...this.#views.values()].flatMap(({ view }) =>
      view instanceof SliceView || view instanceof ObliqueView ? [view] : [],
    );
  }

  #volumeView(): VolumeView | undefined {
    const view = this.#views.get('3d')?.view;
    return view instanceof VolumeView ? view : undefined;
  }

  #fitted(state: ViewState): ViewState {
    return fittedView(state, this.#snapshot.info, this.#snapshot.state);
  }

  #detailFailed(view: View, fault: DetailFault | undefined): void {
    const [name] = [...this.#views].find(([, attached]) => attached.view === view) ?? [];
    if (name === undefined) return;
    const { detailFaults } = this.#snapshot;
    const next = withDetailFault(detailFaults, name, fault);
    if (next !== detailFaults) this.#change({ detailFaults: next });
  }

  #change(change: Partial<ViewerSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }

  #requestFrame(views: readonly View[]): void {
    for (const view of views) this.#dirty.add(view);
    this.#frameRequest ??= requestAnimationFrame(() => {
      this.#frameRequest = undefined;
      const now = [...this.#dirty];
      this.#dirty.clear();
      if (this.#gpu.isLost) return;
      // The 3D view comes first, so that no other work counts in its frame time.
      now.sort((a, b) => Number(b instanceof VolumeView) - Number(a instanceof VolumeView));
      for (const view of now) view.render();
      for (const listener of this.#drawnListeners) listener();
      const drawn = now.find((view) => view instanceof VolumeView);
      if (drawn?.isShown) for (const listener of this.#cameraListeners) listener(drawn.cameraFrame);
    });
  }
}

/** The labels of the open volume are not those of another viewer's volume. */
function lentLabels(labels: ReadonlyMap<string, ShownLabels>): ReadonlyMap<string, ShownLabels> {
  return new Map([...labels].filter(([id]) => id !== baseId));
}
