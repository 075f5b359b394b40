import type { ChunkVoxels, CodecElementBytes } from '../codec/codec.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { Ramp } from './ramp.ts';

// Helpers for the tests of this folder.

/** Writes an element, little-endian. */
function setElement(bytes: Uint8Array, at: number, value: bigint, elementBytes: CodecElementBytes): void {
  for (let byte = 0; byte < elementBytes; byte++) bytes[at * elementBytes + byte] = Number((value >> BigInt(8 * byte)) & 255n);
}

/** The voxels of a ramp as docs/FORMAT.md defines them, in unbounded arithmetic. */
export function rampByDefinition(shape: Dims3, elementBytes: CodecElementBytes, { first, steps, modulus }: Ramp): ChunkVoxels {
  const [sx, sy, sz] = steps.map(BigInt) as [bigint, bigint, bigint];
  const bound = modulus === 0 ? 1n << BigInt(8 * elementBytes) : BigInt(modulus);
  const bytes = new Uint8Array(shape[0] * shape[1] * shape[2] * elementBytes);
  let at = 0;
  for (let z = 0n; z < shape[2]; z++) {
    for (let y = 0n; y < shape[1]; y++) {
      for (let x = 0n; x < shape[0]; x++)
        setElement(bytes, at++, (BigInt(first) + x * sx + y * sy + z * sz) % bound, elementBytes);
    }
  }
  return { bytes, shape, elementBytes };
}

/** Ramps that have uncovered faults: all kinds of wraps, fields along one axis, negative steps, the widest modulus. */
export const notableRamps: Readonly<Record<CodecElementBytes, readonly Ramp[]>> = {
  1: [
    { first: 250, steps: [1, 2, 4], modulus: 255 },
    { first: 0, steps: [1, 64, 0], modulus: 0 },
    { first: 3, steps: [0, 255, 0], modulus: 0 },
    { first: 1, steps: [0, 0, 1], modulus: 2 },
  ],
  2: [
    { first: 254, steps: [1, 2, 4], modulus: 255 },
    { first: 65_000, steps: [1, 300, 9000], modulus: 0 },
    { first: 0, steps: [0, 0, 1], modulus: 0 },
    { first: 65_534, steps: [65_534, 7, 32_768], modulus: 65_535 },
  ],
  4: [
    { first: 254, steps: [1, 2, 4], modulus: 255 },
    { first: 2 ** 32 - 2, steps: [1, 4096, 2 ** 31 + 5], modulus: 0 },
    { first: 0x3f800000, steps: [0, 0x1000, 0], modulus: 0 },
    { first: 65_535, steps: [65_535, 40_000, 1], modulus: 65_536 },
  ],
};
