import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addPoint,
  besidePoint,
  movePoint,
  type OpacityCurve,
  rampOf,
  removePoint,
  withStart,
  withStrength,
} from './opacity-curve.ts';

const point = fc.tuple(fc.double({ min: -0.5, max: 1.5, noNaN: true }), fc.double({ min: -0.5, max: 1.5, noNaN: true }));
const isCurve = (curve: OpacityCurve): boolean =>
  curve.length >= 2 &&
  curve.every(
    ([position, opacity], at) => position >= (curve[at - 1]?.[0] ?? 0) && position <= 1 && opacity >= 0 && opacity <= 1,
  );

describe('opacity', () => {
  const surface = [
    [0, 0],
    [0.2, 0],
    [0.6, 0.4],
    [1, 0.8],
  ] as const;

  it('is described by its start and its strength', () => {
    expect(rampOf(surface)).toEqual({ start: 0.2, strength: 0.8 });
    expect(rampOf([])).toEqual({ start: 0, strength: 1 });
  });

  it('keeps its shape when its strength or start changes', () => {
    expect(withStrength(surface, 0.4)[2]?.[1]).toBeCloseTo(0.2);
    const later = withStart(surface, 0.6);
    expect(rampOf(later).start).toBeCloseTo(0.6);
    expect(later[2]?.[0]).toBeCloseTo(0.8);
    expect(later[2]?.[1]).toBe(0.4);
    expect(rampOf(withStart(later, 0))).toEqual({ start: 0, strength: 0.8 });
  });

  it('returns from zero, and positions always ascend', () => {
    expect(rampOf(withStrength(withStrength(surface, 0), 1)).strength).toBe(1);
    fc.assert(
      fc.property(fc.double({ min: -1, max: 2, noNaN: true }), (start) => {
        const positions = withStart(surface, start).map(([position]) => position);
        expect(positions).toEqual([...positions].sort((a, b) => a - b));
        expect(positions.at(-1)).toBeCloseTo(1);
      }),
    );
  });

  it('has points that move between their neighbours', () => {
    expect(movePoint(surface, 1, [0.9, 0.5])[1]).toEqual([0.6, 0.5]);
    expect(movePoint(surface, 1, [-1, 2])[1]).toEqual([0, 1]);
    expect(movePoint(surface, 3, [2, -2])[3]).toEqual([1, 0]);
  });

  it('gains points where they are added, and keeps at least two', () => {
    expect(addPoint(surface, [0.5, 0.7])).toEqual({ curve: surface.toSpliced(2, 0, [0.5, 0.7]), index: 2 });
    expect(addPoint(surface, [1, 0]).index).toBe(4);
    expect(besidePoint(surface, 2)).toEqual([0.8, expect.closeTo(0.6)]);
    expect(besidePoint(surface, 3)).toEqual([0.8, expect.closeTo(0.6)]);
    expect(removePoint(surface, 1)).toEqual(surface.toSpliced(1, 1));
    expect(removePoint(surface.slice(2), 0)).toEqual(surface.slice(2));
  });

  it('remains a valid curve after any changes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('move', 'add', 'remove'), fc.nat(9), point)), (steps) => {
        let curve: OpacityCurve = surface;
        for (const [step, number, at] of steps) {
          const index = number % curve.length;
          if (step === 'move') curve = movePoint(curve, index, at);
          else if (step === 'add') curve = addPoint(curve, at).curve;
          else curve = removePoint(curve, index);
          expect(isCurve(curve)).toBe(true);
        }
      }),
    );
  });
});
