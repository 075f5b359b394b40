import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisTicks } from './axis-ticks.ts';

const plain = { slope: 1, intercept: 0 };
const texts = (low: number, high: number, width = 288, scale = plain) =>
  axisTicks([low, high], scale, width).map(({ text }) => text.replaceAll('\u202f', ' '));

describe('ticks of an axis', () => {
  it('are round physical values, away from the ends', () => {
    expect(texts(0, 256)).toEqual(['100', '200']);
    expect(texts(0, 1024, 288, { slope: 2, intercept: -1024 })).toEqual(['−500', '0', '500']);
    expect(texts(31, 0, 288, { slope: -2.5, intercept: 1000 })).toEqual(['940', '960', '980']);
    expect(texts(3, 3)).toEqual([]);
    expect(axisTicks([0, 2], plain, 288, 1).map(({ text }) => text)).toEqual(['1']);
  });

  it('have enough digits to tell them apart', () => {
    expect(texts(1000000.25, 1000002)).toEqual(['1 000 000.5', '1 000 001', '1 000 001.5']);
    expect(texts(4_294_967_040, 4_294_967_296)).toEqual(['4 294 967 100', '4 294 967 200']);
    expect(texts(0, 6.2e-13)).toEqual(['2e−13', '4e−13']);
    expect(texts(-3e38, 3e38)).toEqual(['−2e38', '0', '2e38']);
  });

  it('number at least one, and neither repeat nor overlap', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        if (low === high) return;
        const found = axisTicks([low, high], plain, 288);
        expect(found.length).toBeGreaterThan(0);
        expect(new Set(found.map(({ text }) => text)).size).toBe(found.length);
        expect(found.reduce((sum, { text }) => sum + text.length * 6, 0)).toBeLessThan(288);
      }),
    );
  });
});
