import { CanvasSize } from './canvas-size.ts';
import type { ScenePoint } from './model/camera-frame.ts';
import type { FittedScales, Viewpoints } from './model/same-place.ts';
import type { SliceOnScreen } from './model/slice-geometry.ts';
import type { View } from './model/view-host.ts';
import type { SliceName, ViewName } from './model/viewer-api.ts';
import { ObliqueView } from './slices/oblique-view.ts';
import { SliceCanvas } from './slices/slice-canvas.ts';
import { SliceView } from './slices/slice-view.ts';
import type { FrameTime } from './space/space-painter.ts';
import { VolumeView } from './space/volume-view.ts';

/** What attached views need from their viewer. */
export interface ViewsHost {
  create(name: ViewName, canvas: HTMLCanvasElement): View;
  /** Draws views at the next animation frame. */
  requestFrame(views: readonly View[]): void;
  /** Called when a view gets its first size, or a new one. */
  resized(name: ViewName, view: View): void;
  /** Called when a view was disposed of. */
  detached(name: ViewName, view: View): void;
}

interface Attached {
  readonly view: View;
  readonly size: CanvasSize;
  readonly detach: () => void;
}

/** The views that are attached to canvases, their sizes, and their cameras. */
export class AttachedViews {
  readonly #host: ViewsHost;
  readonly #attached = new Map<ViewName, Attached>();
  /** Viewpoints for views that are attached later. */
  #firstViewpoints: Viewpoints = {};
  #fixedScale: number | undefined;

  constructor(host: ViewsHost) {
    this.#host = host;
  }

  /**
   * Draws a view into a canvas, at its CSS size times the screen's pixel ratio, and listens to its pointer and wheel. The
   * canvas may have no context except one from an earlier `attach`. A view is on one canvas at a time: the last.
   * @returns a function that detaches the view
   */
  attach(name: ViewName, canvas: HTMLCanvasElement): () => void {
    this.#attached.get(name)?.detach();
    const view = this.#host.create(name, canvas);
    if (view instanceof VolumeView) view.fixedScale = this.#fixedScale;
    const size = new CanvasSize(canvas, () => {
      view.resize(canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio);
      this.#host.requestFrame([view]);
      this.#host.resized(name, view);
    });
    const detach = (): void => {
      if (this.view(name) !== view) return;
      size.disconnect();
      this.#attached.delete(name);
      view.dispose();
      this.#host.detached(name, view);
    };
    this.#attached.set(name, { view, size, detach });
    size.fit();
    view.reset();
    const first = this.#firstViewpoints[name];
    if (first) view.viewpoint = first;
    this.#firstViewpoints = { ...this.#firstViewpoints, [name]: undefined };
    return detach;
  }

  detachAll(): void {
    for (const { detach } of [...this.#attached.values()]) detach();
  }

  /** All attached views, including those without space in the layout. */
  get all(): readonly View[] {
    return [...this.#attached.values()].map(({ view }) => view);
  }

  /** The views that have space in the layout, by name. */
  get shown(): readonly (readonly [ViewName, View])[] {
    return this.#named.filter(([, { isShown }]) => isShown);
  }

  view(name: ViewName): View | undefined {
    return this.#attached.get(name)?.view;
  }

  nameOf(view: View): ViewName | undefined {
    return this.#named.find(([, each]) => each === view)?.[0];
  }

  /** The 3D view. */
  get volume(): VolumeView | undefined {
    return this.all.find((view) => view instanceof VolumeView);
  }

  get oblique(): ObliqueView | undefined {
    return this.all.find((view) => view instanceof ObliqueView);
  }

  get slices(): readonly (SliceView | ObliqueView)[] {
    return this.all.filter((view) => view instanceof SliceView || view instanceof ObliqueView);
  }

  /** The sizes of the visible views, in CSS pixels. */
  shownSizes(): ReadonlyMap<ViewName, readonly [width: number, height: number]> {
    return new Map(this.shown.map(([name, { canvas }]) => [name, [canvas.clientWidth, canvas.clientHeight]]));
  }

  /** Whether a view, or every view, has drawn everything at the current size and at full quality. */
  areSettled(name?: ViewName): boolean {
    return [...this.#attached].every(([each, { view, size }]) => (name ?? each) !== each || (size.isFitted && view.isSettled));
  }

  /** The viewpoints of the visible views. */
  viewpoints(): Viewpoints {
    return Object.fromEntries(this.shown.map(([name, { viewpoint }]) => [name, viewpoint]));
  }

  /** Moves the visible views to given viewpoints. */
  setViewpoints(viewpoints: Viewpoints): void {
    for (const [name, view] of this.shown) {
      const viewpoint = viewpoints[name];
      if (viewpoint) view.viewpoint = viewpoint;
    }
  }

  /** Views that are shown from now on start at these viewpoints, each once, unless the view is reset before. */
  startFrom(viewpoints: Viewpoints): void {
    this.setViewpoints(viewpoints);
    this.#firstViewpoints = viewpoints;
  }

  /** Resets camera, zoom and pan of all views. */
  reset(): void {
    this.#firstViewpoints = {};
    for (const view of this.all) view.reset();
    this.#host.requestFrame(this.all);
  }

  /** Resets zoom and pan of one slice or of all. */
  fit(name?: SliceName): void {
    for (const [each, view] of this.#canvases()) {
      if ((name ?? each) !== each || !view.isMoved) continue;
      view.reset();
      this.#host.requestFrame([view]);
    }
  }

  /** Whether a slice was panned or zoomed. */
  isMoved(name: SliceName): boolean {
    return this.#canvases().some(([each, view]) => each === name && view.isShown && view.isMoved);
  }

  /** The position of a visible slice on the screen. */
  onScreen(name: SliceName): SliceOnScreen | undefined {
    return this.#canvases().find(([each]) => each === name)?.[1].onScreen;
  }

  /** CSS pixels per spatial unit at a zoom of 1, for the visible slices. */
  fittedScales(): FittedScales {
    return Object.fromEntries(this.#canvases().flatMap(([name, { fittedScale }]) => (fittedScale ? [[name, fittedScale]] : [])));
  }

  /** Turns the 3D view, if there is one, to view from a direction of its scene; see `sceneSides`. */
  lookFrom(direction: ScenePoint): void {
    this.volume?.lookFrom(direction);
  }

  /** Whether the 3D view's picture, if any, is at full quality. */
  get isSharp(): boolean {
    return !this.volume?.isShown || this.volume.isSharp;
  }

  /** Fixes the 3D view's resolution regardless of the GPU's speed, so that pictures of it can be compared. */
  fixScale(scale: number): void {
    this.#fixedScale = scale;
    if (this.volume) this.volume.fixedScale = scale;
    this.#host.requestFrame(this.all);
  }

  /** Records frame times of the visible 3D view from now on. */
  recordFrameTimes(): readonly FrameTime[] {
    const times: FrameTime[] = [];
    if (this.volume) this.volume.onMeasured = (frame) => times.push(frame);
    return times;
  }

  get #named(): readonly (readonly [ViewName, View])[] {
    return [...this.#attached].map(([name, { view }]) => [name, view]);
  }

  #canvases(): readonly (readonly [SliceName, SliceCanvas])[] {
    return this.#named.flatMap(([name, view]) => (name !== '3d' && view instanceof SliceCanvas ? [[name, view]] : []));
  }
}
