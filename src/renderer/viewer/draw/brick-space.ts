import { fewestSlots } from '../../../core/bricks/brick-texture.ts';
import { type GpuBrickLimits, GpuBricks } from '../../../core/bricks/gpu-bricks.ts';
import type { HostBricks } from '../../../core/bricks/host-bricks.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import type { LevelsState } from '../model/viewer-api.ts';

/** The bricks of a volume's file, for voxels that GPU memory lacks. */
export interface BrickFile {
  /** The budgets of GPU memory. */
  readonly limits: Pick<GpuBrickLimits, 'atlasBytes' | 'payloadBytes' | 'textureBytes'>;
  /** The budget of host memory. */
  readonly hostBytes: number;
  /** Opens the compressed bricks in host memory, which survive a device loss. @throws StriaError like the reader, and `aborted` */
  open(): Promise<HostBricks>;
  /** The levels that are made in the background; undefined if the file needs none. */
  readonly levels?: LevelsState | undefined;
  /** The part of host memory that they take. */
  readonly levelBytes?: number | undefined;
  /** Called when `levels` has changed. */
  onLevels?: (() => void) | undefined;
  /** A time point is shown, so its levels are needed first. */
  show?(timePoint: number): void;
}

export interface BrickSpaceListener {
  /** Called when a new frame would show more. */
  arrived(): void;
  /** Called when `isBusy` may have changed. */
  changed(): void;
}

export interface BrickFileListener extends BrickSpaceListener {
  /** Called when levels have been made, which slices show, too. */
  levelsMade(): void;
}

/** Arrived bricks are decoded and drawn at this interval in milliseconds. */
const arrivalMs = 30;

/** The bricks of a volume in GPU memory. `BrickDrawing` draws rays through them, `ObliqueDetail` draws slices. */
export class BrickSpace {
  readonly bricks: GpuBricks;
  /** Why some bricks of the last frame cannot be read, so that coarser ones are shown. */
  unread: StriaError | undefined;
  readonly #listener: BrickSpaceListener;
  readonly #numbers: () => VolumeSource['numbers'];
  /** The number of feedbacks that are being read back, and of kernels that are being compiled. */
  #reading = 0;
  /** Whether some views have not drawn newly decoded bricks yet. */
  #hasNews = false;
  /** `GpuBricks.changes` when frames were last requested. */
  #told = 0;
  /** The number of `hold`s that have not ended. */
  #holds = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /**
   * @param numbers see `VolumeSource.numbers`
   * @throws StriaError `limit-too-small` if a budget holds too few bricks
   */
  constructor(
    gpu: Gpu,
    host: HostBricks,
    limits: Partial<GpuBrickLimits>,
    numbers: () => VolumeSource['numbers'],
    listener: BrickSpaceListener,
  ) {
    this.bricks = new GpuBricks(gpu, host, limits, () => this.#updateSoon());
    const { slotCount, slotBytes } = this.bricks.atlas;
    if (slotCount < fewestSlots) {
      this.bricks.close();
      const needed = `${fewestSlots} decoded bricks take ${fewestSlots * slotBytes} bytes of GPU memory`;
      throw new StriaError('limit-too-small', `${needed}; the limit is ${slotCount * slotBytes}`);
    }
    this.#numbers = numbers;
    this.#listener = listener;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether pending work will change the picture. */
  get isBusy(): boolean {
    return !this.#isClosed && (this.#reading > 0 || this.#holds > 0 || this.#timer !== undefined || !this.bricks.isSettled);
  }

  get numbers(): VolumeSource['numbers'] {
    return this.#numbers();
  }

  /** Decodes arrived bricks, and requests frames that show them. Constant ones need no decoding. */
  update(): void {
    if (this.#holds > 0) return;
    this.bricks.update();
    if (this.bricks.changes !== this.#told || this.#hasNews) this.changed();
  }

  /** Decodes arrived bricks for a view that is about to be drawn. The other views are drawn soon after, since they may need them too. */
  decode(): void {
    if (this.#holds > 0 || this.bricks.update() === 0) return;
    this.#hasNews = true;
    this.#updateSoon();
  }

  /** Decodes nothing until the end of `work` and of the task in which it ends, so that a frame that is drawn then has the same bricks. */
  hold(work: Promise<unknown>): void {
    this.#holds++;
    const end = () => {
      this.#holds--;
      this.update();
    };
    const endLater = () => void setTimeout(end, 0);
    work.then(endLater, endLater);
  }

  /** Requests new frames. */
  changed(): void {
    this.#hasNews = false;
    this.#told = this.bricks.changes;
    if (!this.#isClosed) this.#listener.arrived();
  }

  /** Counts a readback or a compilation, so that `isBusy` includes it. @param take is called unless it failed or the view was closed */
  async reads<Result>(submitted: Promise<Result>, take: (result: Result) => void): Promise<void> {
    this.#reading++;
    try {
      const result = await submitted;
      if (!this.#isClosed) take(result);
    } catch {
      // `Gpu.onLost` tells the device's owner about a loss.
    } finally {
      this.#reading--;
      if (!this.#isClosed) this.#listener.changed();
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.bricks.close();
  }

  #updateSoon(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.update();
    }, arrivalMs);
  }
}
