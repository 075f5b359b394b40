import type { Dims3 } from '../shared/volume.ts';
import { i8x16, i16x8, i32, i32x4 } from '../shared/wasm.ts';

/**
 * A chunk in WebAssembly memory, among others: row (y, z) starts at byte `at + y × rowStride + z × planeStride`. Rows are
 * whole vectors of 16 bytes, and 16 bytes lie before and behind all of them.
 */
export interface ChunkInMemory {
  readonly shape: Dims3;
  readonly elementBytes: 1 | 2 | 4;
  readonly memory: WebAssembly.Memory;
  readonly at: number;
  readonly rowStride: number;
  readonly planeStride: number;
  /** Here is room for the checksums of `maxZeroBlocks` blocks of zeros, 8 bytes each, that stay from chunk to chunk. */
  readonly zeroSumsAt: number;
  /** There for chunks of 64×64×64 elements: what is known of their rows. */
  readonly cube?: RowsOfCube | undefined;
  /** From here on memory is free, for as long as one call takes; it holds anything. */
  readonly freeAt: number;
}

/** A chunk of so many elements along each axis is a cube: it has fast ways of its own, as a row of it makes one word of bits. */
export const cubeSide = 64;

/** Addresses of 64 words of 64 bits each: bit y of word z is row (y, z). */
export interface RowsOfCube {
  /** The rows that hold anything but zeros. */
  readonly nonZeroAt: number;
  /** The rows with an element that differs from its next along x, y or z. The analysis writes them. */
  readonly busyAt: number;
}

/** Bytes of such a set of rows. */
export const rowSetBytes = 8 * cubeSide;

/** Bytes in a vector of WebAssembly. */
export const vectorBytes = 16;

/** Whether rows of so many elements are whole vectors. */
export function isWholeVectors(elements: number, elementBytes: number): boolean {
  return (elements * elementBytes) % vectorBytes === 0;
}

/** What kernels pass over at once where nothing changes: four vectors. Rows of whole blocks have their blocks numbered through. */
export const blockBytes = 64;
/** Offsets of a block's vectors. */
export const inBlock = [0, 16, 32, 48] as const;

/** How elements of each width are compared, a vector at a time, and loaded and stored one by one. */
export const elementCode = {
  1: { ...i8x16, load: i32.load8, store: i32.store8 },
  2: { ...i16x8, load: i32.load16, store: i32.store16 },
  4: { ...i32x4, load: i32.load, store: i32.store },
} as const;

/** A chunk of 64×64×64 elements has no more. */
export const maxZeroBlocks = 2 ** 14;

const pageBytes = 2 ** 16;

/** Makes sure that the memory has so many bytes, and gives them all. */
export function bytesUpTo({ memory }: Pick<ChunkInMemory, 'memory'>, end: number): Uint8Array<ArrayBuffer> {
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  return new Uint8Array(memory.buffer);
}

/** A copy of the first bytes of a chunk's first row, `byteLength` at most. */
export function firstBytes({ memory, at, shape, elementBytes }: ChunkInMemory, byteLength: number): Uint8Array {
  return new Uint8Array(memory.buffer, at, Math.min(byteLength, shape[0] * elementBytes)).slice();
}
