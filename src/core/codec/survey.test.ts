import { expect, test } from 'vitest';
import type { Dims3 } from '../shared/volume.ts';
import { testRandom } from './chunk-testing.ts';
import type { ChunkVoxels, CodecElementBytes } from './codec.ts';
import { lorenzoGain, softShare, survey } from './survey.ts';

function chunkOf(shape: Dims3, elementBytes: CodecElementBytes, value: (x: number, y: number, z: number) => number): ChunkVoxels {
  const bytes = new Uint8Array(shape[0] * shape[1] * shape[2] * elementBytes);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (let z = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      for (let x = 0; x < shape[0]; x++) {
        const element = value(x, y, z);
        for (let byte = 0; byte < elementBytes; byte++) view.setUint8(at++, Math.floor(element / 256 ** byte) & 255);
      }
    }
  }
  return { bytes, shape, elementBytes };
}

test('one row in 8 is sampled in each slice, and at least one', () => {
  expect(survey(chunkOf([20, 30, 3], 1, () => 7)).sampledElements).toBe(20 * 4 * 3);
  expect(survey(chunkOf([5, 1, 1], 1, () => 7)).sampledElements).toBe(5);
});

test('predictable elements are free except in the first row and slice, and only those', () => {
  const shape: Dims3 = [32, 24, 16];
  const [left, up, behind, flat, lorenzo] = [0, 1, 2, 3, 4];
  const free = (value: (x: number, y: number, z: number) => number, elementBytes: CodecElementBytes = 2) =>
    survey(chunkOf(shape, elementBytes, value)).riceBits.flatMap((bits, predictor, all) =>
      bits <= 0.15 * Math.max(...all) ? [predictor] : [],
    );
  expect(free(() => 9)).toEqual([left, up, behind, flat, lorenzo]);
  expect(free((x) => 50 * x * x)).toEqual([up, behind, flat, lorenzo]);
  expect(free((x, y) => 50 * x * x + 20 * y * y)).toEqual([behind, lorenzo]);
  expect(free((x, y, z) => 9 * x * y + 5 * y * z + z * x)).toEqual([lorenzo]);
  expect(free((x, y, z) => x * y * z)).toEqual([]);
  // The halves of wider elements are separate planes.
  expect(free((x) => x * 65536 + x, 4)).toEqual([up, behind, flat, lorenzo]);
});

test('noise costs about its entropy: 4 random bits cost about 5, at any level', () => {
  const random = testRandom(3);
  const { riceBits, sampledElements } = survey(chunkOf([64, 64, 64], 2, (x) => 1000 + 4 * x + (random() & 15)));
  const best = Math.min(...riceBits) / sampledElements;
  expect(best).toBeGreaterThan(4);
  expect(best).toBeLessThan(6);
});

test('soft costs less for noise that half follows the elements above and behind, and more for slopes', () => {
  const random = testRandom(5);
  const size = 32;
  const noise: number[] = [];
  const differences: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < size ** 3; i++) {
    noise.push((noise[i - size * size] ?? 0) / 2 + (random() % 9) - 4);
    differences.push((differences[i - size] ?? 0) / 2 + (noise[i] as number));
    values.push((values[i - 1] ?? 0) + (differences[i] as number));
  }
  for (const elementBytes of [1, 2] as const) {
    const at = (x: number, y: number, z: number) => Math.round(values[(z * size + y) * size + x] as number) & 0xffff;
    expect(softShare(survey(chunkOf([size, size, size], elementBytes, at)))).toBeLessThan(0.95);
    expect(softShare(survey(chunkOf([size, size, size], elementBytes, (x, y, z) => 9 * x * y + 5 * y * z + z * x)))).toBe(1.25);
  }
});

test('Lorenzo gains on smooth functions, and loses on noise that is independent from element to element', () => {
  const random = testRandom(9);
  const gainOf = (value: (x: number, y: number, z: number) => number) => lorenzoGain(survey(chunkOf([32, 32, 32], 2, value)));
  expect(gainOf((x, y, z) => 9 * x * y + 5 * y * z + z * x)).toBeGreaterThan(2);
  expect(gainOf(() => 1000 + (random() & 63))).toBeLessThan(0.9);
});

test('steps are elements that differ from the previous one; spikes also differ from the one behind', () => {
  const row = [5, 5, 7, 7, 7, 5, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 2, 9];
  for (const elementBytes of [1, 2, 4] as const) {
    const scale = 256 ** (elementBytes - 1);
    const { steps, spikes } = survey(chunkOf([20, 8, 3], elementBytes, (x) => (row[x] as number) * scale));
    expect({ steps, spikes }).toEqual({ steps: 3 * 5, spikes: 3 * 2 });
  }
});
