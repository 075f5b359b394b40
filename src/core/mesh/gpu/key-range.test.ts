import { expect, test } from 'vitest';
import { type ElementType, elementTypes, typedVoxels } from '../../shared/volume.ts';
import type { SurfaceChoice } from '../surfaces.ts';
import { keysInside } from './key-range.ts';

const bits = new DataView(new ArrayBuffer(8));

/** As in classify.wgsl. */
function keyOf(type: ElementType, value: number): bigint {
  if (type === 'f64') {
    bits.setFloat64(0, value);
    const word = bits.getBigUint64(0);
    return word >> 63n === 1n ? ~word & 0xffffffffffffffffn : word | (1n << 63n);
  }
  if (type === 'f32') {
    bits.setFloat32(0, value);
    const word = BigInt(bits.getUint32(0));
    return word >> 31n === 1n ? ~word & 0xffffffffn : word | 0x80000000n;
  }
  return BigInt(type.startsWith('i') ? value + 2 ** 31 : value);
}

const values = [
  -Infinity,
  -1.7e308,
  -3.4e38,
  -(2 ** 31),
  -40_000,
  -129,
  -128,
  -3.5,
  -1,
  -1e-40,
  -0,
  0,
  5e-324,
  0.1,
  0.3,
  1,
  2,
  2.999999999,
  3,
  4,
  127,
  128,
  255,
  256,
  32_767,
  65_535,
  16_777_217,
  2 ** 31,
  4_294_967_295,
  3.4e38,
  1e39,
  1.7e308,
  Infinity,
  Number.NaN,
];
const scales = [
  [1, 0],
  [-0.1, 0.3],
  [1e-9, 1e9],
  [3e38, -2],
  [0, 3],
] as const;

test.each(elementTypes)('%s: a value is in the range if its physical value is inside', (type) => {
  const choices: SurfaceChoice[] = [-4, 0, 0.1, 0.3, 3, 127.5, 1e9, 1e300, Infinity, -Infinity].map((level) => ({ level }));
  for (const choice of [...choices, ...[-128, 0, 3, 1e9, 2 ** 32 - 1].map((label) => ({ label }))]) {
    for (const [slope, intercept] of scales) {
      const range = keysInside(choice, type, { slope, intercept });
      // As the type stores them.
      const stored = typedVoxels(type, new Uint8Array(8 * values.length)).subarray(0, values.length);
      stored.set(values);
      for (const value of stored) {
        const physical = slope * value + intercept;
        const isInside = 'level' in choice ? physical >= choice.level : physical === choice.label;
        const key = keyOf(type, value);
        const isInRange = range !== undefined && key >= range.first && key <= range.last;
        if (isInside !== isInRange) expect({ choice, slope, intercept, value, isInRange }).toMatchObject({ isInRange: isInside });
      }
    }
  }
});
