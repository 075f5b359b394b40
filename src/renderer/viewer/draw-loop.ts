import type { Gpu } from '../../core/gpu/gpu.ts';
import type { CameraFrame } from './model/camera-frame.ts';
import type { View } from './model/view-host.ts';
import { VolumeView } from './space/volume-view.ts';

/** Draws the views that have changed, at the next animation frame, and tells those who follow them. */
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

  /** Called after views were drawn because of a change; at frame rate while things move. @returns stops listening */
  onDrawn(listener: () => void): () => void {
    this.#drawnListeners.add(listener);
    return () => this.#drawnListeners.delete(listener);
  }

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

  request(views: readonly View[]): void {
    for (const view of views) this.#dirty.add(view);
    this.#request ??= requestAnimationFrame(() => this.#draw());
  }

  /** A view needs no frame any more: it was drawn otherwise, or detached. */
  skip(view: View): void {
    this.#dirty.delete(view);
  }

  /** A frame, or a strip of one, was submitted to the GPU. */
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
    // The 3D view comes first, so that no other work counts in its frame time.
    now.sort((a, b) => Number(b instanceof VolumeView) - Number(a instanceof VolumeView));
    for (const view of now) view.render();
    for (const listener of this.#drawnListeners) listener();
    const drawn = now.find((view) => view instanceof VolumeView);
    if (drawn?.isShown) for (const listener of this.#cameraListeners) listener(drawn.cameraFrame);
  }
}
