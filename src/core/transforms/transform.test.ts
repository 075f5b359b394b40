import { describe, expect, it } from 'vitest';
import {
  aboutPoint,
  anglesOf,
  chained,
  determinantOf,
  identityTransform,
  inverted,
  isUsableTransform,
  nearestRotation,
  pointThrough,
  rotation,
  rotationOfAngles,
  type Transform,
  translation,
} from './transform.ts';

function expectSame(found: readonly number[], expected: readonly number[]): void {
  found.forEach((value, at) => {
    expect(value).toBeCloseTo(expected[at] as number, 9);
  });
}

const some: Transform = [0.2, 1.4, 0.3, -11, 1.2, -0.3, 0, -9, -0.2, 0.1, 1.5, -11];

describe('transforms', () => {
  it('are done one after the other, and undone by their inverse', () => {
    const both = chained(translation([1, 2, 3]), rotation([0, 0, 1], 90));
    expectSame(pointThrough(both, [1, 0, 0]), [-2, 2, 3]);
    expectSame(chained(some, inverted(some)), identityTransform);
  });

  it('about a point leave it in place', () => {
    expectSame(pointThrough(aboutPoint(rotation([0.6, 0, 0.8], 40), [5, 6, 7]), [5, 6, 7]), [5, 6, 7]);
  });

  it('have angles about x, then y, then z, from which the same rotation follows, even where two axes meet', () => {
    expectSame(anglesOf(rotationOfAngles([10, -20, 170])), [10, -20, 170]);
    for (const angles of [
      [30, 90, 0],
      [30, 90, 40],
      [-70, -90, 20],
    ] as const) {
      const turn = rotationOfAngles(angles);
      expectSame(rotationOfAngles(anglesOf(turn)), turn);
    }
  });

  it('have a nearest rotation, that of a mirrored one without the mirroring', () => {
    const turn = rotationOfAngles([10, -20, 30]);
    const stretched = chained([2, 0.1, 0, 0, 0.1, 1, 0, 0, 0, 0, 3, 0], turn);
    expectSame(nearestRotation(stretched), turn);
    const mirrored = chained(
      stretched.map((value) => -value),
      translation([1, 2, 3]),
    );
    expect(determinantOf(nearestRotation(mirrored))).toBeCloseTo(1, 12);
    expectSame(nearestRotation(mirrored), turn);
  });

  it('are not usable if they are flat, too large, or not numbers', () => {
    expect(isUsableTransform(some)).toBe(true);
    expect(isUsableTransform([...some.slice(0, 11), Number.NaN])).toBe(false);
    expect(isUsableTransform([...some.slice(0, 11), 1e12])).toBe(false);
    expect(isUsableTransform([1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0])).toBe(false);
    expect(isUsableTransform(some.slice(0, 11))).toBe(false);
  });
});
