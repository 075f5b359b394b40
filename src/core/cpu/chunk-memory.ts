import type { ChunkBox } from '../chunks/backend.ts';
import {
  blockBytes,
  bytesUpTo,
  type ChunkInMemory,
  cubeSide,
  inBlock,
  isWholeVectors,
  maxZeroBlocks,
  rowSetBytes,
  vectorBytes,
} from '../codec/chunk-in-memory.ts';
import { doWhile, i32, i64, instantiate, v128, wasmFunction } from '../shared/wasm.ts';
import type { RowSource } from './row-source.ts';

/** Larger rows of chunks are not loaded into the memory. */
export const maxMemoryBytes = 2 ** 24;

/** The memory's layout: checksums of zeros, then voxels. Vectors before and after the voxels may be read. */
const zeroSumsAt = vectorBytes;
const voxelsAt = zeroSumsAt + 8 * maxZeroBlocks + vectorBytes;

/** The gap between the planes of cubes. Without it the same positions of all planes would share one set of the cache. */
const planeGapBytes = blockBytes;

type Kernel = Readonly<Record<'copyRows' | 'findNonZero', (...parameters: number[]) => void>>;

/**
 * WebAssembly memory into which chunks of a box are copied to be analyzed and encoded. Cubes keep their adjacent layout; other
 * chunks are stored separately, so that their rows are contiguous and reads are sequential. One per thread.
 */
export class ChunkMemory {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  #kernel: Kernel | null | undefined = null;

  /**
   * Undefined if the chunks are not adjacent in rows of whole vectors, or are too large, or without WebAssembly. @param chunks
   * a row of chunks of equal height and depth, adjacent along x
   */
  load(box: RowSource, chunks: readonly ChunkBox[]): readonly ChunkInMemory[] | undefined {
    const [first] = chunks;
    const { elementBytes } = box;
    if (!first || !chunks.every(({ shape }) => isWholeVectors(shape[0], elementBytes))) return undefined;
    const rowBytes = chunks.reduce((sum, { shape }) => sum + shape[0] * elementBytes, 0);
    const [, height, depth] = first.shape;
    if (rowBytes * height * depth > maxMemoryBytes) return undefined;
    if (this.#kernel === null) this.#kernel = instantiate({ copyRows, findNonZero }, this.#memory);
    if (!this.#kernel) return undefined;
    const isCubes = chunks.every(({ shape }) => shape.every((side) => side === cubeSide));
    return isCubes ? this.#loadCubes(this.#kernel, box, chunks, rowBytes) : this.#loadApart(this.#kernel, box, chunks, rowBytes);
  }

  #loadCubes(kernel: Kernel, box: RowSource, chunks: readonly ChunkBox[], rowBytes: number): readonly ChunkInMemory[] {
    const { elementBytes } = box;
    const planeStride = rowBytes * cubeSide + planeGapBytes;
    const setsAt = voxelsAt + planeStride * cubeSide + vectorBytes;
    const freeAt = setsAt + 2 * rowSetBytes * chunks.length;
    const memory = bytesUpTo({ memory: this.#memory }, freeAt);
    const [x, y, front] = (chunks[0] as ChunkBox).origin;
    for (let z = 0; z < cubeSide; z++) {
      const planeAt = voxelsAt + z * planeStride;
      box.copyRows([x, y, front + z], rowBytes, cubeSide, memory, planeAt);
      kernel.findNonZero(planeAt, rowBytes, chunks.length, elementBytes * cubeSide, setsAt + 8 * z, 2 * rowSetBytes);
    }
    return chunks.map(({ shape }, number): ChunkInMemory => {
      const nonZeroAt = setsAt + 2 * rowSetBytes * number;
      return {
        at: voxelsAt + number * elementBytes * cubeSide,
        rowStride: rowBytes,
        planeStride,
        shape,
        elementBytes,
        zeroSumsAt,
        cube: { nonZeroAt, busyAt: nonZeroAt + rowSetBytes },
        freeAt,
        memory: this.#memory,
      };
    });
  }

  #loadApart(kernel: Kernel, box: RowSource, chunks: readonly ChunkBox[], rowBytes: number): readonly ChunkInMemory[] {
    const { elementBytes } = box;
    const [first] = chunks as readonly [ChunkBox];
    const [x, y, front] = first.origin;
    const [, height, depth] = first.shape;
    const planeAt = voxelsAt + rowBytes * height * depth + vectorBytes;
    const memory = bytesUpTo({ memory: this.#memory }, planeAt + rowBytes * height);
    let at = voxelsAt;
    const loaded = chunks.map(({ shape }) => {
      const rowStride = shape[0] * elementBytes;
      const planeStride = rowStride * height;
      const chunk = { at, rowStride, planeStride, shape, elementBytes, zeroSumsAt, freeAt: planeAt, memory: this.#memory };
      at += planeStride * depth;
      return chunk;
    });
    for (let z = 0; z < depth; z++) {
      box.copyRows([x, y, front + z], rowBytes, height, memory, planeAt);
      let left = planeAt;
      for (const { at, rowStride, planeStride } of loaded) {
        kernel.copyRows(left, rowBytes, height, rowStride, at + z * planeStride);
        left += rowStride;
      }
    }
    return loaded;
  }

  /** Copies a loaded chunk's bytes out, row after row. */
  copyOut({ at, rowStride, planeStride, shape, elementBytes, freeAt }: ChunkInMemory, target: Uint8Array): void {
    const [width, height, depth] = shape;
    const rowBytes = width * elementBytes;
    const planeBytes = rowBytes * height;
    const end = freeAt + planeBytes * depth;
    const memory = bytesUpTo({ memory: this.#memory }, end);
    if (planeStride === planeBytes) {
      target.set(memory.subarray(at, at + planeBytes * depth));
      return;
    }
    for (let z = 0; z < depth; z++) {
      this.#kernel?.copyRows(at + z * planeStride, rowStride, height, rowBytes, freeAt + z * planeBytes);
    }
    target.set(memory.subarray(freeAt, end));
  }
}

/** Copies `rows` rows of `rowBytes` bytes, which lie `stride` bytes apart, so that they become contiguous. */
const copyRows = wasmFunction(
  ['row', 'stride', 'rows', 'rowBytes', 'to'],
  { i32: ['p', 'end'] },
  ({ row, stride, rows, rowBytes, to, p, end }) => [
    doWhile(
      [
        p.set(row.get),
        end.set(i32.add(row.get, rowBytes.get)),
        doWhile([v128.store(to.get, v128.load(p.get)), to.add(vectorBytes), p.add(vectorBytes)], i32.ltU(p.get, end.get)),
        row.add(stride.get),
        rows.add(-1),
      ],
      rows.get,
    ),
  ],
);

/**
 * For one plane of adjacent cubes: for each cube a 64-bit word that flags its nonzero rows. The words lie `setStride` bytes
 * apart.
 */
const findNonZero = wasmFunction(
  ['plane', 'stride', 'cubes', 'rowBytes', 'to', 'setStride'],
  { i32: ['p', 'end', 'y', 'row'], i64: ['word'], v128: ['any', 'zero'] },
  ({ plane, stride, cubes, rowBytes, to, setStride, p, end, y, row, word, any, zero }) => {
    const block = inBlock.map((offset) => v128.load(p.get, offset)).reduce((a, b) => v128.or(a, b));
    return [
      doWhile(
        [
          row.set(plane.get),
          y.set(0),
          word.set(i64.constant(0)),
          doWhile(
            [
              p.set(row.get),
              end.set(i32.add(row.get, rowBytes.get)),
              any.set(zero.get),
              doWhile([any.set(v128.or(any.get, block)), p.add(blockBytes)], i32.ltU(p.get, end.get)),
              word.set(i64.or(word.get, i64.shl(i64.fromI32(v128.anyTrue(any.get)), i64.fromI32(y.get)))),
              row.add(stride.get),
              y.add(1),
            ],
            i32.ltU(y.get, cubeSide),
          ),
          i64.store(to.get, word.get),
          to.add(setStride.get),
          plane.add(rowBytes.get),
          cubes.add(-1),
        ],
        cubes.get,
      ),
    ];
  },
);
