import type { ResidentVolume } from '../../core/engine/resident-volume.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { autoView } from './auto-view.ts';
import { DisplayFeed } from './display-feed.ts';
import { ProbeReader } from './probe-reader.ts';
import { clampVoxel } from './slice-geometry.ts';
import { SliceRenderer } from './slice-renderer.ts';
import { SliceView } from './slice-view.ts';
import type { View, ViewHost } from './view-host.ts';
import type { ViewerSnapshot, ViewState } from './viewer-api.ts';
import { VolumeView } from './volume-view.ts';

/** Which picture a canvas shows: the 3D view, or the slice across a voxel axis. */
export type ViewName = '3d' | 'x' | 'y' | 'z';

const initialState: ViewState = {
  projection: 'mip',
  window: [0, 255],
  colormap: 'gray',
  opacity: [
    [0, 0],
    [1, 1],
  ],
  crosshair: [0, 0, 0],
  timePoint: 0,
  smooth: false,
};

/**
 * Draws a resident volume in 3D and in slices. No React: panels write through `set` and read snapshots, which change on
 * probe, crosshair and state changes, never at frame rate. It draws only when something changed.
 */
export class Viewer {
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #slices: SliceRenderer;
  readonly #display: DisplayFeed;
  readonly #probe: ProbeReader;
  readonly #views = new Map<ViewName, { view: View; detach: () => void }>();
  readonly #listeners = new Set<() => void>();
  readonly #dirty = new Set<View>();
  readonly #host: ViewHost;
  #volume: ResidentVolume | undefined;
  #snapshot: ViewerSnapshot = { info: undefined, state: initialState, probe: undefined, decimation: 1 };
  #frameRequest: number | undefined;
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
      set: this.set,
      probe: (voxel) => {
        if (voxel && this.#volume) this.#probe.request(this.#volume, voxel, this.#snapshot.state.timePoint);
        else if (this.#snapshot.probe) this.#probe.clear();
      },
      requestRender: (view) => this.#requestFrame([view]),
    };
  }

  /**
   * Shows a volume (or nothing). The volume stays the caller's: await `setVolume(undefined)` before destroying it.
   * @param state what to start from; default: `autoView` of its statistics. All views are reset.
   * @throws StriaError `device-lost`, `out-of-memory`
   */
  async setVolume(resident: ResidentVolume | undefined, state?: ViewState): Promise<void> {
    const turn = ++this.#turn;
    this.#probe.clear();
    this.#volume = undefined;
    await this.#display.clear();
    this.#change({ info: undefined, probe: undefined, decimation: 1 });
    this.requestRender();
    if (!resident || turn !== this.#turn) return;
    const first = state ?? autoView(resident.info, await resident.statistics());
    if (turn !== this.#turn) return;
    this.#volume = resident;
    this.#change({ info: resident.info, state: first, probe: undefined, decimation: resident.decimation });
    this.resetView();
    await this.#display.show(resident, first.timePoint);
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
        : new SliceView(this.#gpu, this.#slices, this.#format, name, canvas, this.#host);
    if (view instanceof VolumeView) view.setVolume(this.#display.shown);
    const resize = (): void => {
      view.resize(canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio);
      this.#requestFrame([view]);
    };
    const observer = new ResizeObserver(resize);
    observer.observe(canvas);
    resize();
    view.reset();
    const detach = (): void => {
      if (this.#views.get(name)?.view !== view) return;
      observer.disconnect();
      this.#views.delete(name);
      this.#dirty.delete(view);
      view.dispose();
    };
    this.#views.set(name, { view, detach });
    return detach;
  }

  /** Replaces parts of the state and redraws. Crosshair and time point are clamped into the volume, the window is made to rise. */
  readonly set = (change: Partial<ViewState>): void => {
    const state = this.#fitted({ ...this.#snapshot.state, ...change });
    const before = this.#snapshot.state;
    if (JSON.stringify(state) === JSON.stringify(before)) return;
    this.#change({ state });
    const is3dSame =
      JSON.stringify({ ...state, crosshair: 0, smooth: 0 }) === JSON.stringify({ ...before, crosshair: 0, smooth: 0 });
    if (state.timePoint !== before.timePoint && this.#volume) {
      // It fails only with the device, whose loss `Gpu.onLost` tells.
      this.#display.show(this.#volume, state.timePoint).catch(() => {});
    }
    const views = [...this.#views].filter(([name]) => name !== '3d' || !is3dSame);
    this.#requestFrame(views.map(([, { view }]) => view));
  };

  /** Stable between changes: fit for `useSyncExternalStore(viewer.subscribe, viewer.snapshot)`. */
  readonly snapshot = (): ViewerSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Draws all views at the next animation frame. */
  requestRender(): void {
    this.#requestFrame([...this.#views.values()].map(({ view }) => view));
  }

  /** Camera, zoom and pan back to the start; the state stays. */
  resetView(): void {
    for (const { view } of this.#views.values()) view.reset();
    this.requestRender();
  }

  /** A PNG of one attached view at its present size. @throws StriaError `invalid-input` when it is not attached */
  async screenshot(name: ViewName = '3d'): Promise<Blob> {
    const canvas = this.#drawNow(name);
    if (!canvas) throw new StriaError('invalid-input', `there is no ${name} view to take a picture of`);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (!blob) throw new StriaError('out-of-memory', 'the picture could not be made');
    return blob;
  }

  /** A square PNG data URL of the 3D view (or else a slice) for the list of recent files; undefined when nothing is attached. */
  async thumbnail(size = 128): Promise<string | undefined> {
    const source = (['3d', 'z', 'y', 'x'] as const).map((name) => this.#drawNow(name)).find((canvas) => canvas !== undefined);
    const target = document.createElement('canvas');
    target.width = target.height = size;
    const context = target.getContext('2d');
    if (!source || !context || !this.#volume) return undefined;
    const side = Math.min(source.width, source.height);
    context.drawImage(source, (source.width - side) / 2, (source.height - side) / 2, side, side, 0, 0, size, size);
    return target.toDataURL('image/png');
  }

  /** Detaches all canvases and frees all GPU memory that the viewer made. */
  dispose(): void {
    this.#turn++;
    this.#volume = undefined;
    for (const { detach } of [...this.#views.values()]) detach();
    if (this.#frameRequest !== undefined) cancelAnimationFrame(this.#frameRequest);
    this.#listeners.clear();
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

  #volumeView(): VolumeView | undefined {
    const view = this.#views.get('3d')?.view;
    return view instanceof VolumeView ? view : undefined;
  }

  #fitted(state: ViewState): ViewState {
    const dims = this.#snapshot.info?.dims;
    const [low, high] = state.window;
    const isWindow = Number.isFinite(low) && Number.isFinite(high);
    const window = isWindow
      ? ([low, high > low ? high : low + 1e-6 * Math.max(1, Math.abs(low))] as const)
      : this.#snapshot.state.window;
    if (!dims) return { ...state, window };
    const timePoint = Math.min(dims[3] - 1, Math.max(0, Math.round(state.timePoint)));
    return { ...state, window, timePoint, crosshair: clampVoxel(state.crosshair, [dims[0], dims[1], dims[2]]) };
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
      if (!this.#gpu.isLost) for (const view of now) view.render();
    });
  }
}
