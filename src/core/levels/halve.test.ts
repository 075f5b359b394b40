import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HalvingMethod } from '../shared/halving.ts';
import { type Dims3, type ElementType, elementTypes, typedVoxels, volumeBytes } from '../shared/volume.ts';
import { halve as halveInWasm } from './halve.ts';
import { halveByReference } from './halve-reference.ts';

/** docs/FORMAT.md, 'Levels', one voxel at a time. */
function halvedVoxel(values: readonly number[], type: ElementType, method: HalvingMethod): number {
  if (method === 'mode') {
    const counts = values.map((value) => values.filter((other) => other === value).length);
    return values[counts.indexOf(Math.max(...counts))] as number;
  }
  if (type === 'f32' || type === 'f64') {
    const numbers = values.filter((value) => Math.abs(value) < 3.4028234663852886e38);
    if (numbers.length === 0) return values[0] as number;
    const mean = numbers.reduce((sum, value) => sum + value) / numbers.length;
    return type === 'f32' ? Math.fround(mean) : mean;
  }
  const sum = values.reduce((total, value) => total + BigInt(value), 0n);
  const [count, sign] = [BigInt(values.length), sum < 0n ? -1n : 1n];
  return Number(sign * ((2n * sum * sign + count) / (2n * count)));
}

const length = fc.integer({ min: 1, max: 5 });
/** Long enough for vectors. */
const width = fc.oneof(length, fc.integer({ min: 30, max: 70 }));

describe.each([
  { name: 'WebAssembly', halve: halveInWasm },
  { name: 'the reference', halve: halveByReference },
])('$name', ({ halve }) => {
  const step = fc.constantFrom(1, 2);

  test.each(elementTypes)('halves %s as the format says', (type) => {
    const isFloat = type === 'f32' || type === 'f64';
    fc.assert(
      fc.property(
        fc.tuple(width, length, length),
        fc.tuple(step, step, step),
        fc.integer({ min: 1, max: 2 }),
        fc.integer(),
        fc.constantFrom<HalvingMethod>('mean', 'mode'),
        (dims, steps, count, seed, method) => {
          let state = seed >>> 0;
          const next = () => {
            state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
            return state >>> 16;
          };
          const bytes = new Uint8Array(volumeBytes({ dims: [...dims, count], type }));
          // Few values for some seeds, so that labels repeat.
          for (let at = 0; at < bytes.length; at++) bytes[at] = seed % 2 === 0 ? next() % 2 : next();
          const voxels = typedVoxels(type, bytes);
          if (isFloat && seed % 3 === 0)
            voxels[0] = [Number.NaN, Number.POSITIVE_INFINITY, -3.4028234663852886e38][next() % 3] as number;
          const halved = halve(voxels, type, dims as Dims3, steps as Dims3, count, method);
          const expected: number[] = [];
          const [nx, ny, nz] = dims;
          for (let volume = 0; volume < count; volume++)
            for (let z = 0; z < nz; z += steps[2])
              for (let y = 0; y < ny; y += steps[1])
                for (let x = 0; x < nx; x += steps[0]) {
                  const near: number[] = [];
                  for (let dz = 0; dz < steps[2] && z + dz < nz; dz++)
                    for (let dy = 0; dy < steps[1] && y + dy < ny; dy++)
                      for (let dx = 0; dx < steps[0] && x + dx < nx; dx++)
                        near.push(voxels[((volume * nz + z + dz) * ny + y + dy) * nx + x + dx] as number);
                  expected.push(halvedVoxel(near, type, method));
                }
          expect([...halved]).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('means of whole numbers are rounded away from zero at halves, also at the ends of the type', () => {
    const row = (type: ElementType, ...values: number[]) => {
      const voxels = typedVoxels(type, new Uint8Array(volumeBytes({ dims: [values.length, 1, 1, 1], type })));
      voxels.set(values);
      return [...halve(voxels, type, [values.length, 1, 1], [2, 1, 1], 1, 'mean')];
    };
    expect(row('u8', 0, 1, 254, 255, 7)).toEqual([1, 255, 7]);
    expect(row('i16', 0, -1, -2, -3, -32_768, -32_768)).toEqual([-1, -3, -32_768]);
    expect(row('u32', 4_294_967_295, 4_294_967_294)).toEqual([4_294_967_295]);
    expect(row('i32', -2_147_483_648, -2_147_483_647)).toEqual([-2_147_483_648]);
  });

  test('negative zeros stay so, in the middle and at the ends', () => {
    const halved = halve(new Float32Array(27).fill(-0), 'f32', [3, 3, 3], [2, 2, 2], 1, 'mean');
    expect([...halved]).toEqual(new Array(8).fill(-0));
  });

  test('a NaN that has no number beside it keeps its bits', () => {
    const bits = Uint32Array.of(0xffc12345, 0x7f800000, 0x3f800000, 0x7fc00000);
    const halved = halve(new Float32Array(bits.buffer), 'f32', [4, 1, 1], [2, 1, 1], 1, 'mean');
    expect([...new Uint32Array(halved.buffer)]).toEqual([0xffc12345, 0x3f800000]);
  });
});

test.each([
  { dims: [301, 51, 3], steps: [2, 2, 2], count: 1 },
  { dims: [301, 51, 2], steps: [2, 2, 1], count: 2 },
  { dims: [64, 31, 33], steps: [2, 2, 2], count: 2 },
  { dims: [64, 31, 5], steps: [1, 2, 2], count: 1 },
  { dims: [5001, 2, 2], steps: [2, 1, 2], count: 1 },
] as const)('$dims are halved in pieces of planes or rows', ({ dims, steps, count }) => {
  const voxels = new Uint8Array(dims[0] * dims[1] * dims[2] * count).map((_, i) => (i * i) >> 7);
  const expected = halveByReference(voxels, 'u8', dims, steps, count, 'mean');
  expect(halveInWasm(voxels, 'u8', dims, steps, count, 'mean', 2 ** 12)).toEqual(expected);
});
