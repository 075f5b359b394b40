import type { Dims3 } from '../shared/volume.ts';
import { i8x16, i16x8, i32, i32x4 } from '../shared/wasm.ts';

/**
 * A chunk in WebAssembly memory, among others. Row (y, z) starts at byte `at + y × rowStride + z × planeStride`. Rows are whole
 * vectors of 16 bytes, with 16 spare bytes before and after all of them.
 */
export interface ChunkInMemory {
  readonly shape: Dims3;
  readonly elementBytes: 1 | 2 | 4;
  readonly memory: WebAssembly.Memory;
  readonly at: number;
  readonly rowStride: number;
  readonly planeStride: number;
  /** Address of the cached checksums of up to `maxZeroBlocks` blocks of zeros, 8 bytes each. They persist from chunk to chunk. */
  readonly zeroSumsAt: number;
  /** Facts about the rows, for chunks of 64×64×64 elements only. */
  readonly cube?: RowsOfCube | undefined;
  /** Memory from this address on is scratch space for the duration of one call. Its contents are undefined. */
  readonly freeAt: number;
}

/**
 * A chunk with this many elements along each axis is a cube. Cubes have faster paths, because one bit per element of a row
 * fills one word.
 */
export const cubeSide = 64;

/** Addresses of 64 words of 64 bits each: bit y of word z is row (y, z). */
export interface RowsOfCube {
  /** The rows with any nonzero element. */
  readonly nonZeroAt: number;
  /** The rows with an element that differs from its next one along x, y or z. The analysis writes them. */
  readonly busyAt: number;
}

/** Byte length of one such set of rows. */
export const rowSetBytes = 8 * cubeSide;

/** Bytes in a WebAssembly vector. */
export const vectorBytes = 16;

/** Whether rows of this many elements are whole vectors. */
export function isWholeVectors(elements: number, elementBytes: number): boolean {
  return (elements * elementBytes) % vectorBytes === 0;
}

/**
 * The unit that kernels skip if nothing changes in it: four vectors. Rows of whole blocks have their blocks numbered
 * consecutively.
 */
export const blockBytes = 64;
/** Offsets of a block's vectors. */
export const inBlock = [0, 16, 32, 48] as const;

/** Vector comparisons, and scalar loads and stores, for each element width. */
export const elementCode = {
  1: { ...i8x16, load: i32.load8, store: i32.store8 },
  2: { ...i16x8, load: i32.load16, store: i32.store16 },
  4: { ...i32x4, load: i32.load, store: i32.store },
} as const;

/** The number of blocks in a chunk of 64×64×64 elements. */
export const maxZeroBlocks = 2 ** 14;

const pageBytes = 2 ** 16;

/** Grows the memory to at least this many bytes, and returns all of it. */
export function bytesUpTo({ memory }: Pick<ChunkInMemory, 'memory'>, end: number): Uint8Array<ArrayBuffer> {
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  return new Uint8Array(memory.buffer);
}

/** A copy of at most `byteLength` bytes from the start of a chunk's first row. */
export function firstBytes({ memory, at, shape, elementBytes }: ChunkInMemory, byteLength: number): Uint8Array {
  return new Uint8Array(memory.buffer, at, Math.min(byteLength, shape[0] * elementBytes)).slice();
}
