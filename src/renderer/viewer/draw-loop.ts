import type { Gpu } from '../../core/gpu/gpu.ts';
import type { CameraFrame } from './model/camera-frame.ts';
import type { View } from './model/view-host.ts';
import { VolumeView } from './space/volume-view.ts';

/** Draws the views that have changed, at the next animation frame, and notifies listeners. */
export class DrawLoop {
  readonly #gpu: Pick<Gpu, 'isLost'>;
  readonly #volumeView: () => VolumeView | undefined;
  readonly #dirty = new Set<View>();
  readonly #drawnListeners = new Set<() => void>();
  readonly #cameraListeners = new Set<(frame: CameraFrame) => void>();
  #request: number | undefined;
  #drawnFrames = 0;

  constructor(gpu: Pick<Gpu, 'isLost'>, volumeView: () => VolumeView | undefined) {
    this.#gpu = gpu;
    this.#volumeView = volumeView;
  }

  /** Whether a view is going to be drawn. */
  get isPending(): boolean {
    return this.#request !== undefined;
  }

  /** The number of frames, and strips of frames, submitted so far. */
  get drawnFrames(): number {
    return this.#drawnFrames;
  }

  /** Calls a listener after views were drawn because of a change, at frame rate while things move. @returns a function that stops it */
  onDrawn(listener: () => void): () => void {
    this.#drawnListeners.add(listener);
    return () => this.#drawnListeners.delete(listener);
  }

  /**
   * Follows the 3D view's camera. The listener is called at once if there is a camera, and before each new frame is on screen.
   * Not for React state, since it runs at frame rate. @returns a function that stops following
   */
  readonly followCamera = (listener: (frame: CameraFrame) => void): (() => void) => {
    this.#cameraListeners.add(listener);
    const view = this.#volumeView();
    if (view?.isShown) listener(view.cameraFrame);
    return () => this.#cameraListeners.delete(listener);
  };

  request(views: readonly View[]): void {
    for (const view of views) this.#dirty.add(view);
    this.#request ??= requestAnimationFrame(() => this.#draw());
  }

  /** Cancels a view's requested frame, because the view was drawn by other means, or detached. */
  skip(view: View): void {
    this.#dirty.delete(view);
  }

  /** Counts a submitted frame, or strip of a frame. */
  count(): void {
    this.#drawnFrames++;
  }

  end(): void {
    if (this.#request !== undefined) cancelAnimationFrame(this.#request);
    this.#drawnListeners.clear();
    this.#cameraListeners.clear();
  }

  #draw(): void {
    this.#request = undefined;
    const now = [...this.#dirty];
    this.#dirty.clear();
    if (this.#gpu.isLost) return;
    // The 3D view is drawn first, so that its frame time includes no other work.
    now.sort((a, b) => Number(b instanceof VolumeView) - Number(a instanceof VolumeView));
    for (const view of now) view.render();
    for (const listener of this.#drawnListeners) listener();
    const drawn = now.find((view) => view instanceof VolumeView);
    if (drawn?.isShown) for (const listener of this.#cameraListeners) listener(drawn.cameraFrame);
  }
}
