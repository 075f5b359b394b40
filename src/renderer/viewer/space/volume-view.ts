import { Color, LinearSRGBColorSpace, Vector2 } from 'three';
import { wholeOf } from '../../../core/draw/ray-pass.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { pictureGrounds } from '../colors/grounds.ts';
import type { BrickSpace } from '../draw/brick-space.ts';
import { rayPicture } from '../draw/ray-picture.ts';
import type { CameraFrame, ScenePoint } from '../model/camera-frame.ts';
import { OrbitCamera, type OrbitPose } from '../model/orbit-camera.ts';
import type { PictureBackground, PictureRequest, ViewPicture } from '../model/picture.ts';
import { stillSteps } from '../model/quality.ts';
import type { View, ViewHost } from '../model/view-host.ts';
import { FramePacing } from './frame-pacing.ts';
import { timed } from './frame-timer.ts';
import { RestingRenderer } from './resting-renderer.ts';
import { refineStill, stripMs, stripRows } from './still-picture.ts';
import type { SeenBy } from './ticked-box.ts';
import { TiledFrame } from './tiled-frame.ts';
import { drawScale, volumePicture } from './volume-picture.ts';
import { type SceneContent, VolumeScene } from './volume-scene.ts';

/** The picture is drawn at full quality once nothing has moved for this long, in milliseconds. */
const stillAfterMs = 150;
/** Duration of the camera's turn to a side, in milliseconds. */
const turnMs = 120;
/** Height of text in the scene, in CSS pixels. */
const textPixels = 11;

/** The sharpness of a picture. */
export interface Sharpness {
  /** Fraction of the canvas's resolution along each axis. */
  readonly scale: number;
  /** Texels between samples. */
  readonly step: number;
}

/** The time a frame took until the GPU had finished it. */
export interface FrameTime extends Sharpness {
  readonly ms: number;
}

/** The 3D view on its canvas: three.js on our device, an orbit camera, and a resolution that keeps it fluid. */
export class VolumeView implements View {
  readonly canvas: HTMLCanvasElement;
  /** A canvas without layout has no pixels to draw into. */
  isShown = false;
  /** Always draws at this fraction of the canvas's resolution, however long that takes, and never sharper. */
  fixedScale: number | undefined;
  /** Called with each measured frame. */
  onMeasured: ((frame: FrameTime) => void) | undefined;
  readonly #gpu: Gpu;
  readonly #host: ViewHost;
  readonly #renderer: RestingRenderer;
  readonly #orbit: OrbitCamera;
  readonly #pacing: FramePacing;
  #scene: VolumeScene | undefined;
  #bricks: BrickSpace | undefined;
  /** Bricks have arrived that the picture on the canvas lacks. */
  #hasNews = false;
  /** Whether the last measured frame was drawn from bricks. */
  #isOfBricks = false;
  #strips: TiledFrame | undefined;
  /** The scale of the frame in `#strips`, as long as that frame is current. */
  #stripsScale: number | undefined;
  /** Sharpness of the picture on the canvas. */
  #shown: Sharpness = { scale: 0, step: 0 };
  #size = { width: 1, height: 1, pixelRatio: 1 };
  /** The camera is reset once there is a volume, whose size determines its start. */
  #isToReset = true;
  #isReady = false;
  #isDisposed = false;
  /** A frame is on the GPU. Requests made meanwhile are drawn after it. */
  #isDrawing = false;
  #isWanted = false;
  #stillTimer: ReturnType<typeof setTimeout> | undefined;
  /** Frames since the last change that compiles a shader. The first one's time means nothing. */
  #frames = 0;
  #measuredShader = '';

  constructor(gpu: Gpu, canvas: HTMLCanvasElement, host: ViewHost) {
    this.canvas = canvas;
    this.#gpu = gpu;
    this.#host = host;
    this.#pacing = new FramePacing(gpu.isSoftware);
    this.#renderer = new RestingRenderer(gpu.device, canvas);
    // The ray marcher's colours are already sRGB, so no conversion pass is needed.
    this.#renderer.outputColorSpace = LinearSRGBColorSpace;
    this.#setGround('screen');
    this.#orbit = new OrbitCamera(canvas, () => host.requestRender(this));
    this.reset();
    void this.#init();
  }

  /** Whether the picture on the canvas is at full quality, or as sharp as it was fixed to be. */
  get isSharp(): boolean {
    const { scale, step } = this.#shown;
    return this.fixedScale !== undefined || (scale === 1 && step <= this.#stillStep);
  }

  get isSettled(): boolean {
    return !this.#canDraw() || !(this.#isDrawing || this.#isWanted || this.#stillTimer !== undefined || this.#bricks?.isBusy);
  }

  /** Shows a volume, or nothing. The display texture belongs to the caller. */
  setVolume(volume: { info: VolumeInfo; display: DisplayTexture } | undefined): void {
    this.#scene?.dispose();
    this.#scene = volume && new VolumeScene(this.#gpu, volume.info, volume.display);
    this.#pacing.forget();
    this.#frames = 0;
    if (volume && this.#isToReset) this.reset();
    this.#host.requestRender(this);
  }

  /** Draws from these bricks where the volume's texture holds less than its file. They belong to the caller. */
  setBricks(bricks: BrickSpace | undefined): void {
    if (bricks === this.#bricks) return;
    this.#bricks = bricks;
    this.#host.requestRender(this);
  }

  /** Draws bricks that have arrived: at once at full quality if that is fast and nothing moves. */
  refresh(): void {
    this.#hasNews = true;
    if (this.#isDrawing || this.#stillTimer !== undefined) return;
    const isFast = this.#pacing.expectedMs(this.#fullPixels(), this.#stillStep) <= stripMs;
    if (this.fixedScale === undefined && this.isSharp && isFast) this.#drawStill();
    else this.#host.requestRender(this);
  }

  render(): void {
    if (!this.#canDraw()) return;
    if (this.#isDrawing) {
      this.#isWanted = true;
      return;
    }
    this.#stripsScale = undefined;
    this.#setGround('screen');
    this.#orbit.use(this.#host.state.camera);
    clearTimeout(this.#stillTimer);
    this.#stillTimer = undefined;
    if (this.fixedScale !== undefined) {
      this.#drawAndMeasure(this.fixedScale, 1);
      return;
    }
    const pixels = this.#fullPixels();
    const step = this.#pacing.movingStep(pixels);
    this.#drawAndMeasure(this.#pacing.movingScale(pixels, step), step);
    this.#refineSoon();
  }

  get viewpoint(): OrbitPose {
    this.#orbit.use(this.#host.state.camera);
    return this.#orbit.pose;
  }

  set viewpoint(pose: OrbitPose) {
    this.#orbit.use(this.#host.state.camera);
    this.#orbit.pose = pose;
    this.#isToReset = false;
    this.#host.requestRender(this);
  }

  /** Turns to view from a direction of the scene. */
  lookFrom(direction: ScenePoint): void {
    this.#orbit.use(this.#host.state.camera);
    this.#orbit.lookFrom(direction, window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : turnMs);
  }

  /** The current camera. */
  get cameraFrame(): CameraFrame {
    this.#orbit.use(this.#host.state.camera);
    return this.#orbit.frame(this.#size.width, this.#size.height);
  }

  /** Draws at once, as well as the GPU can within a second, for thumbnails. */
  renderStill(): void {
    if (!this.#canDraw()) return;
    if (this.fixedScale !== undefined) {
      this.#draw(this.fixedScale, 1);
    } else if (this.#stripsScale !== undefined) {
      this.#presentStrips(this.#stripsScale);
    } else {
      this.#draw(this.#pacing.promptScale(this.#fullPixels()), this.#stillStep);
      // It stays on the canvas.
      if (!this.isSharp && this.#stillTimer === undefined) this.#refineSoon();
    }
  }

  /**
   * The view as a picture of any size, at full quality. It is drawn in strips, and the canvas stays live meanwhile.
   * @throws StriaError `invalid-input` if nothing is shown, `aborted`, `device-lost`
   */
  async picture(request: PictureRequest): Promise<ViewPicture> {
    const volume = this.#scene;
    if (!volume || !this.#isReady || this.#isDisposed) throw new StriaError('invalid-input', 'the 3D view shows nothing yet');
    this.#orbit.use(this.#host.state.camera);
    const { camera, eye, halfHeight } = this.#orbit.posed(request.width / request.height, request.turn);
    const step = this.#stillStep;
    const state = { ...this.#host.state, ...request.state };
    const { labels } = this.#host;
    const bricks = this.#bricks;
    const layers = this.#host.layersIn3d(state);
    const meshes = this.#host.meshesIn(state);
    const rows = stripRows(this.#pacing, request.width, step);
    const checkShown = (): void => {
      if (this.#isDisposed || this.#scene !== volume) throw new StriaError('aborted', 'the 3D view was closed');
    };
    const { background } = request;
    if (!request.isAnnotated) {
      const ground = background === 'screen' ? this.#host.ground : pictureGrounds[background];
      return rayPicture(
        this.#gpu,
        { ...volume.shown, layers, meshes, labels, bricks, state, camera, eye, step, ground },
        request,
        rows,
        checkShown,
      );
    }
    const seen = { camera, eye, textPart: this.#textPart };
    const content = { layers, meshes, labels, bricks };
    await volume.load(state, content, seen, step, wholeOf(request), request.signal);
    const picture = await volumePicture(this.#renderer, volume, request, {
      rows,
      draw: (strip, render) => {
        checkShown();
        volume.restWidth = request.width;
        volume.sharesLight = false;
        void volume.update(state, content, seen, step, this.#host.hasOblique, strip);
        this.#setGround(background);
        render(camera);
        this.#setGround('screen');
      },
    });
    this.#gpu.checkAlive();
    const info = this.#host.volume?.info;
    if (info) drawScale(picture, request.pixelRatio, info, request.height / 2 / halfHeight);
    return picture;
  }

  #setGround(ground: PictureBackground): void {
    const { r, g, b } = this.#host.ground;
    const color = { screen: new Color(r, g, b), white: new Color(1, 1, 1), transparent: new Color(0, 0, 0) }[ground];
    this.#renderer.setClearColor(color, ground === 'transparent' ? 0 : 1);
  }

  resize(width: number, height: number, pixelRatio: number): void {
    this.isShown = width > 0 && height > 0;
    const longest = this.#gpu.device.limits.maxTextureDimension2D;
    const ratio = Math.min(pixelRatio, longest / Math.max(width, height, 1));
    this.#size = { width: Math.max(1, width), height: Math.max(1, height), pixelRatio: ratio };
    this.#orbit.resize(this.#size.width / this.#size.height);
  }

  reset(): void {
    this.#isToReset = this.#scene === undefined;
    this.#orbit.reset(this.#scene?.corners ?? []);
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#stillTimer);
    this.#orbit.dispose();
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
      throw new StriaError('internal', 'three.js did not use the given WebGPU device');
    this.#isReady = true;
    this.#host.requestRender(this);
  }

  #canDraw(): boolean {
    return this.#isReady && this.isShown && !this.#isDisposed;
  }

  get #stillStep(): number {
    return stillSteps[this.#host.state.quality];
  }

  get #content(): SceneContent {
    const { state, labels } = this.#host;
    return { layers: this.#host.layersIn3d(state), meshes: this.#host.meshesIn(state), labels, bricks: this.#bricks };
  }

  get #seen(): SeenBy {
    const { camera, eye } = this.#orbit;
    camera.updateMatrixWorld();
    return { camera, eye, textPart: this.#textPart };
  }

  /**
   * Height of text in the scene as a fraction of the picture's height, so that it matches text in panels. Pictures of other
   * sizes keep the fraction.
   */
  get #textPart(): number {
    return textPixels / this.#size.height;
  }

  #fullPixels(): number {
    const { width, height, pixelRatio } = this.#size;
    return width * height * pixelRatio ** 2;
  }

  /** The width of the picture at rest, in pixels. */
  get #restWidth(): number {
    return this.#size.width * this.#size.pixelRatio * (this.fixedScale ?? 1);
  }

  #refineSoon(): void {
    this.#stillTimer = setTimeout(() => this.#drawStill(), stillAfterMs);
  }

  #drawStill(): void {
    this.#stillTimer = undefined;
    if (!this.#canDraw() || (this.isSharp && !this.#hasNews)) return;
    if (this.#isDrawing) this.#refineSoon();
    else if (this.#scene && this.#pacing.expectedMs(this.#fullPixels(), this.#stillStep) > stripMs)
      void this.#refine(this.#scene);
    else this.#drawAndMeasure(1, this.#stillStep);
  }

  /** Full resolution on a slow GPU, until something moves. */
  async #refine(volume: VolumeScene): Promise<void> {
    this.#isDrawing = true;
    this.#hasNews = false;
    this.#strips ??= new TiledFrame(this.#renderer);
    const strips = this.#strips;
    const step = this.#stillStep;
    const { width, height, pixelRatio } = this.#size;
    try {
      await refineStill(
        this.#pacing,
        {
          width: width * pixelRatio,
          height: height * pixelRatio,
          step,
          isStale: () => this.#isDisposed || this.#isWanted || this.#scene !== volume || !this.#canDraw(),
          drawStrip: async (strip) => {
            this.#stripsScale = undefined;
            const { done, time } = timed(this.#gpu, () => {
              volume.restWidth = this.#restWidth;
              volume.sharesLight = false;
              const pass = volume.update(this.#host.state, this.#content, this.#seen, step, this.#host.hasOblique, strip);
              this.#host.drawn();
              strips.drawStrip(volume.scene, this.#orbit.camera, strip);
              return pass;
            });
            await done;
            const { ms, isBound } = await time;
            return isBound ? undefined : ms;
          },
          present: (scale) => {
            this.#stripsScale = scale;
            this.#presentStrips(scale);
            this.#shown = { scale, step };
          },
        },
        this.#shown.scale,
      );
    } finally {
      this.#isDrawing = false;
    }
    this.#drawWanted(this.#scene !== volume);
  }

  #presentStrips(scale: number): void {
    this.#resizeCanvas(scale);
    this.#strips?.present();
  }

  #drawAndMeasure(scale: number, step: number): void {
    this.#isDrawing = true;
    const { layers, meshes } = this.#content;
    const shader = `${this.#host.state.projection} ${layers?.length} ${meshes?.length}`;
    if (shader !== this.#measuredShader) this.#frames = 0;
    this.#measuredShader = shader;
    const { done, time } = timed(this.#gpu, () => this.#draw(scale, step));
    const isOfBricks = this.#scene?.isOfBricks === true;
    if (isOfBricks !== this.#isOfBricks) {
      // A sample of bricks costs several times as much, so that earlier measurements say nothing.
      this.#isOfBricks = isOfBricks;
      this.#pacing.forget();
      this.#frames = 0;
    }
    void done.then((ms) => {
      this.#isDrawing = false;
      if (!this.#isDisposed && this.#frames > 0) this.onMeasured?.({ ms, scale, step });
      this.#drawWanted(false);
    });
    void time.then(({ ms, isBound }) => {
      // The first frame's time includes compilation.
      if (this.#frames++ > 0) this.#pacing.measured(this.#fullPixels() * scale ** 2, ms, step, isBound);
    });
  }

  /** Draws what was requested while the GPU was busy. */
  #drawWanted(isNew: boolean): void {
    if (!this.#isWanted && !isNew) {
      if (this.#hasNews && !this.#isDisposed) this.refresh();
      return;
    }
    this.#isWanted = false;
    if (!this.#isDisposed) this.#host.requestRender(this);
  }

  #resizeCanvas(scale: number): void {
    this.#renderer.setPixelRatio(this.#size.pixelRatio * scale);
    this.#renderer.setSize(this.#size.width, this.#size.height, false);
  }

  /** @returns when done: the GPU's milliseconds for the volume, or undefined if unknown */
  #draw(scale: number, step: number): Promise<number | undefined> {
    this.#host.drawn();
    this.#shown = { scale, step };
    this.#hasNews = false;
    this.#resizeCanvas(scale);
    if (this.#scene) {
      this.#scene.restWidth = this.#restWidth;
      this.#scene.sharesLight = !this.isSharp;
      const { width, height } = this.#renderer.getDrawingBufferSize(new Vector2());
      const strip = wholeOf({ width, height });
      const pass = this.#scene.update(this.#host.state, this.#content, this.#seen, step, this.#host.hasOblique, strip);
      this.#renderer.render(this.#scene.scene, this.#orbit.camera);
      return pass;
    }
    this.#renderer.clear();
    return Promise.resolve(undefined);
  }
}
