import { expect, test } from 'vitest';
import { cross, dot, scaled, sum, type Vector3 } from './vectors.ts';

const [x, y, z]: [Vector3, Vector3, Vector3] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

test('vectors: sums, lengths, and right angles by the right hand', () => {
  expect(sum()).toEqual([0, 0, 0]);
  expect(sum([1, 2, 3], [4, 5, 6], [-1, -1, -1])).toEqual([4, 6, 8]);
  expect(scaled([1, -2, 3], 2)).toEqual([2, -4, 6]);
  expect(dot([1, 2, 3], [4, 5, 6])).toBe(32);
  expect([cross(x, y), cross(y, z), cross(z, x)]).toEqual([z, x, y]);
  expect(cross([1, 2, 3], [4, 5, 6])).toEqual([-3, 6, -3]);
});
