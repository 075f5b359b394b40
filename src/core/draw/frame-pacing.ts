/** The target time of interactive frames, in milliseconds: less than 1/60 s, since the GPU also decodes bricks and composes the page. */
const frameMs = 11;
/** The target without timestamps: the clock also counts the wait for the queue, which smaller pictures do not shorten. */
const clockFrameMs = 30;
/** The time limit of a picture drawn in one piece, in milliseconds. */
const promptMs = 900;
/** The target time of the first, coarser picture of a view at rest, in milliseconds. */
const levelMs = 500;
/** The smallest scale of a moving picture, however slow the GPU. */
const smallestScale = 0.1;
/** A still picture that would reach this fraction of the resolution is drawn at full resolution. */
const nearlyWhole = 0.75;
/** The last of `enoughScales`. Where voxels are large, no limit is smaller: see `smallestScale`. */
const fewestEnough = 0.15;
/** A moving picture that would be smaller than this skips samples instead, in steps of 2, 4 and 8, which is less visible. */
const enoughScales = [0.6, 0.3, fewestEnough] as const;
/** If voxels are this many times as large as pixels, or larger, fewer pixels are less visible than skipped samples until the next step's scale. */
const largeVoxels = 2;
/** The least and the greatest scale of a trial, and how many pixels it has where these allow. On a large GPU fewer would take as long. */
const [leastTrial, greatestTrial, trialPixels] = [1 / 8, 1 / 4, 32_400] as const;
/** The smallest part of all samples for which there is a trial. Before a smaller frame, it would take a fifth of the frame's time on a large GPU. */
const leastTried = 0.4;
/** A frame is made smaller if by its trial it would take this many times longer than it should. */
const mostOver = 2;
/**
 * How many times longer a pixel of a trial may take than one of its frame, which fills the GPU better: for the decision whether the frame is made
 * smaller, and for its size if it is.
 */
const [mostBias, plannedBias] = [5, 3];
/**
 * A still picture is planned by the fastest of this many recent frames, since other work makes frames slower, never faster. A moving one
 * is planned by the slowest: what is shown changes from frame to frame, and a few sharper pictures are not worth a stuck one.
 */
const remembered = 4;

/**
 * The scale of a trial: a small picture that is not shown, drawn before a moving frame to learn whether the frame would take far longer than
 * the ones before it. It takes a small part of the frame's time, or a few times as much on a large GPU, which it does not fill.
 * @param pixels of the canvas
 */
export function trialScale(pixels: number): number {
  return Math.min(greatestTrial, Math.max(leastTrial, Math.sqrt(trialPixels / Math.max(1, pixels))));
}

/**
 * Chooses the resolution and the distance between samples. While things move, frames should take about 11 ms, judging by
 * recent frames, or 30 ms if only the clock times them. At rest, a better picture soon follows, until full quality
 * (`refineStill`). Steps are texels between samples; larger steps make frames faster.
 */
export class FramePacing {
  /** Milliseconds per pixel at steps of 1, of each of the last frames. */
  #recent: readonly number[] = [];
  /** How many times longer pixels of the last trials took than those of their frames. */
  #biases: readonly number[] = [];
  readonly #isSlow: boolean;
  readonly #frameMs: number;
  readonly #hasTimestamps: boolean;

  /**
   * @param isSlow whether it is a software GPU, which starts with small pictures
   * @param hasTimestamps whether the GPU's own times are measured
   */
  constructor(isSlow: boolean, hasTimestamps = true) {
    this.#isSlow = isSlow;
    this.#hasTimestamps = hasTimestamps;
    this.#frameMs = hasTimestamps ? frameMs : clockFrameMs;
  }

  /** Forgets all measurements, because the volume changed. */
  forget(): void {
    this.#recent = [];
    this.#biases = [];
  }

  /**
   * Records the time of a frame.
   * @param isBound whether `ms` may include other work, so that it is only an upper bound
   * @param trial of this frame, if it had one: see `tried`
   */
  measured(pixels: number, ms: number, step = 1, isBound = false, trial?: number): void {
    const now = (ms * step) / Math.max(1, pixels);
    if (trial !== undefined && now > 0) {
      this.#biases = [...this.#biases, Math.min(mostBias, Math.max(1, trial / now))].slice(-remembered);
    }
    if (isBound && this.#pixelMs !== undefined && now >= this.#pixelMs) return;
    this.#remember(now);
  }

  /** Whether the time of a frame is known. */
  get isMeasured(): boolean {
    return this.#recent.length > 0;
  }

  /** Whether a trial should come before a moving frame. Without timestamps the time of so small a picture is not known. */
  needsTrial(scale: number, step: number): boolean {
    return this.#hasTimestamps && this.isMeasured && scale ** 2 / step >= leastTried;
  }

  /**
   * Records the time of a trial.
   * @param pixels of the trial @param frame those of the frame that is to follow, at the same steps
   * @returns for `measured` of that frame. Other frames may be measured before it
   */
  tried(pixels: number, ms: number, step: number, frame: number): number {
    const trial = (ms * step) / Math.max(1, pixels);
    // Without a bias that is known, a trial counts in full, so that at worst a few frames are smaller than they could be.
    const bias = this.#biases.length > 0 ? Math.min(...this.#biases) : 1;
    const expectedMs = (trial / bias) * (frame / step);
    if (expectedMs > mostOver * this.#frameMs) this.#remember(trial / Math.min(plannedBias, bias));
    return trial;
  }

  #remember(pixelMs: number): void {
    this.#recent = [...this.#recent, pixelMs].slice(-remembered);
  }

  /** Milliseconds per pixel at steps of 1 that the next frame may take. Undefined before the first measurement. */
  get #pixelMs(): number | undefined {
    return this.#recent.length === 0 ? undefined : Math.max(...this.#recent);
  }

  /** The fraction of the resolution, along each axis, for a moving picture of `pixels` pixels. */
  movingScale(pixels: number, step = 1): number {
    return this.#scaleFor(pixels / step, this.#frameMs, this.#pixelMs);
  }

  /**
   * The distance between samples, in texels, for a moving picture of `pixels` pixels.
   * @param voxelPixels the edge of a voxel on the screen, in pixels of the whole resolution
   */
  movingStep(pixels: number, voxelPixels = 1): number {
    // Before any measurement, a software GPU begins with few samples, too.
    const enlarged = this.#recent.length === 0 ? 1 : Math.min(largeVoxels, Math.max(1, voxelPixels));
    // Scales are never smaller than `smallestScale`, so with a smaller limit the longest steps would never be chosen.
    const limits = enoughScales.map((enough) => Math.max(enough / enlarged, fewestEnough));
    const found = limits.findIndex((enough, index) => this.movingScale(pixels, 2 ** index) >= enough);
    return 2 ** (found < 0 ? enoughScales.length : found);
  }

  /**
   * The fraction of the resolution for the next picture of a still view, at least `atLeast`. It eventually reaches 1, however
   * slow the GPU is.
   */
  stillScale(pixels: number, step = 1, atLeast = 0): number {
    const fastest = this.#recent.length === 0 ? undefined : Math.min(...this.#recent);
    const scale = Math.max(atLeast, this.#scaleFor(pixels / step, levelMs, fastest));
    return scale >= nearlyWhole ? 1 : scale;
  }

  promptScale(pixels: number): number {
    return this.#scaleFor(pixels, promptMs, this.#pixelMs);
  }

  /** The expected time for a number of pixels, in milliseconds. Before any measurement it is 0, or long on a software GPU. */
  expectedMs(pixels: number, step = 1): number {
    return ((this.#pixelMs ?? (this.#isSlow ? 1e-3 : 0)) * pixels) / step;
  }

  #scaleFor(pixels: number, ms: number, pixelMs: number | undefined): number {
    if (pixelMs === undefined) return this.#isSlow ? 0.3 : 1;
    const scale = Math.sqrt(ms / (pixelMs * pixels));
    if (scale >= 1) return 1;
    // Scales change in steps, so that the canvas is not resized for every frame.
    return Math.max(smallestScale, Math.floor(scale * 10) / 10);
  }
}
