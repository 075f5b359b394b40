import type { ResidentVolume } from '../../core/engine/resident-volume.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { ViewerSnapshot, ViewState } from './viewer-api.ts';

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
  #snapshot: ViewerSnapshot = { info: undefined, state: initialState, probe: undefined, decimation: 1 };
  readonly #listeners = new Set<() => void>();

  /** @param gpu stays the caller's; the viewer frees only what it made */
  constructor(_gpu: Gpu) {}

  /**
   * Shows a volume (or nothing). The volume stays the caller's: call `setVolume(undefined)` before destroying it.
   * @param state what to start from; default: `autoView` of its statistics, all views reset
   * @throws StriaError `device-lost`, `out-of-memory`
   */
  async setVolume(_resident: ResidentVolume | undefined, _state?: ViewState): Promise<void> {
    throw new StriaError('internal', 'not built yet');
  }

  /**
   * Draws a view into a canvas, at its CSS size times the device's pixel ratio, and listens to its pointer, wheel and
   * keys. The canvas must not have a context yet, and cannot be attached again once detached: give a fresh element.
   * @returns detaches
   */
  attach(_view: ViewName, _canvas: HTMLCanvasElement): () => void {
    throw new StriaError('internal', 'not built yet');
  }

  /** Replaces parts of the state and redraws. Crosshair and time point are clamped into the volume. */
  readonly set = (_change: Partial<ViewState>): void => {};

  /** Stable between changes: fit for `useSyncExternalStore(viewer.subscribe, viewer.snapshot)`. */
  readonly snapshot = (): ViewerSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Draws all views at the next animation frame. */
  requestRender(): void {}

  /** Camera, zoom and pan back to the start; the state stays. */
  resetView(): void {}

  /** A PNG of one attached view at its present size. @throws StriaError `invalid-input` when it is not attached */
  async screenshot(_view: ViewName = '3d'): Promise<Blob> {
    throw new StriaError('internal', 'not built yet');
  }

  /** A square PNG data URL of the 3D view (or else a slice) for the list of recent files; undefined when nothing is attached. */
  async thumbnail(_size = 128): Promise<string | undefined> {
    throw new StriaError('internal', 'not built yet');
  }

  /** Detaches all canvases and frees all GPU memory that the viewer made. */
  dispose(): void {}
}
