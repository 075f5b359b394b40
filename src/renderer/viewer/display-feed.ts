import type { DisplayTexture } from '../../core/engine/display-texture.ts';
import type { ResidentVolume } from '../../core/engine/resident-volume.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { GpuScope } from '../../core/gpu/scope.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { type BrickGrid, createBrickGrid, fillBrickGrid } from './brick-grid.ts';

export interface ShownVolume {
  readonly info: VolumeInfo;
  readonly display: DisplayTexture;
  readonly bricks: BrickGrid;
}

/**
 * Keeps the 3D view's textures (display and bricks) at the time point that was asked for last. Fills run one after the
 * other, and those that have been overtaken are left out.
 */
export class DisplayFeed {
  readonly #gpu: Gpu;
  readonly #onVolume: () => void;
  readonly #onContent: () => void;
  #scope: GpuScope | undefined;
  #shown: ShownVolume | undefined;
  #wanted: { volume: ResidentVolume; timePoint: number } | undefined;
  #work: Promise<void> = Promise.resolve();

  /**
   * @param onVolume `shown` is another volume
   * @param onContent the textures show another time point
   */
  constructor(gpu: Gpu, onVolume: () => void, onContent: () => void) {
    this.#gpu = gpu;
    this.#onVolume = onVolume;
    this.#onContent = onContent;
  }

  get shown(): ShownVolume | undefined {
    return this.#shown;
  }

  /** Resolves when the textures show it, or something asked for later. @throws StriaError `device-lost` */
  show(volume: ResidentVolume, timePoint: number): Promise<void> {
    const wanted = { volume, timePoint };
    this.#wanted = wanted;
    return this.#next(async () => {
      if (this.#wanted !== wanted) return;
      const display = await volume.displayTexture(timePoint);
      const isNew = this.#shown?.display.texture !== display.texture;
      if (isNew) this.#scope ??= this.#gpu.scope('display');
      const bricks = isNew || !this.#shown ? createBrickGrid(this.#scope as GpuScope, display) : this.#shown.bricks;
      await fillBrickGrid(this.#gpu, display, bricks);
      if (this.#wanted?.volume !== volume) {
        if (isNew) this.#scope?.free(bricks.texture);
        return;
      }
      this.#shown = { info: volume.info, display, bricks };
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
    return this.#next(async () => {
      if (this.#wanted !== undefined || this.#shown) return;
      this.#scope?.destroy();
      this.#scope = undefined;
    });
  }

  #next(work: () => Promise<void>): Promise<void> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => {});
    return result;
  }
}
