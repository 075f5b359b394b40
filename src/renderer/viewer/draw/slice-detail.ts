import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { elementBytes } from '../../../core/shared/volume.ts';
import { sliceBoxOf } from '../../../core/volume/slice-box.ts';
import type { LevelBox, VolumeLevel } from '../../../core/volume/volume-level.ts';
import type { SliceBox, VolumeSource } from '../../../core/volume/volume-source.ts';
import type { DetailFault } from '../model/detail-faults.ts';
import { type DetailView, detailRegion, holdsBox } from '../model/detail-region.ts';
import { safeSpacing } from '../model/orientation.ts';

/** A slice of a volume, and its place on a canvas. */
export interface DetailWish extends Omit<DetailView, 'levels' | 'factors' | 'spacing'> {
  readonly volume: VolumeSource;
}

/** Voxels that replace those of the volume where they are. */
export interface DetailDrawing {
  readonly box: SliceBox;
  readonly region: LevelBox;
  readonly level: VolumeLevel;
}

interface Held extends DetailDrawing {
  readonly volume: VolumeSource;
  readonly axis: number;
  readonly index: number;
  readonly scope: GpuScope;
}

/** A failed read is repeated this often. */
const mostRetries = 3;
/** A larger part of a slice is shown at a coarser level. */
const mostDetailBytes = 2 ** 26;

/**
 * The voxels of one slice at the resolution of the screen, read from the file of a volume of which the GPU holds only a lower one.
 * A slice never waits for them: until they have arrived, the volume's own voxels are drawn.
 */
export class SliceDetail {
  readonly #gpu: Gpu;
  readonly #onArrived: () => void;
  readonly #onFault: (fault: DetailFault | undefined) => void;
  readonly #pauseMs: number;
  #held: Held | undefined;
  #wanted: { readonly key: string; readonly volume: VolumeSource; readonly controller: AbortController } | undefined;
  /** What cannot be read, so that it is not tried with each frame. */
  #failed: { readonly key: string; readonly volume: VolumeSource } | undefined;
  #reading: Promise<void> = Promise.resolve();

  /**
   * @param onArrived voxels have arrived, to be drawn
   * @param onFault they cannot be read, and why; undefined: they can again
   * @param pauseMs before a failed read is repeated; it doubles
   */
  constructor(gpu: Gpu, onArrived: () => void, onFault: (fault: DetailFault | undefined) => void = () => {}, pauseMs = 500) {
    this.#gpu = gpu;
    this.#onArrived = onArrived;
    this.#onFault = onFault;
    this.#pauseMs = pauseMs;
  }

  /** Whether voxels are on their way. */
  get isPending(): boolean {
    return this.#wanted !== undefined;
  }

  /** What there is for a slice now. Requests what is missing, and cancels what is not needed any more. */
  drawing(wish: DetailWish | undefined): DetailDrawing | undefined {
    const region = wish && this.#regionOf(wish);
    if (!wish || !region) {
      this.#cancel();
      if (!wish?.volume.file) this.#free();
      return undefined;
    }
    const held = this.#heldOf(wish);
    if (!held || !holdsBox(held.region, region)) this.#request(wish, region);
    else {
      this.#cancel();
      if (this.#failed) this.#succeeded();
    }
    return held;
  }

  /** The same, once everything has arrived that can be read. */
  async loaded(wish: DetailWish): Promise<DetailDrawing | undefined> {
    this.drawing(wish);
    await this.#reading;
    return this.#heldOf(wish);
  }

  destroy(): void {
    this.#cancel();
    this.#free();
  }

  #regionOf({ volume, ...view }: DetailWish): LevelBox | undefined {
    const { file, info, factors, decimation } = volume;
    if (!file || decimation === 1) return undefined;
    const needs = { ...view, levels: file.levels, factors, spacing: safeSpacing(info) };
    return detailRegion(needs, elementBytes(info.type), Math.min(mostDetailBytes, this.#gpu.maxBindingBytes / 4));
  }

  #heldOf({ volume, axis, index, timePoint }: DetailWish): Held | undefined {
    const held = this.#held;
    const isIt = held?.volume === volume && held.axis === axis && held.region.timePoint === timePoint;
    return isIt && Math.floor(index / held.level.factors[axis]) === held.index ? held : undefined;
  }

  #request(wish: DetailWish, region: LevelBox): void {
    const { volume, axis } = wish;
    const key = [axis, region.level, region.timePoint, ...region.first, ...region.size].join();
    const isSame = (one: { key: string; volume: VolumeSource } | undefined): boolean => one?.key === key && one.volume === volume;
    if (isSame(this.#wanted) || isSame(this.#failed)) return;
    this.#cancel();
    const controller = new AbortController();
    const wanted = { key, volume, controller };
    this.#wanted = wanted;
    this.#reading = this.#read(wish, region, controller.signal).then(
      () => {
        if (this.#wanted !== wanted) return;
        this.#wanted = undefined;
        this.#succeeded();
        this.#onArrived();
      },
      (error: unknown) => {
        if (this.#wanted !== wanted) return;
        this.#wanted = undefined;
        this.#failed = wanted;
        const { tag, message } = toStriaError(error);
        // Slices that would need too much of a plain file stay coarse.
        if (tag !== 'aborted' && tag !== 'device-lost') this.#onFault({ message, isTooMuch: tag === 'unsupported' });
        this.#onArrived();
      },
    );
  }

  async #read({ volume, axis }: DetailWish, region: LevelBox, signal: AbortSignal): Promise<void> {
    const bytes = await readPatiently(volume, region, this.#pauseMs, signal);
    if (signal.aborted || this.#gpu.isLost) throw new StriaError('aborted', 'cancelled');
    const scope = this.#gpu.scope('slice.detail');
    const box = sliceBoxOf(this.#gpu, scope, volume.info.type, region, bytes);
    this.#free();
    const level = volume.file?.levels[region.level] as VolumeLevel;
    this.#held = { box, region, level, volume, axis, index: region.first[axis], scope };
  }

  #succeeded(): void {
    this.#failed = undefined;
    this.#onFault(undefined);
  }

  #cancel(): void {
    this.#wanted?.controller.abort();
    this.#wanted = undefined;
  }

  #free(): void {
    this.#held?.scope.destroy();
    this.#held = undefined;
  }
}

async function readPatiently(
  { file }: VolumeSource,
  region: LevelBox,
  pauseMs: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  for (let retry = 0; ; retry++) {
    try {
      if (!file || signal.aborted) throw new StriaError('aborted', 'cancelled');
      return await file.read(region, { signal });
    } catch (error) {
      if (retry === mostRetries || toStriaError(error).tag !== 'not-readable') throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** retry));
    }
  }
}
