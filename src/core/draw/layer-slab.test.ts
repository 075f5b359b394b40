import { expect, test } from 'vitest';
import { LayerSlab } from './layer-slab.ts';

test('the sums of a canvas fit if the GPU can bind eight bytes for each pixel', () => {
  const gpu = { maxBindingBytes: 2 ** 27 };
  expect(LayerSlab.fits(gpu, { width: 4096, height: 4096 })).toBe(true);
  expect(LayerSlab.fits(gpu, { width: 4096, height: 4097 })).toBe(false);
});
