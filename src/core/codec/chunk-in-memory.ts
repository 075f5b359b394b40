import type { Dims3 } from '../shared/volume.ts';
import type { WasmModule } from '../shared/wasm-module.ts';

/** src/assembly/chunks. */
export type ChunkModule = WasmModule<
  'findNonZero' | 'copyRows' | 'placeRows' | 'analyze' | 'survey' | 'checksum' | 'encodeRle' | 'halve' | 'halveChunks'
>;

/** A chunk in WebAssembly memory, among others. Row (y, z) starts at byte `at + y × rowStride + z × planeStride`. */
export interface ChunkInMemory {
  readonly module: ChunkModule;
  readonly at: number;
  readonly rowStride: number;
  readonly planeStride: number;
  readonly shape: Dims3;
  readonly elementBytes: 1 | 2 | 4;
  /** Address of the sets of its rows: src/assembly/common/row-sets.ts. */
  readonly setsAt: number;
  /** Memory from this address on is scratch space for the duration of one call. Its contents are undefined. */
  readonly freeAt: number;
}

/** Bytes behind a chunk, and behind all that is written, that functions of the module may read or write. */
export const slackBytes = 512;

/** How functions of the module take a chunk. */
export function chunkParameters({ at, rowStride, planeStride, shape, elementBytes, setsAt }: ChunkInMemory): number[] {
  return [at, rowStride, planeStride, ...shape, elementBytes, setsAt];
}

/** A copy of at most `byteLength` bytes from the start of a chunk's first row. */
export function firstBytes({ module, at, shape, elementBytes }: ChunkInMemory, byteLength: number): Uint8Array {
  const end = at + Math.min(byteLength, shape[0] * elementBytes);
  return module.memoryTo(end).slice(at, end);
}
