import type { NumberedBox } from '../chunks/backend.ts';
import { type CodecElementBytes, type GpuVoxels, rowBytes } from '../codec/codec.ts';
import { type ChunkShape, codecElementBytes, isInterleaved } from '../format/chunk-grid.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { StriaError } from '../shared/errors.ts';
import { type Dims3, type Dims4, elementBytes, typedVoxels, type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { decimationOf, type LeveledVoxels, type VolumeLevel, wholeFactors } from '../shared/volume-level.ts';
import type { DisplayTexture } from './display-texture.ts';
import { computeStatistics } from './gpu-statistics.ts';
import { InterleavedBoxes } from './interleaved-boxes.ts';
import type { PlanePart } from './plane-chunks.ts';
import type { PlaneReader } from './plane-reader.ts';
import { ResidentDisplay } from './resident-display.ts';
import { fitsWhole, layOut, type PlacedBox, type ResidentLayout } from './resident-layout.ts';
import type { VolumeStatistics } from './statistics.ts';
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
} from './volume-source.ts';

export interface ResidentOptions {
  /** Chunk shape in codec elements (an f64 voxel is two along x). */
  readonly chunkShape: ChunkShape;
  /** Limit of the boxes' GPU memory, in bytes. Default: `defaultBudget`. */
  readonly budgetBytes?: number | undefined;
  /** The level whose voxels will be appended. Default: the volume itself. */
  readonly level?: VolumeLevel | undefined;
}

/** Rows that need padding or selection go through a buffer of about this size. */
const scratchBytes = 2 ** 22;
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
  /** Set by whoever opened it. It is closed with the volume. */
  file: LeveledVoxels | undefined;
  /** In codec elements. */
  readonly chunkShape: ChunkShape;
  /** The dimensions of the kept voxels: `info.dims` divided by `factors`, rounded up; all time points are kept. */
  readonly dims: Dims4;
  /**
   * The boxes that the GPU backend encodes in place. Empty if chunks interleave time points, and if `decimation` is over 1:
   * compression then streams from the file.
   */
  readonly boxes: readonly NumberedBox[];
  /** All boxes, for display, whatever the `decimation`. */
  readonly placedBoxes: readonly PlacedBox[];
  /** The dimensions of the voxels that are appended. */
  readonly #appended: Dims4;
  /** Only every n-th appended voxel along x, y and z is kept, because all of them would exceed the budget. */
  readonly #stride: number;
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #display: ResidentDisplay;
  readonly #layout: ResidentLayout;
  readonly #elementBytes: CodecElementBytes;
  readonly #interleaved: InterleavedBoxes | undefined;
  #isDestroyed = false;
  #received = 0;
  /** The start of an incomplete row. */
  #partRow: Uint8Array<ArrayBuffer> | undefined;
  #partBytes = 0;
  /** The number of complete rows of the source so far, and of those that were kept. */
  #sourceRows = 0;
  #keptRows = 0;
  #scratch: Uint8Array<ArrayBuffer> | undefined;
  #statistics: Promise<VolumeStatistics> | undefined;
  #known: VolumeStatistics | undefined;

  private constructor(gpu: Gpu, info: VolumeInfo, { chunkShape, level }: ResidentOptions, layout: ResidentLayout) {
    const { factors, dims } = level ?? { factors: wholeFactors, dims: info.dims };
    this.info = info;
    this.chunkShape = chunkShape;
    this.#appended = dims;
    this.#stride = layout.decimation;
    this.factors = [factors[0] * layout.decimation, factors[1] * layout.decimation, factors[2] * layout.decimation];
    this.decimation = decimationOf(this.factors);
    this.dims = layout.dims;
    this.#gpu = gpu;
    this.#layout = layout;
    this.#elementBytes = codecElementBytes(info.type);
    this.#scope = gpu.scope('volume');
    this.#display = new ResidentDisplay(gpu, 'display', this);
    try {
      this.placedBoxes = layout.boxes.map((box, index) => {
        const buffer = this.#scope.storage(`box ${index}`, box.bytes);
        const dims: Dims3 = [layout.elementsX, box.rowCount, box.planeCount];
        const voxels: GpuVoxels = { buffer, dims, elementBytes: this.#elementBytes };
        const place = placeUniform(this.#scope, {
          first: [0, box.firstRow, box.firstPlane],
          size: [layout.dims[0], box.rowCount, box.planeCount],
          planesPerTimePoint: layout.dims[2],
          rowWords: rowBytes(layout.elementsX, this.#elementBytes) / 4,
        });
        return { ...box, voxels, place };
      });
    } catch (error) {
      this.destroy();
      throw error;
    }
    const isWhole = this.decimation === 1;
    this.boxes = isWhole && !isInterleaved(chunkShape) ? this.placedBoxes : [];
    if (isWhole && isInterleaved(chunkShape)) this.#interleaved = new InterleavedBoxes(gpu, info, chunkShape, this.planeReader());
  }

  /** Whether the whole volume is within the budget, and cut into boxes that the device can bind. */
  static fits(gpu: Gpu, info: Pick<VolumeInfo, 'dims' | 'type'>, { chunkShape, budgetBytes }: ResidentOptions): boolean {
    return fitsWhole(info, chunkShape, gpu.maxBindingBytes, budgetBytes ?? defaultBudget(gpu));
  }

  /**
   * Allocates zeroed memory. If the GPU runs out of memory, tries again with half the budget, decimated. @throws StriaError
   * `limit-too-small`, `out-of-memory`, `device-lost`
   */
  static async create(gpu: Gpu, info: VolumeInfo, options: ResidentOptions): Promise<ResidentVolume> {
    gpu.checkAlive();
    gpu.spare.free();
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
   * in pieces of any size.
   * `bytes` may be reused afterwards. @throws StriaError `internal` if there are more than the volume has
   */
  append(bytes: Uint8Array): void {
    const total = this.#appendedBytes;
    if (this.#received + bytes.length > total) {
      throw new StriaError('internal', `the volume has ${total} bytes, but ${this.#received + bytes.length} were appended`);
    }
    this.#received += bytes.length;
    this.#statistics = this.#known = undefined;
    const rowLength = this.#appended[0] * elementBytes(this.info.type);
    let start = 0;
    if (this.#partBytes > 0) {
      start = Math.min(rowLength - this.#partBytes, bytes.length);
      this.#keepPart(bytes.subarray(0, start), rowLength);
      if (this.#partBytes < rowLength) return;
      this.#partBytes = 0;
      this.#takeRows(this.#partRow as Uint8Array, rowLength);
    }
    const end = start + Math.floor((bytes.length - start) / rowLength) * rowLength;
    if (end > start) this.#takeRows(bytes.subarray(start, end), rowLength);
    if (end < bytes.length) this.#keepPart(bytes.subarray(end), rowLength);
    if (this.isComplete) this.#partRow = this.#scratch = undefined;
  }

  /** Whether all bytes were appended. */
  get isComplete(): boolean {
    return this.#received === this.#appendedBytes;
  }

  /** Whether all appended voxels are kept: those of the volume, or of its level. */
  get keepsAll(): boolean {
    return this.#stride === 1;
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
    const box = this.#boxAt(row, plane);
    const width = elementBytes(this.info.type);
    const byte = this.#rowOffset(box, row, plane) + Math.floor(x / nx) * width;
    const word = byte - (byte % 4);
    const bytes = await this.#gpu.read(box.voxels.buffer, word, Math.max(4, width));
    return typedVoxels(this.info.type, bytes.subarray(byte - word, byte - word + width))[0] as number;
  }

  async readBox(wanted: RegionBox, visit: (piece: VoxelPiece) => void): Promise<void> {
    assertReadable(this, wanted);
    const { first, size, timePoint } = wanted;
    const { type } = this.info;
    const rowLength = rowBytes(this.#layout.elementsX, this.#elementBytes) / elementBytes(type);
    for (let z = first[2]; z < first[2] + size[2]; z++) {
      const plane = timePoint * this.dims[2] + z;
      for (let y = first[1]; y < first[1] + size[1]; ) {
        if (this.#isDestroyed) throw new StriaError('aborted', 'the volume was closed');
        const box = this.#boxAt(y, plane);
        const rows = Math.min(first[1] + size[1], box.firstRow + box.rowCount) - y;
        const length = rows * rowLength * elementBytes(type);
        const bytes = await this.#gpu.read(box.voxels.buffer, this.#rowOffset(box, y, plane), length);
        visit({ first: [0, y, z], size: [this.dims[0], rows, 1], values: typedVoxels(type, bytes), rowLength });
        y += rows;
      }
    }
  }

  /** Fills the display texture with a time point. It is always the same texture, and is freed with the volume. */
  displayTexture(timePoint: number): Promise<DisplayTexture> {
    return this.#display.show(timePoint);
  }

  /** Keeps the texture: it takes no more memory than the voxels, and is needed again soon. */
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

  /** Visits the boxes of the volume or its level, which are empty at first, so that the visitor writes the voxels. */
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

  get #appendedBytes(): number {
    return volumeBytes({ dims: this.#appended, type: this.info.type });
  }

  #planesOf(timePoint: number): readonly [first: number, end: number] {
    return [timePoint * this.dims[2], (timePoint + 1) * this.dims[2]];
  }

  #keepPart(bytes: Uint8Array, rowLength: number): void {
    this.#partRow ??= new Uint8Array(rowLength);
    this.#partRow.set(bytes, this.#partBytes);
    this.#partBytes += bytes.length;
  }

  /** Takes whole rows of the source, drops those that decimation omits, and writes the rest. */
  #takeRows(bytes: Uint8Array, rowLength: number): void {
    if (this.keepsAll) {
      this.#writeRows(bytes, rowLength);
      return;
    }
    const [, height, depth] = this.#appended;
    const width = elementBytes(this.info.type);
    const keptLength = this.dims[0] * width;
    const kept = new Uint8Array(keptLength * Math.ceil(bytes.length / rowLength));
    let to = 0;
    for (let start = 0; start < bytes.length; start += rowLength, this.#sourceRows++) {
      const z = Math.floor(this.#sourceRows / height) % depth;
      if ((this.#sourceRows % height) % this.#stride !== 0 || z % this.#stride !== 0) continue;
      for (let from = start; from < start + rowLength; from += this.#stride * width) {
        for (let byte = 0; byte < width; byte++) kept[to++] = bytes[from + byte] as number;
      }
    }
    this.#writeRows(kept.subarray(0, to), keptLength);
  }

  /** Writes kept rows, which come in order, into the boxes, padding them to whole words. */
  #writeRows(bytes: Uint8Array, rowLength: number): void {
    const height = this.dims[1];
    const padded = rowBytes(this.#layout.elementsX, this.#elementBytes);
    for (let start = 0; start < bytes.length; ) {
      const row = this.#keptRows % height;
      const plane = Math.floor(this.#keptRows / height);
      const box = this.#boxAt(row, plane);
      // Consecutive rows in the box: to its end if it has whole planes, otherwise to the end of its strip.
      const following =
        box.rowCount === height ? (box.firstPlane + box.planeCount - plane) * height - row : box.firstRow + box.rowCount - row;
      const count = Math.min(following, (bytes.length - start) / rowLength);
      const rows = bytes.subarray(start, start + count * rowLength);
      const offset = this.#rowOffset(box, row, plane);
      if (padded === rowLength) this.#write(box.voxels.buffer, offset, rows);
      else this.#writePadded(box.voxels.buffer, offset, rows, rowLength, padded);
      start += count * rowLength;
      this.#keptRows += count;
    }
  }

  #writePadded(buffer: GPUBuffer, offset: number, rows: Uint8Array, rowLength: number, padded: number): void {
    const rowsAtOnce = Math.max(1, Math.floor(scratchBytes / padded));
    this.#scratch ??= new Uint8Array(rowsAtOnce * padded);
    const count = rows.length / rowLength;
    for (let first = 0; first < count; first += rowsAtOnce) {
      const here = Math.min(rowsAtOnce, count - first);
      for (let row = 0; row < here; row++) {
        const from = (first + row) * rowLength;
        this.#scratch.set(rows.subarray(from, from + rowLength), row * padded);
      }
      this.#write(buffer, offset + first * padded, this.#scratch.subarray(0, here * padded));
    }
  }

  #write(buffer: GPUBuffer, offset: number, bytes: Uint8Array): void {
    this.#gpu.device.queue.writeBuffer(buffer, offset, bytes as Uint8Array<ArrayBuffer>);
  }

  #boxAt(row: number, plane: number): PlacedBox {
    return this.placedBoxes[this.#layout.boxIndexAt(row, plane)] as PlacedBox;
  }

  #rowOffset(box: PlacedBox, row: number, plane: number): number {
    const rowInBox = (plane - box.firstPlane) * box.rowCount + row - box.firstRow;
    return rowInBox * rowBytes(this.#layout.elementsX, this.#elementBytes);
  }
}
