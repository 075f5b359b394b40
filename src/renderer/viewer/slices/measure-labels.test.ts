import { expect, test } from 'vitest';
import type { Point } from '../model/slice-geometry.ts';
import { type Label, type LabelBox, placeLabels } from './measure-labels.ts';

const canvas: Point = [400, 300];
const label = (...points: Point[]): Label => ({ width: 100, height: 40, points });

function meet(a: LabelBox, b: LabelBox): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

test('a label is to the right of its shape, or to the left if there is no space', () => {
  expect(placeLabels([label([50, 100], [120, 140])], canvas)).toEqual([{ x: 130, y: 120, width: 100, height: 40 }]);
  expect(placeLabels([label([350, 100], [380, 140])], canvas)).toEqual([{ x: 240, y: 80, width: 100, height: 40 }]);
  // It is below a shape that is as wide as the canvas.
  expect(placeLabels([label([5, 100], [395, 100])], canvas)).toEqual([{ x: 0, y: 110, width: 100, height: 40 }]);
});

test('labels of adjacent or nested shapes do not overlap and stay on the canvas', () => {
  const shapes = [
    label([50, 100], [120, 140]),
    label([230, 100], [300, 140]),
    label([60, 110], [110, 130]),
    label([50, 100], [120, 140]),
    label([125, 290], [130, 295]),
  ];
  const boxes = placeLabels(shapes, canvas);
  for (const [index, box] of boxes.entries()) {
    expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= canvas[0] && box.y + box.height <= canvas[1]).toBe(true);
    for (const other of boxes.slice(index + 1)) expect(meet(box, other), JSON.stringify([box, other])).toBe(false);
  }
});

test('on a canvas smaller than the label, the label starts in the corner', () => {
  expect(placeLabels([label([10, 10])], [60, 30])).toMatchObject([{ x: 0, y: 0 }]);
});
