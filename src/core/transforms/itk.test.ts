import { describe, expect, it } from 'vitest';
import { otherLateral, readItk, writeItk } from './itk.ts';
import { chained, pointThrough, rotation, type Transform, translation } from './transform.ts';

function file(name: string, parameters: string, fixed: string): string {
  return `#Insight Transform File V1.0\n#Transform 0\nTransform: ${name}\nParameters: ${parameters}\nFixedParameters: ${fixed}\n`;
}

function expectSame(found: Transform, expected: Transform): void {
  found.forEach((value, at) => {
    expect(value).toBeCloseTo(expected[at] as number, 9);
  });
}

describe('transforms of ITK', () => {
  // ITK Software Guide, 'Transforms': T(x) = A (x − C) + C + T for all that derive from MatrixOffsetTransformBase.
  it.each([
    'AffineTransform_double_3_3',
    'AffineTransform_float_3_3',
    'MatrixOffsetTransformBase_double_3_3',
    'Rigid3DTransform_double_3_3',
  ])('%s turns about its centre, then moves', (name) => {
    const found = readItk(file(name, '0 -1 0 1 0 0 0 0 1 1 2 3', '10 0 0'));
    // One to the right of the centre goes one behind it, and then by the translation.
    expect(pointThrough(found, [11, 0, 0])).toEqual([11, 3, 3]);
    expect(pointThrough(found, [10, 0, 5])).toEqual([11, 2, 8]);
  });

  it('Euler3DTransform turns about y, then x, then z, unless its fourth fixed parameter says z last of x, y, z', () => {
    const [x, y, z] = [0.3, -0.4, 1.1];
    const turn = (axis: readonly [number, number, number], radians: number) => rotation(axis, (radians * 180) / Math.PI);
    const [aboutX, aboutY, aboutZ] = [turn([1, 0, 0], x), turn([0, 1, 0], y), turn([0, 0, 1], z)];
    const parameters = `${x} ${y} ${z} 4 5 6`;
    // itkEuler3DTransform.hxx, ComputeMatrix: RotationZ * RotationX * RotationY, or RotationZ * RotationY * RotationX.
    const [usual, other] = [chained(aboutY, aboutX, aboutZ), chained(aboutX, aboutY, aboutZ)];
    expectSame(readItk(file('Euler3DTransform_double_3_3', parameters, '0 0 0')), chained(usual, translation([4, 5, 6])));
    expectSame(readItk(file('Euler3DTransform_double_3_3', parameters, '0 0 0 0')), chained(usual, translation([4, 5, 6])));
    expectSame(readItk(file('Euler3DTransform_double_3_3', parameters, '0 0 0 1')), chained(other, translation([4, 5, 6])));
  });

  it('VersorRigid3DTransform and Similarity3DTransform turn by a versor', () => {
    // A quarter turn about z: sin(45°) along z.
    const versor = `0 0 ${Math.SQRT1_2}`;
    const rigid = readItk(file('VersorRigid3DTransform_double_3_3', `${versor} 1 2 3`, '10 0 0'));
    expectSame(rigid, readItk(file('AffineTransform_double_3_3', '0 -1 0 1 0 0 0 0 1 1 2 3', '10 0 0')));
    const similar = readItk(file('Similarity3DTransform_double_3_3', `${versor} 1 2 3 2`, '10 0 0'));
    expectSame(similar, readItk(file('AffineTransform_double_3_3', '0 -2 0 2 0 0 0 0 2 1 2 3', '10 0 0')));
  });

  it('TranslationTransform moves, and IdentityTransform does nothing', () => {
    expect(pointThrough(readItk(file('TranslationTransform_double_3_3', '1 -2 3', '')), [1, 1, 1])).toEqual([2, -1, 4]);
    expect(pointThrough(readItk(file('IdentityTransform_double_3_3', '', '')), [1, 2, 3])).toEqual([1, 2, 3]);
  });

  it('are written as an affine transform that reads back exactly, with any line ends', () => {
    const transform = chained(rotation([0.6, 0, 0.8], 33), translation([1e-7, -250.125, 1 / 3]));
    const text = writeItk(transform);
    expect(text).toMatch(/^#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: /);
    expect(readItk(text)).toEqual(transform);
    expect(readItk(text.replaceAll('\n', '\r\n'))).toEqual(transform);
  });

  it('change the signs of x and y between LPS and RAS', () => {
    const lps = chained(rotation([0, 0, 1], 90), translation([1, 2, 3]));
    const ras = otherLateral(lps);
    expect(pointThrough(ras, [-5, -6, 7])).toEqual(pointThrough(lps, [5, 6, 7]).map((value, at) => (at === 2 ? value : -value)));
    expect(otherLateral(ras)).toEqual(lps);
  });

  it.each([
    ['names no transform', '#Insight Transform File V1.0\n'],
    ['composite transform', file('CompositeTransform_double_3_3', '', '')],
    ['2 transforms', file('AffineTransform_double_3_3', '', '') + file('AffineTransform_double_3_3', '', '')],
    ['"BSplineTransform_double_3_3"', file('BSplineTransform_double_3_3', '1', '')],
    ['"constructor_double_3_3"', file('constructor_double_3_3', '1', '')],
    ['does not transform 3D points', file('Euler2DTransform_double_2_2'.replace('Euler2D', 'Affine'), '1 0 0 1 0 0', '0 0')],
    ['Parameters has 11 numbers instead of 12', file('AffineTransform_double_3_3', '1 0 0 0 1 0 0 0 1 1 2', '0 0 0')],
    ['FixedParameters has 2 numbers instead of 3', file('AffineTransform_double_3_3', '1 0 0 0 1 0 0 0 1 1 2 3', '0 0')],
    ['"0x10" instead of a number', file('TranslationTransform_double_3_3', '1 2 0x10', '')],
    ['"1e999" instead of a number', file('TranslationTransform_double_3_3', '1 2 1e999', '')],
    ['"nan" instead of a number', file('TranslationTransform_double_3_3', '1 2 nan', '')],
    ['the line Parameters twice', `${file('TranslationTransform_double_3_3', '1 2 3', '')}Parameters: 1 2 3\n`],
    ['longer than 1', file('VersorRigid3DTransform_double_3_3', '1 1 0 0 0 0', '0 0 0')],
  ])('are refused: %s', (message, text) => {
    expect(() => readItk(text)).toThrow(message);
  });
});
