import { expect, test } from 'vitest';
import { FramesInFlight } from './frames-in-flight.ts';

const gpu = { hasTimestamps: true, isSoftware: false };

test('a second frame begins while the GPU draws the first, and a third one waits', () => {
  const frames = new FramesInFlight(gpu);
  expect(frames.mayBegin(0, true)).toBe(true);
  frames.submitted(4);
  expect(frames.mayBegin(5, true)).toBe(true);
  frames.submitted(9);
  expect([frames.mayBegin(10, true), frames.count]).toEqual([false, 2]);
  frames.ended(14);
  expect([frames.mayBegin(14, true), frames.count]).toEqual([true, 1]);
});

test('no frame begins behind one that takes long, whose time says how large the next one may be', () => {
  const frames = new FramesInFlight(gpu);
  frames.submitted(0);
  expect([frames.mayBegin(20, true), frames.mayBegin(21, true)]).toEqual([true, false]);
  frames.submitted(20);
  frames.ended(30);
  // The GPU began the second one at 30.
  expect([frames.mayBegin(50, true), frames.mayBegin(51, true)]).toEqual([true, false]);
  frames.ended(90);
  expect(frames.mayBegin(200, true)).toBe(true);
});

test.each([
  ['without timestamps', { ...gpu, hasTimestamps: false }],
  ['on a software GPU', { ...gpu, isSoftware: true }],
])('%s there is one frame at a time', (_, of) => {
  const frames = new FramesInFlight(of);
  frames.submitted(0);
  expect(frames.mayBegin(1, true)).toBe(false);
  frames.ended(2);
  expect(frames.mayBegin(2, true)).toBe(true);
});

test('before a frame has been measured, there is one at a time', () => {
  const frames = new FramesInFlight(gpu);
  expect(frames.mayBegin(0, false)).toBe(true);
  frames.submitted(0);
  expect([frames.mayBegin(1, false), frames.mayBegin(1, true)]).toEqual([false, true]);
});
