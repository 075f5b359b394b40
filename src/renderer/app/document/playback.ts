import { toStriaError } from '../../../core/shared/errors.ts';
import { channelAt, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { ClockSettings } from '../../playback/frame-clock.ts';
import type { FrameTarget } from '../../playback/frame-target.ts';
import { type FrameLoop, Player } from '../../playback/player.ts';
import { type StackAxis, stacksOf } from '../../playback/stacks.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { type AppState, type AppStore, openDocument, type PlaybackState } from '../state/store.ts';

export interface PlaybackNeeds {
  targetOf(viewer: Viewer, axis: StackAxis): FrameTarget;
  /** Compresses the volume in GPU memory, if necessary. Resolves with false if it was cancelled; then nothing plays. */
  prepare(): Promise<boolean>;
  /** Cancels `prepare`. */
  cancel(): void;
  /** Saves the clock's settings. */
  save(settings: ClockSettings): void;
  readonly loop: FrameLoop;
}

/** Keeps a player for the open volume, and creates a new one for another volume, axis or device. */
export class Playback {
  /** Delays each frame by this many milliseconds, for tests. */
  frameDelayMs = 0;
  readonly #store: AppStore;
  readonly #needs: PlaybackNeeds;
  #document: OpenDocument | undefined;
  #viewer: Viewer | undefined;
  /** The choices for `#document`. They outlive the device. */
  #chosen: { readonly axis: StackAxis | undefined; readonly isOpen: boolean } = { axis: undefined, isOpen: false };
  #playNext = false;
  #endFollowing = () => {};

  constructor(store: AppStore, needs: PlaybackNeeds) {
    this.#store = store;
    this.#needs = needs;
    store.subscribe((state, before) => {
      if (state.document !== before.document || state.gpu !== before.gpu) this.#update(state);
    });
  }

  /** The next volume plays as soon as it is open, if it can be played and reduced motion is not requested. */
  playNext(): void {
    this.#playNext = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  }

  /** Starts playback, or stops it if it is playing or being prepared. */
  toggle(): void {
    const playback = this.#store.getState().playback;
    if (!playback) return;
    if (playback.isPreparing) this.#needs.cancel();
    else if (playback.player.isPlaying) playback.player.pause();
    else void this.#play();
  }

  /** Plays along an axis. */
  playAlong(axis: StackAxis): void {
    if (this.#store.getState().playback?.stack.axis !== axis) this.choose(axis);
    if (!this.#store.getState().playback?.player.isPlaying) this.toggle();
  }

  /** Chooses another axis, without playing. */
  choose(axis: StackAxis): void {
    this.#chosen = { axis, isOpen: true };
    this.#begin();
  }

  /** Stops playback and hides the bar. */
  close(): void {
    const playback = this.#store.getState().playback;
    if (playback?.isPreparing) this.#needs.cancel();
    this.#chosen = { axis: playback?.stack.axis, isOpen: false };
    this.#begin();
  }

  /** Steps by a number of frames, or to an end: `-Infinity`, `Infinity`. */
  step(by: number): void {
    const player = this.#store.getState().playback?.player;
    if (!player) return;
    if (Number.isFinite(by)) player.step(by);
    else this.scrub(by < 0 ? 0 : player.frameCount - 1);
  }

  scrub(index: number): void {
    const player = this.#store.getState().playback?.player;
    player?.pause();
    player?.seek(index);
  }

  /** Changes the clock, of this player and of later ones. */
  set(change: Partial<ClockSettings>): void {
    this.#needs.save({ ...this.#store.getState().settings.playback, ...change });
    this.#store.getState().playback?.player.set(change);
  }

  async #play(): Promise<void> {
    const playback = this.#change({ isOpen: true, isPreparing: true });
    this.#chosen = { ...this.#chosen, isOpen: true };
    let isReady = false;
    try {
      isReady = await this.#needs.prepare();
    } catch (error) {
      this.#tell(error);
    }
    // Closed, or replaced by another volume meanwhile.
    if (!playback || this.#store.getState().playback?.player !== playback.player) return;
    this.#change({ isPreparing: false });
    if (isReady) playback.player.play();
  }

  #change(change: Partial<PlaybackState>): PlaybackState | undefined {
    const before = this.#store.getState().playback;
    const playback = before && { ...before, ...change };
    this.#store.setState({ playback });
    return playback;
  }

  #update(state: AppState): void {
    const document = openDocument(state);
    const viewer = state.gpu.kind === 'ready' ? state.gpu.viewer : undefined;
    const isOther = document?.opened !== this.#document?.opened;
    this.#document = document;
    if (!isOther && viewer === this.#viewer) return;
    if (isOther) this.#chosen = { axis: undefined, isOpen: false };
    this.#viewer = viewer;
    this.#begin();
    if (state.document.kind === 'failed' || state.document.kind === 'empty') this.#playNext = false;
    if (document && viewer && this.#playNext) {
      this.#playNext = false;
      this.toggle();
    }
  }

  /** Creates a player for the open volume and the chosen axis, paused at the current frame. */
  #begin(): void {
    this.#end();
    const { settings } = this.#store.getState();
    const document = this.#document;
    const viewer = this.#viewer;
    if (!document || !viewer) return;
    const stacks = document.space ? [] : stacksOf(document.info, document.arePictures);
    const stack = stacks.find(({ axis }) => axis === this.#chosen.axis) ?? stacks[0];
    if (!stack) return;
    const { axis, frameCount } = stack;
    const target = this.#needs.targetOf(viewer, axis);
    const player = new Player({
      frameCount,
      settings: settings.playback,
      index: shownIndex(viewer.snapshot().state, axis, document.info),
      loop: this.#needs.loop,
      target: {
        showFrame: (index) =>
          this.#delayed().then(() => target.showFrame(index + firstFrame(viewer.snapshot().state, axis, document.info))),
      },
      onFault: (error) => this.#tell(error),
    });
    this.#endFollowing = viewer.subscribe(() => {
      const { info, state } = viewer.snapshot();
      const index = shownIndex(state, axis, document.info);
      if (info && player.isIdle && index !== player.index) player.moved(index);
    });
    const isOpen = this.#chosen.isOpen || (stack.isSeries && this.#chosen.axis === undefined);
    this.#store.setState({ playback: { player, stack, stacks, isOpen, isPreparing: false } });
  }

  #end(): void {
    const playback = this.#store.getState().playback;
    if (!playback) return;
    this.#endFollowing();
    playback.player.dispose();
    this.#store.setState({ playback: undefined });
  }

  #tell(error: unknown): void {
    const { tag, message } = toStriaError(error);
    // A lost device has its own banner.
    if (tag !== 'aborted' && tag !== 'device-lost') this.#store.setState({ notice: message });
  }

  async #delayed(): Promise<void> {
    if (this.frameDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.frameDelayMs));
  }
}

function shownIndex({ crosshair, timePoint }: ViewState, axis: StackAxis, info: VolumeInfo): number {
  return axis === 't' ? channelAt(info, timePoint).time : crosshair['xyz'.indexOf(axis) as 0 | 1 | 2];
}

/** The index along t of the first frame of the shown channel. */
function firstFrame({ timePoint }: ViewState, axis: StackAxis, info: VolumeInfo): number {
  return axis === 't' ? timePoint - channelAt(info, timePoint).time : 0;
}
