import type { Commands } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { detailWish, placedSlice, type SliceSize, sliceDrawing, slicePlacement, timedLayers } from '../draw/slice-drawing.ts';
import type { SliceRenderer } from '../draw/slice-renderer.ts';
import { chunkPicture } from '../model/chunk-rectangles.ts';
import { cutLine, obliqueNormal } from '../model/oblique-geometry.ts';
import type { PictureRequest } from '../model/picture.ts';
import { scaleBar } from '../model/scale-bar.ts';
import {
  type CanvasToVoxel,
  clampVoxel,
  fittedPixelsPerUnit,
  keptInSight,
  type Point,
  panBy,
  pixelOf,
  placeSlice,
  positionAt,
  type SliceCamera,
  type SlicePlacement,
  zoomAt,
} from '../model/slice-geometry.ts';
import type { ViewHost } from '../model/view-host.ts';
import type { SliceAxis, ViewState } from '../model/viewer-api.ts';
import { MeasurePointer } from './measure-pointer.ts';
import { type MeasureSlice, measureShapes, measureSlice } from './measure-shapes.ts';
import { adjustedWindow, type FinerVoxels, freeVoxels, SliceCanvas, type SlicePicture, toolCursor } from './slice-canvas.ts';
import { listenToSlicePointer } from './slice-pointer.ts';

/** One slice on its own canvas, with crosshair, letters, scale bar and pointer handling. */
export class SliceView extends SliceCanvas {
  readonly #axis: SliceAxis;
  readonly #renderer: SliceRenderer;
  readonly #measuring: MeasurePointer;
  readonly #endPointer: () => void;

  /** @throws StriaError `internal` if the canvas already has another kind of context */
  constructor(
    gpu: Gpu,
    renderer: SliceRenderer,
    format: GPUTextureFormat,
    axis: SliceAxis,
    canvas: HTMLCanvasElement,
    host: ViewHost,
  ) {
    super(gpu, format, canvas, host);
    this.#axis = axis;
    this.#renderer = renderer;
    this.#measuring = new MeasurePointer(axis, host, () => host.requestRender(this));
    this.#endPointer = listenToSlicePointer(canvas, {
      hover: (pixel) => this.#hover(pixel),
      press: (pixel) => this.#onMeasures((slice) => this.#measuring.press(pixel, slice)) ?? false,
      drag: (pixel) => this.#onMeasures((slice) => this.#measuring.move(pixel, slice)),
      release: (pixel) => this.#onMeasures((slice) => this.#measuring.release(pixel, slice)),
      cancel: () => this.#measuring.cancel(),
      pick: (pixel) => this.#pick(pixel),
      pan: (by) => this.#move((placement) => panBy(placement, by)),
      zoom: (pixel, factor) => this.#move((placement) => zoomAt(placement, pixel, factor)),
      isWindowing: () => this.host.board.tool === 'window',
      adjustWindow: (by) => this.host.set({ window: adjustedWindow(this.host.state.window, by) }),
      step: (slices) => this.#step(slices),
    });
  }

  protected override recordInto(
    commands: Commands,
    target: GPUTexture,
    { pixelRatio, state, overlay, plane, slabs, detail, caption, ground }: SlicePicture,
  ): void {
    const { volume, labels } = this.host;
    const placement = this.#placement(target, pixelRatio, state);
    if (!volume || !placement) {
      plane.destroy();
      slabs.destroy();
      freeVoxels(detail);
      this.#renderer.record(commands, target, undefined);
      return;
    }
    const slice = placedSlice(volume, this.#axis, placement, state, pixelRatio);
    const layers = detail.layers.drawings(slice, slabs.drawings(this.host, state), target);
    const meshes = this.host.meshesIn(state);
    const finer = detail.volume.drawing(detailWish(volume, this.#axis, placement, state));
    const look = { pixelRatio, state, layers, meshes, labels, detail: finer, plane, ground };
    const drawing = sliceDrawing(volume, this.#axis, placement, look);
    const { frame } = placement;
    const { map } = drawing;
    const { right, down } = frame;
    const step: Point = [1 / map.right[right.axis], 1 / map.down[down.axis]];
    const spare = 10 * pixelRatio;
    this.#renderer.record(commands, target, {
      ...drawing,
      overlay: overlay && {
        picture: overlay.texture({
          width: target.width,
          height: target.height,
          pixelRatio,
          chunks: this.host.chunks && chunkPicture(this.host.chunks, placement, state.timePoint),
          measures: measureShapes(measureSlice(placement, volume.info, pixelRatio), this.#measuring.shown(), state),
          cut: this.host.hasOblique
            ? cutLine(volume.info, obliqueNormal(volume.info, state.oblique), { ...placement, map, crosshair: state.crosshair })
            : undefined,
          letters: frame.letters,
          scaleBar: scaleBar(map.pixelsPerUnit, Math.min(0.3 * target.width, 120 * pixelRatio), volume.info.spatialUnit),
          caption,
        }),
        voxel: [state.crosshair[right.axis], state.crosshair[down.axis]],
        center: pixelOf(map, frame, [0, 0, 0]),
        step,
        gap: [Math.abs(step[0]) / 2 + spare, Math.abs(step[1]) / 2 + spare],
        thickness: Math.max(1, Math.round(pixelRatio)),
      },
    });
  }

  protected override async loadDetail(detail: FinerVoxels, picture: PictureRequest, state: ViewState): Promise<void> {
    const { volume } = this.host;
    const placement = this.#placement(picture, picture.pixelRatio, state);
    if (!volume || !placement) return;
    const wish = detailWish(volume, this.#axis, placement, state);
    if (wish) await detail.volume.loaded(wish, picture.signal);
    const slice = placedSlice(volume, this.#axis, placement, state, picture.pixelRatio);
    await detail.layers.load(slice, timedLayers(this.host, state), picture, picture.signal);
  }

  protected override pixelsPerUnit(size: SliceSize, pixelRatio: number): number | undefined {
    const placement = this.#placement(size, pixelRatio);
    return placement && placeSlice(placement).pixelsPerUnit;
  }

  protected override fittedPixelsPerUnit(): number | undefined {
    const placement = this.#placement();
    return placement && fittedPixelsPerUnit(placement);
  }

  protected override canvasMap(): CanvasToVoxel | undefined {
    const placement = this.#placement();
    return placement && placeSlice(placement);
  }

  boardChanged(): void {
    this.#measuring.boardChanged();
    this.canvas.style.cursor = toolCursor(this.host.board.tool);
  }

  cancelMeasuring(): boolean {
    return this.#measuring.cancel();
  }

  measureAtCrosshair(): void {
    this.#onMeasures((slice) => {
      const [x, y, z] = this.host.state.crosshair;
      const pixel = slice.pixelOf([x + 0.5, y + 0.5, z + 0.5]);
      this.#measuring.press(pixel, slice);
      this.#measuring.release(pixel, slice);
    });
  }

  override dispose(): void {
    this.#endPointer();
    super.dispose();
  }

  /** @param size the size of the canvas, or of a picture */
  #placement(size: SliceSize = this.canvas, pixelRatio = this.pixelRatio, state = this.host.state): SlicePlacement | undefined {
    const { volume } = this.host;
    if (!volume) return undefined;
    return slicePlacement(volume.info, this.#axis, state, this.viewpoint, size, pixelRatio);
  }

  #hover(pixel: Point | undefined): void {
    const placement = this.#placement();
    const position = placement && pixel && positionAt(placeSlice(placement), pixel);
    this.host.probe(position);
    if (!pixel) return;
    this.#onMeasures((slice) => {
      this.#measuring.move(pixel, slice);
      this.canvas.style.cursor = this.#measuring.cursorAt(pixel, slice);
    });
  }

  #onMeasures<T>(work: (slice: MeasureSlice) => T): T | undefined {
    const placement = this.#placement();
    const info = this.host.volume?.info;
    return placement && info && work(measureSlice(placement, info, this.pixelRatio));
  }

  #pick(pixel: Point): void {
    const placement = this.#placement();
    if (placement) this.host.set({ crosshair: clampVoxel(positionAt(placeSlice(placement), pixel), placement.dims) });
  }

  #move(change: (placement: SlicePlacement) => SliceCamera): void {
    const placement = this.#placement();
    if (placement) this.viewpoint = keptInSight({ ...placement, camera: change(placement) });
  }

  #step(slices: number): void {
    const placement = this.#placement();
    if (!placement) return;
    const crosshair: [number, number, number] = [...this.host.state.crosshair];
    crosshair[placement.frame.across] += slices;
    this.host.set({ crosshair });
  }
}
