import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelOf, moveEdge, narrowestWindow, shiftWindow, windowOf } from './window.ts';

const plain = { slope: 1, intercept: 0 };
const hounsfield = { slope: 2, intercept: -1024 };

describe('window and level', () => {
  it('are physical values', () => {
    expect(levelOf([0, 100], plain)).toEqual({ width: 100, level: 50 });
    expect(levelOf([512, 612], hounsfield)).toEqual({ width: 200, level: 100 });
    expect(levelOf([0, 100], { slope: -1, intercept: 0 })).toEqual({ width: 100, level: -50 });
  });

  it('come back as the window they were made of', () => {
    const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(number, fc.double({ min: 1, max: 1e6, noNaN: true }), fc.constantFrom(0.5, -2, 1), (low, width, slope) => {
        const scale = { slope, intercept: 7 };
        const { width: w, level } = levelOf([low, low + width], scale);
        const [a, b] = windowOf(w, level, scale);
        expect(a).toBeCloseTo(low, 4);
        expect(b).toBeCloseTo(low + width, 4);
      }),
    );
  });

  it('never cross', () => {
    expect(moveEdge([10, 20], 'low', 90, 1)).toEqual([19, 20]);
    expect(moveEdge([10, 20], 'high', -90, 1)).toEqual([10, 11]);
    expect(moveEdge([10, 20], 'high', 30, 1)).toEqual([10, 30]);
    expect(windowOf(0, 5, plain, 1)).toEqual([4.5, 5.5]);
    expect(shiftWindow([10, 20], -3)).toEqual([7, 17]);
  });

  it('have a narrowest width, even of a constant volume', () => {
    expect(narrowestWindow(0, 255, true)).toBe(1);
    expect(narrowestWindow(0, 1, false)).toBeCloseTo(1e-4);
    expect(narrowestWindow(3, 3, false)).toBeGreaterThan(0);
  });
});
