import { describe, expect, it } from 'vitest';
import { indexOf, numberOf, ofCount, placeWords } from './counting.ts';

describe('in the app', () => {
  it('slices, voxels and time points are counted from 1', () => {
    expect(ofCount(0, 32)).toBe('1 of 32');
    expect(ofCount(31, 32)).toBe('32 of 32');
    expect(placeWords([0, 16, 2])).toBe('x 1  y 17  z 3');
    expect(placeWords([0, 16, 2], { timePoint: 0, dims: [1, 17, 3, 5] })).toBe('x 1  y 17  z 3  t 1');
    expect(indexOf(numberOf(7))).toBe(7);
  });
});
