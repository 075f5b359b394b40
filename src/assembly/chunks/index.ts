// Analyses and run-length encodes chunks in a thread's memory. See src/core/cpu/chunk-memory.ts.
import { encodeRuns } from '../rle/encode';
import { analyzeChunk } from './analyze';

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

export { checksum } from '../common/checksum';
export { halve } from '../halve/index';
export { survey } from '../survey/index';
export { halveChunks } from './halve';
export { copyRows, findNonZero, placeRows } from './rows';

/**
 * `analyze` of src/core/chunks/analyze.ts.
 * @param at a chunk's first element; rows and planes are `rowStride` and `planeStride` bytes apart. 512 more bytes must be readable
 * @param sets sets of rows (../common/row-sets.ts): the nonzero ones are given, those that change are written
 * @param to receives the changes along x, y and z, and the checksum's `sum` and `cross`, 4 bytes each
 */
export function analyze(
  at: usize,
  rowStride: u32,
  planeStride: u32,
  x: u32,
  y: u32,
  z: u32,
  elementBytes: u32,
  sets: usize,
  to: usize,
): void {
  if (elementBytes === 1) analyzeChunk<u8>(at, rowStride, planeStride, x, y, z, sets, to);
  else if (elementBytes === 2) analyzeChunk<u16>(at, rowStride, planeStride, x, y, z, sets, to);
  else analyzeChunk<u32>(at, rowStride, planeStride, x, y, z, sets, to);
}

/**
 * `encode` of src/core/codecs/rle/reference.ts, for an analysed chunk.
 * @param axis 0, 1 or 2
 * @param to room for the longest payload; `scratch` room as src/core/codecs/rle/in-memory.ts computes it
 * @returns length of the payload
 */
export function encodeRle(
  at: usize,
  rowStride: u32,
  planeStride: u32,
  x: u32,
  y: u32,
  z: u32,
  elementBytes: u32,
  sets: usize,
  axis: u32,
  to: usize,
  scratch: usize,
): u32 {
  if (elementBytes === 1) return encodeRuns<u8>(at, rowStride, planeStride, x, y, z, sets, axis, to, scratch);
  if (elementBytes === 2) return encodeRuns<u16>(at, rowStride, planeStride, x, y, z, sets, axis, to, scratch);
  return encodeRuns<u32>(at, rowStride, planeStride, x, y, z, sets, axis, to, scratch);
}
