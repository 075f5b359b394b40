import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisLength, isZoomed, keyStep, panAxis, partOf, revealOn, storedAt, wholeAxis, zoomAxis } from './histogram-axis.ts';

const u8 = { type: 'u8', slope: 1 } as const;
const f32 = { type: 'f32', slope: 1 } as const;
const falling = { type: 'i16', slope: -2.5 } as const;

function histogram(low: number, binWidth: number, filled: readonly number[]) {
  const counts = Array.from({ length: 256 }, (_, bin) => (filled.includes(bin) ? 5 : 0));
  return { histogram: { low, binWidth, counts } };
}

describe('the histogram’s axis', () => {
  it('fits the values', () => {
    expect(wholeAxis({ type: 'i8', slope: 1 }, histogram(-128, 1, [128, 159]))).toEqual({ left: 0, right: 32 });
    expect(wholeAxis(f32, histogram(1000000.25, 0.03125, [0, 255]))).toEqual({ left: 1000000.25, right: 1000008.25 });
    expect(wholeAxis({ type: 'u32', slope: 1 }, histogram(4294967095, 1, [0, 200]))).toEqual({
      left: 4294967095,
      right: 4294967296,
    });
  });

  it('ascends in physical values', () => {
    expect(wholeAxis(falling, histogram(0, 1, [0, 31]))).toEqual({ left: 32, right: 0 });
  });

  it('has space around a single value, and exists without values', () => {
    expect(wholeAxis(u8, histogram(0, 1, [42]))).toEqual({ left: 41, right: 44 });
    expect(wholeAxis(f32, histogram(42, Number.MIN_VALUE, [0]))).toEqual({ left: 39.9, right: 44.1 });
    expect(wholeAxis(f32, histogram(0, Number.MIN_VALUE, [0]))).toEqual({ left: -0.5, right: 0.5 });
    expect(wholeAxis(f32, histogram(0, Number.MIN_VALUE, []))).toEqual({ left: 0, right: 1 });
  });

  it('zooms around a position, and back', () => {
    const whole = { left: 0, right: 256 };
    const closer = zoomAxis(whole, whole, u8, 0.25, 4);
    expect(closer).toEqual({ left: 48, right: 112 });
    expect(partOf(closer, 64)).toBe(0.25);
    expect(isZoomed(closer, whole)).toBe(true);
    expect(zoomAxis(closer, whole, u8, 0.9, 1 / 4)).toBe(whole);
    expect(axisLength(zoomAxis(whole, whole, u8, 0.5, 1e9))).toBe(4);
    expect(axisLength(zoomAxis({ left: 0, right: 1 }, { left: 0, right: 1 }, f32, 0.5, 1e9))).toBeCloseTo(1e-5, 12);
  });

  it('pans, and moves to a value', () => {
    const whole = { left: 0, right: 256 };
    const closer = { left: 48, right: 112 };
    expect(panAxis(closer, whole, 0.5)).toEqual({ left: 80, right: 144 });
    expect(panAxis(closer, whole, -9)).toEqual({ left: 0, right: 64 });
    expect(revealOn(closer, whole, 100)).toBe(closer);
    expect(revealOn(closer, whole, 130)).toEqual({ left: expect.closeTo(72.4), right: expect.closeTo(136.4) });
  });

  it('stays within the whole axis after any changes', () => {
    const part = fc.double({ min: -1, max: 2, noNaN: true });
    const factor = fc.double({ min: 0.1, max: 10, noNaN: true });
    for (const [info, whole] of [
      [u8, { left: 0, right: 256 }],
      [falling, { left: 32, right: 0 }],
      [f32, { left: -3e38, right: 3e38 }],
    ] as const) {
      fc.assert(
        fc.property(fc.array(fc.tuple(part, factor, part)), (steps) => {
          let axis: { readonly left: number; readonly right: number } = whole;
          for (const [at, by, along] of steps) axis = panAxis(zoomAxis(axis, whole, info, at, by), whole, along);
          const slack = 1e-9 * axisLength(whole);
          expect(partOf(whole, axis.left)).toBeGreaterThanOrEqual(-1e-9);
          expect(partOf(whole, axis.right)).toBeLessThanOrEqual(1 + 1e-9);
          expect(axisLength(axis)).toBeLessThanOrEqual(axisLength(whole) + slack);
          expect(storedAt(axis, partOf(axis, whole.left / 3))).toBeCloseTo(whole.left / 3, -30);
        }),
      );
    }
  });

  it('has a key step, positive to the right', () => {
    expect(keyStep({ left: 0, right: 256 }, u8)).toBe(1);
    expect(keyStep({ left: 0, right: 65_536 }, { type: 'u16' })).toBe(100);
    expect(keyStep({ left: 32, right: 0 }, falling)).toBe(-1);
    expect(keyStep({ left: 0, right: 6.2e-13 }, f32)).toBeCloseTo(1e-15, 20);
  });
});
