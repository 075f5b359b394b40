// Encoder and decoder of `parle`: src/core/codecs/parle/SPEC.md. They produce the same bytes as src/core/codecs/parle/reference.ts,
// which reports what is wrong with a damaged payload.
import { decodeRuns } from './decode';
import { encodeRuns } from './encode';

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

/**
 * Encodes a chunk.
 * @param from its voxels, without padding
 * @param axis 0, 1 or 2
 * @param marks room for a bit for each element, in whole words
 * @param to room for the longest payload
 * @returns the payload's length in bytes
 */
export function encode(from: usize, x: u32, y: u32, z: u32, elementBytes: u32, axis: u32, marks: usize, to: usize): u32 {
  if (elementBytes === 1) return encodeRuns<u8>(from, x, y, z, axis, marks, to);
  if (elementBytes === 2) return encodeRuns<u16>(from, x, y, z, axis, marks, to);
  return encodeRuns<u32>(from, x, y, z, axis, marks, to);
}

/**
 * Decodes a chunk.
 * @param from its payload
 * @param axis 0, 1 or 2
 * @param ordered room for its voxels in scan order
 * @param to room for its voxels
 * @returns false for a payload that SPEC.md refuses
 */
export function decode(
  from: usize,
  length: u32,
  x: u32,
  y: u32,
  z: u32,
  elementBytes: u32,
  axis: u32,
  ordered: usize,
  to: usize,
): bool {
  if (elementBytes === 1) return decodeRuns<u8>(from, length, x, y, z, axis, ordered, to);
  if (elementBytes === 2) return decodeRuns<u16>(from, length, x, y, z, axis, ordered, to);
  return decodeRuns<u32>(from, length, x, y, z, axis, ordered, to);
}
