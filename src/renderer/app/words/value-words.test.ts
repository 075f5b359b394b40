import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ElementType } from '../../../core/shared/volume.ts';
import { formatEnds, formatExact, formatValue, formatWithin, valueRange } from './value-words.ts';

/** Replaces thin spaces by ordinary ones, to keep expectations readable. */
const plain = (text: string) => text.replaceAll('\u202f', ' ');
const read = (text: string) => Number(text.replaceAll('\u202f', '').replaceAll('−', '-').replace('∞', 'Infinity'));
const f32 = Math.fround;

describe('a stored value', () => {
  it('is shown exactly, with as few digits as possible', () => {
    expect(plain(formatExact(1000000.75, 'f32'))).toBe('1 000 000.75');
    expect(formatExact(f32(0.1), 'f32')).toBe('0.1');
    expect(formatExact(f32(1 / 3), 'f32')).toBe('0.33333334');
    expect(formatExact(1 / 3, 'f64')).toBe('0.3333333333333333');
    expect(formatExact(f32(6.2e-13), 'f32')).toBe('6.2e−13');
    expect(formatExact(-f32(3.4028235e38), 'f32')).toBe('−3.4028235e38');
    expect(plain(formatExact(1000000.7500001, 'f64'))).toBe('1 000 000.7500001');
    expect(formatExact(Number.NaN, 'f32')).toBe('NaN');
    expect(formatExact(-Infinity, 'f64')).toBe('−∞');
    expect(formatExact(-0, 'f32')).toBe('−0');
    expect(plain(formatExact(614_454_272, 'f32'))).toBe('614 454 272');
    expect(plain(formatExact(f32(6.2e12), 'f32'))).toBe('6 200 000 000 000');
  });

  it('is shown in full if it is an integer', () => {
    expect(plain(formatExact(4_294_967_295, 'u32'))).toBe('4 294 967 295');
    expect(plain(formatExact(4_000_000_000, 'u32'))).toBe('4 000 000 000');
    expect(plain(formatExact(-2_147_483_648, 'i32'))).toBe('−2 147 483 648');
  });

  it('reads back as the same number, whatever it is', () => {
    const isKept = (type: ElementType, round: (value: number) => number) => (value: number) =>
      Object.is(round(read(formatExact(value, type))), value);
    fc.assert(fc.property(fc.float(), isKept('f32', f32)));
    fc.assert(fc.property(fc.double(), isKept('f64', Number)));
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), isKept('u32', Number)));
  });
});

describe('a physical value', () => {
  const words = (stored: number, type: 'u8' | 'i16' | 'i32' | 'f32', slope: number, intercept = 0) =>
    plain(formatValue(stored, { type, slope, intercept }));

  it('is the stored value if nothing is scaled', () => {
    expect(words(1000000.75, 'f32', 1)).toBe('1 000 000.75');
    expect(words(7, 'u8', 1)).toBe('7');
  });

  it('has no noise from a slope stored in 32 bits', () => {
    expect(words(3, 'u8', f32(0.1))).toBe('0.3');
    expect(words(12_345, 'i16', f32(0.1))).toBe('1 234.5');
    expect(words(31, 'u8', -2.5, 1000)).toBe('922.5');
    expect(words(f32(0.1), 'f32', 1, 1000)).toBe('1 000.1');
    expect(words(5, 'u8', 0, 3)).toBe('3');
  });

  it('has enough digits to tell each stored integer from the next', () => {
    const type = 'i32';
    const scale = fc.constantFrom(f32(0.1), -2.5, f32(1e-9), f32(3.7e12), 1, f32(1 / 3));
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 2 }), scale, (stored, slope) => {
        const info = { type, slope, intercept: 0 } as const;
        expect(formatValue(stored, info)).not.toBe(formatValue(stored + 1, info));
      }),
    );
  });
});

describe('the ends of a range', () => {
  const ends = (low: number, high: number) => formatEnds(low, high).map(plain).join(' to ');

  it('can be told apart', () => {
    expect(ends(1000000.25, 1000002)).toBe('1 000 000.25 to 1 000 002');
    expect(ends(4_294_967_040, 4_294_967_295)).toBe('4 294 967 040 to 4 294 967 295');
    expect(ends(0, f32(6.2e-13))).toBe('0 to 6.2e−13');
    expect(ends(-f32(3e38), f32(3e38))).toBe('−3e38 to 3e38');
    expect(ends(0, 255)).toBe('0 to 255');
    expect(ends(f32(0.1), f32(0.7))).toBe('0.1 to 0.7');
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
        if (a !== b && Number.isFinite(a) && Number.isFinite(b)) expect(formatEnds(a, b)[0]).not.toBe(formatEnds(a, b)[1]);
      }),
    );
  });

  it('determine the digits of a value between them', () => {
    const within = (value: number, low: number, high: number) => plain(formatWithin(value, [low, high]));
    expect(within(1000000.75, 1000000.25, 1000002)).toBe('1 000 000.75');
    expect(within(0.123456789, 0, 1)).toBe('0.12346');
    expect(within(4_294_967_200, 4_294_967_040, 4_294_967_295)).toBe('4 294 967 200');
    expect(within(0.1 + 0.2, 0, 1)).toBe('0.3');
  });

  it('cover all values, the lower first', () => {
    const range = (min: number, max: number, slope = 1, intercept = 0, count = 1) =>
      plain(valueRange({ type: 'f32', slope, intercept }, { numbers: [min, max], count }));
    expect(range(1000000.25, 1000002)).toBe('1 000 000.25 to 1 000 002');
    expect(range(0, 31, -2.5, 1000)).toBe('922.5 to 1 000');
    expect(range(7, 7)).toBe('7 everywhere');
    expect(range(0, 0, 1, 0, 0)).toBe('no finite values');
  });
});
