import { type FramePacing, trialScale } from '../../../core/draw/frame-pacing.ts';
import { FramesInFlight } from '../../../core/draw/frames-in-flight.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { timed } from './frame-timer.ts';
import type { SpaceCanvas, SpaceFrame } from './space-canvas.ts';
import { refineStill, stripMs } from './still-picture.ts';
import type { VolumeScene } from './volume-scene.ts';

/** The picture is drawn at full quality once nothing has moved for this long, in milliseconds. */
const stillAfterMs = 150;

/** The sharpness of a picture. */
export interface Sharpness {
  /** The fraction of the canvas's resolution along each axis. */
  readonly scale: number;
  /** The distance between samples in texels. */
  readonly step: number;
}

/** The time from the submission of a frame until the GPU had finished it. */
export interface FrameTime extends Sharpness {
  readonly ms: number;
}

/** The parts of a view that its painter needs. */
export interface PaintedView {
  /** Whether there is a canvas to draw into. */
  readonly canDraw: boolean;
  /** The distance between samples of a picture at rest, in texels. */
  readonly stillStep: number;
  /** The volume's scene, if there is a volume. */
  readonly scene: VolumeScene | undefined;
  /** The frame to draw now, except for its sharpness; undefined without a scene. */
  readonly frame: Omit<SpaceFrame, 'step' | 'isDraft'> | undefined;
  /** Whether rays pass other volumes or meshes, too. */
  readonly isStack: boolean;
  /** A key of the shaders that draw it. When it changes, a shader is compiled. */
  readonly shader: string;
  /** Draws the view at the next animation frame. */
  requestRender(): void;
}

/** Decides when, how sharply and in which strips to draw the 3D view, so that it stays fluid in motion and becomes sharp at rest. */
export class SpacePainter {
  /** Called with each measured frame. */
  onMeasured: ((frame: FrameTime) => void) | undefined;
  readonly #gpu: Gpu;
  readonly #canvas: SpaceCanvas;
  readonly #pacing: FramePacing;
  readonly #view: PaintedView;
  /** The sharpness of the picture on the canvas. */
  #shown: Sharpness = { scale: 0, step: 0 };
  /** The scale of the frame that was drawn in strips, as long as that frame is current. */
  #stripsScale: number | undefined;
  /** Whether bricks have arrived that the picture on the canvas lacks. */
  #hasNews = false;
  /** Whether the last measured frame was drawn from bricks. */
  #isOfBricks = false;
  /** The frames that the GPU is drawing. */
  readonly #inFlight: FramesInFlight;
  /** Whether a trial, or a picture in strips, is being drawn. */
  #isHeld = false;
  /** Whether a frame was requested that could not begin. */
  #isWanted = false;
  #stillTimer: ReturnType<typeof setTimeout> | undefined;
  /** The number of frames since a shader was last compiled. The time of the first one is meaningless. */
  #frames = 0;
  #measuredShader = '';
  /** Counts calls of `forget`: the times of frames that were submitted before do not apply. */
  #turn = 0;
  #isDisposed = false;

  constructor(gpu: Gpu, canvas: SpaceCanvas, pacing: FramePacing, view: PaintedView) {
    this.#gpu = gpu;
    this.#canvas = canvas;
    this.#pacing = pacing;
    this.#view = view;
    this.#inFlight = new FramesInFlight(gpu);
  }

  /** Whether the picture on the canvas is at full quality, or as sharp as it was fixed to be. */
  get isSharp(): boolean {
    const { scale, step } = this.#shown;
    return this.#canvas.fixedScale !== undefined || (scale === 1 && step <= this.#view.stillStep);
  }

  /** Whether something is being drawn, or will be. */
  get isBusy(): boolean {
    return this.#isDrawing || this.#isWanted || this.#stillTimer !== undefined;
  }

  get #isDrawing(): boolean {
    return this.#isHeld || this.#inFlight.count > 0;
  }

  /** Forgets all measurements, which do not apply to another volume. */
  forget(): void {
    this.#pacing.forget();
    this.#frames = 0;
    this.#turn++;
  }

  /** Draws bricks that have arrived: at once at full quality if that is fast and nothing moves. */
  refresh(): void {
    this.#hasNews = true;
    if (this.#isDrawing || this.#stillTimer !== undefined) return;
    const isFast = this.#pacing.expectedMs(this.#canvas.pixelCount, this.#view.stillStep) <= stripMs;
    if (this.#canvas.fixedScale === undefined && this.isSharp && isFast) this.#drawStill();
    else this.#view.requestRender();
  }

  /** Draws a frame that may be part of a motion, and schedules a sharp one for when the motion ends. */
  draw(): void {
    if (this.#isHeld || !this.#inFlight.mayBegin(performance.now(), this.#pacing.isMeasured)) this.#isWanted = true;
    else this.#drawMoving();
  }

  /** @param tried the trial that has checked the frame's sharpness, and its time for `FramePacing.measured`, if it is known */
  #drawMoving(tried?: { readonly trial: number | undefined }): void {
    this.#stripsScale = undefined;
    this.#canvas.setGround('screen');
    clearTimeout(this.#stillTimer);
    this.#stillTimer = undefined;
    const { fixedScale, pixelCount } = this.#canvas;
    if (fixedScale !== undefined) {
      this.#drawAndMeasure(fixedScale, 1);
      return;
    }
    const step = this.#pacing.movingStep(pixelCount, this.#view.scene?.voxelPixels);
    const scale = this.#pacing.movingScale(pixelCount, step);
    // Only where rays pass bricks and other volumes does a frame take many times longer than the one before it. The first frame's time
    // includes compilation.
    const mayJump = this.#isOfBricks && this.#view.isStack && this.#frames > 0 && this.#view.shader === this.#measuredShader;
    if (!tried && mayJump && this.#pacing.needsTrial(scale, step)) void this.#try({ scale, step });
    else {
      this.#drawAndMeasure(scale, step, tried);
      this.#refineSoon();
    }
  }

  /** Draws a trial, and then the frame, which is small at once if the trial took long. */
  async #try({ scale, step }: Sharpness): Promise<void> {
    const { frame } = this.#view;
    const { pixelCount } = this.#canvas;
    const part = trialScale(pixelCount);
    const turn = this.#turn;
    this.#isHeld = true;
    // A frame ahead of the trial has ended, too, once this resolves.
    const ms = await (frame && this.#canvas.drawTrial({ ...frame, step, isDraft: step > 1 }, part));
    this.#isHeld = false;
    const isKnown = ms !== undefined && turn === this.#turn;
    const trial = isKnown ? this.#pacing.tried(pixelCount * part ** 2, ms, step, pixelCount * scale ** 2) : undefined;
    // The frame shows what was requested meanwhile, too.
    this.#isWanted = false;
    if (!this.#isDisposed && this.#view.canDraw) this.#drawMoving({ trial });
  }

  /** Draws at once, as well as the GPU can within a second, for thumbnails. */
  drawPromptly(): void {
    const { fixedScale, pixelCount } = this.#canvas;
    if (fixedScale !== undefined) {
      this.#draw(fixedScale, 1);
    } else if (this.#stripsScale !== undefined) {
      this.#canvas.presentStrips(this.#stripsScale);
    } else {
      this.#draw(this.#pacing.promptScale(pixelCount), this.#view.stillStep);
      // The picture stays on the canvas, so it is refined.
      if (!this.isSharp && this.#stillTimer === undefined) this.#refineSoon();
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#stillTimer);
  }

  #refineSoon(): void {
    this.#stillTimer = setTimeout(() => this.#drawStill(), stillAfterMs);
  }

  #drawStill(): void {
    this.#stillTimer = undefined;
    const { canDraw, scene, stillStep } = this.#view;
    if (!canDraw || (this.isSharp && !this.#hasNews)) return;
    if (this.#isDrawing) this.#refineSoon();
    else if (scene && this.#pacing.expectedMs(this.#canvas.pixelCount, stillStep) > stripMs) void this.#refine(scene);
    else this.#drawAndMeasure(1, stillStep);
  }

  /** Draws at full resolution on a slow GPU, until something moves. */
  async #refine(scene: VolumeScene): Promise<void> {
    this.#isHeld = true;
    this.#hasNews = false;
    const step = this.#view.stillStep;
    const isOther = (): boolean => this.#view.scene !== scene;
    try {
      await refineStill(
        this.#pacing,
        {
          ...this.#canvas.resolution,
          step,
          isStale: () => this.#isDisposed || this.#isWanted || isOther() || !this.#view.canDraw,
          drawStrip: async (strip) => {
            this.#stripsScale = undefined;
            const { done, time } = timed(this.#gpu, async () => {
              const { frame } = this.#view;
              return frame && this.#canvas.drawStrip({ ...frame, scene, step, isDraft: false }, strip);
            });
            await done;
            const { ms, isBound } = await time;
            return isBound ? undefined : ms;
          },
          present: (scale) => {
            this.#stripsScale = scale;
            this.#canvas.presentStrips(scale);
            this.#shown = { scale, step };
          },
        },
        this.#shown.scale,
      );
    } finally {
      this.#isHeld = false;
    }
    this.#drawWanted(isOther());
  }

  /** @param tried as for `#drawMoving` */
  #drawAndMeasure(scale: number, step: number, tried?: { readonly trial: number | undefined }): void {
    const { shader } = this.#view;
    // The canvas may be resized before the time is known.
    const pixels = this.#canvas.pixelCount * scale ** 2;
    if (shader !== this.#measuredShader) this.#frames = 0;
    this.#measuredShader = shader;
    const isTried = tried !== undefined;
    const { done, time } = timed(this.#gpu, () => this.#draw(scale, step, isTried));
    this.#inFlight.submitted(performance.now());
    const isOfBricks = this.#view.scene?.isOfBricks === true;
    if (isOfBricks !== this.#isOfBricks) {
      // A sample in bricks costs several times as much, so earlier measurements do not apply.
      this.#isOfBricks = isOfBricks;
      this.forget();
    }
    // The first frame's time includes compilation.
    const isFirst = this.#frames++ === 0;
    const turn = this.#turn;
    void done.then((ms) => {
      this.#inFlight.ended(performance.now());
      if (!this.#isDisposed && !isFirst) this.onMeasured?.({ ms, scale, step });
      this.#drawWanted(false);
    });
    void time.then(({ ms, isBound }) => {
      if (!isFirst && turn === this.#turn) this.#pacing.measured(pixels, ms, step, isBound, tried?.trial);
    });
  }

  /** Draws the frames that were requested while the GPU was busy. */
  #drawWanted(isNew: boolean): void {
    if (!this.#isWanted && !isNew) {
      if (this.#hasNews && !this.#isDisposed) this.refresh();
      return;
    }
    this.#isWanted = false;
    if (!this.#isDisposed) this.#view.requestRender();
  }

  /** @returns resolves when done with the GPU's milliseconds for the volume, if known */
  #draw(scale: number, step: number, isTried = false): Promise<number | undefined> {
    this.#shown = { scale, step };
    this.#hasNews = false;
    const { frame } = this.#view;
    if (frame) return this.#canvas.draw({ ...frame, step, isDraft: step > 1, isTried }, scale);
    this.#canvas.clear(scale);
    return Promise.resolve(undefined);
  }
}
