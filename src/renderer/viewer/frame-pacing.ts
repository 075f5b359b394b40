/** Interactive frames should take this long, in milliseconds. */
const frameMs = 30;
/** A picture that is taken at once may take this long, in one go. */
const promptMs = 900;
/** A still picture, in strips, may take this long: a GPU slower still shows it at less than the canvas's resolution. */
const stillMs = 5000;
/** As little as a moving picture becomes, on a GPU that is slower than all others. */
const smallestScale = 0.1;
/** A moving picture that would be smaller than this takes every other sample, every fourth, every eighth: that is seen less. */
const enoughScales = [0.6, 0.3, 0.15] as const;

/**
 * Chooses at which part of the canvas's resolution to draw, and how closely to sample: while things move, so that a frame
 * takes about 30 ms by the time that frames before it took; once still, whole if the GPU can. Steps are texels from
 * sample to sample; a frame's time falls as they grow.
 */
export class FramePacing {
  /** Milliseconds per pixel at steps of 1, by recent frames. Undefined: nothing was measured yet. */
  #pixelMs: number | undefined;
  readonly #isSlow: boolean;

  /** @param isSlow a software GPU: begins small */
  constructor(isSlow: boolean) {
    this.#isSlow = isSlow;
  }

  /** What was measured no longer holds: another volume, another projection. */
  forget(): void {
    this.#pixelMs = undefined;
  }

  measured(pixels: number, ms: number, step = 1): void {
    const now = (ms * step) / Math.max(1, pixels);
    // A slow frame counts at once, a fast one by and by: better too small for a moment than stuck.
    this.#pixelMs = this.#pixelMs === undefined || now > this.#pixelMs ? now : 0.5 * this.#pixelMs + 0.5 * now;
  }

  /** The part of the resolution (along each axis) for a moving picture of `pixels` pixels. */
  movingScale(pixels: number, step = 1): number {
    return this.#scaleFor(pixels / step, frameMs, this.#isSlow ? 0.3 : 1);
  }

  /** The steps of a moving picture of `pixels` pixels. */
  movingStep(pixels: number): number {
    const found = enoughScales.findIndex((enough, index) => this.movingScale(pixels, 2 ** index) >= enough);
    return 2 ** (found < 0 ? enoughScales.length : found);
  }

  stillScale(pixels: number, step = 1): number {
    return this.#scaleFor(pixels / step, stillMs, 1);
  }

  promptScale(pixels: number): number {
    return this.#scaleFor(pixels, promptMs, this.#isSlow ? 0.3 : 1);
  }

  /** What so many pixels should take. Nothing was measured yet: 0, or long on a software GPU. */
  expectedMs(pixels: number, step = 1): number {
    return ((this.#pixelMs ?? (this.#isSlow ? 1e-3 : 0)) * pixels) / step;
  }

  #scaleFor(pixels: number, ms: number, unknown: number): number {
    if (this.#pixelMs === undefined) return unknown;
    const scale = Math.sqrt(ms / (this.#pixelMs * pixels));
    if (scale >= 1) return 1;
    // In steps, so that the canvas is not made anew for every frame.
    return Math.max(smallestScale, Math.floor(scale * 10) / 10);
  }
}
