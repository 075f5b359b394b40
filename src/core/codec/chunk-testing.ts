/** Deterministic chunks and boxes for codec tests. Only tests import this. */
import type { Dims3 } from '../shared/volume.ts';
import {
  type ChunkGeometry,
  type ChunkStatistics,
  type ChunkSurvey,
  type ChunkVoxels,
  type CodecElementBytes,
  rowBytes,
} from './codec.ts';
import { survey } from './survey.ts';

export const testShapes: readonly Dims3[] = [
  [1, 1, 1],
  [2, 1, 1],
  [1, 3, 1],
  [13, 17, 23],
  [1, 1, 5000],
  [1, 5000, 1],
  [5000, 1, 1],
  [2, 1, 5000],
  [200, 3, 200],
  [64, 64, 2],
  [33, 5, 64],
];

/** A fixed sequence of pseudorandom 32-bit numbers (SplitMix32). */
export function testRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
}

/** An element's value by its place. */
export type TestPattern = (x: number, y: number, z: number, random: () => number) => number;

/** By their names. */
export type TestPatterns = Readonly<Record<string, TestPattern>>;

export const testPatterns: TestPatterns = {
  constant: () => 0xa1b2c3d4,
  random: (_x, _y, _z, random) => random(),
  sparse: (_x, _y, _z, random) => (random() % 97 === 0 ? random() : 0),
  'worst case (alternating)': (x, y, z) => ((x + y + z) % 2 === 0 ? 0xffffffff : 0x01020304),
  blobs: (x, y, z) => Math.max(0, 90 - 3 * Math.hypot(x - 9, y - 8, z - 7)) | 0,
  'each column constant': (x, y) => Math.imul(x + 31 * y, 0x01010101),
};

export function makeChunk(shape: Dims3, elementBytes: CodecElementBytes, pattern: TestPattern, seed = 1): ChunkVoxels {
  const random = testRandom(seed);
  const bytes = new Uint8Array(shape[0] * shape[1] * shape[2] * elementBytes);
  let at = 0;
  for (let z = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      for (let x = 0; x < shape[0]; x++) {
        const value = pattern(x, y, z, random);
        for (let byte = 0; byte < elementBytes; byte++) bytes[at++] = value >>> (8 * byte);
      }
    }
  }
  return { bytes, shape, elementBytes };
}

/**
 * A picture of 16-bit elements enlarged to twice its size: every other row and column are means of their neighbours. The survey
 * samples only such rows, so it underestimates what other codecs than `wave` leave.
 */
export function halfInterpolated(shape: Dims3): ChunkVoxels {
  const random = testRandom(1);
  const width = Math.ceil(shape[0] / 2) + 1;
  const noise = Float64Array.from({ length: width * (Math.ceil(shape[1] / 2) + 2) }, () => 64 * (random() / 2 ** 32));
  const at = (x: number, y: number) => 5000 + 4000 * Math.sin(x / 9) * Math.cos(y / 7) + (noise[y * width + x] as number);
  const along = (x: number, y: number) => (at(x >> 1, y) + at((x + 1) >> 1, y)) / 2;
  return makeChunk(shape, 2, (x, y) => Math.floor((along(x, (y + 1) >> 1) + along(x, (y + 2) >> 1)) / 2));
}

/** A slow, plain computation of `ChunkStatistics`. */
export function statisticsOf(chunk: ChunkVoxels): ChunkStatistics & ChunkSurvey {
  const { bytes, shape, elementBytes } = chunk;
  const steps = [1, shape[0], shape[0] * shape[1]] as const;
  const differ = (a: number, b: number) => {
    for (let byte = 0; byte < elementBytes; byte++) {
      if (bytes[a * elementBytes + byte] !== bytes[b * elementBytes + byte]) return true;
    }
    return false;
  };
  const changes: [number, number, number] = [0, 0, 0];
  for (let z = 0, i = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      for (let x = 0; x < shape[0]; x++, i++) {
        if (x > 0 && differ(i, i - steps[0])) changes[0]++;
        if (y > 0 && differ(i, i - steps[1])) changes[1]++;
        if (z > 0 && differ(i, i - steps[2])) changes[2]++;
      }
    }
  }
  return { changes, ...survey(chunk) };
}

/** A box laid out as `GpuVoxels`: each row padded to whole words. */
export interface TestBox {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly dims: Dims3;
  readonly elementBytes: CodecElementBytes;
}

/** A box in which every byte, including padding, is `poison`. */
export function poisonedBox(dims: Dims3, elementBytes: CodecElementBytes, poison = 0xa5): TestBox {
  const bytes = new Uint8Array(rowBytes(dims[0], elementBytes) * dims[1] * dims[2]).fill(poison);
  return { bytes, dims, elementBytes };
}

/** Copies a chunk's rows into the box at `origin`. */
export function putChunk(box: TestBox, origin: Dims3, chunk: ChunkVoxels): void {
  forEachRow(box, origin, chunk, (boxAt, chunkAt, length) => {
    box.bytes.set(chunk.bytes.subarray(chunkAt, chunkAt + length), boxAt);
  });
}

/** The chunk of this shape at `origin`. */
export function takeChunk(box: TestBox, origin: Dims3, shape: Dims3): ChunkVoxels {
  const geometry = { shape, elementBytes: box.elementBytes };
  const bytes = new Uint8Array(shape[0] * shape[1] * shape[2] * box.elementBytes);
  forEachRow(box, origin, geometry, (boxAt, chunkAt, length) => {
    bytes.set(box.bytes.subarray(boxAt, boxAt + length), chunkAt);
  });
  return { ...geometry, bytes };
}

function forEachRow(
  { dims, elementBytes }: TestBox,
  origin: Dims3,
  { shape }: ChunkGeometry,
  visit: (boxAt: number, chunkAt: number, length: number) => void,
): void {
  const length = shape[0] * elementBytes;
  for (let z = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      const row = (origin[2] + z) * dims[1] + origin[1] + y;
      visit(row * rowBytes(dims[0], elementBytes) + origin[0] * elementBytes, (z * shape[1] + y) * length, length);
    }
  }
}

/** Describes the first difference between two arrays; undefined if they are equal. Faster than toEqual. */
export function firstDifference(actual: Uint8Array, expected: Uint8Array): string | undefined {
  if (actual.length !== expected.length) return `${actual.length} bytes instead of ${expected.length}`;
  for (let i = 0; i < actual.length; i++) {
    if (actual[i] !== expected[i]) return `byte ${i} is ${actual[i]} instead of ${expected[i]}`;
  }
  return undefined;
}

export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.trim().split(/\s+/), (byte) => Number.parseInt(byte, 16));
}
