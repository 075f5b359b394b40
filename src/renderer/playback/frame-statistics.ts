import type { FrameTiming } from './frame-target.ts';

export interface PlaybackFigures {
  /** The rate by presentation times; undefined before there are two. */
  readonly framesPerSecond: number | undefined;
  /** Frames dropped since playback started. */
  readonly dropped: number;
  /** The mean over the same frames; undefined if the GPU gives no times or nothing had to be decoded. */
  readonly decodeMs: number | undefined;
}

/** Frames of the last so many milliseconds count. */
const windowMs = 1000;

/** Statistics of playback, measured from presented frames rather than requested ones. */
export class FrameStatistics {
  #frames: FrameTiming[] = [];
  #dropped = 0;

  reset(): void {
    this.#frames = [];
    this.#dropped = 0;
  }

  presented(frame: FrameTiming): void {
    this.#frames.push(frame);
    // Keep two frames even if they are further apart than the window, as at low rates.
    while (this.#frames.length > 2 && (this.#frames[0] as FrameTiming).presentedAt < frame.presentedAt - windowMs) {
      this.#frames.shift();
    }
  }

  dropped(count: number): void {
    this.#dropped += count;
  }

  figures(): PlaybackFigures {
    const first = this.#frames[0];
    const last = this.#frames.at(-1);
    const spanMs = first && last ? last.presentedAt - first.presentedAt : 0;
    const decodes = this.#frames.flatMap(({ decodeMs }) => (decodeMs === undefined ? [] : [decodeMs]));
    return {
      framesPerSecond: spanMs > 0 ? (1000 * (this.#frames.length - 1)) / spanMs : undefined,
      dropped: this.#dropped,
      decodeMs: decodes.length > 0 ? decodes.reduce((sum, ms) => sum + ms, 0) / decodes.length : undefined,
    };
  }
}
