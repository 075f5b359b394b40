import type { ChunkMap } from '../../core/chunks/chunk-map.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import { autoView, default3d, defaultColors } from './auto-view.ts';
import { withPresentName } from './colors/colormaps.ts';
import { type Ground, grounds } from './colors/grounds.ts';
import { DisplayFeed } from './display-feed.ts';
import { decodeMs, frameAxis, withFrame } from './frames.ts';
import type { CameraFrame, ScenePoint } from './model/camera-frame.ts';
import { facingCut, fittedCut } from './model/cut-plane.ts';
import { fittedWindow } from './model/fitted-window.ts';
import { checkPictureSize, type PictureRequest, type ViewPicture } from './model/picture.ts';
import type { FittedScales, Viewpoints } from './model/same-place.ts';
import { clampVoxel } from './model/slice-geometry.ts';
import { emptyBoard, type MeasureBoard, type View, type ViewHost } from './model/view-host.ts';
import type { Frame, FrameReport, SliceAxis, ViewerSnapshot, ViewState } from './model/viewer-api.ts';
import { ProbeReader } from './probe-reader.ts';
import { ObliqueView } from './slices/oblique-view.ts';
import { SliceCanvas } from './slices/slice-canvas.ts';
import { SliceRenderer } from './slices/slice-renderer.ts';
import { SliceView } from './slices/slice-view.ts';
import { type FrameTime, VolumeView } from './space/volume-view.ts';

/** Which picture a canvas shows: the 3D view, the slice across a voxel axis, or the one at any angle. */
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
};

/** A view that shows a slice. */
export type SliceName = Exclude<ViewName, '3d'>;

/** While frames follow each other, panels hear of it this often, in milliseconds. */
const playingNoticeMs = 200;

/**
 * Draws a volume in GPU memory, in 3D and in slices. No React: panels write through `set` and read snapshots, which change on
 * probe, crosshair and state changes, never at frame rate. It draws only when something changed.
 */
export class Viewer {
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #slices: SliceRenderer;
  readonly #display: DisplayFeed;
  readonly #probe: ProbeReader;
  readonly #views = new Map<ViewName, { view: View; detach: () => void; isFitted: () => boolean }>();
  readonly #listeners = new Set<() => void>();
  readonly #drawnListeners = new Set<() => void>();
  readonly #cameraListeners = new Set<(frame: CameraFrame) => void>();
  readonly #dirty = new Set<View>();
  readonly #host: ViewHost;
  #volume: VolumeSource | undefined;
  #ground: Ground = 'near-black';
  /** Of views that are still to be attached. */
  #firstViewpoints: Viewpoints = {};
  #chunks: ChunkMap | undefined;
  #board = emptyBoard;
  #snapshot: ViewerSnapshot = { info: undefined, state: initialState, probe: undefined, decimation: 1 };
  /** The display texture is there, or is being made. */
  #has3d = false;
  #frameRequest: number | undefined;
  #drawnFrames = 0;
  #fixedScale: number | undefined;
  /** What `prepareFrames` was called for last, and the timer of the next word to panels. */
  #prepared = '';
  #noticeTimer: ReturnType<typeof setTimeout> | undefined;
  /** Counts `setVolume` calls, so that one that has been overtaken stops. */
  #turn = 0;

  /** @param gpu stays the caller's; the viewer frees only what it made */
  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.#format = navigator.gpu.getPreferredCanvasFormat();
    this.#slices = new SliceRenderer(gpu, this.#format);
    this.#display = new DisplayFeed(
      () => this.#volumeView()?.setVolume(this.#display.shown),
      () => this.requestRender(),
    );
    this.#probe = new ProbeReader((probe) => this.#change({ probe }));
    const viewer = this;
    this.#host = {
      get state() {
        return viewer.#snapshot.state;
      },
      get volume() {
        return viewer.#volume;
      },
      get ground() {
        return grounds[viewer.#ground];
      },
      get chunks() {
        return viewer.#chunks;
      },
      get board() {
        return viewer.#board;
      },
      get hasOblique() {
        return viewer.#views.get('oblique')?.view.isShown === true;
      },
      set: this.set,
      probe: (voxel) => {
        if (voxel && this.#volume) this.#probe.request(this.#volume, voxel, this.#snapshot.state.timePoint);
        else if (this.#snapshot.probe) this.#probe.clear();
      },
      requestRender: (view) => this.#requestFrame([view]),
      drawn: () => {
        this.#drawnFrames++;
      },
    };
  }

  /**
   * Shows a volume (or nothing). The volume stays the caller's: await `setVolume(undefined)` before destroying it.
   * @param state what to start from; default: `autoView` of its statistics. All views are reset.
   * @param with3d whether a 3D view is shown, or is about to be: its texture is made at once
   * @throws StriaError `device-lost`, `out-of-memory`
   */
  async setVolume(volume: VolumeSource | undefined, state?: ViewState, with3d = true): Promise<void> {
    const turn = ++this.#turn;
    this.#probe.clear();
    this.#volume = undefined;
    await this.#display.clear();
    this.#change({ info: undefined, probe: undefined, decimation: 1 });
    this.requestRender();
    if (!volume || turn !== this.#turn) return;
    // Asked for in any case: they say which values are no data.
    const statistics = await volume.statistics();
    const first = withPresentName(state ?? autoView(volume.info, statistics));
    if (turn !== this.#turn) return;
    this.#take(volume);
    this.#change({ info: volume.info, state: first, probe: undefined, decimation: volume.decimation });
    this.resetView();
    this.#has3d = with3d;
    if (with3d) await this.#display.show(volume, first.timePoint);
    if (turn === this.#turn) this.prepareFrames(volume.info.dims[3] > 1 ? 't' : 'z');
  }

  /**
   * Goes on with the same volume kept in another way; state and cameras stay. Resolves when nothing of the one before is
   * used any more. @throws StriaError `device-lost`, `out-of-memory`
   */
  async exchangeVolume(volume: VolumeSource): Promise<void> {
    const turn = ++this.#turn;
    this.#probe.clear();
    this.#take(volume);
    this.requestRender();
    await this.#display.clear();
    if (turn === this.#turn && this.#has3d) await this.#display.show(volume, this.#snapshot.state.timePoint);
    if (turn === this.#turn) this.prepareFrames(volume.info.dims[3] > 1 ? 't' : 'z');
  }

  /**
   * Draws a view into a canvas, at its CSS size times the screen's pixel ratio, and listens to its pointer and wheel.
   * The canvas must have no context but one of an earlier `attach`. A view is on one canvas at a time: the last.
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
    }
    let fitted = [0, 0];
    const resize = (): void => {
      fitted = [canvas.clientWidth, canvas.clientHeight];
      view.resize(canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio);
      this.#requestFrame([view]);
      if (name === '3d') this.#follow3d();
      // The others show where it cuts them.
      if (name === 'oblique') this.requestRender();
    };
    const observer = new ResizeObserver(resize);
    observer.observe(canvas);
    const detach = (): void => {
      if (this.#views.get(name)?.view !== view) return;
      observer.disconnect();
      this.#views.delete(name);
      this.#dirty.delete(view);
      view.dispose();
      if (name === '3d') this.#follow3d();
    };
    const isFitted = (): boolean => fitted[0] === canvas.clientWidth && fitted[1] === canvas.clientHeight;
    this.#views.set(name, { view, detach, isFitted });
    resize();
    view.reset();
    const first = this.#firstViewpoints[name];
    if (first) view.viewpoint = first;
    this.#firstViewpoints = { ...this.#firstViewpoints, [name]: undefined };
    return detach;
  }

  /** Replaces parts of the state and redraws. Crosshair and time point are clamped into the volume, the window is made to rise with real values. */
  readonly set = (change: Partial<ViewState>): void => {
    const state = this.#fitted(withPresentName({ ...this.#snapshot.state, ...change }));
    const before = this.#snapshot.state;
    if (JSON.stringify(state) === JSON.stringify(before)) return;
    this.#change({ state });
    // The 3D view shows where the oblique slice lies.
    const notIn3d = {
      smooth: 0,
      missing: 0,
      slab: 0,
      sliceSlabs: 0,
      ...(!this.#host.hasOblique && { crosshair: 0, oblique: 0 }),
    };
    const is3dSame = JSON.stringify({ ...state, ...notIn3d }) === JSON.stringify({ ...before, ...notIn3d });
    if (state.timePoint !== before.timePoint && this.#volume && this.#has3d) {
      // It fails only with the device, whose loss `Gpu.onLost` tells.
      this.#display.show(this.#volume, state.timePoint).catch(() => {});
    }
    const views = [...this.#views].filter(([name]) => name !== '3d' || !is3dSame);
    this.#requestFrame(views.map(([, { view }]) => view));
  };

  /**
   * Shows a slice (in the view across its axis) or a time point (in all views), in this very task: for playing, at any
   * rate. What is compressed is decoded in the same submit as it is drawn; nothing is uploaded once `prepareFrames` was
   * called. The crosshair or the time point of the state follows, and panels hear of it a few times a second.
   * @returns when the GPU has finished the frame
   * @throws StriaError `invalid-input` where nothing is shown, `device-lost`
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
    if (is3dNew) volume.recordDisplay(commands, next.timePoint);
    for (const { view } of this.#views.values()) {
      if (!(view instanceof SliceView && view.isShown)) continue;
      view.record(commands);
      this.#dirty.delete(view);
    }
    const submittedAt = performance.now();
    const submitted = commands.submit();
    // What is decoded layer by layer waits for the next word to panels.
    if (volume.holdsTimePoints) this.#views.get('oblique')?.view.render();
    if (is3dNew) {
      this.#display.changed();
      this.#volumeView()?.render();
    }
    this.#noticeTimer ??= setTimeout(() => {
      this.#noticeTimer = undefined;
      this.#change({});
      // What no frame waits for: where the oblique slice lies, and its picture where that takes longer.
      if (this.#host.hasOblique) {
        const late = [this.#volumeView(), this.#volume?.holdsTimePoints ? undefined : this.#views.get('oblique')?.view];
        this.#requestFrame(late.filter((view) => view !== undefined));
      }
    }, playingNoticeMs);
    const { stages, wallMs } = await submitted;
    return { decodeMs: decodeMs(stages), presentedAt: submittedAt + wallMs };
  }

  /**
   * Makes the tables that frames along an axis are decoded by, so that `showFrame` uploads nothing. It calls this itself;
   * the tables hold until the other axes' crosshair moves.
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

  /** Reads the crosshair's voxel, as if the pointer were on it: for keys. */
  probeCrosshair(): void {
    this.#host.probe(this.#snapshot.state.crosshair);
  }

  /** Paints the chunks that a slice cuts over it, each in its way's colour; undefined: none. They are those of the volume shown. */
  showChunks(chunks: ChunkMap | undefined): void {
    if (chunks === this.#chunks) return;
    this.#chunks = chunks;
    this.requestRender();
  }

  /** Shows measurements on the slices, and lets the pointer make and change them. */
  showMeasurements(board: MeasureBoard): void {
    this.#board = board;
    for (const view of this.#sliceViews()) view.boardChanged();
    this.#requestFrame(this.#sliceViews());
  }

  /** Gives up a measurement that is being made. @returns whether there was one */
  cancelMeasuring(): boolean {
    return this.#sliceViews().some((view) => view.cancelMeasuring());
  }

  /** The tool's next point, at the crosshair: measuring by keys. */
  measureAtCrosshair(axis: SliceAxis): void {
    const view = this.#views.get(axis)?.view;
    if (view instanceof SliceView) view.measureAtCrosshair();
  }

  /** What stands behind the pictures. */
  setGround(ground: Ground): void {
    if (ground === this.#ground) return;
    this.#ground = ground;
    this.requestRender();
  }

  /** Stable between changes: fit for `useSyncExternalStore(viewer.subscribe, viewer.snapshot)`. */
  readonly snapshot = (): ViewerSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Follows the 3D view's camera: called at once if there is one, and whenever the view is drawn anew, before its picture is on the
   * screen. Not for React state: it comes at frame rate. @returns ends it
   */
  readonly followCamera = (listener: (frame: CameraFrame) => void): (() => void) => {
    this.#cameraListeners.add(listener);
    const view = this.#volumeView();
    if (view?.isShown) listener(view.cameraFrame);
    return () => this.#cameraListeners.delete(listener);
  };

  /**
   * All that was asked for is on the canvas of a view, or of all, as sharp as it becomes: nothing is drawn until something
   * changes.
   */
  isSettled(name?: ViewName): boolean {
    if (this.#frameRequest !== undefined || this.#display.isBusy) return false;
    return [...this.#views].every(([each, { view, isFitted }]) => (name ?? each) !== each || (isFitted() && view.isSettled));
  }

  /** The 3D view's picture, if there is one, is whole: as sharp as it becomes. */
  get isSharp(): boolean {
    const view = this.#volumeView();
    return !view?.isShown || view.isSharp;
  }

  /** The 3D view at this part of its resolution, whatever the GPU can do: pictures of it can then be compared. */
  fixScale(scale: number): void {
    this.#fixedScale = scale;
    const view = this.#volumeView();
    if (view) view.fixedScale = scale;
    this.requestRender();
  }

  /** What frames of the 3D view that is shown now take, from now on. */
  recordFrameTimes(): readonly FrameTime[] {
    const times: FrameTime[] = [];
    const view = this.#volumeView();
    if (view) view.onMeasured = (frame) => times.push(frame);
    return times;
  }

  /** Pictures, and strips of pictures, that were given to the GPU so far. */
  get drawnFrames(): number {
    return this.#drawnFrames;
  }

  /** Where the views that are shown stand. */
  viewpoints(): Viewpoints {
    const shown = [...this.#views].filter(([, { view }]) => view.isShown);
    return Object.fromEntries(shown.map(([name, { view }]) => [name, view.viewpoint]));
  }

  /** Views that are shown from now on begin there, each once, unless the view is reset before. */
  startFrom(viewpoints: Viewpoints): void {
    this.setViewpoints(viewpoints);
    this.#firstViewpoints = viewpoints;
  }

  /** Moves the views that are shown to where others stand. */
  setViewpoints(viewpoints: Viewpoints): void {
    for (const [name, { view }] of this.#views) {
      const viewpoint = viewpoints[name];
      if (viewpoint && view.isShown) view.viewpoint = viewpoint;
    }
  }

  /** Called after views were drawn because something changed; at frame rate while things move. @returns ends it */
  onDrawn(listener: () => void): () => void {
    this.#drawnListeners.add(listener);
    return () => this.#drawnListeners.delete(listener);
  }

  /** Draws all views at the next animation frame. */
  requestRender(): void {
    this.#requestFrame([...this.#views.values()].map(({ view }) => view));
  }

  /** Camera, zoom and pan back to the start; the state stays. */
  resetView(): void {
    this.#firstViewpoints = {};
    for (const { view } of this.#views.values()) view.reset();
    this.requestRender();
  }

  /** Zoom and pan of a slice back to the start, or of all slices. */
  fit(name?: SliceName): void {
    for (const [each, view] of this.#canvases()) {
      if ((name ?? each) !== each || !view.isMoved) continue;
      view.reset();
      this.#requestFrame([view]);
    }
  }

  /** A slice was panned or zoomed. */
  isMoved(name: SliceName): boolean {
    return this.#canvases().some(([each, view]) => each === name && view.isShown && view.isMoved);
  }

  /** Of the slices that are shown: CSS pixels per spatial unit at a zoom of 1. */
  fittedScales(): FittedScales {
    return Object.fromEntries(this.#canvases().flatMap(([name, { fittedScale }]) => (fittedScale ? [[name, fittedScale]] : [])));
  }

  /** Lets the free plane face the 3D view's eye, through the same place, or else through the volume's middle: nearer is cut away. */
  cutFacing(): void {
    const frame = this.#volumeView()?.cameraFrame;
    if (frame) this.set({ cut: facingCut(this.#snapshot.state.cut, frame) });
  }

  /** Turns the 3D view, if there is one, until it is seen from that direction of its scene; see `sceneSides`. */
  lookFrom(direction: ScenePoint): void {
    this.#volumeView()?.lookFrom(direction);
  }

  /**
   * A view that is shown, drawn anew as a picture of any size.
   * @throws StriaError `invalid-input` when it is not shown, `limit-too-small`, `aborted`, `device-lost`
   */
  async picture(name: ViewName, request: PictureRequest): Promise<ViewPicture> {
    const { width, height } = request;
    checkPictureSize(width, height, this.longestPictureEdge);
    const view = this.#views.get(name)?.view;
    if (!view?.isShown || !this.#volume) throw new StriaError('invalid-input', `there is no ${name} view to take a picture of`);
    if (name === '3d') await this.#display.settled();
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

  /** The sizes of the views that are shown, in CSS pixels. */
  shownSizes(): ReadonlyMap<ViewName, readonly [width: number, height: number]> {
    const shown = [...this.#views].filter(([, { view }]) => view.isShown);
    return new Map(shown.map(([name, { view }]) => [name, [view.canvas.clientWidth, view.canvas.clientHeight]]));
  }

  /** The 3D view (or else a slice), all of it, for the list of recent files, as a PNG data URL; undefined when nothing is attached. */
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

  /** Detaches all canvases and frees all GPU memory that the viewer made. */
  dispose(): void {
    this.#turn++;
    this.#volume = undefined;
    for (const { detach } of [...this.#views.values()]) detach();
    if (this.#frameRequest !== undefined) cancelAnimationFrame(this.#frameRequest);
    clearTimeout(this.#noticeTimer);
    this.#listeners.clear();
    this.#cameraListeners.clear();
    void this.#display.clear();
    this.#slices.destroy();
  }

  /** Draws a view in this very task, so that its canvas still holds the picture when it is read. Undefined: it is not shown. */
  #drawNow(name: ViewName): HTMLCanvasElement | undefined {
    const view = this.#views.get(name)?.view;
    if (!view || view.canvas.clientWidth === 0 || view.canvas.clientHeight === 0) return undefined;
    if (view instanceof VolumeView) view.renderStill();
    else view.render();
    return view.canvas;
  }

  #take(volume: VolumeSource): void {
    this.#volume = volume;
    this.#prepared = '';
  }

  /** Makes the display texture when the 3D view comes into the layout, and frees it when that goes: it may be large. */
  #follow3d(): void {
    const volume = this.#volume;
    const isShown = (): boolean => this.#volumeView()?.isShown === true;
    if (!volume || isShown() === this.#has3d) return;
    this.#has3d = isShown();
    if (this.#has3d) {
      // It fails only with the device, whose loss `Gpu.onLost` tells.
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

  #sliceViews(): SliceView[] {
    return [...this.#views.values()].flatMap(({ view }) => (view instanceof SliceView ? [view] : []));
  }

  #volumeView(): VolumeView | undefined {
    const view = this.#views.get('3d')?.view;
    return view instanceof VolumeView ? view : undefined;
  }

  #fitted(state: ViewState): ViewState {
    const { info } = this.#snapshot;
    const dims = info?.dims;
    const window = fittedWindow(state.window, info ?? { slope: 1 }) ?? this.#snapshot.state.window;
    const cut = state.cut && fittedCut(state.cut);
    if (!dims) return { ...state, window, cut };
    const timePoint = Math.min(dims[3] - 1, Math.max(0, Math.round(state.timePoint)));
    return { ...state, window, cut, timePoint, crosshair: clampVoxel(state.crosshair, [dims[0], dims[1], dims[2]]) };
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
      // The 3D view first: its frame is then timed with nothing in front of it.
      now.sort((a, b) => Number(b instanceof VolumeView) - Number(a instanceof VolumeView));
      for (const view of now) view.render();
      for (const listener of this.#drawnListeners) listener();
      const drawn = now.find((view) => view instanceof VolumeView);
      if (drawn?.isShown) for (const listener of this.#cameraListeners) listener(drawn.cameraFrame);
    });
  }
}
