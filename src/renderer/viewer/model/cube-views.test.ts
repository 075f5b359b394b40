import { expect, test } from 'vitest';
import { cross } from '../../../core/shared/vectors.ts';
import { cubeViews, faceFrames, shownFace } from './cube-views.ts';
import { sceneSides } from './orientation.ts';

test('a cube can be viewed from 6 sides, 12 edges and 8 corners, each once', () => {
  expect([1, 2, 3].map((count) => cubeViews.filter(({ sides }) => sides.length === count).length)).toEqual([6, 12, 8]);
  expect(new Set(cubeViews.map(({ toEye }) => toEye.join())).size).toBe(26);
  expect(cubeViews.find(({ key }) => key === 'front-left-above')?.toEye).toEqual([1, 1, 1]);
});

test('the cells cover each face once, and meet at the edge that they belong to', () => {
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

test('faces are drawn as seen by a viewer in front of them', () => {
  for (const { key, toEye } of sceneSides) {
    const { right, down } = faceFrames[key];
    expect(cross(down, right).map((part, axis) => Math.abs(part - (toEye[axis] as number)))).toEqual([0, 0, 0]);
  }
});

test('a face is upright seen from the front, edge-on from its neighbours, and hidden from behind', () => {
  for (const { key, toEye } of sceneSides) {
    const { right, down } = faceFrames[key];
    const camera = { right, up: [-down[0], -down[1], -down[2]] as const, toEye };
    const seen = sceneSides.map((side) => ({ key: side.key, ...shownFace(side.key, camera) })).filter(({ isSeen }) => isSeen);
    expect(seen).toHaveLength(1);
    const parts = seen.flatMap((face) => [...face.right, ...face.down, ...face.out]);
    expect([seen[0]?.key, ...parts.map(Math.abs)]).toEqual([key, 1, 0, 0, 1, 0, 0]);
    expect([parts[0], parts[3]]).toEqual([1, 1]);
  }
});

test('seen slightly from the side, the front narrows and the side becomes visible', () => {
  const [sin, cos] = [Math.sin(0.3), Math.cos(0.3)];
  const camera = { right: [cos, 0, -sin], up: [0, 1, 0], toEye: [sin, 0, cos] } as const;
  const front = shownFace('front', camera);
  // The patient's left is on the scene's right.
  const side = shownFace('left', camera);
  expect([front.isSeen, side.isSeen, shownFace('right', camera).isSeen]).toEqual([true, true, false]);
  expect(front.out[0]).toBeCloseTo(-sin);
  expect(Math.abs(front.right[0])).toBeCloseTo(cos);
  expect(Math.abs(side.right[0])).toBeCloseTo(sin);
  expect(side.out[0]).toBeCloseTo(cos);
});
