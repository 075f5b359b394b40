import { expect, test } from 'vitest';
import { mostSlabSlices, slabRange } from '../../../core/draw/slab-plane.ts';
import { firstSlab, linkedSlabs, slabChoice, slabOf, withSlab } from './slab.ts';

test('a thickness gives a different number of slices across each axis', () => {
  const choice = { kind: 'maximum', thickness: 10 } as const;
  expect(slabOf(choice, 0.7)).toEqual({ kind: 'maximum', slices: 14 });
  expect(slabOf(choice, 2.5)).toEqual({ kind: 'maximum', slices: 4 });
  expect(slabOf(choice, 8)).toBeUndefined();
  expect(slabOf(choice, 0.01)?.slices).toBe(mostSlabSlices);
  expect(slabOf({ ...choice, kind: 'none' }, 1)).toBeUndefined();
  expect(slabOf({ ...choice, thickness: Number.NaN }, 1)).toBeUndefined();
  expect(firstSlab([0.7, 0.7, 2.5])).toEqual({ kind: 'none', thickness: 3.5 });
});

test('a slab is centred on its slice and ends where the volume does', () => {
  expect(slabRange(5, 3, 20)).toEqual([4, 6]);
  expect(slabRange(5, 4, 20)).toEqual([4, 7]);
  expect(slabRange(0, 5, 20)).toEqual([0, 2]);
  expect(slabRange(19, 5, 20)).toEqual([17, 19]);
  expect(slabRange(1, 64, 3)).toEqual([0, 2]);
});

test('slabs can be shared or separate; switching does not change what is shown', () => {
  const mean = { kind: 'mean', thickness: 4 } as const;
  const maximum = { kind: 'maximum', thickness: 9 } as const;
  const same = { slab: mean, sliceSlabs: undefined };
  expect(withSlab(same, 'x', maximum)).toEqual({ slab: maximum });
  const each = { ...same, ...linkedSlabs(same, false, 'z') };
  const other = { ...each, ...withSlab(each, 'x', maximum) };
  expect((['x', 'y', 'z'] as const).map((axis) => slabChoice(other, axis))).toEqual([maximum, mean, mean]);
  expect(linkedSlabs(other, true, 'x')).toEqual({ slab: maximum, sliceSlabs: undefined });
});
