import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldText, readNumber } from './number-text.ts';

const value = (text: string) => {
  const read = readNumber(text);
  return 'value' in read ? read.value : read.problem;
};

describe('a number in a field', () => {
  it('is read in common notations', () => {
    expect(value('1e9')).toBe(1e9);
    expect(value('6e-13')).toBe(6e-13);
    expect(value(' −6.5E−13 ')).toBe(-6.5e-13);
    expect(value('+.5')).toBe(0.5);
    expect(value('3.')).toBe(3);
    expect(value('1234567890123456')).toBe(1234567890123456);
    expect(value('1 000 004.125')).toBe(1000004.125);
    expect(value('1\u202f000\u00a0004')).toBe(1000004);
    expect(value('−3×10^38')).toBe(-3e38);
    expect(value('0.1234567890123')).toBe(0.1234567890123);
  });

  it('may have a decimal comma, and commas or points between thousands', () => {
    expect(value('0,5')).toBe(0.5);
    expect(value('-1,25')).toBe(-1.25);
    expect(value('0,125')).toBe(0.125);
    expect(value('1,234,567')).toBe(1234567);
    expect(value('1,234.5')).toBe(1234.5);
    expect(value('1.234,5')).toBe(1234.5);
  });

  it('is refused with a message otherwise', () => {
    expect(value('abc')).toBe('‘abc’ is not a number');
    expect(value('')).toBe('Enter a number');
    expect(value('1e999')).toBe('‘1e999’ is too large');
    expect(value('1,234')).toBe('Enter 1234 or 1.234: the comma is ambiguous');
    for (const text of ['1e', '--1', '0x10', 'NaN', 'Infinity', '∞', '1.2.3', '1,2,3', '12 HU', '1 2', '.', 'e5', '1,234,56']) {
      expect(value(text), text).toBe(`‘${text}’ is not a number`);
    }
  });

  it('is written so that it can be read again', () => {
    expect(fieldText(1000)).toBe('1000');
    expect(fieldText(-0.1 - 0.2)).toBe('-0.3');
    expect(fieldText(6e38)).toBe('6e38');
    expect(fieldText(6.2e-13)).toBe('6.2e-13');
    expect(fieldText(1000004.125, 10)).toBe('1000004.125');
    expect(fieldText(4294967195)).toBe('4294967195');
    expect(fieldText(1e300)).toBe('1e300');
    expect(fieldText(-0)).toBe('0');
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(value(fieldText(number, 17))).toBe(number + 0);
        expect(fieldText(number).length).toBeLessThan(18);
      }),
    );
  });
});
