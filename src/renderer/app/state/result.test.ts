import { describe, expect, it } from 'vitest';
import { ratioOf, stageClock } from './result.ts';

describe('result', () => {
  it('is source size over file size', () => {
    expect(ratioOf({ bytesIn: 1000, bytesOut: 250 })).toBe(4);
    expect(ratioOf({ bytesIn: 0, bytesOut: 0 })).toBe(0);
  });
});

describe('stageClock', () => {
  const times = { clock: 'GPU', ms: { 'rle.decode': 2, fill: 1, check: 5 } } as const;

  it("adds up the counted kernels by the GPU's clock", () => {
    expect(stageClock(times, (name) => name !== 'check', 20)).toEqual({ ms: 3, clock: 'GPU' });
  });

  it('uses the wall clock if the GPU has no clock or it is too coarse', () => {
    expect(stageClock({ ...times, clock: 'wall' }, () => true, 20)).toEqual({ ms: 20, clock: 'wall' });
    expect(stageClock({ clock: 'GPU', ms: { fill: 0 } }, () => true, 4)).toEqual({ ms: 4, clock: 'wall' });
    expect(stageClock(undefined, () => true, 4)).toEqual({ ms: 4, clock: 'wall' });
  });
});
