import { bytesUpTo, type ChunkInMemory, isWholeVectors, maxZeroBlocks, vectorBytes } from '../codecs/chunk-in-memory.ts';
import { doWhile, i32, instantiate, v128, wasmFunction } from '../shared/wasm.ts';
import type { ChunkBox, VoxelBox } from './backend.ts';

/** More is not taken into the memory. A row of eight chunks of 64×64×64 bytes is half of it. */
export const maxMemoryBytes = 2 ** 22;

/**
 * WebAssembly memory that chunks of a box are copied into to be analysed and encoded there, each by itself: a chunk's rows then
 * follow each other, and memory that is read in order is there when it is needed. One for each thread.
 */
export class ChunkMemory {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  #kernel: ReturnType<typeof instantiate<'copyRows'>> | null = null;

  /**
   * Undefined where chunks do not lie side by side in rows of whole vectors, or are too large, and where there is no WebAssembly.
   * @param chunks a row of chunks of one height and depth, side by side along x
   */
  load(box: VoxelBox, chunks: readonly ChunkBox[]): readonly ChunkInMemory[] | undefined {
    const [first] = chunks;
    const { elementBytes, dims, bytes } = box;
    if (!first || !chunks.every(({ shape }) => isWholeVectors(shape[0], elementBytes))) return undefined;
    const rowBytes = chunks.reduce((sum, { shape }) => sum + shape[0] * elementBytes, 0);
    const [, height, depth] = first.shape;
    const byteLength = rowBytes * height * depth;
    if (byteLength > maxMemoryBytes) return undefined;
    if (this.#kernel === null) this.#kernel = instantiate({ copyRows }, this.#memory);
    const kernel = this.#kernel;
    if (!kernel) return undefined;

    const zeroSumsAt = vectorBytes;
    const start = zeroSumsAt + 8 * maxZeroBlocks + vectorBytes;
    const planeAt = start + byteLength + vectorBytes;
    const planeBytes = rowBytes * height;
    const memory = bytesUpTo({ memory: this.#memory }, planeAt + planeBytes);
    let at = start;
    const loaded = chunks.map(({ shape }) => {
      const rowStride = shape[0] * elementBytes;
      const planeStride = rowStride * height;
      const chunk = { at, rowStride, planeStride, shape, elementBytes, zeroSumsAt, freeAt: planeAt, memory: this.#memory };
      at += planeStride * depth;
      return chunk;
    });
    // Whole planes at once where the chunks are as wide as the box.
    const boxRow = dims[0] * elementBytes;
    const isWide = rowBytes === boxRow;
    const pieceBytes = isWide ? planeBytes : rowBytes;
    const [x0, y0, z0] = first.origin;
    for (let z = 0; z < depth; z++) {
      for (let y = 0; y < height; y += isWide ? height : 1) {
        const from = ((z0 + z) * dims[1] + y0 + y) * boxRow + x0 * elementBytes;
        memory.set(bytes.subarray(from, from + pieceBytes), planeAt + y * rowBytes);
      }
      let left = planeAt;
      for (const { at, rowStride, planeStride } of loaded) {
        kernel.copyRows(left, rowBytes, height, rowStride, at + z * planeStride);
        left += rowStride;
      }
    }
    return loaded;
  }
}

/** Copies `rows` rows of `rowBytes` bytes, `stride` bytes apart, one behind the other. */
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
