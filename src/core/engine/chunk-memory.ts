import { bytesUpTo, type ChunkInMemory, isWholeVectors, vectorBytes } from '../codecs/chunk-in-memory.ts';
import type { ChunkBox, VoxelBox } from './backend.ts';

/** More is not taken into the memory. A row of eight chunks of 64×64×64 bytes is half of it. */
export const maxMemoryBytes = 2 ** 22;

/** WebAssembly memory that chunks of a box are copied into, row by row of chunks, to be analysed and encoded there. One for each thread. */
export class ChunkMemory {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });

  /** Undefined where chunks do not lie side by side in rows of whole vectors, or are too large. */
  load(box: VoxelBox, chunks: readonly ChunkBox[]): readonly ChunkInMemory[] | undefined {
    const [first] = chunks;
    const { elementBytes, dims, bytes } = box;
    if (!first || !chunks.every(({ shape }) => isWholeVectors(shape[0], elementBytes))) return undefined;
    const rowStride = chunks.reduce((sum, { shape }) => sum + shape[0] * elementBytes, 0);
    const [, height, depth] = first.shape;
    const byteLength = rowStride * height * depth;
    if (byteLength > maxMemoryBytes) return undefined;
    const start = vectorBytes;
    const memory = bytesUpTo({ memory: this.#memory }, start + byteLength + vectorBytes);
    const boxRow = dims[0] * elementBytes;
    // Whole planes at once where the chunks are as wide as the box.
    const isWide = rowStride === boxRow;
    const pieceBytes = isWide ? rowStride * height : rowStride;
    let at = start;
    for (let z = 0; z < depth; z++) {
      for (let y = 0; y < height; y += isWide ? height : 1) {
        const [x0, y0, z0] = first.origin;
        const from = ((z0 + z) * dims[1] + y0 + y) * boxRow + x0 * elementBytes;
        memory.set(bytes.subarray(from, from + pieceBytes), at);
        at += pieceBytes;
      }
    }
    let left = start;
    return chunks.map(({ shape }) => {
      const chunk = {
        memory: this.#memory,
        at: left,
        rowStride,
        planeStride: rowStride * height,
        freeAt: start + byteLength + vectorBytes,
        shape,
        elementBytes,
      };
      left += shape[0] * elementBytes;
      return chunk;
    });
  }
}
