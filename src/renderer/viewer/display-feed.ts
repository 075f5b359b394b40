import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { DisplayTexture } from '../../core/volume/display-texture.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';

export interface ShownVolume {
  readonly info: VolumeInfo;
  readonly display: DisplayTexture;
}

/**
 * Keeps the 3D view's textures at the time point that was requested last. Fills run one after another, and outdated ones are
 * skipped.
 */
export class DisplayFeed {
  readonly #onVolume: () => void;
  readonly #onContent: () => void;
  #shown: ShownVolume | undefined;
  #wanted: { volume: VolumeSource; timePoint: number } | undefined;
  #work: Promise<void> = Promise.resolve();
  #fills = 0;

  /**
   * @param onVolume called when `shown` is another volume
   * @param onContent called when the textures show another time point
   */
  constructor(onVolume: () => void, onContent: () => void) {
    this.#onVolume = onVolume;
    this.#onContent = onContent;
  }

  get shown(): ShownVolume | undefined {
    return this.#shown;
  }

  /** Resolves when everything requested so far is shown. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Whether textures are being filled. */
  get isBusy(): boolean {
    return this.#fills > 0;
  }

  /** Must be called after a frame of `FrameStepper.show` that fills the textures was submitted. */
  changed(): void {
    this.#wanted = undefined;
    this.#onContent();
  }

  /** Resolves when the textures show this time point, or a later request. @throws StriaError `device-lost` */
  show(volume: VolumeSource, timePoint: number): Promise<void> {
    const wanted = { volume, timePoint };
    this.#wanted = wanted;
    return this.#next(async () => {
      if (this.#wanted !== wanted) return;
      const display = await volume.displayTexture(timePoint);
      if (this.#wanted?.volume !== volume) return;
      const isNew = this.#shown?.display.texture !== display.texture;
      this.#shown = { info: volume.info, display };
      if (isNew) this.#onVolume();
      else this.#onContent();
    });
  }

  /** Releases the volume. Resolves when it is no longer in use. */
  clear(): Promise<void> {
    this.#wanted = undefined;
    if (this.#shown) {
      this.#shown = undefined;
      this.#onVolume();
    }
    return this.#work;
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#fills++;
    const result = this.#work.then(work);
    this.#work = result
      .catch(() => {})
      .finally(() => {
        this.#fills--;
      });
    return result;
  }
}
