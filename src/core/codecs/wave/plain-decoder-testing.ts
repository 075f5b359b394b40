/**
 * SPEC.md as a decoder, for learning and testing: each sentence is above the lines that implement it. It shares no code
 * with the reference or the kernels. Imported only by tests.
 */
import { StriaError } from '../../shared/errors.ts';
import type { PlainDecoder } from '../plain-decoder-testing.ts';
import { PlainPart } from './plain-part-testing.ts';

export const decodePlainly: PlainDecoder = (payload, { shape, elementBytes: E }, parameters) => {
  // 'A decoder refuses a chunk that has any.'
  if (parameters.length !== 0) throw corrupt('parameters are not empty');
  // '64 × 64 × 64 elements; where Z = 1, 4096 × 64 × 1'
  const [width, height, depth] = shape[2] === 1 ? [4096, 64, 1] : [64, 64, 64];
  // 'Elements of 4 bytes are two planes with w = 16, the low halves and the high halves; the low one's part comes first.'
  const planes = E === 4 ? [0, 1] : [0];
  const w = E === 1 ? 8 : 16;
  const parts: { origin: number[]; extent: [number, number, number]; plane: number }[] = [];
  // 'Blocks are taken with x fastest, then y, then z.'
  for (let z = 0; z < shape[2]; z += depth) {
    for (let y = 0; y < shape[1]; y += height) {
      for (let x = 0; x < shape[0]; x += width) {
        const extent: [number, number, number] = [
          Math.min(width, shape[0] - x),
          Math.min(height, shape[1] - y),
          Math.min(depth, shape[2] - z),
        ];
        for (const plane of planes) parts.push({ origin: [x, y, z], extent, plane });
      }
    }
  }
  // 'the lengths in bytes of all parts but the last, 4 bytes each'
  let at = 4 * (parts.length - 1);
  if (payload.length < at) throw corrupt('payload ends within its lengths');
  const lengths = parts
    .slice(1)
    .map((_, i) => [3, 2, 1, 0].reduce((sum, byte) => sum * 256 + (payload[4 * i + byte] as number), 0));
  const voxels = new Uint8Array(shape[0] * shape[1] * shape[2] * E);
  for (const [i, { origin, extent, plane }] of parts.entries()) {
    const length = lengths[i] ?? payload.length - at;
    // 'A decoder refuses a payload whose parts do not end where it ends, and a part without bytes.'
    if (length <= 0 || at + length > payload.length) throw corrupt('payload has a part that it does not hold');
    const elements = new PlainPart(payload.subarray(at, at + length), extent, w).elements();
    at += length;
    let number = 0;
    for (let z = 0; z < extent[2]; z++) {
      for (let y = 0; y < extent[1]; y++) {
        for (let x = 0; x < extent[0]; x++) {
          const [X, Y, Z] = [x, y, z].map((place, axis) => place + (origin[axis] as number)) as [number, number, number];
          const first = ((Z * shape[1] + Y) * shape[0] + X) * E + 2 * plane;
          const element = elements[number++] as number;
          for (let byte = 0; byte < w / 8; byte++) voxels[first + byte] = Math.floor(element / 256 ** byte);
        }
      }
    }
  }
  return voxels;
};

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the wave ${what}`);
}
