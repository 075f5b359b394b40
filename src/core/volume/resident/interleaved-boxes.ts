import type { ChunkBox, NumberedBox } from '../../chunks/backend.ts';
import { type CodecElementBytes, rowBytes } from '../../codec/codec.ts';
import { ChunkGrid, type ChunkShape, codecElementBytes, codecElementDims } from '../../format/chunk-grid.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { StriaError } from '../../shared/errors.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import type { PlaneReader, PlaneRun } from '../plane-reader.ts';

/** Copies whole rows between a volume's box and a box of interleaved chunks. */
interface RowCopy {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly at: number;
  readonly byteLength: number;
}

/** A box of chunks in temporary memory. */
interface CopiedBox {
  /** In the order of `ChunkGrid.planeAt`. */
  readonly firstPlane: number;
  readonly planes: number;
  readonly firstRow: number;
  readonly rows: number;
}

/** Bytes of a row of chunks along x, through all planes of its time points. @param block index of the chunks along t */
export function bytesOfChunkRow(grid: ChunkGrid, elementBytes: CodecElementBytes, block = 0): number {
  const { dims, chunkShape } = grid;
  const { timePoints } = grid.box(block * grid.chunksPerTimePoint);
  return rowBytes(dims[0], elementBytes) * Math.min(chunkShape[1], dims[1]) * dims[2] * timePoints;
}

/** A volume in GPU memory as boxes of chunks that differ from the volume's own, for example chunks that interleave time points. */
export class InterleavedBoxes {
  readonly #gpu: Gpu;
  readonly #grid: ChunkGrid;
  readonly #elementBytes: CodecElementBytes;
  readonly #planes: PlaneReader;

  /** @param planes of the volume, in the order of the source; for `fill` they must be the volume's own, not decoded copies */
  constructor(gpu: Gpu, info: Pick<VolumeInfo, 'dims' | 'type'>, chunkShape: ChunkShape, planes: PlaneReader) {
    this.#gpu = gpu;
    this.#grid = new ChunkGrid(codecElementDims(info), chunkShape);
    this.#elementBytes = codecElementBytes(info.type);
    this.#planes = planes;
  }

  /**
   * Visits boxes of chunks in temporary memory. Either they hold the volume's voxels, or the visitor fills them and the voxels are
   * then copied to the volume.
   * @throws StriaError `limit-too-small` if a row of chunks does not fit in a binding; errors of `visit`
   */
  async forEach(direction: 'read' | 'fill', visit: (box: NumberedBox) => Promise<void>): Promise<void> {
    const { counts } = this.#grid;
    for (let block = 0; block < counts[3]; block++) {
      const step = this.#rowsAtOnce(block);
      for (let row = 0; row < counts[1]; row += step) {
        await this.#visit(block, row, Math.min(counts[1], row + step), direction, visit);
      }
    }
  }

  /** The number of rows of chunks that fit in a binding. */
  #rowsAtOnce(block: number): number {
    const bytes = bytesOfChunkRow(this.#grid, this.#elementBytes, block);
    const limit = this.#gpu.maxBindingBytes;
    if (bytes > limit) throw new StriaError('limit-too-small', `a row of chunks takes ${bytes} bytes; this GPU binds ${limit}`);
    return Math.min(this.#grid.counts[1], Math.floor(limit / bytes));
  }

  async #visit(
    block: number,
    from: number,
    end: number,
    direction: 'read' | 'fill',
    visit: (box: NumberedBox) => Promise<void>,
  ): Promise<void> {
    const grid = this.#grid;
    const { dims, counts } = grid;
    const first = block * grid.chunksPerTimePoint;
    const { plane: firstPlane, timePoints } = grid.box(first);
    const firstRow = from * grid.chunkShape[1];
    const rows = Math.min(dims[1], end * grid.chunkShape[1]) - firstRow;
    const planes = dims[2] * timePoints;
    using scope = this.#gpu.scope('interleaved');
    const buffer = scope.storage('box', this.#rowBytes * rows * planes);
    const chunks: ChunkBox[] = [];
    const chunkNumbers: number[] = [];
    for (let z = 0; z < counts[2]; z++) {
      for (let at = from * counts[0]; at < end * counts[0]; at++) {
        const number = first + z * grid.chunksPerLayer + at;
        const { origin, shape, plane } = grid.box(number);
        chunks.push({ origin: [origin[0], origin[1] - firstRow, plane - firstPlane], shape });
        chunkNumbers.push(number);
      }
    }
    const copy = (record: (encoder: GPUCommandEncoder, one: RowCopy) => void) =>
      this.#copyPlanes({ firstPlane, planes, firstRow, rows }, record);
    if (direction === 'read')
      await copy((encoder, one) => encoder.copyBufferToBuffer(one.buffer, one.offset, buffer, one.at, one.byteLength));
    const voxels = { buffer, dims: [dims[0], rows, planes] as const, elementBytes: this.#elementBytes };
    await visit({ voxels, chunks, chunkNumbers });
    if (direction === 'fill')
      await copy((encoder, one) => encoder.copyBufferToBuffer(buffer, one.at, one.buffer, one.offset, one.byteLength));
  }

  /** Copies the planes of a box in the order of the source, so that a reader that decodes planes decodes each only once. */
  async #copyPlanes(box: CopiedBox, record: (encoder: GPUCommandEncoder, one: RowCopy) => void): Promise<void> {
    const { dims } = this.#grid;
    const inOrder = Array.from({ length: box.planes }, (_, at) => {
      const { z, t } = this.#grid.placeOfPlane(box.firstPlane + at);
      return { plane: t * dims[2] + z, at };
    }).sort((a, b) => a.plane - b.plane);
    for (let done = 0; done < inOrder.length; ) {
      const run = await this.#planes.read((inOrder[done] as (typeof inOrder)[number]).plane);
      const end = inOrder.findIndex(({ plane }) => plane >= run.endPlane);
      const ofRun = inOrder.slice(done, end < 0 ? undefined : end);
      done += ofRun.length;
      const copies = ofRun.flatMap(({ plane, at }) => this.#copiesOf(run, plane, at, box));
      await this.#gpu
        .commands('interleave')
        .record((encoder) => {
          for (const one of copies) record(encoder, one);
        })
        .submit();
    }
  }

  /** The copies of the rows of a plane. @param at the plane's number in the box */
  #copiesOf(run: PlaneRun, plane: number, at: number, { firstRow, rows }: CopiedBox): RowCopy[] {
    const copies: RowCopy[] = [];
    for (const box of run.boxes) {
      if (plane < box.firstPlane || plane >= box.firstPlane + box.planeCount) continue;
      const low = Math.max(firstRow, box.firstRow);
      const high = Math.min(firstRow + rows, box.firstRow + box.rowCount);
      if (low >= high) continue;
      copies.push({
        buffer: box.voxels.buffer,
        offset: ((plane - box.firstPlane) * box.rowCount + low - box.firstRow) * this.#rowBytes,
        at: (at * rows + low - firstRow) * this.#rowBytes,
        byteLength: (high - low) * this.#rowBytes,
      });
    }
    return copies;
  }

  get #rowBytes(): number {
    return rowBytes(this.#grid.dims[0], this.#elementBytes);
  }
}
