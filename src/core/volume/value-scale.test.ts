import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rangeStart, valuePower } from './value-scale.ts';

/** Every finite 32-bit float, subnormal ones too. */
const float = fc.float({ noNaN: true, noDefaultInfinity: true });

test('floats are scaled so that neither a width overflows nor its reciprocal underflows, for every pair of them', () => {
  fc.assert(
    fc.property(float, float, (a, b) => {
      fc.pre(a !== b);
      const scale = 2 ** valuePower('f32', [a, b]);
      const width = Math.fround(scale * Math.abs(b - a));
      expect(Math.max(Math.abs(a * scale), Math.abs(b * scale))).toBeLessThanOrEqual(1);
      // Normal 32-bit floats, both: far from where GPUs take them for 0 or infinity.
      expect(width).toBeGreaterThan(2 ** -60);
      expect(width).toBeLessThanOrEqual(2);
      expect(Math.fround(1 / width)).toBeGreaterThan(2 ** -60);
      expect(Math.fround(1 / width)).toBeLessThan(2 ** 60);
    }),
  );
});

test('the start of a range is exact: the 32-bit float and the rest', () => {
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
