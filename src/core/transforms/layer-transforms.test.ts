import { describe, expect, it } from 'vitest';
import type { VolumeInfo } from '../shared/volume.ts';
import {
  motionOf,
  type Pair,
  parseTransform,
  storedMotion,
  type TransformFormat,
  transformFormats,
  transformText,
} from './layer-transforms.ts';
import { chained, pointThrough, rotation, type Transform, translation } from './transform.ts';

function volume(dims: readonly [number, number, number], affine: Transform, change: Partial<VolumeInfo> = {}): VolumeInfo {
  const length = (column: number) => Math.hypot(affine[column] ?? 0, affine[4 + column] ?? 0, affine[8 + column] ?? 0);
  const spacing = [length(0), length(1), length(2), 1] as const;
  return { dims: [...dims, 1], affine, spacing, spatialUnit: 'mm', ...change } as VolumeInfo;
}

function pairOf(base: VolumeInfo, layer: VolumeInfo): Pair {
  return { base, layer, baseToWorld: base.affine, layerToWorld: layer.affine, isOriented: true };
}

/** 1 mm, x to the right: FLIRT counts x from the other end. */
const base = volume([10, 10, 10], [1, 0, 0, -5, 0, 1, 0, -5, 0, 0, 1, -5]);
/** 2 mm, x to the left: FLIRT's x is as in the file. */
const layer = volume([10, 10, 10], [-2, 0, 0, 9, 0, 2, 0, -9, 0, 0, 2, -9]);
/** Turned, with steps of different lengths. */
const turned = volume([12, 9, 20], [0.2, 1.4, 0.3, -11, 1.2, -0.3, 0, -9, -0.2, 0.1, 1.5, -11]);
const motion = chained(rotation([0.6, 0, 0.8], 17), translation([3, -4.5, 6]));

const bytes = (text: string) => new TextEncoder().encode(text);
const identity = '1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n';
const read = (text: string, name: string, format: TransformFormat, pair: Pair) =>
  motionOf(parseTransform(bytes(text), name).numbers, format, pair, 'layer');
const itkTranslation = (by: string) =>
  `#Insight Transform File V1.0\n#Transform 0\nTransform: TranslationTransform_double_3_3\nParameters: ${by}\nFixedParameters: \n`;

function expectSame(found: Transform, expected: Transform, digits = 9): void {
  found.forEach((value, at) => {
    expect(value).toBeCloseTo(expected[at] as number, digits);
  });
}

describe('what a file says about the motion of a layer', () => {
  it('a plain matrix moves it, in world coordinates', () => {
    const text = '# from → to\n[1, 0, 0, 5; 0, 1, 0, 6; 0, 0, 1, 7; 0, 0, 0, 1]';
    expectSame(read(text, 'a.txt', 'plain', pairOf(base, layer)), translation([5, 6, 7]));
    expectSame(motionOf(translation([5, 6, 7]), 'plain', pairOf(base, layer), 'base'), translation([-5, -6, -7]));
  });

  it('a transform of ITK leads from the fixed image to the moving one, in LPS', () => {
    // A point of the scan finds its value 5 mm further to the left in the layer: the layer moves 5 mm to the right.
    expectSame(read(itkTranslation('5 0 0'), 'a.tfm', 'itk', pairOf(base, layer)), translation([5, 0, 0]));
    expectSame(read(itkTranslation('0 4 0'), 'a.tfm', 'itk', pairOf(base, layer)), translation([0, 4, 0]));
    // 7 mm further up: it moves down.
    expectSame(read(itkTranslation('0 0 7'), 'a.tfm', 'itk', pairOf(base, layer)), translation([0, 0, -7]));
    const plain = { ...pairOf(base, layer), isOriented: false };
    expectSame(read(itkTranslation('5 0 7'), 'a.tfm', 'itk', plain), translation([-5, 0, -7]));
  });

  it('a matrix of FLIRT leads from the input to the reference, in millimetres from a corner', () => {
    // FSL wiki, 'FLIRT/FAQ': voxel × voxel size, x from the other end where the determinant is positive. With the identity, the
    // layer's voxel i has FLIRT's x = 2 i, which is voxel 9 − 2 i of the scan, at 4 − 2 i mm. Its file says 9 − 2 i.
    const found = read(identity, 'a.mat', 'fsl', pairOf(base, layer));
    expectSame(found, translation([-5, 4, 4]));
    expect(pointThrough(found, pointThrough(layer.affine, [0, 0, 0]))).toEqual([4, -5, -5]);
    // The other way round, the layer's x is counted from the other end: 9 − i.
    const other = read('1 0 0 3  0 1 0 0  0 0 1 0  0 0 0 1', 'a.mat', 'fsl', pairOf(layer, base));
    // Voxel i of the layer has x = 9 − i + 3, which is at 9 − (12 − i) mm in the scan; its file says i − 5.
    expectSame(other, translation([2, -4, -4]));
  });

  it('units other than millimetres are converted, but not those of FLIRT, which knows none', () => {
    const micrometres = volume([10, 10, 10], [1000, 0, 0, -5000, 0, 1000, 0, -5000, 0, 0, 1000, -5000], { spatialUnit: 'um' });
    const pair = pairOf(micrometres, micrometres);
    expectSame(motionOf(translation([5, 6, 7]), 'plain', pair, 'layer'), translation([5000, 6000, 7000]));
    expectSame(read(itkTranslation('5 0 0'), 'a.tfm', 'itk', pair), translation([5000, 0, 0]));
    expectSame(motionOf(translation([0, 0, 7]), 'fsl', pair, 'layer'), translation([0, 0, 7]));
  });

  it.each(transformFormats)('is the same after writing and reading: %s', (format) => {
    for (const pair of [pairOf(base, turned), pairOf(turned, layer)]) {
      const text = transformText(storedMotion(motion, format, pair), format);
      const stored = parseTransform(bytes(text), format === 'fsl' ? 'a.mat' : 'a.txt');
      expect(stored.formats[0]).toBe(format);
      expectSame(motionOf(stored.numbers, format, pair, 'layer'), motion);
    }
  });

  it('is the same from ITK and from FLIRT', () => {
    // Written out as the programs define them, apart from the code: where the layer's voxel (3, 2, 7) lies in FLIRT's
    // coordinates of the scan, and where ITK finds the scan's point in the layer.
    const pair = pairOf(base, turned);
    const flirt = storedMotion(motion, 'fsl', pair);
    const itk = storedMotion(motion, 'itk', pair);
    const [i, j, k] = [3, 2, 7];
    const world = pointThrough(motion, pointThrough(turned.affine, [i, j, k]));
    const [sx, sy, sz] = turned.spacing;
    // The layer's determinant is negative, the scan's is positive.
    const there = pointThrough(flirt, [i * sx, j * sy, k * sz]);
    const voxel = [world[0] + 5, world[1] + 5, world[2] + 5] as const;
    expectSame(there, [9 - voxel[0], voxel[1], voxel[2]]);
    const rest = pointThrough(turned.affine, [i, j, k]);
    expectSame(pointThrough(itk, [-world[0], -world[1], world[2]]), [-rest[0], -rest[1], rest[2]]);
    expectSame(motionOf(flirt, 'fsl', pair, 'layer'), motionOf(itk, 'itk', pair, 'layer'));
  });

  it('may take the scan for the moving image: then the inverse is meant', () => {
    const pair = pairOf(base, turned);
    for (const format of transformFormats) {
      // As another program writes it, with the scan as the moving image and the layer as the fixed one.
      const numbers = storedMotion(motion, format, {
        ...pair,
        base: turned,
        layer: base,
        baseToWorld: turned.affine,
        layerToWorld: base.affine,
      });
      expectSame(chained(motionOf(numbers, format, pair, 'base'), motion), translation([0, 0, 0]));
    }
  });
});

it('a byte order mark before the text does not matter', () => {
  const text = `\ufeff${itkTranslation('5 0 0')}`;
  expect(parseTransform(bytes(text), 'a.txt').formats).toEqual(['itk']);
});

describe('files that hold no usable matrix are refused', () => {
  it.each([
    ['3 words', '1 2 3', 'a.txt'],
    ['17 words', `${identity} 1`, 'a.mat'],
    ['0 0 0 2 instead of 0 0 0 1', identity.replace(/1\n$/, '2\n'), 'a.mat'],
    ['"one" instead of a number', identity.replace('1', 'one'), 'a.mat'],
    ['cannot be inverted', '1 0 0 0  2 0 0 0  0 0 1 0  0 0 0 1', 'a.mat'],
    ['cannot be inverted', '0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 1', 'a.mat'],
    ['cannot be inverted', '1e300 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1', 'a.mat'],
    ['binary', '\0\0\0\0\x0c\0\0\0\x01\0\0\0AffineTransform_double_3_3\0', '0GenericAffine.mat'],
    ['0 words', '', 'a.txt'],
    ['four rows of three numbers', '0.936 0.352 0\n-0.352 0.936 0\n0 0 1\n12 -7 30\n', 'a.txt'],
  ])('%s', (message, text, name) => {
    expect(() => parseTransform(bytes(text), name)).toThrow(message);
  });
});
