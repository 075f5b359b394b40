import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { DisplayTexture } from '../../core/volume/display-texture.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';

export interface ShownVolume {
  readonly info: VolumeInfo;
  readonly display: DisplayTexture;
}

/**
 * Keeps the 3D view's textures at the time point that was asked for last. Fills run one after the
 * other, and those that have been overtaken are left out.
 */
export class DisplayFeed {
  readonly #onVolume: () => void;
  readonly #onContent: () => void;
  #shown: ShownVolume | undefined;
  #wanted: { volume: VolumeSource; timePoint: number } | undefined;
  #work: Promise<void> = Promise.resolve();
  #fills = 0;

  /**
   * @param onVolume `shown` is another volume
   * @param onContent the textures show another time point
   */
  constructor(onVolume: () => void, onContent: () => void) {
    this.#onVolume = onVolume;
    this.#onContent = onContent;
  }

  get shown(): ShownVolume | undefined {
    return this.#shown;
  }

  /** Resolves when all that was asked for so far is shown. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Textures are being filled. */
  get isBusy(): boolean {
    return this.#fills > 0;
  }

  /** The textures show another time point: a frame of `Viewer.showFrame`, which is submitted. */
  changed(): void {
    this.#wanted = undefined;
    this.#onContent();
  }

  /** Resolves when the textures show it, or something asked for later. @throws StriaError `device-lost` */
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

  /** Lets go of the volume. Resolves when nothing of it is used any more. */
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
