import { describe, expect, it } from 'vitest';
import { typedWindow, windowSteps } from './typed-window.ts';

const plain = { type: 'f32', slope: 1, intercept: 0 } as const;

describe('a typed window', () => {
  it('may have any finite width and level', () => {
    expect(typedWindow(200, 100, plain)).toEqual([0, 200]);
    expect(typedWindow(6e-13, 0, plain)).toEqual([-3e-13, 3e-13]);
    expect(typedWindow(6e38, 0, plain)).toEqual([-3e38, 3e38]);
    const falling = { type: 'i16', slope: -2.5, intercept: 1000 } as const;
    expect([...typedWindow(100, 950, falling)].map(Number).toSorted((a, b) => a - b)).toEqual([-0, 40]);
  });

  it('is refused with a message if there is no such window', () => {
    expect(typedWindow(0, 5, plain)).toBe('The window must be wider than 0');
    expect(typedWindow(-3, 5, plain)).toBe('The window must be wider than 0');
    expect(typedWindow(1e39, 0, plain)).toBe('Too large for a window');
    expect(typedWindow(2, 4294967290, { type: 'u32', slope: 1, intercept: 0 })).toEqual([4294967289, 4294967291]);
    expect(typedWindow(1e-13, 1e9, plain)).toBe('Too narrow at level 1e9');
  });

  it('has round steps relative to its width', () => {
    expect(windowSteps(109)).toBe(1);
    expect(windowSteps(1500)).toBe(10);
    expect(windowSteps(6.2e-13)).toBeCloseTo(1e-15, 20);
    expect(windowSteps(0)).toBe(1);
  });
});
