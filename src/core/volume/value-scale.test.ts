import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rangeStart, valuePower } from './value-scale.ts';

/** Any finite 32-bit float, including subnormal ones. */
const float = fc.float({ noNaN: true, noDefaultInfinity: true });

test('any pair of floats is scaled so that the width does not overflow and its reciprocal does not underflow', () => {
  fc.assert(
    fc.property(float, float, (a, b) => {
      fc.pre(a !== b);
      const scale = 2 ** valuePower('f32', [a, b]);
      const width = Math.fround(scale * Math.abs(b - a));
      expect(Math.max(Math.abs(a * scale), Math.abs(b * scale))).toBeLessThanOrEqual(1);
      // Both are normal 32-bit floats, far from values that GPUs treat as 0 or infinity.
      expect(width).toBeGreaterThan(2 ** -60);
      expect(width).toBeLessThanOrEqual(2);
      expect(Math.fround(1 / width)).toBeGreaterThan(2 ** -60);
      expect(Math.fround(1 / width)).toBeLessThan(2 ** 60);
    }),
  );
});

test('the 32-bit float and the rest add up to the exact start of a range', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e38, max: 1e38, noNaN: true }), fc.constantFrom('f32', 'f64'), (first, type) => {
      const { power, rest } = rangeStart(type, [first, first + Math.abs(first) + 1]);
      expect(Math.fround(first) * 2 ** power + rest).toBeCloseTo(first * 2 ** power, 12);
    }),
  );
});

test('integers are not scaled, except in ranges near the limit of floats', () => {
  expect(valuePower('u32', [0, 2 ** 32 - 1])).toBe(0);
  expect(valuePower('i16', [-1e30, 1e30])).toBe(-1);
  expect(valuePower('u8', [-3e38, 3e38])).toBeLessThan(-20);
  expect(rangeStart('u8', [9.75, 20])).toMatchObject({ power: 0, key: 9, rest: 0.75 });
  expect(rangeStart('u8', [-30, 20])).toMatchObject({ key: 0, rest: -30 });
});
