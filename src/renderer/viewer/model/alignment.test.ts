import { expect, test } from 'vitest';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { motionOf, parseTransform, storedMotion, transformText } from '../../../core/transforms/layer-transforms.ts';
import { chained, pointThrough, rotation, stepThrough, type Transform, translation } from '../../../core/transforms/transform.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { centered, layerCenter, matched, motionNumbers, motionWith, movedBy, transformPair, turnedBy } from './alignment.ts';
import { placeLayer } from './layer-place.ts';
import { base, layerInfo } from './layer-testing.ts';
import { mapPosition, mapStep } from './voxel-map.ts';

const layer = layerInfo('u8');
const motion = chained(rotation([0.6, 0, 0.8], 25), translation([4, -3, 2]));

function expectSame(found: readonly number[] | undefined, expected: readonly number[] | undefined): void {
  expect(found?.length).toBe(expected?.length);
  found?.forEach((value, at) => {
    expect(value).toBeCloseTo(expected?.[at] as number, 9);
  });
}

test('numbers say how far the centre moved and how the layer turned about it, and convert back to the same motion', () => {
  const center = layerCenter(base, layer);
  const made = motionWith(undefined, center, { move: [1, 2, 3], turn: [10, -20, 30] });
  const numbers = motionNumbers(made, center);
  expectSame(numbers.move, [1, 2, 3]);
  expectSame(numbers.turn, [10, -20, 30]);
  expect(numbers.isRigid).toBe(true);
  expectSame(layerCenter(base, layer, made), [center[0] + 1, center[1] + 2, center[2] + 3]);
  expect(motionWith(made, center, { move: [0, 0, 0], turn: [0, 0, 0] })).toBeUndefined();
});

test('changing numbers keeps the scaling and mirroring of a matrix', () => {
  const center = layerCenter(base, layer);
  const stretched: Transform = [-2, 0.1, 0, 5, 0.1, 1, 0, 0, 0, 0, 3, 1];
  const numbers = motionNumbers(stretched, center);
  expect(numbers.isRigid).toBe(false);
  expectSame(motionWith(stretched, center, numbers), stretched);
});

test('moves and turns are in world coordinates, and the fixed point of a turn stays', () => {
  expect(movedBy(undefined, [1, 2, 3])).toEqual(translation([1, 2, 3]));
  expect(movedBy(translation([1, 2, 3]), [-1, -2, -3])).toBeUndefined();
  const turned = turnedBy(undefined, [0, 0, 1], 90, [5, 5, 0]) as Transform;
  expectSame(pointThrough(turned, [5, 5, 7]), [5, 5, 7]);
  expectSame(pointThrough(turned, [6, 5, 0]), [5, 6, 0]);
});

test('centring aligns the centres', () => {
  const made = centered(base, layer, motion);
  const { map } = placeLayer(base, layer, made);
  expectSame(mapPosition(map, [10, 8.5, 6]), [5.5, 7, 8]);
  expectSame(motionNumbers(made, layerCenter(base, layer)).turn, motionNumbers(motion, layerCenter(base, layer)).turn);
});

test('matching makes the voxel axes parallel by the smallest turn, and keeps the centre in place', () => {
  const spaced = (affine: Transform): VolumeInfo => ({ ...testInfo([10, 20, 30, 1], 'u8'), affine });
  const scan = spaced([1, 0, 0, -5, 0, 1, 0, -6, 0, 0, 1, -7]);
  // Its x axis runs along the scan's y axis, its y axis against x; then it is turned by 20°.
  const sideways = chained([0, -2, 0, 3, 2, 0, 0, 4, 0, 0, 2, 5], rotation([0, 0.6, 0.8], 20));
  const other = spaced(sideways);
  const made = matched(scan, other, undefined);
  expectSame(layerCenter(scan, other, made), layerCenter(scan, other));
  const { map } = placeLayer(scan, other, made);
  expectSame(mapStep(map, [0, 2, 0]), [1, 0, 0]);
  expectSame(mapStep(map, [2, 0, 0]), [0, -1, 0]);
  expectSame(mapStep(map, [0, 0, 2]), [0, 0, 1]);
  expectSame(matched(scan, other, made), made);
  // A mirrored volume stays mirrored, since a motion only turns.
  const mirrored = spaced(chained([-1, 0, 0, 3, 0, 1, 0, 4, 0, 0, 1, 5], rotation([0, 0, 1], 10)));
  const step = stepThrough(matched(scan, mirrored, undefined) as Transform, stepThrough(mirrored.affine, [1, 0, 0]));
  expectSame(step.map(Math.abs).sort(), [0, 0, 1]);
});

test('files of ITK and of FLIRT that describe the same motion place the layer alike', () => {
  const pair = transformPair(base, layer);
  const placed = (['itk', 'fsl', 'plain'] as const).map((format) => {
    const text = transformText(storedMotion(motion, format, pair), format);
    const { numbers } = parseTransform(new TextEncoder().encode(text), 'a.mat');
    return placeLayer(base, layer, motionOf(numbers, format, pair, 'layer')).map;
  });
  const { map } = placeLayer(base, layer, motion);
  for (const one of placed) expectSame(mapPosition(one, [3, 4, 5]), mapPosition(map, [3, 4, 5]));
});
