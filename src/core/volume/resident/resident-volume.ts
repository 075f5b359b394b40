import type { NumberedBox } from '../../chunks/backend.ts';
import { type GpuVoxels, rowBytes } from '../../codec/codec.ts';
import { type ChunkShape, codecElementBytes, isInterleaved } from '../../format/chunk-grid.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { StriaError } from '../../shared/errors.ts';
import { type Dims3, type Dims4, elementBytes, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import { combinedFactors, decimationOf, type LeveledVoxels, type VolumeLevel, wholeFactors } from '../../shared/volume-level.ts';
import type { DisplayTexture } from '../display-texture.ts';
import { computeStatistics } from '../gpu-statistics.ts';
import type { PlanePart } from '../plane-chunks.ts';
import type { PlaneReader } from '../plane-reader.ts';
import type { VolumeStatistics } from '../statistics.ts';
import {
  type AxisIndex,
  assertReadable,
  assertVoxel,
  numbersOf,
  placeUniform,
  type RegionBox,
  type SliceBox,
  type VolumeSource,
  type VoxelPiece,
} from '../volume-source.ts';
import { InterleavedBoxes } from './interleaved-boxes.ts';
import { ResidentDisplay } from './resident-display.ts';
import { fitsWhole, layOut, type PlacedBox, type ResidentLayout } from './resident-layout.ts';
import { ResidentRows } from './resident-rows.ts';
import { ResidentWriter } from './resident-writer.ts';

export interface ResidentOptions {
  /** Chunk shape in codec elements (an f64 voxel is two along x). */
  readonly chunkShape: ChunkShape;
  /** Limit of the boxes' GPU memory, in bytes. Default: `defaultBudget`. */
  readonly budgetBytes?: number | undefined;
  /** The level whose voxels will be appended. Default: the volume itself. */
  readonly level?: VolumeLevel | undefined;
}

/** Below this size, another attempt with less memory is pointless. */
const smallestBudget = 2 ** 24;

/** How much of a device's memory volumes may take, in bytes: the smaller of 2 GiB and four of its largest buffers. */
export function defaultBudget(gpu: Gpu): number {
  return Math.min(2 ** 31, 4 * gpu.maxBindingBytes);
}

/**
 * An uncompressed volume in GPU memory: the source of the 3D view, of slices and of in-place compression. Fill it with
 * `append`; free it with `destroy`.
 */
export class ResidentVolume implements VolumeSource {
  readonly info: VolumeInfo;
  readonly factors: Dims3;
  readonly decimation: number;
  /** Set by the code that opened the volume. The file is closed with the volume. */
  file: LeveledVoxels | undefined;
  /** In codec elements. */
  readonly chunkShape: ChunkShape;
  /** The dimensions of the kept voxels: `info.dims` divided by `factors`, rounded up; all time points are kept. */
  readonly dims: Dims4;
  /**
   * The boxes that the GPU backend encodes in place. Empty if chunks interleave time points, or if `decimation` is over 1, in which
   * case compression streams from the file.
   */
  readonly boxes: readonly NumberedBox[];
  /** All boxes, for display, regardless of `decimation`. */
  readonly placedBoxes: readonly PlacedBox[];
  /** Whether all appended voxels, those of the volume or of its level, are kept. False if all of them would exceed the budget. */
  readonly keepsAll: boolean;
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #display: ResidentDisplay;
  readonly #rows: ResidentRows;
  readonly #writer: ResidentWriter;
  readonly #interleaved: InterleavedBoxes | undefined;
  #isDestroyed = false;
  #statistics: Promise<VolumeStatistics> | undefined;
  #known: VolumeStatistics | undefined;

  private constructor(gpu: Gpu, info: VolumeInfo, { chunkShape, level }: ResidentOptions, layout: ResidentLayout) {
    const { factors, dims } = level ?? { factors: wholeFactors, dims: info.dims };
    this.info = info;
    this.chunkShape = chunkShape;
    this.keepsAll = layout.decimation === 1;
    this.factors = combinedFactors(factors, [layout.decimation, layout.decimation, layout.decimation]);
    this.decimation = decimationOf(this.factors);
    this.dims = layout.dims;
    this.#gpu = gpu;
    const codecBytes = codecElementBytes(info.type);
    this.#scope = gpu.scope('volume');
    this.#display = new ResidentDisplay(gpu, 'display', this);
    try {
      this.placedBoxes = layout.boxes.map((box, index) => {
        const buffer = this.#scope.storage(`box ${index}`, box.bytes);
        const dims: Dims3 = [layout.elementsX, box.rowCount, box.planeCount];
        const voxels: GpuVoxels = { buffer, dims, elementBytes: codecBytes };
        const place = placeUniform(this.#scope, {
          first: [0, box.firstRow, box.firstPlane],
          size: [layout.dims[0], box.rowCount, box.planeCount],
          planesPerTimePoint: layout.dims[2],
          rowWords: rowBytes(layout.elementsX, codecBytes) / 4,
        });
        return { ...box, voxels, place };
      });
    } catch (error) {
      this.destroy();
      throw error;
    }
    this.#rows = new ResidentRows(layout, this.placedBoxes, codecBytes);
    this.#writer = new ResidentWriter(gpu, {
      type: info.type,
      appended: dims,
      kept: layout.dims,
      stride: layout.decimation,
      rows: this.#rows,
    });
    const isWhole = this.decimation === 1;
    this.boxes = isWhole && !isInterleaved(chunkShape) ? this.placedBoxes : [];
    if (isWhole && isInterleaved(chunkShape)) this.#interleaved = new InterleavedBoxes(gpu, info, chunkShape, this.planeReader());
  }

  /** Whether the whole volume fits in the budget and can be cut into boxes that the device can bind. */
  static fits(gpu: Gpu, info: Pick<VolumeInfo, 'dims' | 'type'>, { chunkShape, budgetBytes }: ResidentOptions): boolean {
    return fitsWhole(info, chunkShape, gpu.maxBindingBytes, budgetBytes ?? defaultBudget(gpu));
  }

  /**
   * Allocates zeroed memory. If the GPU runs out of memory, tries again with half the budget, which decimates the volume.
   * @throws StriaError `limit-too-small`, `out-of-memory`, `device-lost`
   */
  static async create(gpu: Gpu, info: VolumeInfo, options: ResidentOptions): Promise<ResidentVolume> {
    gpu.checkAlive();
    const limitBytes = gpu.maxBindingBytes;
    let budget = options.budgetBytes ?? defaultBudget(gpu);
    for (;;) {
      const layout = layOut({ type: info.type, dims: options.level?.dims ?? info.dims }, options.chunkShape, limitBytes, budget);
      const taken = layout.boxes.reduce((sum, { bytes }) => sum + bytes, 0);
      try {
        return await gpu.allocate(
          `for ${taken} bytes of voxels`,
          () => new ResidentVolume(gpu, info, options, layout),
          (volume) => volume.destroy(),
        );
      } catch (error) {
        budget = Math.min(budget, taken) / 2;
        const isRefused = error instanceof StriaError && error.tag === 'out-of-memory';
        if (!isRefused || budget < smallestBudget) throw error;
      }
    }
  }

  /**
   * Appends the next bytes of the voxel stream (little-endian, x fastest, then y, z, t, no padding), of the volume or of its level,
   * in pieces of any size. `bytes` may be reused afterwards.
   * @throws StriaError `internal` if there are more bytes than the volume has
   */
  append(bytes: Uint8Array): void {
    this.#writer.append(bytes);
    this.#statistics = this.#known = undefined;
  }

  /** Whether all bytes were appended. */
  get isComplete(): boolean {
    return this.#writer.isComplete;
  }

  get numbers(): VolumeSource['numbers'] {
    return numbersOf(this.#known);
  }

  /** Minimum, maximum, histogram and window over all time points, computed on the GPU once and cached. */
  statistics(): Promise<VolumeStatistics> {
    const voxels = this.dims.reduce((product, length) => product * length);
    this.#statistics ??= computeStatistics(this.#gpu, this.info, voxels, async (visit) => {
      for (const box of this.placedBoxes) await visit(box.voxels);
    }).then((statistics) => {
      this.#known = statistics;
      return statistics;
    });
    return this.#statistics;
  }

  async voxel(x: number, y: number, z: number, t: number): Promise<number> {
    assertVoxel(this.info, [x, y, z, t]);
    if (this.decimation > 1 && this.file) {
      const bytes = await this.file.read({ level: 0, first: [x, y, z], size: [1, 1, 1], timePoint: t });
      return typedVoxels(this.info.type, bytes)[0] as number;
    }
    const [nx, ny, nz] = this.factors;
    const row = Math.floor(y / ny);
    const plane = t * this.dims[2] + Math.floor(z / nz);
    const { box, byteOffset } = this.#rows.at(row, plane);
    const width = elementBytes(this.info.type);
    const byte = byteOffset + Math.floor(x / nx) * width;
    const word = byte - (byte % 4);
    const bytes = await this.#gpu.read(box.voxels.buffer, word, Math.max(4, width));
    return typedVoxels(this.info.type, bytes.subarray(byte - word, byte - word + width))[0] as number;
  }

  async readBox(wanted: RegionBox, visit: (piece: VoxelPiece) => void): Promise<void> {
    assertReadable(this, wanted);
    const { first, size, timePoint } = wanted;
    const { type } = this.info;
    const rowLength = this.#rows.rowBytes / elementBytes(type);
    for (let z = first[2]; z < first[2] + size[2]; z++) {
      const plane = timePoint * this.dims[2] + z;
      for (let y = first[1]; y < first[1] + size[1]; ) {
        if (this.#isDestroyed) throw new StriaError('aborted', 'the volume was closed');
        const { box, byteOffset } = this.#rows.at(y, plane);
        const rows = Math.min(first[1] + size[1], box.firstRow + box.rowCount) - y;
        const length = rows * rowLength * elementBytes(type);
        const bytes = await this.#gpu.read(box.voxels.buffer, byteOffset, length);
        visit({ first: [0, y, z], size: [this.dims[0], rows, 1], values: typedVoxels(type, bytes), rowLength });
        y += rows;
      }
    }
  }

  /** Fills the display texture with a time point. It is always the same texture, and is freed with the volume. */
  displayTexture(timePoint: number): Promise<DisplayTexture> {
    return this.#display.show(timePoint);
  }

  /** Keeps the texture, which takes no more memory than the voxels and will be needed again soon. */
  releaseDisplay(): void {}

  newDisplay(label: string): ResidentDisplay {
    return new ResidentDisplay(this.#gpu, label, this);
  }

  recordDisplay(commands: Commands, timePoint: number): void {
    this.#display.record(commands, timePoint);
  }

  recordSlice(_commands: Commands, axis: AxisIndex, index: number, timePoint: number): readonly SliceBox[] {
    const at = Math.floor(index / this.factors[axis]);
    const [firstPlane, endPlane] =
      axis === 2 ? [timePoint * this.dims[2] + at, timePoint * this.dims[2] + at + 1] : this.#planesOf(timePoint);
    const [firstRow, endRow] = axis === 1 ? [at, at + 1] : [0, this.dims[1]];
    return this.placedBoxes.filter(
      (box) =>
        box.firstPlane < endPlane &&
        box.firstPlane + box.planeCount > firstPlane &&
        box.firstRow < endRow &&
        box.firstRow + box.rowCount > firstRow,
    );
  }

  get isSplit(): boolean {
    return this.placedBoxes.some(({ firstRow, firstPlane }) => firstRow > 0 || firstPlane % this.dims[2] > 0);
  }

  readonly holdsTimePoints = true;
  readonly isCompressed = false;

  recordPlane(_commands: Commands, _plane: PlanePart, timePoint: number, draw: (boxes: readonly SliceBox[]) => void): void {
    const [first, end] = this.#planesOf(timePoint);
    draw(this.placedBoxes.filter((box) => box.firstPlane < end && box.firstPlane + box.planeCount > first));
  }

  prepareFrames(axis: AxisIndex | 3): void {
    if (axis === 3) this.#display.prepareAll();
  }

  async forEachBox(visit: (box: NumberedBox) => Promise<void>): Promise<void> {
    await this.#interleaved?.forEach('read', visit);
    for (const box of this.boxes) await visit(box);
  }

  /** Visits the boxes of the volume or its level, which are still empty, so that the visitor can write the voxels. */
  async fillBoxes(fill: (box: NumberedBox) => Promise<void>): Promise<void> {
    if (!this.keepsAll) return;
    if (this.#interleaved) await this.#interleaved.forEach('fill', fill);
    else for (const box of this.placedBoxes) await fill(box);
  }

  planeReader(): PlaneReader {
    const run = { boxes: this.placedBoxes, endPlane: this.dims[2] * this.dims[3] };
    return { read: async () => run, destroy: () => {} };
  }

  /** Frees all GPU memory. */
  destroy(): void {
    this.#isDestroyed = true;
    this.file?.close();
    this.#display.destroy();
    this.#scope.destroy();
  }

  #planesOf(timePoint: number): readonly [first: number, end: number] {
    return [timePoint * this.dims[2], (timePoint + 1) * this.dims[2]];
  }
}
