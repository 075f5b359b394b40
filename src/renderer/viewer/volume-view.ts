import { Color, LinearSRGBColorSpace, MathUtils, PerspectiveCamera, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { WebGPURenderer } from 'three/webgpu';
import type { DisplayTexture } from '../../core/engine/display-texture.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { FramePacing } from './frame-pacing.ts';
import { background } from './slice-renderer.ts';
import { TiledFrame } from './tiled-frame.ts';
import type { View, ViewHost } from './view-host.ts';
import { VolumeScene } from './volume-scene.ts';

const fieldOfView = 26;
/** The first look: a little from the patient's left and from above. */
const firstDirection = new Vector3(0.42, 0.22, 1).normalize();
/** The picture is drawn sharp once nothing has moved for this long, in milliseconds. */
const stillAfterMs = 150;
/** Texels between samples while things move, and once they are still. */
const movingStep = 1;
const stillStep = 0.5;
/** A still picture that would hold the GPU for longer is drawn in strips that each take about so long, in milliseconds. */
const stripMs = 60;

/** The 3D view on its canvas: three.js on our device, a camera that orbits, and a resolution that keeps it fluid. */
export class VolumeView implements View {
  readonly canvas: HTMLCanvasElement;
  readonly #gpu: Gpu;
  readonly #host: ViewHost;
  readonly #renderer: WebGPURenderer;
  readonly #camera = new PerspectiveCamera(fieldOfView, 1, 0.01, 50);
  readonly #controls: OrbitControls;
  readonly #pacing: FramePacing;
  #scene: VolumeScene | undefined;
  #strips: TiledFrame | undefined;
  /** The scale of the frame in `#strips`, while it shows what is to be seen. */
  #stripsScale: number | undefined;
  #size = { width: 1, height: 1, pixelRatio: 1 };
  /** A canvas that is not laid out has no pixels to draw into. */
  #isShown = false;
  #isReady = false;
  #isDisposed = false;
  /** A frame is on the GPU; what is asked for meanwhile is drawn after it. */
  #isDrawing = false;
  #isWanted = false;
  #stillTimer: ReturnType<typeof setTimeout> | undefined;
  /** Frames since the last change that makes three compile: their times say nothing. */
  #frames = 0;

  constructor(gpu: Gpu, canvas: HTMLCanvasElement, host: ViewHost) {
    this.canvas = canvas;
    this.#gpu = gpu;
    this.#host = host;
    this.#pacing = new FramePacing(gpu.isSoftware);
    this.#renderer = new WebGPURenderer({ device: gpu.device, canvas, antialias: false, alpha: false });
    // The ray marcher's colours are sRGB already: no conversion, no pass for it.
    this.#renderer.outputColorSpace = LinearSRGBColorSpace;
    this.#renderer.setClearColor(new Color(background.r, background.g, background.b), 1);
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.addEventListener('change', () => host.requestRender(this));
    this.reset();
    void this.#init();
  }

  /** Shows a volume, or nothing. The display texture stays the caller's. */
  setVolume(volume: { info: VolumeInfo; display: DisplayTexture } | undefined): void {
    this.#scene?.dispose();
    this.#scene = volume && new VolumeScene(volume.info, volume.display);
    this.#pacing.forget();
    this.#frames = 0;
    this.reset();
    this.#host.requestRender(this);
  }

  render(): void {
    if (!this.#canDraw()) return;
    if (this.#isDrawing) {
      this.#isWanted = true;
      return;
    }
    this.#stripsScale = undefined;
    const pixels = this.#fullPixels();
    this.#drawAndMeasure(this.#pacing.movingScale(pixels), movingStep);
    clearTimeout(this.#stillTimer);
    this.#stillTimer = setTimeout(() => this.#drawStill(), stillAfterMs);
  }

  /** Draws at once, as well as the GPU can in a second: for pictures that are taken of it. */
  renderStill(): void {
    if (!this.#canDraw()) return;
    if (this.#stripsScale !== undefined) this.#presentStrips(this.#stripsScale);
    else this.#draw(this.#pacing.promptScale(this.#fullPixels()), stillStep);
  }

  resize(width: number, height: number, pixelRatio: number): void {
    this.#isShown = width > 0 && height > 0;
    const longest = this.#gpu.device.limits.maxTextureDimension2D;
    const ratio = Math.min(pixelRatio, longest / Math.max(width, height, 1));
    this.#size = { width: Math.max(1, width), height: Math.max(1, height), pixelRatio: ratio };
    this.#camera.aspect = this.#size.width / this.#size.height;
    this.#camera.updateProjectionMatrix();
  }

  reset(): void {
    const distance = this.#fittingDistance();
    this.#controls.target.set(0, 0, 0);
    this.#controls.minDistance = 0.05;
    this.#controls.maxDistance = 8 * distance;
    this.#camera.position.copy(firstDirection).multiplyScalar(distance);
    this.#camera.zoom = 1;
    this.#controls.update();
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#stillTimer);
    this.#controls.dispose();
    this.#scene?.dispose();
    this.#strips?.dispose();
    if (this.#isReady) this.#renderer.dispose();
  }

  async #init(): Promise<void> {
    try {
      await this.#renderer.init();
    } catch (error) {
      if (this.#gpu.isLost || this.#isDisposed) return;
      throw error;
    }
    if (this.#isDisposed) {
      this.#renderer.dispose();
      return;
    }
    if (!('isWebGPUBackend' in this.#renderer.backend))
      throw new StriaError('internal', 'three.js did not take the WebGPU device');
    this.#isReady = true;
    this.#host.requestRender(this);
  }

  /** How far off the camera sees all corners from its first direction, with room for the letters. */
  #fittingDistance(): number {
    const up = Math.tan(MathUtils.degToRad(fieldOfView / 2)) / 1.1;
    const right = new Vector3(0, 1, 0).cross(firstDirection).normalize();
    const above = firstDirection.clone().cross(right);
    const needed = (this.#scene?.corners ?? []).map((corner) => {
      const across = Math.max(Math.abs(corner.dot(above)), Math.abs(corner.dot(right)) / this.#camera.aspect);
      return corner.dot(firstDirection) + across / up;
    });
    return Math.max(0.5, ...needed);
  }

  #canDraw(): boolean {
    return this.#isReady && this.#isShown && !this.#isDisposed;
  }

  #fullPixels(): number {
    const { width, height, pixelRatio } = this.#size;
    return width * height * pixelRatio ** 2;
  }

  #drawStill(): void {
    if (!this.#canDraw()) return;
    if (this.#isDrawing) {
      this.#stillTimer = setTimeout(() => this.#drawStill(), stillAfterMs);
      return;
    }
    const pixels = this.#fullPixels();
    if (this.#scene && this.#pacing.expectedMs(pixels) * (movingStep / stillStep) > stripMs) void this.#drawStrips(this.#scene);
    else this.#drawAndMeasure(1, stillStep);
  }

  /** The whole resolution on a slow GPU: strip by strip, until something moves. */
  async #drawStrips(volume: VolumeScene): Promise<void> {
    this.#isDrawing = true;
    this.#strips ??= new TiledFrame(this.#renderer);
    const scale = this.#pacing.stillScale(this.#fullPixels());
    const ratio = this.#size.pixelRatio * scale;
    const frame = { width: Math.floor(this.#size.width * ratio), height: Math.floor(this.#size.height * ratio) };
    const rowMs = this.#pacing.expectedMs(frame.width) * (movingStep / stillStep);
    const rows = Math.min(frame.height, Math.max(8, Math.floor(stripMs / rowMs)));
    try {
      for (let from = 0; from < frame.height; from += rows) {
        volume.update(this.#host.state, this.#camera.position, stillStep);
        this.#strips.drawStrip(volume.scene, this.#camera, frame, from, Math.min(rows, frame.height - from));
        await this.#gpu.device.queue.onSubmittedWorkDone();
        if (this.#isDisposed || this.#isWanted || this.#scene !== volume) break;
      }
    } finally {
      this.#isDrawing = false;
    }
    if (!this.#canDraw()) return;
    if (this.#isWanted || this.#scene !== volume) {
      this.#isWanted = false;
      this.#host.requestRender(this);
      return;
    }
    this.#stripsScale = scale;
    this.#presentStrips(scale);
  }

  #presentStrips(scale: number): void {
    this.#resizeCanvas(scale);
    this.#strips?.present();
  }

  #drawAndMeasure(scale: number, step: number): void {
    this.#isDrawing = true;
    const start = performance.now();
    this.#draw(scale, step);
    const done = (): void => {
      this.#isDrawing = false;
      if (this.#isDisposed) return;
      // The first frame's time is the compiler's.
      const ms = ((performance.now() - start) * step) / movingStep;
      if (this.#frames++ > 0) this.#pacing.measured(this.#fullPixels() * scale ** 2, ms);
      if (!this.#isWanted) return;
      this.#isWanted = false;
      this.#host.requestRender(this);
    };
    void this.#gpu.device.queue.onSubmittedWorkDone().then(done, done);
  }

  #resizeCanvas(scale: number): void {
    this.#renderer.setPixelRatio(this.#size.pixelRatio * scale);
    this.#renderer.setSize(this.#size.width, this.#size.height, false);
  }

  #draw(scale: number, step: number): void {
    this.#resizeCanvas(scale);
    this.#camera.updateMatrixWorld();
    if (this.#scene) {
      this.#scene.update(this.#host.state, this.#camera.position, step);
      this.#renderer.render(this.#scene.scene, this.#camera);
    } else {
      this.#renderer.clear();
    }
  }
}
