import { expect, test } from 'vitest';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import {
  faceLetters,
  hasOrientation,
  safeSpacing,
  sceneEdges,
  sliceFrame,
  unitsPerLength,
  worldDirections,
} from './orientation.ts';

function info(affine: readonly number[], dims: readonly [number, number, number] = [10, 20, 40]): VolumeInfo {
  const spacing = [1, 1, 1, 1] as const;
  return { dims: [...dims, 1], type: 'u8', spacing, spatialUnit: 'mm', timeUnit: 's', affine, slope: 1, intercept: 0 };
}

// biome-ignore format: matrices
const ras = info([1, 0, 0, -5,  0, 1, 0, -10,  0, 0, 1, -20]);
// biome-ignore format: matrices
const las = info([-1, 0, 0, 5,  0, 1, 0, -10,  0, 0, 1, -20]);
// Sagittal slices as scanners write them: x runs back, y down, z to the patient's left, slightly tilted.
// biome-ignore format: matrices
const sagittal = info([0.05, 0.02, -1, 0,  -0.99, 0.1, -0.05, 0,  -0.1, -0.99, -0.02, 0]);
// biome-ignore format: matrices
const unknown = info([1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 2, 0]);

test('a plain scaling without an offset is not an orientation, nor is a singular matrix', () => {
  expect([ras, las, sagittal, unknown].map(hasOrientation)).toEqual([true, true, true, false]);
  expect(hasOrientation(info([1, 0, 0, 5, 1, 0, 0, 5, 0, 0, 1, 5]))).toBe(false);
  expect(hasOrientation(info([Number.NaN, 0, 0, 5, 0, 1, 0, 5, 0, 0, 1, 5]))).toBe(false);
  expect(hasOrientation(info([]))).toBe(false);
});

test('axial slices are viewed from the feet, with the front up', () => {
  expect(sliceFrame(ras, 'z')).toEqual({
    across: 2,
    right: { axis: 0, sign: -1 },
    down: { axis: 1, sign: -1 },
    letters: { left: 'R', right: 'L', top: 'A', bottom: 'P' },
  });
  // If stored from left to right instead, the picture is the same, but the voxel axis runs the other way.
  expect(sliceFrame(las, 'z').right).toEqual({ axis: 0, sign: 1 });
  expect(sliceFrame(las, 'z').letters).toEqual({ left: 'R', right: 'L', top: 'A', bottom: 'P' });
});

test('coronal and sagittal slices have the head up and the face on the left', () => {
  expect(sliceFrame(ras, 'y').letters).toEqual({ left: 'R', right: 'L', top: 'S', bottom: 'I' });
  expect(sliceFrame(ras, 'x').letters).toEqual({ left: 'A', right: 'P', top: 'S', bottom: 'I' });
});

test('a scan with another order of axes is reordered', () => {
  expect(worldDirections(sagittal)).toEqual([
    { axis: 1, sign: -1 },
    { axis: 2, sign: -1 },
    { axis: 0, sign: -1 },
  ]);
  expect(sliceFrame(sagittal, 'z')).toEqual({
    across: 2,
    right: { axis: 0, sign: 1 },
    down: { axis: 1, sign: 1 },
    letters: { left: 'A', right: 'P', top: 'S', bottom: 'I' },
  });
});

test('without orientation voxel axes run right and down, and there are no letters', () => {
  for (const axis of ['x', 'y', 'z'] as const) {
    const frame = sliceFrame(unknown, axis);
    expect(frame.letters).toBeUndefined();
    expect([frame.right.sign, frame.down.sign]).toEqual([1, 1]);
    expect(frame.right.axis).toBeLessThan(frame.down.axis);
  }
  expect(faceLetters(unknown)).toEqual([]);
});

test('the scene shows the front, head up, the right on the left, in true proportions', () => {
  const [x, y, z] = sceneEdges(ras);
  expect(x).toEqual([-0.25, 0, 0]);
  expect(y).toEqual([-0, 0, 0.5]);
  expect(z).toEqual([-0, 1, 0]);
  expect(sceneEdges(las)[0]).toEqual([0.25, 0, 0]);
  const [, down, away] = sceneEdges(unknown);
  expect(down?.[1]).toBeLessThan(0);
  expect(away?.[2]).toBeLessThan(0);
});

test('a scene unit is the longest edge, in the volume’s units', () => {
  expect(unitsPerLength(ras)).toBe(40);
  expect(unitsPerLength({ ...unknown, spacing: [8, 1, 1, 1] })).toBe(80);
});

test('each face has the letter of its direction', () => {
  for (const volume of [ras, las, sagittal]) {
    const letters = faceLetters(volume);
    expect(letters).toHaveLength(6);
    const main = (letter: string) => letters.find((face) => face.letter === letter)?.direction ?? [0, 0, 0];
    expect(main('S')[1]).toBeGreaterThan(0.1);
    expect(main('I')[1]).toBeLessThan(-0.1);
    expect(main('R')[0]).toBeLessThan(-0.1);
    expect(main('L')[0]).toBeGreaterThan(0.1);
    expect(main('A')[2]).toBeGreaterThan(0.1);
    expect(main('P')[2]).toBeLessThan(-0.1);
  }
});

test('spacing follows the affine; without one, invalid spacing counts as 1', () => {
  expect(safeSpacing({ ...ras, affine: [0, 3, 0, 0, 2, 0, 0, 0, 0, 0, -4, 0] })).toEqual([2, 3, 4]);
  expect(safeSpacing({ ...ras, affine: [], spacing: [0, Number.NaN, 2, 1] })).toEqual([1, 1, 2]);
});
