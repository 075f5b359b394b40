import type { ChunkMap } from '../../core/chunks/chunk-map.ts';
import type { AttachedViews } from './attached-views.ts';
import type { BrickMap } from './model/brick-map.ts';
import type { PaintedChunks } from './model/chunk-rectangles.ts';
import { emptyBoard, type MeasureBoard, type View } from './model/view-host.ts';
import type { SliceAxis } from './model/viewer-api.ts';
import { SliceView } from './slices/slice-view.ts';

/** The overlays of the slices: chunks or bricks, and measurements. */
export class Overlays {
  readonly #views: AttachedViews;
  readonly #bricks: () => BrickMap | undefined;
  readonly #requestFrame: (views: readonly View[]) => void;
  #chunks: ChunkMap | undefined;
  #showsBricks = false;
  /** The `BrickMap.version` that is painted on the slices. */
  #paintedBricks: number | undefined;
  #board = emptyBoard;

  /** @param bricks the bricks of the open volume, if there are any */
  constructor(views: AttachedViews, bricks: () => BrickMap | undefined, requestFrame: (views: readonly View[]) => void) {
    this.#views = views;
    this.#bricks = bricks;
    this.#requestFrame = requestFrame;
  }

  /** The chunks or bricks to paint, if they are shown. */
  get chunks(): PaintedChunks | undefined {
    return this.#shownBricks ?? this.#chunks;
  }

  get board(): MeasureBoard {
    return this.#board;
  }

  /** Paints chunks over the slices, each in the colour of its way; undefined for none. They must be those of the open volume. */
  showChunks(chunks: ChunkMap | undefined): void {
    if (chunks === this.#chunks) return;
    this.#chunks = chunks;
    this.#requestFrame(this.#views.all);
  }

  /** Marks on the slices which bricks of the 3D view are loaded, in place of chunks. */
  showBricks(isOn: boolean): void {
    if (isOn === this.#showsBricks) return;
    this.#showsBricks = isOn;
    this.#requestFrame(this.#views.all);
  }

  /** Must be called when bricks may have been loaded or evicted. */
  bricksChanged(): void {
    const version = this.#shownBricks?.version;
    if (version !== this.#paintedBricks) this.#requestFrame(this.#views.slices);
    this.#paintedBricks = version;
  }

  /** Shows measurements on the slices, and lets the pointer create and change them. */
  showMeasurements(board: MeasureBoard): void {
    this.#board = board;
    for (const view of this.#views.slices) view.boardChanged();
    this.#requestFrame(this.#views.slices);
  }

  /** Cancels a measurement in progress. @returns whether there was one */
  cancelMeasuring(): boolean {
    return this.#views.slices.some((view) => view.cancelMeasuring());
  }

  /** Sets the tool's next point at the crosshair, for measuring by keyboard. */
  measureAtCrosshair(axis: SliceAxis): void {
    const view = this.#views.view(axis);
    if (view instanceof SliceView) view.measureAtCrosshair();
  }

  get #shownBricks(): BrickMap | undefined {
    return this.#showsBricks ? this.#bricks() : undefined;
  }
}
