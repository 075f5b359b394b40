import { SlabPlane } from '../../../core/draw/slab-plane.ts';
import type { Commands } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { scaled } from '../../../core/shared/vectors.ts';
import { pictureGrounds } from '../colors/grounds.ts';
import { LayerDetails } from '../draw/layer-details.ts';
import { LayerSlabs } from '../draw/layer-slabs.ts';
import { SliceDetail } from '../draw/slice-detail.ts';
import type { SliceSize } from '../draw/slice-drawing.ts';
import { pixelsPerMetre, texturePicture } from '../draw/slice-picture.ts';
import { CanvasFaults, type DetailFault } from '../model/detail-faults.ts';
import type { SliceTool } from '../model/measure.ts';
import type { PictureRequest, ViewPicture } from '../model/picture.ts';
import type { CanvasToVoxel, SliceCamera, SliceOnScreen } from '../model/slice-geometry.ts';
import type { View, ViewHost } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { SliceOverlayPicture } from './slice-overlay.ts';

const fitted: SliceCamera = { zoom: 1, center: undefined };

/** The voxels of a slice that GPU memory lacks. */
export interface FinerVoxels {
  /** Those of the open volume and its channels. */
  readonly volume: SliceDetail;
  readonly layers: LayerDetails;
}

/** Everything that a picture of a slice needs besides its size. */
export interface SlicePicture {
  readonly pixelRatio: number;
  readonly state: ViewState;
  /** Undefined if nothing is drawn over it. */
  readonly overlay: SliceOverlayPicture | undefined;
  /** Scratch memory for slabs. */
  readonly plane: SlabPlane;
  /** Scratch memory for layers. */
  readonly slabs: LayerSlabs;
  readonly detail: FinerVoxels;
  readonly caption?: string | undefined;
  readonly ground: GPUColorDict;
}

/** A canvas that shows a slice: its size, zoom and pan, frames in flight, and pictures of any size. */
export abstract class SliceCanvas implements View {
  readonly canvas: HTMLCanvasElement;
  isShown = false;
  protected readonly host: ViewHost;
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #context: GPUCanvasContext;
  readonly #overlay: SliceOverlayPicture;
  readonly #plane: SlabPlane;
  readonly #slabs: LayerSlabs;
  readonly #detail: FinerVoxels;
  readonly #faults = new CanvasFaults((fault: DetailFault | undefined) => this.host.detailFailed(this, fault));
  #camera = fitted;
  #pixelRatio = 1;
  /** The number of frames that the GPU has not finished. */
  #pending = 0;

  /** @throws StriaError `internal` if the canvas already has another kind of context */
  constructor(gpu: Gpu, format: GPUTextureFormat, canvas: HTMLCanvasElement, host: ViewHost) {
    const context = canvas.getContext('webgpu');
    if (!context) throw new StriaError('internal', 'this canvas already has another kind of context');
    this.canvas = canvas;
    this.host = host;
    this.#gpu = gpu;
    this.#format = format;
    this.#context = context;
    this.#context.configure({ device: gpu.device, format, alphaMode: 'opaque' });
    this.#overlay = new SliceOverlayPicture(gpu);
    this.#plane = new SlabPlane(gpu);
    this.#slabs = new LayerSlabs(gpu);
    this.#detail = this.#newDetail(() => host.requestRender(this));
  }

  /** Records drawing the slice into a texture. */
  protected abstract recordInto(commands: Commands, target: GPUTexture, picture: SlicePicture): void;

  /** Loads the finer voxels that a picture shows, if there are any. */
  protected async loadDetail(_detail: FinerVoxels, _picture: PictureRequest, _state: ViewState): Promise<void> {}

  /** Pixels per unit of length of the volume; undefined if nothing is shown. */
  protected abstract pixelsPerUnit(size: SliceSize, pixelRatio: number): number | undefined;

  /** Canvas pixels per unit of length of the volume at a zoom of 1; undefined if nothing is shown. */
  protected abstract fittedPixelsPerUnit(): number | undefined;

  /** The map from canvas pixels to voxels; undefined if nothing is shown. */
  protected abstract canvasMap(): CanvasToVoxel | undefined;

  /** The slice's place on the screen; undefined if nothing is shown. */
  get onScreen(): SliceOnScreen | undefined {
    const map = this.isShown ? this.canvasMap() : undefined;
    if (!map) return undefined;
    const ratio = this.#pixelRatio;
    const { origin, right, down, pixelsPerUnit } = map;
    const onScreen = { origin, right: scaled(right, ratio), down: scaled(down, ratio), pixelsPerUnit: pixelsPerUnit / ratio };
    return { map: onScreen, width: this.canvas.width / ratio, height: this.canvas.height / ratio };
  }

  /** CSS pixels per unit of length of the volume at a zoom of 1; undefined if nothing is shown. */
  get fittedScale(): number | undefined {
    const fitted = this.isShown ? this.fittedPixelsPerUnit() : undefined;
    return fitted && fitted / this.#pixelRatio;
  }

  /** Whether the slice was panned or zoomed. */
  get isMoved(): boolean {
    return this.#camera.zoom !== fitted.zoom || this.#camera.center !== undefined;
  }

  render(): void {
    if (!this.isShown) return;
    const commands = this.#gpu.commands('slice');
    this.record(commands);
    this.#pending++;
    const done = (): void => {
      this.#pending--;
    };
    // This fails only if the device is lost, which `Gpu.onLost` reports.
    commands.submit().then(done, done);
  }

  get isSettled(): boolean {
    return !this.isShown || (this.#pending === 0 && !this.#detail.volume.isPending && !this.#detail.layers.isPending);
  }

  /** Records a frame, which must be submitted in the same task to reach the canvas. */
  record(commands: Commands): void {
    this.host.drawn();
    this.recordInto(commands, this.#context.getCurrentTexture(), {
      pixelRatio: this.#pixelRatio,
      state: this.host.state,
      overlay: this.#overlay,
      plane: this.#plane,
      slabs: this.#slabs,
      detail: this.#detail,
      ground: this.host.ground,
    });
  }

  /** The slice as a picture of any size. @throws StriaError `device-lost` */
  async picture(request: PictureRequest): Promise<ViewPicture> {
    const { pixelRatio, isAnnotated, background, caption } = request;
    const state = { ...this.host.state, ...request.state };
    const overlay = isAnnotated ? new SliceOverlayPicture(this.#gpu) : undefined;
    const ground = background === 'screen' ? this.host.ground : pictureGrounds[background];
    // Faults of a picture's layers are not those of the canvas, and end with the picture.
    const detail = this.#newDetail(
      () => {},
      () => {},
    );
    try {
      await this.loadDetail(detail, request, state);
      const picture = await texturePicture(this.#gpu, this.#format, request, (commands, target, scratch) =>
        this.recordInto(commands, target, { pixelRatio, state, overlay, ...scratch, detail, caption, ground }),
      );
      const pixelsPerUnit = this.pixelsPerUnit(request, pixelRatio);
      return { ...picture, pixelsPerMetre: pixelsPerMetre(pixelsPerUnit, this.host.volume?.info) };
    } finally {
      freeVoxels(detail);
      overlay?.destroy();
    }
  }

  resize(width: number, height: number, pixelRatio: number): void {
    this.isShown = width > 0 && height > 0;
    if (!this.isShown) freeVoxels(this.#detail);
    const longest = this.#gpu.device.limits.maxTextureDimension2D;
    this.canvas.width = Math.min(longest, Math.max(1, Math.round(width * pixelRatio)));
    this.canvas.height = Math.min(longest, Math.max(1, Math.round(height * pixelRatio)));
    this.#pixelRatio = pixelRatio;
  }

  /** Zoom and pan; `center` is undefined until the slice is panned. */
  get viewpoint(): SliceCamera {
    return this.#camera;
  }

  set viewpoint(camera: SliceCamera) {
    this.#camera = camera;
    this.host.requestRender(this);
  }

  reset(): void {
    this.#camera = fitted;
  }

  dispose(): void {
    this.#overlay.destroy();
    this.#plane.destroy();
    this.#slabs.destroy();
    freeVoxels(this.#detail);
    this.#context.unconfigure();
  }

  /** Reports why the open volume or a layer is coarser than its file; undefined once it is not. The volume's fault comes first. */
  protected failed(what: 'volume' | 'layers', fault: DetailFault | undefined): void {
    this.#faults.set(what, fault);
  }

  /** The open volume is another one, or is kept in another way. */
  volumeChanged(): void {
    this.failed('volume', undefined);
  }

  #newDetail(
    onArrived: () => void,
    onLayerFault = (fault: DetailFault | undefined): void => this.failed('layers', fault),
  ): FinerVoxels {
    return {
      volume: new SliceDetail(this.#gpu, onArrived, (fault) => this.failed('volume', fault)),
      layers: new LayerDetails(this.#gpu, onArrived, onLayerFault),
    };
  }

  /** Canvas pixels per CSS pixel. */
  protected get pixelRatio(): number {
    return this.#pixelRatio;
  }
}

/** Frees the voxels, and cancels their reads. */
export function freeVoxels({ volume, layers }: FinerVoxels): void {
  volume.destroy();
  layers.destroy();
}

/** Dragging right widens the window, dragging up raises it. A drag across the canvas changes it by twice its width. */
export function adjustedWindow([low, high]: ViewState['window'], [x, y]: readonly [number, number]): ViewState['window'] {
  const width = high - low;
  const level = (low + high) / 2 - 2 * y * width;
  const newWidth = width * Math.exp(2 * x);
  return [level - newWidth / 2, level + newWidth / 2];
}

/** Cursor by tool; a crosshair for tools that set points. */
export function toolCursor(tool: SliceTool): string {
  return tool === 'pointer' ? '' : tool === 'window' ? 'all-scroll' : 'crosshair';
}
