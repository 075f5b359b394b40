import { expect, test } from 'vitest';
import { mostSlabSlices, slabRange } from '../../core/engine/slab-plane.ts';
import { firstSlab, slabOf } from './slab.ts';

test('a thickness is another number of slices across each axis', () => {
  const choice = { kind: 'maximum', thickness: 10 } as const;
  expect(slabOf(choice, 0.7)).toEqual({ kind: 'maximum', slices: 14 });
  expect(slabOf(choice, 2.5)).toEqual({ kind: 'maximum', slices: 4 });
  expect(slabOf(choice, 8)).toBeUndefined();
  expect(slabOf(choice, 0.01)?.slices).toBe(mostSlabSlices);
  expect(slabOf({ ...choice, kind: 'none' }, 1)).toBeUndefined();
  expect(slabOf({ ...choice, thickness: Number.NaN }, 1)).toBeUndefined();
  expect(firstSlab([0.7, 0.7, 2.5])).toEqual({ kind: 'none', thickness: 3.5 });
});

test('a slab lies around its slice, and ends where the volume does', () => {
  expect(slabRange(5, 3, 20)).toEqual([4, 6]);
  expect(slabRange(5, 4, 20)).toEqual([4, 7]);
  expect(slabRange(0, 5, 20)).toEqual([0, 2]);
  expect(slabRange(19, 5, 20)).toEqual([17, 19]);
  expect(slabRange(1, 64, 3)).toEqual([0, 2]);
});
