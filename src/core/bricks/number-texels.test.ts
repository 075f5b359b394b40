import { expect, test } from 'vitest';
import { fitsTexels } from './number-texels.ts';

test.each([
  { type: 'u8', window: [0, 1e-9], fits: true, why: 'bytes are exact in every window' },
  { type: 'i16', window: [30_000, 30_001], fits: true, why: 'pairs of bytes are, too' },
  { type: 'f32', window: [-1000, 3000], fits: true, why: 'floats are precise in wide windows' },
  { type: 'f32', window: [3000, -1000], fits: true, why: 'also in reversed ones' },
  { type: 'u32', window: [4e9, 4e9 + 1000], fits: false, why: 'floats of this size lie 256 apart' },
  { type: 'f64', window: [0, 2 ** 101], fits: false, why: 'texels end at 2^100' },
  { type: 'f32', window: [0, 1e-37], fits: false, why: 'GPUs may treat such numbers as 0' },
] as const)('a window of $type from $window.0 to $window.1 fits the texture: $fits, because $why', ({ type, window, fits }) => {
  expect(fitsTexels(type, window)).toBe(fits);
});
