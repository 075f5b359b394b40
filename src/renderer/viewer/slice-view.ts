import { SlabPlane } from '../../core/engine/slab-plane.ts';
import type { Commands } from '../../core/gpu/commands.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { metresOf } from '../../core/shared/volume.ts';
import { chunkPicture } from './chunk-rectangles.ts';
import { pictureGrounds } from './grounds.ts';
import type { SliceTool } from './measure.ts';
import { MeasurePointer } from './measure-pointer.ts';
import { type MeasureSlice, measureShapes, measureSlice } from './measure-shapes.ts';
import { cutLine, obliqueNormal } from './oblique-geometry.ts';
import { type SliceFrame, safeSpacing, sliceFrame } from './orientation.ts';
import type { Picture, PictureRequest } from './picture.ts';
import { readTexture } from './read-texture.ts';
import { scaleBar } from './scale-bar.ts';
import { slabOf } from './slab.ts';
import {
  clampVoxel,
  type Point,
  panBy,
  pixelOf,
  placeSlice,
  positionAt,
  type SliceCamera,
  type SlicePlacement,
  voxelAt,
  zoomAt,
} from './slice-geometry.ts';
import { SliceOverlayPicture } from './slice-overlay.ts';
import { listenToSlicePointer } from './slice-pointer.ts';
import type { SliceRenderer } from './slice-renderer.ts';
import type { View, ViewHost } from './view-host.ts';
import type { SliceAxis, ViewState } from './viewer-api.ts';

/** By tool; a crosshair where points are set. */
const cursors: Partial<Record<SliceTool, string>> = { pointer: '', window: 'all-scroll' };

export const fitted: SliceCamera = { zoom: 1, center: undefined };
/** Kept free around a fitted slice, in CSS pixels: room for the letters. */
export const sliceMargin = 24;

/** What a picture of the slice hangs on beside its size. */
interface SlicePicture {
  readonly pixelRatio: number;
  readonly state: ViewState;
  /** Undefined: nothing is drawn over it. */
  readonly overlay: SliceOverlayPicture | undefined;
  /** Holds the slab, where slices are thick. */
  readonly plane: SlabPlane;
  readonly caption?: string | undefined;
  readonly ground: GPUColorDict;
}

/** One slice on its own canvas, with crosshair, letters and scale bar, and its pointer. */
export class SliceView implements View {
  readonly canvas: HTMLCanvasElement;
  isShown = false;
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #axis: SliceAxis;
  readonly #host: ViewHost;
  readonly #renderer: SliceRenderer;
  readonly #context: GPUCanvasContext;
  readonly #overlay: SliceOverlayPicture;
  readonly #plane: SlabPlane;
  readonly #measuring: MeasurePointer;
  readonly #endPointer: () => void;
  #camera = fitted;
  #pixelRatio = 1;
  /** Pictures that the GPU has not finished. */
  #pending = 0;

  /** @throws StriaError `internal` when the canvas has a context of another kind */
  constructor(
    gpu: Gpu,
    renderer: SliceRenderer,
    format: GPUTextureFormat,
    axis: SliceAxis,
    canvas: HTMLCanvasElement,
    host: ViewHost,
  ) {
    const context = canvas.getContext('webgpu');
    if (!context) throw new StriaError('internal', 'this canvas has a context of another kind');
    this.canvas = canvas;
    this.#gpu = gpu;
    this.#format = format;
    this.#axis = axis;
    this.#host = host;
    this.#renderer = renderer;
    this.#context = context;
    this.#context.configure({ device: gpu.device, format, alphaMode: 'opaque' });
    this.#overlay = new SliceOverlayPicture(gpu);
    this.#plane = new SlabPlane(gpu);
    this.#measuring = new MeasurePointer(axis, host, () => host.requestRender(this));
    this.#endPointer = listenToSlicePointer(canvas, {
      hover: (pixel) => this.#hover(pixel),
      press: (pixel) => this.#onMeasures((slice) => this.#measuring.press(pixel, slice)) ?? false,
      drag: (pixel) => this.#onMeasures((slice) => this.#measuring.move(pixel, slice)),
      release: (pixel) => this.#onMeasures((slice) => this.#measuring.release(pixel, slice)),
      pick: (pixel) => this.#pick(pixel),
      pan: (by) => this.#move((placement) => panBy(placement, by)),
      zoom: (pixel, factor) => this.#move((placement) => zoomAt(placement, pixel, factor)),
      isWindowing: () => this.#host.board.tool === 'window',
      adjustWindow: (by) => this.#host.set({ window: adjustedWindow(this.#host.state.window, by) }),
      step: (slices) => this.#step(slices),
    });
  }

  render(): void {
    if (!this.isShown) return;
    const commands = this.#gpu.commands('slice');
    this.record(commands);
    this.#pending++;
    const done = (): void => {
      this.#pending--;
    };
    // It fails only with the device, whose loss `Gpu.onLost` tells.
    commands.submit().then(done, done);
  }

  get isSettled(): boolean {
    return !this.isShown || this.#pending === 0;
  }

  /** Records the picture, to be submitted in this very task: then it is on the canvas. */
  record(commands: Commands): void {
    this.#host.drawn();
    const picture = {
      pixelRatio: this.#pixelRatio,
      state: this.#host.state,
      overlay: this.#overlay,
      plane: this.#plane,
      ground: this.#host.ground,
    };
    this.#recordInto(commands, this.#context.getCurrentTexture(), picture);
  }

  /** The slice as a picture of any size. @throws StriaError `device-lost` */
  async picture({ width, height, pixelRatio, isAnnotated, background, caption, state }: PictureRequest): Promise<Picture> {
    using scope = this.#gpu.scope('picture');
    const target = scope.texture('target', width * height * 4, {
      size: [width, height],
      format: this.#format,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const overlay = isAnnotated ? new SliceOverlayPicture(this.#gpu) : undefined;
    const plane = new SlabPlane(this.#gpu);
    try {
      const commands = this.#gpu.commands('picture');
      const ground = background === 'screen' ? this.#host.ground : pictureGrounds[background];
      this.#recordInto(commands, target, {
        pixelRatio,
        state: { ...this.#host.state, ...state },
        overlay,
        plane,
        caption,
        ground,
      });
      await commands.submit();
    } finally {
      overlay?.destroy();
      plane.destroy();
    }
    const picture = await readTexture(this.#gpu, target, background !== 'transparent');
    const placement = this.#placement(target, pixelRatio);
    const unit = this.#host.volume?.info.spatialUnit ?? 'unknown';
    return { ...picture, pixelsPerMetre: placement && placeSlice(placement).pixelsPerUnit / metresOf[unit] };
  }

  #recordInto(
    commands: Commands,
    target: GPUTexture,
    { pixelRatio, state, overlay, plane, caption, ground }: SlicePicture,
  ): void {
    const { volume } = this.#host;
    const placement = this.#placement(target, pixelRatio, state);
    if (!volume || !placement) {
      this.#renderer.record(commands, target, undefined);
      return;
    }
    const map = placeSlice(placement);
    const { frame, index } = placement;
    const { right, down } = frame;
    const slab = slabOf(state.slab, placement.spacing[frame.across]);
    if (!slab) plane.destroy();
    const step: Point = [1 / map.right[right.axis], 1 / map.down[down.axis]];
    const spare = 10 * pixelRatio;
    this.#renderer.record(commands, target, {
      volume,
      axis: frame.across,
      index,
      map,
      state,
      slab: slab && { ...slab, plane },
      ground,
      overlay: overlay && {
        picture: overlay.texture({
          width: target.width,
          height: target.height,
          pixelRatio,
          chunks: this.#host.chunks && chunkPicture(this.#host.chunks, placement, state.timePoint),
          measures: measureShapes(measureSlice(placement, volume.info, pixelRatio), this.#measuring.shown(), state),
          cut: this.#host.hasOblique
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

  resize(width: number, height: number, pixelRatio: number): void {
    this.isShown = width > 0 && height > 0;
    const longest = this.#gpu.device.limits.maxTextureDimension2D;
    this.canvas.width = Math.min(longest, Math.max(1, Math.round(width * pixelRatio)));
    this.canvas.height = Math.min(longest, Math.max(1, Math.round(height * pixelRatio)));
    this.#pixelRatio = pixelRatio;
  }

  /** How the slice is looked at; `center` is undefined until it is moved. */
  get viewpoint(): SliceCamera {
    return this.#camera;
  }

  set viewpoint(camera: SliceCamera) {
    this.#camera = camera;
    this.#host.requestRender(this);
  }

  reset(): void {
    this.#camera = fitted;
  }

  boardChanged(): void {
    this.#measuring.boardChanged();
    this.canvas.style.cursor = cursors[this.#host.board.tool] ?? 'crosshair';
  }

  cancelMeasuring(): boolean {
    return this.#measuring.cancel();
  }

  measureAtCrosshair(): void {
    this.#onMeasures((slice) => {
      const pixel = pixelOf(slice.map, slice.frame, this.#host.state.crosshair);
      this.#measuring.press(pixel, slice);
      this.#measuring.release(pixel, slice);
    });
  }

  dispose(): void {
    this.#endPointer();
    this.#overlay.destroy();
    this.#plane.destroy();
    this.#context.unconfigure();
  }

  /** @param size of the canvas, or of a picture */
  #placement(
    size: { readonly width: number; readonly height: number } = this.canvas,
    pixelRatio = this.#pixelRatio,
    state = this.#host.state,
  ): SlicePlacement | undefined {
    const { volume } = this.#host;
    if (!volume) return undefined;
    const frame: SliceFrame = sliceFrame(volume.info, this.#axis);
    const [x, y, z] = volume.info.dims;
    return {
      frame,
      dims: [x, y, z],
      spacing: safeSpacing(volume.info),
      width: size.width,
      height: size.height,
      index: state.crosshair[frame.across],
      camera: this.#camera,
      margin: Math.min(sliceMargin * pixelRatio, 0.1 * Math.min(size.width, size.height)),
    };
  }

  #hover(pixel: Point | undefined): void {
    const placement = this.#placement();
    const position = placement && pixel && positionAt(placeSlice(placement), pixel);
    this.#host.probe(position && voxelAt(position, placement.dims));
    if (!pixel) return;
    this.#onMeasures((slice) => {
      this.#measuring.move(pixel, slice);
      this.canvas.style.cursor = this.#measuring.cursorAt(pixel, slice);
    });
  }

  #onMeasures<T>(work: (slice: MeasureSlice) => T): T | undefined {
    const placement = this.#placement();
    const info = this.#host.volume?.info;
    return placement && info && work(measureSlice(placement, info, this.#pixelRatio));
  }

  #pick(pixel: Point): void {
    const placement = this.#placement();
    if (placement) this.#host.set({ crosshair: clampVoxel(positionAt(placeSlice(placement), pixel), placement.dims) });
  }

  #move(change: (placement: SlicePlacement) => SliceCamera): void {
    const placement = this.#placement();
    if (!placement) return;
    this.#camera = change(placement);
    this.#host.requestRender(this);
  }

  #step(slices: number): void {
    const placement = this.#placement();
    if (!placement) return;
    const crosshair: [number, number, number] = [...this.#host.state.crosshair];
    crosshair[placement.frame.across] += slices;
    this.#host.set({ crosshair });
  }
}

/** Dragging right widens the window, dragging up raises it: a canvas's length changes it by twice its width. */
export function adjustedWindow([low, high]: ViewState['window'], [x, y]: Point): ViewState['window'] {
  const width = high - low;
  const level = (low + high) / 2 - 2 * y * width;
  const newWidth = width * Math.exp(2 * x);
  return [level - newWidth / 2, level + newWidth / 2];
}
