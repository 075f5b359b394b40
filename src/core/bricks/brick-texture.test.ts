import { expect, test } from 'vitest';
import type { Dims3 } from '../shared/volume.ts';
import { stagingOf } from './brick-texture.ts';

test.each([
  { shape: [16, 16, 16], expected: { pitch: 256, sideBySide: 12, atOnce: 96 } },
  { shape: [64, 64, 64], expected: { pitch: 256, sideBySide: 3, atOnce: 96 } },
  { shape: [128, 128, 128], expected: { pitch: 256, sideBySide: 1, atOnce: 15 } },
  { shape: [256, 256, 256], expected: { pitch: 512, sideBySide: 1, atOnce: 1 } },
] as const)('bricks of $shape.0 voxels are staged within the smallest limit of a binding', ({ shape, expected }) => {
  const { pitch, sideBySide, atOnce } = stagingOf(shape as Dims3);
  expect({ pitch, sideBySide, atOnce }).toEqual(expected);
  expect(Math.ceil(atOnce / sideBySide) * pitch * (shape[1] + 4) * (shape[2] + 4)).toBeLessThanOrEqual(2 ** 27);
});
