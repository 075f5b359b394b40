import type { Commands } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import type { BrickSpace } from '../draw/brick-space.ts';
import type { PlacedSlice } from '../draw/layer-plane.ts';
import { type ObliqueBricks, ObliqueDetail } from '../draw/oblique-detail.ts';
import { detailTimes, lineWidthOf, marginOf, outlineOf, type SliceSize, timedLayers } from '../draw/slice-drawing.ts';
import type { SliceRenderer } from '../draw/slice-renderer.ts';
import { baseOpacity } from '../model/layers.ts';
import { isMeasuring, measuresOblique } from '../model/measure.ts';
import {
  alongNormal,
  fittedObliquePixelsPerUnit,
  type ObliquePlacement,
  obliqueKeptInSight,
  placeOblique,
  zoomOblique,
} from '../model/oblique-geometry.ts';
import type { PictureRequest, ViewPicture } from '../model/picture.ts';
import { scaleBar } from '../model/scale-bar.ts';
import {
  type CanvasToVoxel,
  clampVoxel,
  maxZoom,
  minZoom,
  type Point,
  positionAt,
  type SliceCamera,
} from '../model/slice-geometry.ts';
import type { ViewHost } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { MeasurePointer } from './measure-pointer.ts';
import { type MeasureSlice, measureShapes, obliqueMeasureSlice } from './measure-shapes.ts';
import { adjustedWindow, type FinerVoxels, freeVoxels, SliceCanvas, type SlicePicture, toolCursor } from './slice-canvas.ts';
import { listenToSlicePointer } from './slice-pointer.ts';

/**
 * A slice of any orientation through the crosshair, on its own canvas, interpolated between voxels, with letters, a scale bar and
 * measurements.
 */
export class ObliqueView extends SliceCanvas {
  readonly #renderer: SliceRenderer;
  readonly #measuring: MeasurePointer;
  readonly #endPointer: () => void;
  readonly #detail: ObliqueDetail;
  #bricks: BrickSpace | undefined;
  /** The remainder of steps along the normal, less than a voxel. */
  #rest: readonly [number, number, number] = [0, 0, 0];

  /** @throws StriaError `internal` if the canvas already has another kind of context */
  constructor(gpu: Gpu, renderer: SliceRenderer, format: GPUTextureFormat, canvas: HTMLCanvasElement, host: ViewHost) {
    super(gpu, format, canvas, host);
    this.#renderer = renderer;
    this.#measuring = new MeasurePointer('oblique', host, () => host.requestRender(this));
    this.#detail = new ObliqueDetail(gpu, format, (fault) => this.failed('volume', fault));
    this.#endPointer = listenToSlicePointer(canvas, {
      hover: (pixel) => this.#hover(pixel),
      isWindowing: () => this.host.board.tool === 'window',
      press: (pixel) => this.#onMeasures((slice) => this.#measuring.press(pixel, slice)) ?? false,
      drag: (pixel) => this.#onMeasures((slice) => this.#measuring.move(pixel, slice)),
      release: (pixel) => this.#onMeasures((slice) => this.#measuring.release(pixel, slice)),
      cancel: () => this.#measuring.cancel(),
      pick: (pixel) => this.#pick(pixel),
      pan: (by) => this.#move((placement) => panned(placement, by)),
      zoom: (pixel, factor) => {
        const zoom = Math.min(maxZoom, Math.max(minZoom, this.viewpoint.zoom * factor));
        this.#move((placement) => zoomOblique(placement, pixel, zoom));
      },
      adjustWindow: (by) => this.host.set({ window: adjustedWindow(this.host.state.window, by) }),
      step: (slices) => this.#step(slices),
    });
  }

  /** Draws from these bricks if GPU memory holds only a lower resolution. The caller owns them. */
  setBricks(bricks: BrickSpace | undefined): void {
    if (bricks === this.#bricks) return;
    this.#bricks = bricks;
    this.host.requestRender(this);
  }

  protected override recordInto(
    commands: Commands,
    target: GPUTexture,
    { pixelRatio, state, overlay, slabs, detail, caption, ground }: SlicePicture,
  ): void {
    const { volume } = this.host;
    const placement = this.#placement(target, pixelRatio, state);
    if (!volume || !placement) {
      slabs.destroy();
      freeVoxels(detail);
      this.#renderer.record(commands, target, undefined);
      return;
    }
    const { map, letters, crosshairPixel } = placeOblique(placement);
    const spare = 10 * pixelRatio;
    const slice = obliqueSlice(volume, map, pixelRatio);
    this.#renderer.record(commands, target, {
      ...slice,
      // Voxels that are cut obliquely are not rectangles, so they are always interpolated.
      state: { ...state, smooth: true },
      bricks: this.#drawn(map, target, state),
      opacity: baseOpacity(state.layers),
      blended: slabs.volume,
      layers: detail.layers.drawings(slice, slabs.drawings(this.host, state), target),
      meshes: this.host.meshesIn(state).map(outlineOf),
      labels: this.host.labels,
      ground,
      overlay: overlay && {
        picture: overlay.texture({
          width: target.width,
          height: target.height,
          pixelRatio,
          chunks: undefined,
          measures: measureShapes(obliqueMeasureSlice(map, volume.info, pixelRatio), this.#measuring.shown(), state),
          letters,
          scaleBar: scaleBar(map.pixelsPerUnit, Math.min(0.3 * target.width, 120 * pixelRatio), volume.info.spatialUnit),
          caption,
        }),
        voxel: [0, 0],
        center: crosshairPixel,
        step: [0, 0],
        gap: [spare, spare],
        thickness: Math.max(1, Math.round(pixelRatio)),
      },
    });
  }

  protected override pixelsPerUnit(size: SliceSize, pixelRatio: number): number | undefined {
    const placement = this.#placement(size, pixelRatio);
    return placement && placeOblique(placement).map.pixelsPerUnit;
  }

  protected override fittedPixelsPerUnit(): number | undefined {
    const placement = this.#placement();
    return placement && fittedObliquePixelsPerUnit(placement);
  }

  protected override canvasMap(): CanvasToVoxel | undefined {
    const placement = this.#placement();
    return placement && placeOblique(placement).map;
  }

  boardChanged(): void {
    this.#measuring.boardChanged();
    const { tool } = this.host.board;
    this.canvas.style.cursor = isMeasuring(tool) && !measuresOblique(tool) ? '' : toolCursor(tool);
  }

  cancelMeasuring(): boolean {
    return this.#measuring.cancel();
  }

  protected override async loadDetail(detail: FinerVoxels, request: PictureRequest, state: ViewState): Promise<void> {
    const { volume } = this.host;
    const { width, height, pixelRatio, signal } = request;
    const placement = this.#placement(request, pixelRatio, state);
    if (!volume || !placement) return;
    const { map } = placeOblique(placement);
    await detail.layers.load(obliqueSlice(volume, map, pixelRatio), timedLayers(this.host, state), request, signal);
    const timePoints = this.#brickTimes(state);
    if (timePoints.length > 0) await this.#detail.load(this.#bricks, { map, width, height, timePoints }, signal);
  }

  override async picture(request: PictureRequest): Promise<ViewPicture> {
    try {
      return await super.picture(request);
    } finally {
      // The picture's requests for bricks have replaced those of the canvas.
      if (this.#bricks) this.host.requestRender(this);
    }
  }

  override dispose(): void {
    this.#endPointer();
    this.#bricks = undefined;
    this.#detail.destroy();
    super.dispose();
  }

  /** See `detailTimes`. None if GPU memory holds the full resolution. */
  #brickTimes(state: ViewState): readonly number[] {
    const { volume } = this.host;
    return volume && volume.decimation > 1 ? detailTimes(volume.info, state) : [];
  }

  #drawn(map: CanvasToVoxel, { width, height }: SliceSize, state: ViewState): ObliqueBricks | undefined {
    const timePoints = this.#brickTimes(state);
    return this.#detail.drawing(timePoints.length > 0 ? this.#bricks : undefined, { map, width, height, timePoints });
  }

  /** @param size the size of the canvas, or of a picture */
  #placement(size: SliceSize = this.canvas, pixelRatio = this.pixelRatio, state = this.host.state): ObliquePlacement | undefined {
    const { volume } = this.host;
    if (!volume) return undefined;
    const { width, height } = size;
    const margin = marginOf(size, pixelRatio);
    const { oblique: tilt, crosshair } = state;
    const placement = { info: volume.info, tilt, crosshair, camera: this.viewpoint, width, height, margin };
    return { ...placement, camera: obliqueKeptInSight(placement) };
  }

  #hover(pixel: Point | undefined): void {
    const placement = this.#placement();
    const position = placement && pixel && positionAt(placeOblique(placement).map, pixel);
    this.host.probe(position);
    if (!pixel) return;
    this.#onMeasures((slice) => {
      this.#measuring.move(pixel, slice);
      this.canvas.style.cursor = this.#measuring.cursorAt(pixel, slice);
    });
  }

  #onMeasures<T>(work: (slice: MeasureSlice) => T): T | undefined {
    const placement = this.#placement();
    return placement && work(obliqueMeasureSlice(placeOblique(placement).map, placement.info, this.pixelRatio));
  }

  #pick(pixel: Point): void {
    const placement = this.#placement();
    if (!placement) return;
    const [x, y, z] = placement.info.dims;
    this.host.set({ crosshair: clampVoxel(positionAt(placeOblique(placement).map, pixel), [x, y, z]) });
  }

  #move(change: (placement: ObliquePlacement) => SliceCamera): void {
    const placement = this.#placement();
    if (placement) this.viewpoint = obliqueKeptInSight({ ...placement, camera: change(placement) });
  }

  /** Moves along the normal. The crosshair moves by whole voxels, so the remainder is added to the next step. */
  #step(slices: number): void {
    const placement = this.#placement();
    if (!placement) return;
    const { info, crosshair } = placement;
    const [x, y, z] = this.#rest;
    const from = [crosshair[0] + x, crosshair[1] + y, crosshair[2] + z] as const;
    const to = alongNormal(info, placeOblique(placement).normal, from, slices);
    const next = to.map(Math.round) as [number, number, number];
    this.#rest = [to[0] - next[0], to[1] - next[1], to[2] - next[2]];
    this.host.set({ crosshair: next });
  }
}

function obliqueSlice(volume: VolumeSource, map: CanvasToVoxel, pixelRatio: number) {
  return { volume, axis: undefined, index: 0, map, lineWidth: lineWidthOf(pixelRatio) } satisfies PlacedSlice;
}

function panned({ camera, ...placement }: ObliquePlacement, [x, y]: Point): SliceCamera {
  const { pixelsPerUnit } = placeOblique({ camera, ...placement }).map;
  const [panX, panY] = camera.center ?? [0, 0];
  return { zoom: camera.zoom, center: [panX - x / pixelsPerUnit, panY - y / pixelsPerUnit] };
}
