export const atEnds = ['loop', 'bounce', 'once'] as const;
/** What happens after the last frame: from the first again, back again, or nothing. */
export type AtEnd = (typeof atEnds)[number];

export const paces = ['hold', 'every'] as const;
/** What gives way when frames take too long: `hold` drops frames to keep the rate, `every` slows down. */
export type Pace = (typeof paces)[number];

export interface ClockSettings {
  /** Frames a second. */
  readonly rate: number;
  readonly pace: Pace;
  readonly atEnd: AtEnd;
}

export interface DueFrame {
  readonly index: number;
  /** Frames that were passed over to reach this one. */
  readonly dropped: number;
}

export const rates = { min: 1, max: 120, default: 60 } as const;

/** Nobody asked for so long: the tab was hidden, or the machine slept. */
const awayMs = 1000;
/** Animation frames come a little before or after their time. Less than half a period at the highest rate. */
const earlyMs = 4;

/**
 * Says which frame is due. It has no timer: it is asked at each animation frame, and knows the time only from that.
 * The beat is kept over jitter and seeks; a change of rate stretches what is left of the frame that is shown.
 */
export class FrameClock {
  readonly frameCount: number;
  #settings: ClockSettings;
  #isPlaying = false;
  /** The place in the sequence that repeats: for `bounce` there and back again, else the frame's number. */
  #place: number;
  #dueAt = 0;
  #askedAt = 0;

  /** @param index the frame that is shown at the start */
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

  /** The frame that is to be seen now. */
  get index(): number {
    return this.#place < this.frameCount ? this.#place : this.#cycle - this.#place;
  }

  /** Begins with the frame that is seen, or anew where that is the end; the next is due a period later. */
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

  /** Goes to a frame. While playing the beat stays: the frame after it is due when the next one was. */
  seek(index: number): void {
    const wanted = clamp(Math.round(index), 0, this.frameCount - 1);
    // What is on its way back stays so. The first and the last frame are met once a cycle.
    const isBack = this.#place >= this.frameCount && wanted > 0 && wanted < this.frameCount - 1;
    this.#place = isBack ? this.#cycle - wanted : wanted;
  }

  /** The frame `by` steps from this one: around the ends in a loop, else up to them. */
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
   * The frame that is due, or undefined while none is. To be called at each animation frame, in the order of time.
   * @param canShow false: frames before are not done yet, and nothing can be shown now
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
      // Time that was lost is not made up for by haste.
      this.#dueAt = (lateFrames > 0 ? now : this.#dueAt) + this.#periodMs;
      return { index: this.index, dropped: 0 };
    }
    this.#dueAt += (1 + lateFrames) * this.#periodMs;
    const dropped = this.#advance(1 + lateFrames) - 1;
    return { index: this.index, dropped };
  }

  get #periodMs(): number {
    return 1000 / this.#settings.rate;
  }

  /** Frames until the sequence repeats. */
  get #cycle(): number {
    return this.#settings.atEnd === 'bounce' ? Math.max(1, 2 * (this.frameCount - 1)) : this.frameCount;
  }

  /** Goes on by so many frames, or to the end if that is nearer. Returns by how many. */
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
