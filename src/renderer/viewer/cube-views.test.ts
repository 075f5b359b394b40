import { expect, test } from 'vitest';
import { cross } from '../../core/shared/vectors.ts';
import { cubeViews, faceFrames } from './cube-views.ts';
import { sceneSides } from './orientation.ts';

test('a cube is looked at from 6 sides, 12 edges and 8 corners, each once', () => {
  expect([1, 2, 3].map((count) => cubeViews.filter(({ sides }) => sides.length === count).length)).toEqual([6, 12, 8]);
  expect(new Set(cubeViews.map(({ toEye }) => toEye.join())).size).toBe(26);
  expect(cubeViews.find(({ key }) => key === 'front-left-above')?.toEye).toEqual([1, 1, 1]);
});

test('their parts cover each face once, and meet at the edge that they stand for', () => {
  const cells = cubeViews.flatMap((view) => view.cells.map(({ face, right, down }) => `${face} ${right} ${down}`));
  expect(cells).toHaveLength(54);
  expect(new Set(cells).size).toBe(54);
  const places = cubeViews.flatMap(({ toEye, cells: parts }) =>
    parts.map(({ face, right, down }) => {
      const frame = faceFrames[face];
      const side = sceneSides.find(({ key }) => key === face)?.toEye ?? [0, 0, 0];
      return [0, 1, 2].map(
        (axis) => toEye[axis as 0] - (side[axis as 0] + right * frame.right[axis as 0] + down * frame.down[axis as 0]),
      );
    }),
  );
  for (const apart of places) expect(apart.map(Math.abs)).toEqual([0, 0, 0]);
});

test('faces are drawn as one who stands before them sees them', () => {
  for (const { key, toEye } of sceneSides) {
    const { right, down } = faceFrames[key];
    expect(cross(down, right).map((part, axis) => Math.abs(part - (toEye[axis] as number)))).toEqual([0, 0, 0]);
  }
});
