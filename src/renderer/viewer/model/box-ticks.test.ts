import { expect, test } from 'vitest';
import { isFacing, tickEdge, tickSteps, ticksAlong } from './box-ticks.ts';

test('the longest edge has three to six numbers, at round positions', () => {
  for (let longest = 1e-4; longest < 1e5; longest *= 1.09) {
    const { major, minor } = tickSteps(longest);
    const numbers = ticksAlong(longest, { major, minor }).filter(({ isMajor }) => isMajor);
    expect(numbers.length).toBeGreaterThanOrEqual(3);
    expect(numbers.length).toBeLessThanOrEqual(7);
    const first = major / 10 ** Math.floor(Math.log10(major) + 1e-9);
    expect([1, 2, 5]).toContain(Math.round(first * 1e6) / 1e6);
  }
});

test.each([
  [200, 50, 10],
  [512, 100, 20],
  [110, 20, 5],
])('an edge of %d has numbers every %d and marks every %d', (longest, major, minor) => {
  const steps = tickSteps(longest);
  expect(steps.major).toBeCloseTo(major, 9);
  expect(steps.minor).toBeCloseTo(minor, 9);
  const ticks = ticksAlong(longest, steps);
  expect(ticks.at(0)).toEqual({ at: 0, isMajor: true });
  expect(ticks.at(-1)?.at).toBeLessThanOrEqual(longest + 1e-9);
  expect(ticks.at(-1)?.at).toBeGreaterThan(longest - minor);
});

test('a short edge has at least its 0', () => {
  expect(ticksAlong(0.3, { major: 50, minor: 10 })).toEqual([{ at: 0, isMajor: true }]);
});

test('a side faces a camera in front of it, near or infinitely far', () => {
  expect(isFacing(2, 1, [0.5, 0.5, 3, 1])).toBe(true);
  expect(isFacing(2, 0, [0.5, 0.5, 3, 1])).toBe(false);
  expect(isFacing(0, 1, [0.5, 0.5, 3, 1])).toBe(false);
  expect(isFacing(0, 1, [0.2, 0, 1, 0])).toBe(true);
  expect(isFacing(0, 0, [0.2, 0, 1, 0])).toBe(false);
  expect(isFacing(1, 1, [0, 1e-5, 4, 0])).toBe(false);
});

test('ticks are on the outline, at the bottom and on the left', () => {
  // An orthographic view from the front, slightly from the right and above, of a cube with y up and z towards the camera.
  const project = ([x, y, z]: readonly [number, number, number]) => [x - 0.4 * z, -y + 0.3 * z] as const;
  const eye = [0.4, 0.3, 1, 0] as const;
  expect(tickEdge(0, eye, project)).toEqual({ axis: 0, ends: [0, 1] });
  expect(tickEdge(1, eye, project)).toEqual({ axis: 1, ends: [0, 1] });
  // Along z, the lower right one of the two outline edges, between the bottom and the right side.
  expect(tickEdge(2, eye, project)).toEqual({ axis: 2, ends: [1, 0] });
  expect(tickEdge(2, [0, 0, 1, 0], project)).toBeUndefined();
});
