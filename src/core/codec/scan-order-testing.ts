/** Scan order and runs as the SPEC.md of `rle` and `parle` define them, element by element. Slow; only tests import this. */
import { readElement } from './batch.ts';
import type { ChunkVoxels } from './codec.ts';
import type { Axis } from './scan-order.ts';

/** The number of element (x, y, z), by SPEC.md's table. */
export function numberOf(x: number, y: number, z: number, [X, Y, Z]: ChunkVoxels['shape'], axis: Axis): number {
  if (axis === 0) return (z * Y + y) * X + x;
  return axis === 1 ? (z * X + x) * Y + y : (y * X + x) * Z + z;
}

/** The chunk's elements in order of their numbers. */
export function orderedByDefinition({ bytes, shape, elementBytes }: ChunkVoxels, axis: Axis): number[] {
  const ordered: number[] = [];
  for (let z = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      for (let x = 0; x < shape[0]; x++) {
        const at = ((z * shape[1] + y) * shape[0] + x) * elementBytes;
        ordered[numberOf(x, y, z, shape, axis)] = readElement(bytes, at, elementBytes);
      }
    }
  }
  return ordered;
}

/** 'Element i starts a run if i = 0, or if it differs from element i − 1.' */
export function startsRun(ordered: readonly number[], i: number): boolean {
  return i === 0 || ordered[i] !== ordered[i - 1];
}

/** 'Bit j % 8 of byte floor(j / 8)', lowest first; zero bits fill the last byte. */
export function packBits(bits: readonly boolean[]): number[] {
  const bytes = new Array<number>(Math.ceil(bits.length / 8)).fill(0);
  bits.forEach((bit, j) => {
    if (bit) bytes[Math.floor(j / 8)] = (bytes[Math.floor(j / 8)] as number) + 2 ** (j % 8);
  });
  return bytes;
}

/** 'Little-endian.' */
export function bytesOf(value: number, count: number): number[] {
  return Array.from({ length: count }, (_, byte) => Math.floor(value / 256 ** byte) % 256);
}
