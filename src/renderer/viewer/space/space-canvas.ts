import { Color, LinearSRGBColorSpace, Vector2 } from 'three';
import { type Strip, trialOf, wholeOf } from '../../../core/draw/ray-pass.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { PictureBackground } from '../model/picture.ts';
import type { ViewHost } from '../model/view-host.ts';
import { RestingRenderer } from './resting-renderer.ts';
import type { SeenBy } from './ticked-box.ts';
import { TiledFrame } from './tiled-frame.ts';
import type { SceneContent, VolumeScene } from './volume-scene.ts';

/** The height of text in the scene, in CSS pixels. */
const textPixels = 11;

/** A volume's scene, and how to draw it. */
export interface SpaceFrame {
  readonly scene: VolumeScene;
  readonly content: SceneContent;
  readonly seen: SeenBy;
  /** The distance between samples in texels. */
  readonly step: number;
  /** See `RayMarch`. */
  readonly isDraft: boolean;
  /** See `RayMarch`. */
  readonly isTrial?: boolean;
  readonly isTried?: boolean;
}

/** The canvas of the 3D view: its size and background, and three.js on our device, which draws into it. */
export class SpaceCanvas {
  readonly element: HTMLCanvasElement;
  readonly renderer: RestingRenderer;
  /** See `VolumeView.fixedScale`. */
  fixedScale: number | undefined;
  readonly #gpu: Gpu;
  readonly #host: ViewHost;
  #strips: TiledFrame | undefined;
  #size = { width: 1, height: 1, pixelRatio: 1 };
  #isReady = false;

  constructor(gpu: Gpu, element: HTMLCanvasElement, host: ViewHost) {
    this.element = element;
    this.#gpu = gpu;
    this.#host = host;
    this.renderer = new RestingRenderer(gpu.device, element);
    // The ray marcher's colours are already sRGB, so no conversion pass is needed.
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.setGround('screen');
  }

  /** Whether three.js is ready to draw. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Makes three.js ready to draw. @throws StriaError `internal` if it does not use our device */
  async begin(): Promise<void> {
    await this.renderer.init();
    if (!('isWebGPUBackend' in this.renderer.backend))
      throw new StriaError('internal', 'three.js did not use the given WebGPU device');
    this.#isReady = true;
  }

  resize(width: number, height: number, pixelRatio: number): void {
    const longest = this.#gpu.device.limits.maxTextureDimension2D;
    const ratio = Math.min(pixelRatio, longest / Math.max(width, height, 1));
    this.#size = { width: Math.max(1, width), height: Math.max(1, height), pixelRatio: ratio };
  }

  /** The size in CSS pixels. */
  get size(): { readonly width: number; readonly height: number } {
    return this.#size;
  }

  /** The full resolution, in pixels. */
  get resolution(): { readonly width: number; readonly height: number } {
    const { width, height, pixelRatio } = this.#size;
    return { width: width * pixelRatio, height: height * pixelRatio };
  }

  get pixelCount(): number {
    return this.resolution.width * this.resolution.height;
  }

  /**
   * The height of text in the scene as a fraction of the picture's height, so that it matches text in panels. Pictures of other
   * sizes keep the fraction.
   */
  get textPart(): number {
    return textPixels / this.#size.height;
  }

  setGround(ground: PictureBackground): void {
    const { r, g, b } = this.#host.ground;
    const color = { screen: new Color(r, g, b), white: new Color(1, 1, 1), transparent: new Color(0, 0, 0) }[ground];
    this.renderer.setClearColor(color, ground === 'transparent' ? 0 : 1);
  }

  clear(scale: number): void {
    this.#host.drawn();
    this.#resize(scale);
    this.renderer.clear();
  }

  /** Draws a frame at a fraction of the resolution. @returns resolves when done with the GPU's milliseconds for the volume, if known */
  draw(frame: SpaceFrame, scale: number): Promise<number | undefined> {
    this.#host.drawn();
    this.#resize(scale);
    const { width, height } = this.renderer.getDrawingBufferSize(new Vector2());
    const pass = this.#update(frame, wholeOf({ width, height }));
    this.renderer.render(frame.scene.scene, frame.seen.camera);
    return pass;
  }

  /** Draws the rays of a small picture that is never shown (`trialOf`). @returns like `draw` */
  drawTrial(frame: SpaceFrame, scale: number): Promise<number | undefined> {
    return this.#update({ ...frame, isTrial: true }, trialOf(this.resolution, scale));
  }

  /** Draws a strip of a frame that is not shown yet. @returns like `draw` */
  drawStrip(frame: SpaceFrame, strip: Strip): Promise<number | undefined> {
    const pass = this.#update(frame, strip);
    this.#host.drawn();
    this.#strips ??= new TiledFrame(this.renderer);
    this.#strips.drawStrip(frame.scene.scene, frame.seen.camera, strip);
    return pass;
  }

  /** Shows the frame whose strips were drawn, at this fraction of the resolution. */
  presentStrips(scale: number): void {
    this.#resize(scale);
    this.#strips?.present();
  }

  dispose(): void {
    this.#strips?.dispose();
    if (this.#isReady) this.renderer.dispose();
  }

  #update(
    { scene, content, seen, step, isDraft, isTrial = false, isTried = false }: SpaceFrame,
    strip: Strip,
  ): Promise<number | undefined> {
    // The width of the picture at rest, in pixels.
    scene.restWidth = this.resolution.width * (this.fixedScale ?? 1);
    scene.isDraft = isDraft;
    scene.isTrial = isTrial;
    scene.isTried = isTried;
    return scene.update(this.#host.state, content, seen, step, this.#host.hasOblique, strip);
  }

  #resize(scale: number): void {
    this.renderer.setPixelRatio(this.#size.pixelRatio * scale);
    this.renderer.setSize(this.#size.width, this.#size.height, false);
  }
}
