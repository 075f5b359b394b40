import { chunkBytes } from '../codec/batch.ts';
import type { ChunkBox, VoxelBox } from './backend.ts';
import { gatherChunks } from './boxes.ts';

/** The maximum number of chunks of one row that are gathered together. */
const maxTogether = 16;

/**
 * Takes chunks out of a box, in order. Chunks adjacent along x are gathered together, because their rows are adjacent too and
 * sequential reads are fast.
 */
export class ChunkGatherer {
  readonly #box: VoxelBox;
  readonly #chunks: readonly ChunkBox[];
  readonly #free: FreeBytes;
  readonly #gathered = new Map<number, Uint8Array<ArrayBuffer>>();

  constructor(box: VoxelBox, chunks: readonly ChunkBox[], free: FreeBytes) {
    this.#box = box;
    this.#chunks = chunks;
    this.#free = free;
  }

  /** A chunk's bytes, in memory of their own. Each chunk may be taken once. */
  take(index: number): Uint8Array<ArrayBuffer> {
    if (!this.#gathered.has(index)) this.#gatherFrom(index);
    const bytes = this.#gathered.get(index) as Uint8Array<ArrayBuffer>;
    this.#gathered.delete(index);
    return bytes;
  }

  #gatherFrom(first: number): void {
    const { elementBytes } = this.#box;
    const [, y, z] = (this.#chunks[first] as ChunkBox).origin;
    let end = first + 1;
    while (end < this.#chunks.length && end - first < maxTogether) {
      const { origin } = this.#chunks[end] as ChunkBox;
      if (origin[1] !== y || origin[2] !== z) break;
      end++;
    }
    const together = this.#chunks.slice(first, end).map((chunk, at) => {
      const bytes = this.#free.take(chunkBytes({ shape: chunk.shape, elementBytes }));
      this.#gathered.set(first + at, bytes);
      return { chunk, bytes };
    });
    gatherChunks(this.#box, together);
  }
}

/** A pool of used memory: fresh memory costs more than the copy into it. */
export class FreeBytes {
  readonly #free: Uint8Array<ArrayBuffer>[] = [];

  /** Memory of exactly this length, with its old contents. */
  take(byteLength: number): Uint8Array<ArrayBuffer> {
    const at = this.#free.findIndex((bytes) => bytes.byteLength === byteLength);
    return at < 0 ? new Uint8Array(byteLength) : (this.#free.splice(at, 1)[0] as Uint8Array<ArrayBuffer>);
  }

  give(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#free.length >= 2 * maxTogether) this.#free.shift();
    this.#free.push(bytes);
  }
}
