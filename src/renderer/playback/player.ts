import { type ClockSettings, FrameClock } from './frame-clock.ts';
import { FrameStatistics, type PlaybackFigures } from './frame-statistics.ts';
import type { FrameTarget, FrameTiming } from './frame-target.ts';

/** A source of animation frames, such as a page. */
export interface FrameLoop {
  now(): number;
  request(callback: (now: number) => void): number;
  cancel(request: number): void;
}

/** The state of a player that panels show. It changes a few times a second, not with every frame. */
export interface PlayerSnapshot {
  readonly isPlaying: boolean;
  readonly settings: ClockSettings;
  readonly figures: PlaybackFigures;
}

export interface PlayerOptions {
  readonly frameCount: number;
  readonly settings: ClockSettings;
  /** The initial frame. */
  readonly index: number;
  readonly target: FrameTarget;
  readonly loop: FrameLoop;
  /** Called if a frame cannot be shown. The player is then paused. */
  readonly onFault: (error: unknown) => void;
}

export interface PresentedFrame extends FrameTiming {
  readonly index: number;
}

/** One frame on the GPU and one queued behind it, so that the GPU never idles between frames. */
const mostInFlight = 2;
const publishEveryMs = 250;

/** Plays a stack. At each animation frame it asks the clock which frame is due, and tells the target to show it. */
export class Player {
  readonly frameCount: number;
  readonly #clock: FrameClock;
  readonly #statistics = new FrameStatistics();
  readonly #options: PlayerOptions;
  readonly #listeners = new Set<() => void>();
  readonly #indexListeners = new Set<() => void>();
  readonly #presentedListeners = new Set<(frame: PresentedFrame) => void>();
  #snapshot: PlayerSnapshot;
  #request: number | undefined;
  #publishTimer: ReturnType<typeof setTimeout> | undefined;
  #inFlight = 0;
  /** The latest frame requested while too many were in flight. */
  #wanted: number | undefined;
  #isDisposed = false;

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#clock = new FrameClock(options.frameCount, options.settings, options.index);
    this.frameCount = this.#clock.frameCount;
    this.#snapshot = this.#read();
  }

  /** The last requested frame. */
  get index(): number {
    return this.#clock.index;
  }

  get isPlaying(): boolean {
    return this.#clock.isPlaying;
  }

  /** Whether no requested frame is pending. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#wanted === undefined;
  }

  play(): void {
    if (this.#isDisposed || this.isPlaying) return;
    const before = this.index;
    this.#statistics.reset();
    this.#clock.play(this.#options.loop.now());
    if (this.index !== before) this.#show(this.index);
    this.#request ??= this.#options.loop.request(this.#tick);
    this.#publish();
  }

  /** Pauses. The last requested frame stays on screen. */
  pause(): void {
    this.#clock.pause();
    if (this.#request !== undefined) this.#options.loop.cancel(this.#request);
    this.#request = undefined;
    this.#publish();
  }

  seek(index: number): void {
    if (this.#isDisposed) return;
    this.#clock.seek(index);
    this.#show(this.index);
  }

  /** Pauses, then moves by `by` frames. */
  step(by: number): void {
    this.pause();
    this.seek(this.#clock.stepped(by));
  }

  /** Must be called when the view was moved to another frame by other means. Playback continues from there. */
  moved(index: number): void {
    this.#clock.seek(index);
    this.#tellIndex();
  }

  set(change: Partial<ClockSettings>): void {
    this.#clock.set(change, this.#options.loop.now());
    this.#publish();
  }

  /** Stable between changes, as `useSyncExternalStore(player.subscribe, player.snapshot)` needs it. */
  readonly snapshot = (): PlayerSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Notifies a listener of every new `index`, at frame rate, so it is not for React. */
  readonly onIndex = (listener: () => void): (() => void) => {
    this.#indexListeners.add(listener);
    return () => this.#indexListeners.delete(listener);
  };

  /** Notifies a listener of every frame that the GPU has finished. */
  readonly onPresented = (listener: (frame: PresentedFrame) => void): (() => void) => {
    this.#presentedListeners.add(listener);
    return () => this.#presentedListeners.delete(listener);
  };

  /** Stops playback without waiting for frames in flight. */
  dispose(): void {
    this.pause();
    this.#isDisposed = true;
    this.#wanted = undefined;
    clearTimeout(this.#publishTimer);
    this.#listeners.clear();
    this.#indexListeners.clear();
    this.#presentedListeners.clear();
  }

  readonly #tick = (now: number): void => {
    this.#request = this.#options.loop.request(this.#tick);
    const due = this.#clock.due(now, this.#inFlight < mostInFlight);
    if (due) {
      this.#statistics.dropped(due.dropped);
      this.#show(due.index);
    }
    if (!this.isPlaying) this.pause();
  };

  #show(index: number): void {
    this.#tellIndex();
    if (this.#inFlight >= mostInFlight) {
      this.#wanted = index;
      return;
    }
    this.#wanted = undefined;
    this.#inFlight++;
    this.#options.target.showFrame(index).then(
      (report) => this.#shown({ ...report, index }),
      (error: unknown) => this.#failed(error),
    );
  }

  #shown(frame: PresentedFrame): void {
    this.#inFlight--;
    if (this.#isDisposed) return;
    // Manual steps do not count towards the rate.
    if (this.isPlaying) this.#statistics.presented(frame);
    for (const listener of this.#presentedListeners) listener(frame);
    this.#publishTimer ??= setTimeout(() => this.#publish(), publishEveryMs);
    if (this.#wanted !== undefined) this.#show(this.#wanted);
  }

  #failed(error: unknown): void {
    this.#inFlight--;
    if (this.#isDisposed) return;
    this.#wanted = undefined;
    this.pause();
    this.#options.onFault(error);
  }

  #tellIndex(): void {
    for (const listener of this.#indexListeners) listener();
  }

  #publish(): void {
    clearTimeout(this.#publishTimer);
    this.#publishTimer = undefined;
    this.#snapshot = this.#read();
    for (const listener of this.#listeners) listener();
  }

  #read(): PlayerSnapshot {
    return { isPlaying: this.isPlaying, settings: this.#clock.settings, figures: this.#statistics.figures() };
  }
}
