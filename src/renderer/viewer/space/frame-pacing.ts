/** Interactive frames should take this long, in milliseconds. */
const frameMs = 30;
/** A picture that is taken at once may take this long, in one go. */
const promptMs = 900;
/** The first, coarser picture of a view that has come to rest should take this long. */
const levelMs = 500;
/** As little as a moving picture becomes, on a GPU that is slower than all others. */
const smallestScale = 0.1;
/** A still picture that would have this part of the resolution is drawn whole instead. */
const nearlyWhole = 0.75;
/** A moving picture that would be smaller than this takes every other sample, every fourth, every eighth: that is seen less. */
const enoughScales = [0.6, 0.3, 0.15] as const;
/** A still picture begins by the fastest of so many frames: a busy GPU makes frames slower, never faster. */
const remembered = 5;

/**
 * Chooses at which part of the canvas's resolution to draw, and how closely to sample: while things move, so that a frame
 * takes about 30 ms by the time that frames before it took; once still, so that a better picture soon replaces it, until it
 * is whole (`refineStill`). Steps are texels from sample to sample; a frame's time falls as they grow.
 */
export class FramePacing {
  /** Milliseconds per pixel at steps of 1, by recent frames. Undefined: nothing was measured yet. */
  #pixelMs: number | undefined;
  /** The same of the last frames, one by one. */
  #recent: readonly number[] = [];
  readonly #isSlow: boolean;

  /** @param isSlow a software GPU: begins small */
  constructor(isSlow: boolean) {
    this.#isSlow = isSlow;
  }

  /** What was measured no longer holds: another volume. */
  forget(): void {
    this.#pixelMs = undefined;
    this.#recent = [];
  }

  /** @param isBound other work may be in `ms`: the frame took no longer than that */
  measured(pixels: number, ms: number, step = 1, isBound = false): void {
    const now = (ms * step) / Math.max(1, pixels);
    if (isBound && this.#pixelMs !== undefined && now >= this.#pixelMs) return;
    this.#recent = [...this.#recent, now].slice(-remembered);
    // A slow frame counts at once, a fast one by and by: better too small for a moment than stuck.
    this.#pixelMs = this.#pixelMs === undefined || now > this.#pixelMs ? now : 0.5 * this.#pixelMs + 0.5 * now;
  }

  /** The part of the resolution (along each axis) for a moving picture of `pixels` pixels. */
  movingScale(pixels: number, step = 1): number {
    return this.#scaleFor(pixels / step, frameMs, this.#pixelMs);
  }

  /** The steps of a moving picture of `pixels` pixels. */
  movingStep(pixels: number): number {
    const found = enoughScales.findIndex((enough, index) => this.movingScale(pixels, 2 ** index) >= enough);
    return 2 ** (found < 0 ? enoughScales.length : found);
  }

  /** The next picture of a still view, at least at this part of the resolution. However slow the GPU is: 1 in the end. */
  stillScale(pixels: number, step = 1, atLeast = 0): number {
    const fastest = this.#recent.length === 0 ? undefined : Math.min(...this.#recent);
    const scale = Math.max(atLeast, this.#scaleFor(pixels / step, levelMs, fastest));
    return scale >= nearlyWhole ? 1 : scale;
  }

  promptScale(pixels: number): number {
    return this.#scaleFor(pixels, promptMs, this.#pixelMs);
  }

  /** What so many pixels should take. Nothing was measured yet: 0, or long on a software GPU. */
  expectedMs(pixels: number, step = 1): number {
    return ((this.#pixelMs ?? (this.#isSlow ? 1e-3 : 0)) * pixels) / step;
  }

  #scaleFor(pixels: number, ms: number, pixelMs: number | undefined): number {
    if (pixelMs === undefined) return this.#isSlow ? 0.3 : 1;
    const scale = Math.sqrt(ms / (pixelMs * pixels));
    if (scale >= 1) return 1;
    // In steps, so that the canvas is not made anew for every frame.
    return Math.max(smallestScale, Math.floor(scale * 10) / 10);
  }
}
