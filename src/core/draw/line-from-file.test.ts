import { expect, test } from 'vitest';
import { testInfo } from '../volume/resident-testing.ts';
import { sampleLineOfFile } from './line-from-file.ts';

test('64-bit floats at the ends of the range of numbers, which is known in 32 bits, are not missing', async () => {
  const voxels = Float64Array.of(0.1, 0.3, 0.7, -1e30);
  const numbers = [Math.fround(0.1), Math.fround(0.7)] as const;
  // Rounded to 32 bits, the ends lie inside the range.
  expect([numbers[0] > 0.1, numbers[1] < 0.7]).toEqual([true, true]);
  const volume = { info: testInfo([4, 1, 1, 1], 'f64'), numbers };
  const file = { read: async () => new Uint8Array(voxels.buffer) };
  const line = { from: [0.5, 0.5, 0.5], to: [3.5, 0.5, 0.5], count: 4, smooth: false } as const;
  const sampled = await sampleLineOfFile(volume, file, 0, line);
  expect([...sampled]).toEqual([...[0.1, 0.3, 0.7].map(Math.fround), Number.NaN]);
});
