import { expect, test } from 'vitest';
import { expectClosed, randomNumbers, volumeInside } from './mesh-testing.ts';
import { SurfaceBuilder } from './surface-builder.ts';

function surfaceOf(
  [width, height, depth]: readonly [number, number, number],
  level: number,
  value: (x: number, y: number, z: number) => number,
) {
  const builder = new SurfaceBuilder(width, height, level);
  for (let z = 0; z < depth; z++)
    builder.add(Array.from({ length: width * height }, (_, at) => value(at % width, Math.floor(at / width), z)));
  return builder.finish();
}

test('a sphere is closed, and within a hundredth of a voxel', () => {
  const [centre, radius] = [[10.3, 11.1, 9.6] as const, 7.4];
  const distance = (x: number, y: number, z: number) => Math.hypot(x - centre[0], y - centre[1], z - centre[2]);
  const mesh = surfaceOf([22, 23, 21], -radius, (x, y, z) => -distance(x, y, z));
  expectClosed(mesh);
  for (let at = 0; at < mesh.positions.length; at += 3) {
    const [x, y, z] = mesh.positions.subarray(at, at + 3) as unknown as [number, number, number];
    expect(Math.abs(distance(x, y, z) - radius)).toBeLessThan(0.02);
  }
  expect(volumeInside(mesh) / ((4 / 3) * Math.PI * radius ** 3)).toBeCloseTo(1, 1.5);
});

test('any voxels give closed surfaces, also at the ends of the volume', () => {
  const random = randomNumbers(1);
  for (let round = 0; round < 60; round++) {
    const dims = [1 + Math.floor(random() * 7), 1 + Math.floor(random() * 7), 1 + Math.floor(random() * 7)] as const;
    const share = random();
    const mesh = surfaceOf(dims, 0.5, () => (random() < share ? 1 : 0));
    expectClosed(mesh);
    expect(volumeInside(mesh)).toBeGreaterThanOrEqual(0);
  }
});

test('a single voxel gives an octahedron; nothing gives nothing', () => {
  const one = surfaceOf([1, 1, 1], 5, () => 5);
  expect([one.positions.length / 3, one.triangles.length / 3]).toEqual([6, 8]);
  expect(volumeInside(one)).toBeCloseTo(1 / 6, 6);
  expect(surfaceOf([3, 3, 3], 5, () => 4).triangles).toHaveLength(0);
});

test('values that are not numbers are outside, infinite ones inside, and both give finite corners', () => {
  const values = [Number.NaN, 1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1, 0, 1, Number.NaN];
  const mesh = surfaceOf([2, 2, 2], 0.5, (x, y, z) => values[x + 2 * y + 4 * z] as number);
  expectClosed(mesh);
  expect(mesh.positions.every(Number.isFinite)).toBe(true);
});
