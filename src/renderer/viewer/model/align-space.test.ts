import { expect, test } from 'vitest';
import { dot, scaled, sum } from '../../../core/shared/vectors.ts';
import { AlignSpace } from './align-space.ts';
import { layerCenter, motionNumbers } from './alignment.ts';
import type { CameraFrame, ScenePoint } from './camera-frame.ts';
import { base, layerInfo } from './layer-testing.ts';

const layer = layerInfo('u8');
const space = new AlignSpace(base, layer);

/** An orthographic camera that looks along −z. */
const frame: CameraFrame = {
  right: [1, 0, 0],
  up: [0, 1, 0],
  toEye: [0, 0, 1],
  pixelsPerLength: 400,
  width: 800,
  height: 600,
  project: ([x, y]) => [400 + 400 * x, 300 - 400 * y],
  isAhead: () => true,
};
const moved = (from: ScenePoint, to: ScenePoint) =>
  [frame.project(to)[0] - frame.project(from)[0], frame.project(to)[1] - frame.project(from)[1]] as const;

test('an arm moves the layer along its world axis by as much as the pointer moves along the arm', () => {
  const center = space.center(undefined);
  // Anterior points at the camera; the patient's right is on the left.
  const tip = space.tip(center, 0);
  expect(tip[0]).toBeLessThan(center[0]);
  const motion = space.draggedTip(undefined, 0, frame, moved(center, tip));
  const { move } = motionNumbers(motion, layerCenter(base, layer));
  expect([move[1], move[2]].map((value) => Math.abs(value) < 1e-9)).toEqual([true, true]);
  const after = space.center(motion);
  expect(Math.hypot(...sum(after, scaled(tip, -1)))).toBeLessThan(1e-6);
});

test('the centre stays under the pointer in the plane of the screen', () => {
  const before = space.center(undefined);
  const after = space.center(space.draggedCenter(undefined, frame, [40, -20]));
  expect(moved(before, after).map((value) => Math.round(value * 1e6) / 1e6)).toEqual([40, -20]);
  expect(after[2]).toBeCloseTo(before[2], 9);
});

test('a knob turns the layer about the layer’s centre and the knob’s axis, in the direction of the drag', () => {
  const center = space.center(undefined);
  for (const axis of [0, 1, 2] as const) {
    const knob = space.knob(center, axis);
    const turned = space.draggedKnob(undefined, axis, frame, [12, 7]);
    const { move, turn } = motionNumbers(turned, layerCenter(base, layer));
    expect(Math.hypot(...move)).toBeLessThan(1e-9);
    expect(turn.map((value, at) => at === axis || Math.abs(value) < 1e-9)).toEqual([true, true, true]);
    expect(Math.abs(turn[axis])).toBeGreaterThan(0.5);
    // A small turn moves the knob along its ring, in the direction of the drag.
    const radians = (turn[axis] * Math.PI) / 180;
    const out = sum(knob, scaled(center, -1));
    const [tip] = [sum(space.tip(center, axis), scaled(center, -1))];
    const unit = scaled(tip, 1 / Math.hypot(...tip));
    const along = [
      unit[1] * out[2] - unit[2] * out[1],
      unit[2] * out[0] - unit[0] * out[2],
      unit[0] * out[1] - unit[1] * out[0],
    ] as const;
    const pixels = scaled(along, radians * frame.pixelsPerLength);
    if (Math.hypot(along[0], along[1]) > 0.3 * Math.hypot(...along)) expect(dot([12, -7, 0], pixels)).toBeGreaterThan(0);
  }
});

test('each axis has an arm and a closed ring about the centre', () => {
  const center = space.center(undefined);
  const [arm, ...ring] = space.lines(center, 2);
  expect(arm).toEqual([center, space.tip(center, 2)]);
  expect(Math.hypot(...sum(ring[0]?.[0] as ScenePoint, scaled(ring.at(-1)?.[1] as ScenePoint, -1)))).toBeLessThan(1e-9);
});
