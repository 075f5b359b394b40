import type { ThickSlice } from '../../../core/draw/slab-plane.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { elementBytes } from '../../../core/shared/volume.ts';
import type { LevelBox, VolumeLevel } from '../../../core/shared/volume-level.ts';
import { sliceBoxOf } from '../../../core/volume/slice-box.ts';
import type { SliceBox, VolumeSource } from '../../../core/volume/volume-source.ts';
import type { DetailFault } from '../model/detail-faults.ts';
import { type DetailView, detailRegion, holdsBox } from '../model/detail-region.ts';
import { safeSpacing } from '../model/orientation.ts';
import { NewestRead } from './newest-read.ts';
import { firstPauseMs, readPatiently } from './patient-read.ts';
import { slabDetail } from './slab-detail.ts';

/** A slice of a volume, and its place on a canvas. */
export interface DetailWish extends Omit<DetailView, 'levels' | 'factors' | 'spacing' | 'making'> {
  readonly volume: VolumeSource;
  /** The indices along t of the slices that are drawn over each other: one, or one for each channel. */
  readonly timePoints: readonly number[];
  /** Set for a slab instead of a single slice. */
  readonly slab?: ThickSlice | undefined;
}

/** Finer voxels that replace those of the volume in a region. */
export interface DetailDrawing {
  /** The voxels of each time point. */
  readonly boxes: ReadonlyMap<number, SliceBox>;
  readonly region: Omit<LevelBox, 'timePoint'>;
  readonly level: VolumeLevel;
}

interface Held extends DetailDrawing {
  readonly volume: VolumeSource;
  readonly axis: number;
  readonly index: number;
  /** A key of the slab. */
  readonly slab: string;
  /** Whether its level was made for all time points when it was read. */
  readonly isMade: boolean;
  readonly memory: readonly { destroy(): void }[];
}

/** If the visible part of a slice of one channel has more bytes, it is shown at a coarser level. */
const mostDetailBytes = 2 ** 26;
/** The same limit for all channels, and all slices of a slab, together. */
const mostTogetherBytes = 2 ** 28;

/**
 * The voxels of one slice or slab at screen resolution, read from the file of a volume that the GPU holds only at a lower resolution.
 * A slice never waits for them: until they arrive, the voxels in GPU memory are drawn. Channels are replaced all at once, because an exact
 * channel over coarse ones would be misleading.
 */
export class SliceDetail {
  readonly #gpu: Gpu;
  readonly #pauseMs: number;
  readonly #newest: NewestRead;
  #held: Held | undefined;

  /**
   * @param onArrived called when voxels have arrived, so that the slice can be drawn again
   * @param onFault called with the reason if voxels cannot be read, and with undefined once they can
   * @param pauseMs the pause before a failed read is repeated; it doubles each time
   */
  constructor(
    gpu: Gpu,
    onArrived: () => void,
    onFault: (fault: DetailFault | undefined) => void = () => {},
    pauseMs = firstPauseMs,
  ) {
    this.#gpu = gpu;
    this.#pauseMs = pauseMs;
    this.#newest = new NewestRead(onArrived, onFault);
  }

  /** Whether voxels are being read. */
  get isPending(): boolean {
    return this.#newest.isPending;
  }

  /** The voxels that a slice has now. Requests missing ones, and cancels requests that are no longer needed. */
  drawing(wish: DetailWish | undefined): DetailDrawing | undefined {
    const region = wish && this.#regionOf(wish);
    if (!wish || !region) {
      this.#newest.cancel();
      if (!wish?.volume.file) this.#free();
      return undefined;
    }
    const held = this.#heldOf(wish);
    if (!held || !holdsBox(held.region, region) || held.isMade !== isMade(wish, region.level)) this.#request(wish, region);
    else this.#newest.satisfied();
    return held;
  }

  /** Like `drawing`, but waits until all readable voxels have arrived. @throws StriaError `aborted` */
  async loaded(wish: DetailWish, signal?: AbortSignal): Promise<DetailDrawing | undefined> {
    this.drawing(wish);
    await this.#newest.ended(signal);
    return this.#heldOf(wish);
  }

  destroy(): void {
    this.#newest.cancel();
    this.#free();
  }

  #regionOf(wish: DetailWish): Held['region'] | undefined {
    const { volume, slab, timePoints, ...view } = wish;
    const { file, info, factors, decimation } = volume;
    if (!file || decimation === 1) return undefined;
    const most = mostTogetherBytes / ((slab?.slices ?? 1) * timePoints.length);
    const making = file.making && { canSkip: file.making.canSkip, isMade: (level: number) => isMade(wish, level) };
    const needs = { ...view, levels: file.levels, factors, spacing: safeSpacing(info), making };
    return detailRegion(needs, elementBytes(info.type), Math.min(mostDetailBytes, most, this.#gpu.maxBindingBytes / 4));
  }

  #heldOf({ volume, axis, index, timePoints, slab }: DetailWish): Held | undefined {
    const held = this.#held;
    if (held?.volume !== volume || held.axis !== axis || held.slab !== keyOf(slab)) return undefined;
    const isIt = timePoints.every((timePoint) => held.boxes.has(timePoint));
    return isIt && Math.floor(index / held.level.factors[axis]) === held.index ? held : undefined;
  }

  #request(wish: DetailWish, region: Held['region']): void {
    const { volume, axis, slab, timePoints } = wish;
    const key = [
      keyOf(slab),
      axis,
      region.level,
      isMade(wish, region.level),
      ...region.first,
      ...region.size,
      ...timePoints,
    ].join();
    this.#newest.request(key, volume, (signal) => this.#read(wish, region, signal));
  }

  async #read(wish: DetailWish, region: Held['region'], signal: AbortSignal): Promise<void> {
    const { volume, axis, slab, timePoints } = wish;
    const wasMade = isMade(wish, region.level);
    const read = (box: LevelBox) => readPatiently(volume, box, this.#pauseMs, signal);
    const level = volume.file?.levels[region.level] as VolumeLevel;
    const boxes = new Map<number, SliceBox>();
    const memory: Held['memory'][number][] = [];
    try {
      for (const timePoint of timePoints) {
        const there = { ...region, timePoint };
        const part = slab
          ? await slabDetail(this.#gpu, volume, { axis, region: there, level, slab }, read)
          : await this.#slice(volume, there, await read(there));
        boxes.set(timePoint, part.box);
        memory.push(part.memory);
      }
      if (signal.aborted || this.#gpu.isLost) throw new StriaError('aborted', 'cancelled');
    } catch (error) {
      for (const each of memory) each.destroy();
      throw error;
    }
    this.#free();
    this.#held = { boxes, region, level, volume, axis, index: region.first[axis], slab: keyOf(slab), isMade: wasMade, memory };
  }

  async #slice({ info }: VolumeSource, region: LevelBox, bytes: Uint8Array<ArrayBuffer>) {
    const memory = this.#gpu.scope('slice.detail');
    return { box: sliceBoxOf(this.#gpu, memory, info.type, region, bytes), memory };
  }

  #free(): void {
    for (const each of this.#held?.memory ?? []) each.destroy();
    this.#held = undefined;
  }
}

/** Whether a level has been made while the file is open, for all time points that are drawn. */
function isMade({ volume, timePoints }: DetailWish, level: number): boolean {
  const { making } = volume.file ?? {};
  return making !== undefined && timePoints.every((timePoint) => making.isMade(level, timePoint));
}

function keyOf(slab: ThickSlice | undefined): string {
  return slab ? `${slab.kind} ${slab.slices}` : '';
}
