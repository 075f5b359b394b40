import type { Gpu } from '../../core/gpu/gpu.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { AttachedViews } from './attached-views.ts';
import type { DrawLoop } from './draw-loop.ts';
import { decodeMs, frameAxis, withFrame } from './frames.ts';
import type { Frame, FrameReport } from './model/viewer-api.ts';
import { SliceView } from './slices/slice-view.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { SpaceTextures } from './space-textures.ts';
import type { ViewerContent } from './viewer-content.ts';

/** During playback, panels are notified at this interval in milliseconds. */
const noticeMs = 200;

/** The parts of the viewer that draw frames. */
export interface FrameStage {
  readonly gpu: Gpu;
  readonly content: ViewerContent;
  readonly store: SnapshotStore;
  readonly views: AttachedViews;
  readonly textures: SpaceTextures;
  readonly loop: DrawLoop;
}

/** Shows frames of a stack one after another, as fast as the caller requests them. */
export class FrameStepper {
  readonly #stage: FrameStage;
  /** The arguments of the last `prepare`. */
  #prepared = '';
  /** The timer of the next notification. */
  #noticeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(stage: FrameStage) {
    this.#stage = stage;
  }

  /**
   * Shows a slice (in the view across its axis) or a time point (in all views) in the current task, for playback at any rate.
   * Compressed frames are decoded in the submit that draws them; after `prepare` nothing is uploaded. The crosshair or
   * time point of the state follows, and panels are notified a few times a second.
   * @returns resolves when the GPU has finished the frame
   * @throws StriaError `invalid-input` if nothing is shown, `device-lost`
   */
  async show({ axis, index }: Frame): Promise<FrameReport> {
    const { gpu, content, store, views, textures, loop } = this.#stage;
    const { volume } = content;
    if (!volume) throw new StriaError('invalid-input', 'there is no volume to show a frame of');
    const { timePoint } = store.state;
    store.advance(store.fitted(withFrame(store.state, { axis, index })));
    this.prepare(axis);
    const commands = gpu.commands('frame', gpu.hasTimestamps ? () => {} : undefined);
    const is3dNew = axis === 't' && store.state.timePoint !== timePoint && textures.shown !== undefined;
    if (is3dNew) textures.record(commands, volume);
    for (const view of views.all) {
      if (!(view instanceof SliceView && view.isShown)) continue;
      view.record(commands);
      loop.skip(view);
    }
    const submittedAt = performance.now();
    const submitted = commands.submit();
    // If the volume is decoded layer by layer, its oblique slice is drawn only with the next notification.
    if (volume.holdsTimePoints) views.oblique?.render();
    if (is3dNew) {
      textures.recorded();
      views.volume?.render();
    }
    this.#noticeTimer ??= setTimeout(() => this.#notify(), noticeMs);
    const { stages, wallMs } = await submitted;
    return { decodeMs: decodeMs(stages), presentedAt: submittedAt + wallMs };
  }

  /**
   * Creates the decode tables for frames along an axis, so that `show` uploads nothing. `show` calls it by itself.
   * The tables stay valid until the crosshair moves along another axis.
   */
  prepare(axis: Frame['axis']): void {
    const { content, store, views, textures } = this.#stage;
    const { crosshair, timePoint } = store.state;
    const number = frameAxis(axis);
    const position = [...crosshair, timePoint] as const;
    const shown = views.shown.map(([name]) => name);
    const key = [axis, position.toSpliced(number, 1), shown, textures.shown !== undefined].join();
    if (key === this.#prepared) return;
    this.#prepared = key;
    content.volume?.prepareFrames(number, position);
  }

  /** Prepares the axis along which a volume is played first. */
  prepareFirst({ dims }: VolumeInfo): void {
    this.prepare(dims[3] > 1 ? 't' : 'z');
  }

  /** Must be called when the volume is replaced by one that has no decode tables yet. */
  forget(): void {
    this.#prepared = '';
  }

  end(): void {
    clearTimeout(this.#noticeTimer);
  }

  #notify(): void {
    const { content, store, views, loop } = this.#stage;
    this.#noticeTimer = undefined;
    store.change({});
    // Frames do not wait for the outline of the oblique slice, nor for the slice itself if it takes longer.
    if (!views.oblique?.isShown) return;
    const late = [views.volume, content.volume?.holdsTimePoints ? undefined : views.oblique];
    loop.request(late.filter((view) => view !== undefined));
  }
}
