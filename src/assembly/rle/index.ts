// Decoder of `rle`: src/core/codecs/rle/SPEC.md. (src/assembly/chunks encodes.)
import { decodeRuns } from './decode';

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

/**
 * Decodes a chunk.
 * @param from its payload; 16 bytes past its end must be readable
 * @param axis 0, 1 or 2
 * @param to room for its voxels, and 512 bytes more
 * @param scratch room for levels 0, 1 and 2, and 64 bytes more for each
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
  to: usize,
  scratch: usize,
): bool {
  if (elementBytes === 1) return decodeRuns<u8>(from, length, x, y, z, axis, to, scratch);
  if (elementBytes === 2) return decodeRuns<u16>(from, length, x, y, z, axis, to, scratch);
  return decodeRuns<u32>(from, length, x, y, z, axis, to, scratch);
}
