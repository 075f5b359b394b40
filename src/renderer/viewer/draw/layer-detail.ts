import type { PlaneSource } from '../../../core/draw/layer-slab.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { type Dims3, elementBytes } from '../../../core/shared/volume.ts';
import type { LevelBox, VolumeLevel } from '../../../core/shared/volume-level.ts';
import type { PlanePart } from '../../../core/volume/plane-chunks.ts';
import { sliceBoxOf } from '../../../core/volume/slice-box.ts';
import type { SliceBox, VolumeSource } from '../../../core/volume/volume-source.ts';
import type { DetailFault } from '../model/detail-faults.ts';
import { holdsRange, holdsRegion, type LayerRegion, layerInSight, layerRegion } from '../model/layer-region.ts';
import { safeSpacing } from '../model/orientation.ts';
import { NewestRead } from './newest-read.ts';
import { firstPauseMs, readPatiently } from './patient-read.ts';

/** A slice or slab of a layer, and its place on a canvas. */
export interface LayerDetailWish {
  readonly volume: VolumeSource;
  /** The index along t in the layer. */
  readonly timePoint: number;
  /** The canvas, in voxels of the layer. */
  readonly plane: PlanePart;
}

interface Held {
  readonly volume: VolumeSource;
  readonly timePoint: number;
  readonly region: LayerRegion;
  readonly drawn: PlaneSource;
  readonly memory: GpuScope;
}

/** The limit for one box around a plane. Boxes along the plane hold fewer voxels, but are slower to draw. */
const mostBoxBytes = 2 ** 26;
/** The limit for all boxes along a plane. */
const mostTogetherBytes = 2 ** 28;

/**
 * The voxels of one layer in a slice or slab at screen resolution, read from the layer's file, if the GPU holds the layer only at a lower
 * resolution. A slice never waits for them: until they arrive, the voxels in GPU memory are drawn.
 */
export class LayerDetail {
  readonly #gpu: Gpu;
  readonly #pauseMs: number;
  readonly #mostBoxBytes: number;
  readonly #newest: NewestRead;
  #held: Held | undefined;

  /**
   * @param onArrived called when voxels have arrived, so that the slice can be drawn again
   * @param onFault called with the reason if voxels cannot be read, and with undefined once they can
   * @param options only tests set them
   */
  constructor(
    gpu: Gpu,
    onArrived: () => void,
    onFault: (fault: DetailFault | undefined) => void = () => {},
    options: { readonly pauseMs?: number; readonly mostBoxBytes?: number } = {},
  ) {
    this.#gpu = gpu;
    this.#pauseMs = options.pauseMs ?? firstPauseMs;
    this.#mostBoxBytes = options.mostBoxBytes ?? mostBoxBytes;
    this.#newest = new NewestRead(onArrived, onFault);
  }

  /** Whether voxels are being read. */
  get isPending(): boolean {
    return this.#newest.isPending;
  }

  /** What to draw in place of the layer's voxels in GPU memory, if it is there. Requests missing voxels, and cancels other requests. */
  drawing(wish: LayerDetailWish): PlaneSource | undefined {
    const region = this.#regionOf(wish);
    if (!region) {
      this.#newest.cancel();
      if (!wish.volume.file) this.#free();
      return undefined;
    }
    const { volume, timePoint } = wish;
    const held = this.#heldOf(wish);
    const isWhole = held !== undefined && holdsRegion(held.region, region);
    if (isWhole) this.#newest.satisfied();
    else this.#newest.request(JSON.stringify([timePoint, region]), volume, (signal) => this.#read(wish, region, signal));
    return held && (isWhole || showsAll(held, wish)) ? held.drawn : undefined;
  }

  /** Like `drawing`, but waits until all readable voxels have arrived. @throws StriaError `aborted` */
  async loaded(wish: LayerDetailWish, signal?: AbortSignal): Promise<PlaneSource | undefined> {
    this.drawing(wish);
    await this.#newest.ended(signal);
    return this.drawing(wish);
  }

  destroy(): void {
    this.#newest.cancel();
    this.#free();
  }

  #regionOf({ volume, timePoint, plane }: LayerDetailWish): LayerRegion | undefined {
    const { file, info, factors, decimation } = volume;
    if (!file || decimation === 1) return undefined;
    const mostInBox = Math.min(this.#mostBoxBytes, this.#gpu.maxBindingBytes / 4);
    const limits = { voxelBytes: elementBytes(info.type), mostInBox, mostTogether: mostTogetherBytes };
    const { levels, making } = file;
    const made = making && { canSkip: making.canSkip, isMade: (level: number) => making.isMade(level, timePoint) };
    return layerRegion({ levels, factors, spacing: safeSpacing(info), plane, making: made }, limits);
  }

  #heldOf({ volume, timePoint }: LayerDetailWish): Held | undefined {
    const held = this.#held;
    return held?.volume === volume && held.timePoint === timePoint ? held : undefined;
  }

  async #read({ volume, timePoint }: LayerDetailWish, region: LayerRegion, signal: AbortSignal): Promise<void> {
    const { type } = volume.info;
    const level = volume.file?.levels[region.level] as VolumeLevel;
    const read = (box: LevelBox) => readPatiently(volume, box, this.#pauseMs, signal);
    const memory = this.#gpu.scope('layer.detail');
    try {
      const boxes: SliceBox[] = [];
      for (const box of region.boxes) {
        const bytes = await readInParts({ ...box, level: region.level, timePoint }, elementBytes(type), read);
        if (signal.aborted || this.#gpu.isLost) throw new StriaError('aborted', 'cancelled');
        boxes.push(sliceBoxOf(this.#gpu, memory, type, box, bytes));
      }
      this.#free();
      this.#held = { volume, timePoint, region, drawn: planeSource(volume, level, boxes), memory };
    } catch (error) {
      memory.destroy();
      throw error;
    }
  }

  #free(): void {
    this.#held?.memory.destroy();
    this.#held = undefined;
  }
}

/** Whether voxels of an earlier request show the whole slice, perhaps at another level. */
function showsAll({ region }: Held, { volume: { file }, plane }: LayerDetailWish): boolean {
  const levels = file?.levels ?? [];
  const seen = layerInSight({ levels, plane });
  return seen !== undefined && holdsRange(region, levels, seen);
}

/** A level of a volume, of which only these boxes exist. */
function planeSource(volume: VolumeSource, { dims, factors }: VolumeLevel, boxes: readonly SliceBox[]): PlaneSource {
  return {
    info: volume.info,
    dims,
    factors,
    get numbers() {
      return volume.numbers;
    },
    isSplit: boxes.length > 1,
    isCompressed: false,
    recordPlane: (_commands, _plane, _timePoint, draw) => draw(boxes),
  };
}

/**
 * Reads a box. If a plain file would have to read too much of itself at once, the box is read slice by slice across its shortest edge, as
 * slabs of the open volume are.
 */
async function readInParts(
  box: LevelBox,
  voxelBytes: number,
  read: (box: LevelBox) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { first, size } = box;
  const across = size.indexOf(Math.min(...size)) as 0 | 1 | 2;
  const slices = size[across];
  try {
    return await read(box);
  } catch (error) {
    if (slices === 1 || toStriaError(error).tag !== 'unsupported') throw error;
  }
  const [x, y, z] = size;
  const whole = new Uint8Array(x * y * z * voxelBytes);
  /** Bytes that lie together in the slice, and the distance between such runs in the box. */
  const run = size.slice(0, across).reduce((product, length) => product * length, voxelBytes);
  for (let at = 0; at < slices; at++) {
    const moved = first.with(across, first[across] + at) as unknown as Dims3;
    const slice = await read({ ...box, first: moved, size: size.with(across, 1) as unknown as Dims3 });
    for (let from = 0, to = at * run; from < slice.byteLength; from += run, to += slices * run) {
      whole.set(slice.subarray(from, from + run), to);
    }
  }
  return whole;
}
