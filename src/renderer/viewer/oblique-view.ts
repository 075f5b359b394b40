import type { Commands } from '../../core/gpu/commands.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { metresOf } from '../../core/shared/volume.ts';
import { pictureGrounds } from './grounds.ts';
import { alongNormal, type ObliquePlacement, placeOblique, zoomOblique } from './oblique-geometry.ts';
import type { Picture, PictureRequest } from './picture.ts';
import { readTexture } from './read-texture.ts';
import { scaleBar } from './scale-bar.ts';
import { clampVoxel, maxZoom, minZoom, type Point, positionAt, type SliceCamera, voxelAt } from './slice-geometry.ts';
import { SliceOverlayPicture } from './slice-overlay.ts';
import { listenToSlicePointer } from './slice-pointer.ts';
import type { SliceRenderer } from './slice-renderer.ts';
import { adjustedWindow, fitted, sliceMargin } from './slice-view.ts';
import type { View, ViewHost } from './view-host.ts';
import type { ViewState } from './viewer-api.ts';

interface ObliquePicture {
  readonly pixelRatio: number;
  readonly state: ViewState;
  /** Undefined: nothing is drawn over it. */
  readonly overlay: SliceOverlayPicture | undefined;
  readonly caption?: string | undefined;
  readonly ground: GPUColorDict;
}

/** A slice through the crosshair at any angle, on its own canvas: blended between voxels, with their letters and scale bar. */
export class ObliqueView implements View {
  readonly canvas: HTMLCanvasElement;
  isShown = false;
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #host: ViewHost;
  readonly #renderer: SliceRenderer;
  readonly #context: GPUCanvasContext;
  readonly #overlay: SliceOverlayPicture;
  readonly #endPointer: () => void;
  #camera: SliceCamera = fitted;
  #pixelRatio = 1;
  /** Pictures that the GPU has not finished. */
  #pending = 0;
  /** What is left of a step along the normal that was less than a voxel. */
  #rest: readonly [number, number, number] = [0, 0, 0];

  /** @throws StriaError `internal` when the canvas has a context of another kind */
  constructor(gpu: Gpu, renderer: SliceRenderer, format: GPUTextureFormat, canvas: HTMLCanvasElement, host: ViewHost) {
    const context = canvas.getContext('webgpu');
    if (!context) throw new StriaError('internal', 'this canvas has a context of another kind');
    this.canvas = canvas;
    this.#gpu = gpu;
    this.#format = format;
    this.#host = host;
    this.#renderer = renderer;
    this.#context = context;
    this.#context.configure({ device: gpu.device, format, alphaMode: 'opaque' });
    this.#overlay = new SliceOverlayPicture(gpu);
    this.#endPointer = listenToSlicePointer(canvas, {
      hover: (pixel) => this.#hover(pixel),
      isWindowing: () => this.#host.board.tool === 'window',
      press: () => false,
      drag: () => {},
      release: () => {},
      pick: (pixel) => this.#pick(pixel),
      pan: (by) => this.#move((placement) => panned(placement, by)),
      zoom: (pixel, factor) => {
        const zoom = Math.min(maxZoom, Math.max(minZoom, this.#camera.zoom * factor));
        this.#move((placement) => zoomOblique(placement, pixel, zoom));
      },
      adjustWindow: (by) => this.#host.set({ window: adjustedWindow(this.#host.state.window, by) }),
      step: (slices) => this.#step(slices),
    });
  }

  render(): void {
    if (!this.isShown) return;
    const commands = this.#gpu.commands('oblique');
    this.#host.drawn();
    this.#recordInto(commands, this.#context.getCurrentTexture(), {
      pixelRatio: this.#pixelRatio,
      state: this.#host.state,
      overlay: this.#overlay,
      ground: this.#host.ground,
    });
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

  /** The slice as a picture of any size. @throws StriaError `device-lost` */
  async picture({ width, height, pixelRatio, isAnnotated, background, caption, state }: PictureRequest): Promise<Picture> {
    using scope = this.#gpu.scope('picture');
    const target = scope.texture('target', width * height * 4, {
      size: [width, height],
      format: this.#format,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const overlay = isAnnotated ? new SliceOverlayPicture(this.#gpu) : undefined;
    try {
      const commands = this.#gpu.commands('picture');
      const ground = background === 'screen' ? this.#host.ground : pictureGrounds[background];
      this.#recordInto(commands, target, { pixelRatio, state: { ...this.#host.state, ...state }, overlay, caption, ground });
      await commands.submit();
    } finally {
      overlay?.destroy();
    }
    const picture = await readTexture(this.#gpu, target, background !== 'transparent');
    const placement = this.#placement(target, pixelRatio);
    const unit = this.#host.volume?.info.spatialUnit ?? 'unknown';
    return { ...picture, pixelsPerMetre: placement && placeOblique(placement).map.pixelsPerUnit / metresOf[unit] };
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

  get viewpoint(): SliceCamera {
    return this.#camera;
  }

  set viewpoint(camera: SliceCamera) {
    this.#camera = camera;
    this.#host.requestRender(this);
  }

  dispose(): void {
    this.#endPointer();
    this.#overlay.destroy();
    this.#context.unconfigure();
  }

  #recordInto(commands: Commands, target: GPUTexture, { pixelRatio, state, overlay, caption, ground }: ObliquePicture): void {
    const { volume } = this.#host;
    const placement = this.#placement(target, pixelRatio, state);
    if (!volume?.holdsTimePoints || !placement) {
      this.#renderer.record(commands, target, undefined);
      return;
    }
    const { map, letters, crosshairPixel } = placeOblique(placement);
    const spare = 10 * pixelRatio;
    this.#renderer.record(commands, target, {
      volume,
      axis: undefined,
      index: 0,
      map,
      // Voxels cut aslant have no rectangle to show.
      state: { ...state, smooth: true },
      ground,
      overlay: overlay && {
        picture: overlay.texture({
          width: target.width,
          height: target.height,
          pixelRatio,
          chunks: undefined,
          measures: [],
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

  /** @param size of the canvas, or of a picture */
  #placement(
    size: { readonly width: number; readonly height: number } = this.canvas,
    pixelRatio = this.#pixelRatio,
    state = this.#host.state,
  ): ObliquePlacement | undefined {
    const { volume } = this.#host;
    if (!volume) return undefined;
    const { width, height } = size;
    const margin = Math.min(sliceMargin * pixelRatio, 0.1 * Math.min(width, height));
    return { info: volume.info, tilt: state.oblique, crosshair: state.crosshair, camera: this.#camera, width, height, margin };
  }

  #hover(pixel: Point | undefined): void {
    const placement = this.#placement();
    const position = placement && pixel && positionAt(placeOblique(placement).map, pixel);
    const [x, y, z] = placement?.info.dims ?? [0, 0, 0];
    this.#host.probe(position && voxelAt(position, [x, y, z]));
  }

  #pick(pixel: Point): void {
    const placement = this.#placement();
    if (!placement) return;
    const [x, y, z] = placement.info.dims;
    this.#host.set({ crosshair: clampVoxel(positionAt(placeOblique(placement).map, pixel), [x, y, z]) });
  }

  #move(change: (placement: ObliquePlacement) => SliceCamera): void {
    const placement = this.#placement();
    if (!placement) return;
    this.#camera = change(placement);
    this.#host.requestRender(this);
  }

  /** Along the normal; the crosshair is a voxel, so what is left of a step goes into the next. */
  #step(slices: number): void {
    const placement = this.#placement();
    if (!placement) return;
    const { info, crosshair } = placement;
    const [x, y, z] = this.#rest;
    const from = [crosshair[0] + x, crosshair[1] + y, crosshair[2] + z] as const;
    const to = alongNormal(info, placeOblique(placement).normal, from, slices);
    const next = to.map(Math.round) as [number, number, number];
    this.#rest = [to[0] - next[0], to[1] - next[1], to[2] - next[2]];
    this.#host.set({ crosshair: next });
  }
}

function panned({ camera, ...placement }: ObliquePlacement, [x, y]: Point): SliceCamera {
  const { pixelsPerUnit } = placeOblique({ camera, ...placement }).map;
  const [panX, panY] = camera.center ?? [0, 0];
  return { zoom: camera.zoom, center: [panX - x / pixelsPerUnit, panY - y / pixelsPerUnit] };
}
