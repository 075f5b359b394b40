import { fewestSlots } from '../../../core/bricks/brick-texture.ts';
import { type GpuBrickLimits, GpuBricks } from '../../../core/bricks/gpu-bricks.ts';
import type { HostBricks } from '../../../core/bricks/host-bricks.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';

/** The bricks of a volume's file, for what GPU memory does not hold of it. */
export interface BrickFile {
  /** The budgets of GPU memory. */
  readonly limits: Pick<GpuBrickLimits, 'atlasBytes' | 'payloadBytes' | 'textureBytes'>;
  /** The budget of host memory. */
  readonly hostBytes: number;
  /** Compressed bricks in host memory, which stay when the device is lost. @throws StriaError like the reader, and `aborted` */
  open(): Promise<HostBricks>;
}

export interface BrickSpaceListener {
  /** A new frame would show more. */
  arrived(): void;
  /** `isBusy` may have changed. */
  changed(): void;
}

/** Bricks that have arrived are decoded, and drawn, at this interval in milliseconds. */
const arrivalMs = 30;

/** The bricks of a volume in GPU memory. `BrickDrawing`s draw rays through them, `ObliqueDetail` slices. */
export class BrickSpace {
  readonly bricks: GpuBricks;
  /** Why some bricks of the last frame cannot be read, so that coarser ones are shown. */
  unread: StriaError | undefined;
  readonly #listener: BrickSpaceListener;
  readonly #numbers: () => VolumeSource['numbers'];
  /** Feedback that is being read back. */
  #reading = 0;
  /** Bricks were decoded that some views have not drawn yet. */
  #hasNews = false;
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

  /** Whether something is on its way that will change the picture. */
  get isBusy(): boolean {
    return !this.#isClosed && (this.#reading > 0 || this.#timer !== undefined || !this.bricks.isSettled);
  }

  get numbers(): VolumeSource['numbers'] {
    return this.#numbers();
  }

  /** Decodes what has arrived, and has it drawn. */
  update(): void {
    if (this.bricks.update() > 0 || this.#hasNews) this.changed();
  }

  /** Decodes what has arrived for a view that is drawn next. The others are drawn soon, because some of it may be theirs. */
  decode(): void {
    if (this.bricks.update() === 0) return;
    this.#hasNews = true;
    this.#updateSoon();
  }

  /** Asks for new frames. */
  changed(): void {
    this.#hasNews = false;
    if (!this.#isClosed) this.#listener.arrived();
  }

  /** Counts a readback, so that `isBusy` includes it. @param take is called unless it failed or the view was closed */
  async reads(submitted: Promise<unknown>, take: () => void): Promise<void> {
    this.#reading++;
    try {
      await submitted;
      if (!this.#isClosed) take();
    } catch {
      // The owner of the device learns of its loss from `Gpu.onLost`.
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
