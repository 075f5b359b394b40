import { expect, test } from 'vitest';
import { Stall } from './stall.ts';

test('a stall is over once there was no progress for the given time, in which nothing else was waited for', () => {
  let now = 0;
  const stall = new Stall(100, () => now);
  const at = (ms: number, progress: number, isWaiting = false) => {
    now = ms;
    return stall.isOver(progress, isWaiting);
  };
  expect([at(500, 0), at(600, 0), at(601, 0)]).toEqual([false, false, true]);
  expect([at(610, 1), at(710, 1)]).toEqual([false, false]);
  // Kernels are compiled for longer than the limit.
  expect([at(720, 1, true), at(900, 1, true), at(1000, 1), at(1001, 1)]).toEqual([false, false, false, true]);
});
