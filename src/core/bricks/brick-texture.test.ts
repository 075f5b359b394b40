import { expect, test } from 'vitest';
import type { Dims3 } from '../shared/volume.ts';
import { slotsBesideTexture, stagingOf } from './brick-texture.ts';

test.each([
  { shape: [16, 16, 16], bytes: 1, expected: { pitch: 256, sideBySide: 12, atOnce: 96 } },
  { shape: [64, 64, 64], bytes: 1, expected: { pitch: 256, sideBySide: 3, atOnce: 96 } },
  { shape: [64, 64, 64], bytes: 2, expected: { pitch: 256, sideBySide: 1, atOnce: 56 } },
  { shape: [128, 128, 128], bytes: 1, expected: { pitch: 256, sideBySide: 1, atOnce: 15 } },
  { shape: [128, 128, 128], bytes: 2, expected: { pitch: 512, sideBySide: 1, atOnce: 7 } },
  { shape: [256, 256, 256], bytes: 1, expected: { pitch: 512, sideBySide: 1, atOnce: 1 } },
] as const)(
  'bricks of $shape.0 voxels of $bytes bytes are staged within the smallest limit of a binding',
  ({ shape, bytes, expected }) => {
    const { pitch, sideBySide, atOnce } = stagingOf(shape as Dims3, bytes);
    expect({ pitch, sideBySide, atOnce }).toEqual(expected);
    expect(Math.ceil(atOnce / sideBySide) * pitch * (shape[1] + 4) * (shape[2] + 4)).toBeLessThanOrEqual(2 ** 27);
  },
);

test.each([
  { most: 100, textured: 60, slots: 60, why: 'rays through a texture are worth 40 slots' },
  { most: 100, textured: 40, slots: 100, why: 'they are not worth more than half' },
  { most: 20, textured: 12, slots: 20, why: 'a volume cannot be seen with 12 bricks' },
  { most: 12, textured: 11, slots: 12, why: 'the few that there are stay' },
  { most: 12, textured: 12, slots: 12, why: 'nothing is lost' },
  { most: 100, textured: 0, slots: 100, why: 'there is no texture' },
])('of $most slots, $textured of them in a texture, an atlas has $slots: $why', ({ most, textured, slots }) => {
  expect(slotsBesideTexture(most, textured)).toBe(slots);
});
