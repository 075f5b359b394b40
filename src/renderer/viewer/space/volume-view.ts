import { FramePacing } from '../../../core/draw/frame-pacing.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import type { BrickSpace } from '../draw/brick-space.ts';
import type { CameraFrame, ScenePoint } from '../model/camera-frame.ts';
import { OrbitCamera, type OrbitPose } from '../model/orbit-camera.ts';
import type { PictureRequest, ViewPicture } from '../model/picture.ts';
import { stillSteps } from '../model/quality.ts';
import type { View, ViewHost } from '../model/view-host.ts';
import { SpaceCanvas, type SpaceFrame } from './space-canvas.ts';
import { type FrameTime, SpacePainter } from './space-painter.ts';
import { spacePicture } from './space-picture.ts';
import { VolumeScene } from './volume-scene.ts';

/** The duration of the camera's turn to a side, in milliseconds. */
const turnMs = 120;

/** The 3D view on its canvas: a volume's scene, and a camera that orbits it. */
export class VolumeView implements View {
  /** False while the layout gives the canvas no space, so that it has no pixels to draw into. */
  isShown = false;
  readonly #gpu: Gpu;
  readonly #host: ViewHost;
  readonly #canvas: SpaceCanvas;
  readonly #orbit: OrbitCamera;
  readonly #pacing: FramePacing;
  readonly #painter: SpacePainter;
  #scene: VolumeScene | undefined;
  #bricks: BrickSpace | undefined;
  #layerBricks: ReadonlyMap<string, BrickSpace> = new Map();
  /** Whether to reset the camera once there is a volume, whose size determines the initial position. */
  #isToReset = true;
  #isDisposed = false;

  constructor(gpu: Gpu, canvas: HTMLCanvasElement, host: ViewHost) {
    this.#gpu = gpu;
    this.#host = host;
    this.#canvas = new SpaceCanvas(gpu, canvas, host);
    this.#orbit = new OrbitCamera(canvas, () => host.requestRender(this));
    this.#pacing = new FramePacing(gpu.isSoftware, gpu.hasTimestamps);
    const view = this;
    this.#painter = new SpacePainter(gpu, this.#canvas, this.#pacing, {
      get canDraw() {
        return view.#canDraw;
      },
      get stillStep() {
        return view.#stillStep;
      },
      get scene() {
        return view.#scene;
      },
      get frame() {
        return view.#frame;
      },
      get isStack() {
        const { state } = host;
        return host.layersIn3d(state).length + host.meshesIn(state).length > 0;
      },
      get shader() {
        const { state } = host;
        return `${state.projection} ${host.layersIn3d(state).length} ${host.meshesIn(state).length}`;
      },
      requestRender: () => host.requestRender(this),
    });
    this.reset();
    void this.#begin();
  }

  get canvas(): HTMLCanvasElement {
    return this.#canvas.element;
  }

  /** Always draws at this fraction of the canvas's resolution, however long that takes, and never sharper. */
  set fixedScale(scale: number | undefined) {
    this.#canvas.fixedScale = scale;
  }

  /** Called with each measured frame. */
  set onMeasured(listener: (frame: FrameTime) => void) {
    this.#painter.onMeasured = listener;
  }

  /** Whether the picture on the canvas is at full quality, or as sharp as it was fixed to be. */
  get isSharp(): boolean {
    return this.#painter.isSharp;
  }

  get isSettled(): boolean {
    return (
      !this.#canDraw ||
      !(
        this.#painter.isBusy ||
        this.#scene?.isCompiling ||
        this.#bricks?.isBusy ||
        [...this.#layerBricks.values()].some(({ isBusy }) => isBusy)
      )
    );
  }

  /** Shows a volume, or nothing. The caller owns the display texture. */
  setVolume(volume: { info: VolumeInfo; display: DisplayTexture } | undefined): void {
    this.#scene?.dispose();
    this.#scene = volume && new VolumeScene(this.#gpu, volume.info, volume.display);
    if (this.#scene) this.#scene.onCompiled = () => this.#host.requestRender(this);
    this.#painter.forget();
    if (volume && this.#isToReset) this.reset();
    this.#host.requestRender(this);
  }

  /**
   * Draws from these bricks where textures have a lower resolution than their files. The caller owns them.
   * @param bricks of the volume @param layers those of layers, by the ids of their volumes (`volumeIdOf`)
   */
  setBricks(bricks: BrickSpace | undefined, layers: ReadonlyMap<string, BrickSpace>): void {
    const before = this.#layerBricks;
    const isSame = layers.size === before.size && [...layers].every(([id, space]) => before.get(id) === space);
    if (bricks === this.#bricks && isSame) return;
    this.#bricks = bricks;
    this.#layerBricks = layers;
    this.#host.requestRender(this);
  }

  /** Draws bricks that have arrived. */
  refresh(): void {
    this.#painter.refresh();
  }

  render(): void {
    if (this.#canDraw) this.#painter.draw();
  }

  /** Draws at once, as well as the GPU can within a second, for thumbnails. */
  renderStill(): void {
    if (this.#canDraw) this.#painter.drawPromptly();
  }

  get viewpoint(): OrbitPose {
    return this.#camera.pose;
  }

  set viewpoint(pose: OrbitPose) {
    this.#camera.pose = pose;
    this.#isToReset = false;
    this.#host.requestRender(this);
  }

  /** Turns to view from a direction of the scene. */
  lookFrom(direction: ScenePoint): void {
    this.#camera.lookFrom(direction, window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : turnMs);
  }

  /** The current camera. */
  get cameraFrame(): CameraFrame {
    const { width, height } = this.#canvas.size;
    return this.#camera.frame(width, height);
  }

  /**
   * Draws the view as a picture of any size, at full quality. It is drawn in strips, and the canvas stays live meanwhile.
   * @throws StriaError `invalid-input` if nothing is shown, `aborted`, `device-lost`
   */
  async picture(request: PictureRequest): Promise<ViewPicture> {
    const scene = this.#scene;
    if (!scene || !this.#canvas.isReady || this.#isDisposed)
      throw new StriaError('invalid-input', 'the 3D view shows nothing yet');
    const view = {
      gpu: this.#gpu,
      host: this.#host,
      canvas: this.#canvas,
      orbit: this.#camera,
      pacing: this.#pacing,
      scene,
      bricks: this.#bricks,
      layerBricks: this.#layerBricks,
      step: this.#stillStep,
      checkShown: () => {
        if (this.#isDisposed || this.#scene !== scene) throw new StriaError('aborted', 'the 3D view was closed');
      },
    };
    return spacePicture(view, request);
  }

  resize(width: number, height: number, pixelRatio: number): void {
    this.isShown = width > 0 && height > 0;
    this.#canvas.resize(width, height, pixelRatio);
    this.#orbit.resize(this.#canvas.size.width / this.#canvas.size.height);
  }

  reset(): void {
    this.#isToReset = this.#scene === undefined;
    this.#orbit.reset(this.#scene?.corners ?? []);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#painter.dispose();
    this.#orbit.dispose();
    this.#scene?.dispose();
    this.#canvas.dispose();
  }

  async #begin(): Promise<void> {
    try {
      await this.#canvas.begin();
    } catch (error) {
      if (this.#gpu.isLost || this.#isDisposed) return;
      throw error;
    }
    if (this.#isDisposed) this.#canvas.dispose();
    else this.#host.requestRender(this);
  }

  get #canDraw(): boolean {
    return this.#canvas.isReady && this.isShown && !this.#isDisposed;
  }

  get #stillStep(): number {
    return stillSteps[this.#host.state.quality];
  }

  /** The camera, with the projection that the state asks for. */
  get #camera(): OrbitCamera {
    this.#orbit.use(this.#host.state.camera);
    return this.#orbit;
  }

  get #frame(): Omit<SpaceFrame, 'step' | 'isDraft'> | undefined {
    const scene = this.#scene;
    if (!scene) return undefined;
    const { state, labels } = this.#host;
    const { camera, eye } = this.#camera;
    camera.updateMatrixWorld();
    const [bricks, layerBricks] = [this.#bricks, this.#layerBricks];
    const [layers, meshes] = [this.#host.layersIn3d(state), this.#host.meshesIn(state)];
    return {
      scene,
      content: { layers, meshes, labels, bricks, layerBricks },
      seen: { camera, eye, textPart: this.#canvas.textPart },
    };
  }
}
