export const atEnds = ['loop', 'bounce', 'once'] as const;
/** What happens after the last frame: start over, play backwards, or stop. */
export type AtEnd = (typeof atEnds)[number];

export const paces = ['hold', 'every'] as const;
/** What happens when frames take too long: `hold` drops frames to keep the rate, `every` slows down. */
export type Pace = (typeof paces)[number];

export interface ClockSettings {
  /** Frames per second. */
  readonly rate: number;
  readonly pace: Pace;
  readonly atEnd: AtEnd;
}

export interface DueFrame {
  readonly index: number;
  /** The number of frames dropped before this one. */
  readonly dropped: number;
}

export const rates = { min: 1, max: 120, default: 60 } as const;

/** A gap this long means that the tab was hidden or the machine slept. */
const awayMs = 1000;
/** The tolerance for animation frames that come early, in milliseconds: less than half a period at the highest rate. */
const earlyMs = 4;

/**
 * Decides which frame is due. It has no timer: it is called at each animation frame and learns the time only then. The beat
 * survives jitter and seeks; a change of rate stretches the rest of the current period.
 */
export class FrameClock {
  readonly frameCount: number;
  #settings: ClockSettings;
  #isPlaying = false;
  /** The position in the repeating sequence, which runs there and back for `bounce`; otherwise the frame's index. */
  #place: number;
  #dueAt = 0;
  #askedAt = 0;

  /** @param index the initial frame */
  constructor(frameCount: number, settings: ClockSettings, index = 0) {
    this.frameCount = Math.max(1, frameCount);
    this.#settings = { ...settings, rate: clampRate(settings.rate) };
    this.#place = clamp(index, 0, this.frameCount - 1);
  }

  get isPlaying(): boolean {
    return this.#isPlaying;
  }

  get settings(): ClockSettings {
    return this.#settings;
  }

  /** The frame to show now. */
  get index(): number {
    return this.#place < this.frameCount ? this.#place : this.#cycle - this.#place;
  }

  /** Starts with the current frame, or from the beginning if that is the end. The next frame is due one period later. */
  play(now: number): void {
    if (this.#isPlaying) return;
    if (this.#settings.atEnd === 'once' && this.index === this.frameCount - 1) this.#place = 0;
    this.#isPlaying = true;
    this.#dueAt = now + this.#periodMs;
    this.#askedAt = now;
  }

  pause(): void {
    this.#isPlaying = false;
  }

  /** Goes to a frame. During playback the beat does not change, so the following frame is due when the next one would have been. */
  seek(index: number): void {
    const wanted = clamp(Math.round(index), 0, this.frameCount - 1);
    // Keep the direction of `bounce`. The first and last frame occur only once per cycle.
    const isBack = this.#place >= this.frameCount && wanted > 0 && wanted < this.frameCount - 1;
    this.#place = isBack ? this.#cycle - wanted : wanted;
  }

  /** The frame `by` steps away: wrapping around in a loop, else stopping at the ends. */
  stepped(by: number): number {
    const to = this.index + by;
    return this.#settings.atEnd === 'loop' ? modulo(to, this.frameCount) : clamp(to, 0, this.frameCount - 1);
  }

  set(change: Partial<ClockSettings>, now: number): void {
    const { index } = this;
    const before = this.#periodMs;
    const next = { ...this.#settings, ...change };
    this.#settings = { ...next, rate: clampRate(next.rate) };
    if (next.atEnd !== 'bounce') this.#place = index;
    this.#dueAt = now + (this.#dueAt - now) * (this.#periodMs / before);
  }

  /**
   * The frame that is due, or undefined. Must be called at each animation frame, in order of time.
   * @param canShow false while earlier frames are not finished, so that nothing can be shown
   */
  due(now: number, canShow = true): DueFrame | undefined {
    if (!this.#isPlaying) return undefined;
    const unaskedMs = now - this.#askedAt;
    this.#askedAt = now;
    if (unaskedMs > awayMs) this.#dueAt += unaskedMs;
    if (!canShow || now < this.#dueAt - earlyMs) return undefined;
    const lateFrames = Math.max(0, Math.floor((now - this.#dueAt) / this.#periodMs));
    if (this.#settings.pace === 'every') {
      this.#advance(1);
      // Playback does not catch up with lost time.
      this.#dueAt = (lateFrames > 0 ? now : this.#dueAt) + this.#periodMs;
      return { index: this.index, dropped: 0 };
    }
    this.#dueAt += (1 + lateFrames) * this.#periodMs;
    // At the end there is no next frame.
    const dropped = Math.max(0, this.#advance(1 + lateFrames) - 1);
    return { index: this.index, dropped };
  }

  get #periodMs(): number {
    return 1000 / this.#settings.rate;
  }

  /** The number of frames until the sequence repeats. */
  get #cycle(): number {
    return this.#settings.atEnd === 'bounce' ? Math.max(1, 2 * (this.frameCount - 1)) : this.frameCount;
  }

  /** Advances by a number of frames, or to the end if that is closer. @returns the number of frames */
  #advance(frames: number): number {
    if (this.#settings.atEnd !== 'once') {
      this.#place = (this.#place + frames) % this.#cycle;
      return frames;
    }
    const left = this.frameCount - 1 - this.#place;
    const steps = Math.min(frames, left);
    this.#place += steps;
    if (steps === left) this.#isPlaying = false;
    return steps;
  }
}

export function clampRate(rate: number): number {
  return Number.isFinite(rate) ? clamp(rate, rates.min, rates.max) : rates.default;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
