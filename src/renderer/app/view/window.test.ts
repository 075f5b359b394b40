import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inRealOrder } from '../../../core/shared/real-order.ts';
import { levelOf, moveEdge, narrowestWindow, shiftWindow, windowOf } from './window.ts';

const plain = { slope: 1, intercept: 0 };
const hounsfield = { slope: 2, intercept: -1024 };

describe('window and level', () => {
  it('are physical values', () => {
    expect(levelOf([0, 100], plain)).toEqual({ width: 100, level: 50 });
    expect(levelOf([512, 612], hounsfield)).toEqual({ width: 200, level: 100 });
    expect(levelOf([0, 100], { slope: -1, intercept: 0 })).toEqual({ width: 100, level: -50 });
  });

  it('convert back to the window that they came from', () => {
    const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(number, fc.double({ min: 1, max: 1e6, noNaN: true }), fc.constantFrom(0.5, -2, 1), (low, width, slope) => {
        const scale = { slope, intercept: 7 };
        const window = inRealOrder([low, low + width], scale);
        const { width: w, level } = levelOf(window, scale);
        const [a, b] = windowOf(w, level, scale);
        expect(a).toBeCloseTo(window[0], 4);
        expect(b).toBeCloseTo(window[1], 4);
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

  it('descend in stored values if the slope is negative, and never cross then either', () => {
    const falling = { slope: -2.5, intercept: 1000 };
    expect(inRealOrder([0, 31], falling)).toEqual([31, 0]);
    expect(inRealOrder([31, 0], plain)).toEqual([0, 31]);
    // The physical values are 949.5 to 999.5.
    expect(windowOf(50, 974.5, falling)).toEqual([20.2, 0.2]);
    expect(levelOf([20, 0], falling)).toEqual({ width: 50, level: 975 });
    expect(moveEdge([20, 0], 'low', 25, 1)).toEqual([25, 0]);
    expect(moveEdge([20, 0], 'low', -9, 1)).toEqual([1, 0]);
    expect(moveEdge([20, 0], 'high', 10, 1)).toEqual([20, 10]);
    expect(moveEdge([20, 0], 'high', 90, 1)).toEqual([20, 19]);
  });

  it('have a minimum width, even for a constant volume', () => {
    expect(narrowestWindow(0, 255, true)).toBe(1);
    expect(narrowestWindow(0, 1, false)).toBeCloseTo(1e-4);
    expect(narrowestWindow(3, 3, false)).toBeGreaterThan(0);
  });
});
