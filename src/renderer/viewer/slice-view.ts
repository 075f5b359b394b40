import type { Commands } from '../../core/gpu/commands.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { chunkPicture } from './chunk-rectangles.ts';
import { type SliceFrame, safeSpacing, sliceFrame } from './orientation.ts';
import { scaleBar } from './scale-bar.ts';
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

const fitted: SliceCamera = { zoom: 1, center: undefined };
/** Kept free around a fitted slice, in CSS pixels: room for the letters. */
const margin = 24;

/** One slice on its own canvas, with crosshair, letters and scale bar, and its pointer. */
export class SliceView implements View {
  readonly canvas: HTMLCanvasElement;
  isShown = false;
  readonly #gpu: Gpu;
  readonly #axis: SliceAxis;
  readonly #host: ViewHost;
  readonly #renderer: SliceRenderer;
  readonly #context: GPUCanvasContext;
  readonly #overlay: SliceOverlayPicture;
  readonly #endPointer: () => void;
  #camera = fitted;
  #pixelRatio = 1;

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
    this.#axis = axis;
    this.#host = host;
    this.#renderer = renderer;
    this.#context = context;
    this.#context.configure({ device: gpu.device, format, alphaMode: 'opaque' });
    this.#overlay = new SliceOverlayPicture(gpu);
    this.#endPointer = listenToSlicePointer(canvas, {
      hover: (pixel) => this.#hover(pixel),
      pick: (pixel) => this.#pick(pixel),
      pan: (by) => this.#move((placement) => panBy(placement, by)),
      zoom: (pixel, factor) => this.#move((placement) => zoomAt(placement, pixel, factor)),
      adjustWindow: (by) => this.#host.set({ window: adjustedWindow(this.#host.state.window, by) }),
      step: (slices) => this.#step(slices),
    });
  }

  render(): void {
    if (!this.isShown) return;
    const commands = this.#gpu.commands('slice');
    this.record(commands);
    // It fails only with the device, whose loss `Gpu.onLost` tells.
    commands.submit().catch(() => {});
  }

  /** Records the picture, to be submitted in this very task: then it is on the canvas. */
  record(commands: Commands): void {
    const { volume, state } = this.#host;
    const target = this.#context.getCurrentTexture();
    const placement = this.#placement();
    if (!volume || !placement) {
      this.#renderer.record(commands, target, undefined);
      return;
    }
    const map = placeSlice(placement);
    const { frame, index } = placement;
    const { right, down } = frame;
    const step: Point = [1 / map.right[right.axis], 1 / map.down[down.axis]];
    const spare = 10 * this.#pixelRatio;
    this.#renderer.record(commands, target, {
      volume,
      axis: frame.across,
      index,
      map,
      state,
      overlay: {
        picture: this.#overlay.texture({
          width: this.canvas.width,
          height: this.canvas.height,
          pixelRatio: this.#pixelRatio,
          chunks: this.#host.chunks && chunkPicture(this.#host.chunks, placement, state.timePoint),
          letters: frame.letters,
          scaleBar: scaleBar(
            map.pixelsPerUnit,
            Math.min(0.3 * this.canvas.width, 120 * this.#pixelRatio),
            volume.info.spatialUnit,
          ),
        }),
        voxel: [state.crosshair[right.axis], state.crosshair[down.axis]],
        center: pixelOf(map, frame, [0, 0, 0]),
        step,
        gap: [Math.abs(step[0]) / 2 + spare, Math.abs(step[1]) / 2 + spare],
        thickness: Math.max(1, Math.round(this.#pixelRatio)),
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

  reset(): void {
    this.#camera = fitted;
  }

  dispose(): void {
    this.#endPointer();
    this.#overlay.destroy();
    this.#context.unconfigure();
  }

  #placement(): SlicePlacement | undefined {
    const { volume, state } = this.#host;
    if (!volume) return undefined;
    const frame: SliceFrame = sliceFrame(volume.info, this.#axis);
    const [x, y, z] = volume.info.dims;
    return {
      frame,
      dims: [x, y, z],
      spacing: safeSpacing(volume.info),
      width: this.canvas.width,
      height: this.canvas.height,
      index: state.crosshair[frame.across],
      camera: this.#camera,
      margin: Math.min(margin * this.#pixelRatio, 0.1 * Math.min(this.canvas.width, this.canvas.height)),
    };
  }

  #hover(pixel: Point | undefined): void {
    const placement = this.#placement();
    const position = placement && pixel && positionAt(placeSlice(placement), pixel);
    this.#host.probe(position && voxelAt(position, placement.dims));
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
