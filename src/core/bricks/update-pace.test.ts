import { expect, test } from 'vitest';
import { leastBricks, UpdatePace } from './update-pace.ts';

/** The times of an update whose kernels end after 1 ms and whose copies end after `ms`. */
const timesOf = (ms: number) => ({
  stages: [
    { label: 'decode', gpuMs: 1, startMs: 0 },
    { label: 'copied', gpuMs: 0, startMs: ms },
  ],
  wallMs: 100,
});

test('the number of bricks doubles until an update takes its time, copies included', () => {
  const pace = new UpdatePace(1000, 4);
  const counts = Array.from({ length: 12 }, () => {
    const { bricks } = pace;
    pace.measured(bricks, timesOf(bricks / 100));
    return bricks;
  });
  expect(counts).toEqual([8, 16, 32, 64, 128, 256, 400, 400, 400, 400, 400, 400]);
  pace.measured(400, timesOf(8));
  expect(pace.bricks).toBe(200);
  // An update that had less to do does not show that more would fit.
  pace.measured(20, timesOf(0.1));
  expect(pace.bricks).toBe(200);
});

test('there are never more bricks than allowed, and no fewer than the GPU decodes at once', () => {
  const pace = new UpdatePace(100, 4);
  for (let update = 0; update < 9; update++) pace.measured(pace.bricks, timesOf(0.1));
  expect(pace.bricks).toBe(100);
  pace.measured(100, timesOf(1000));
  expect(pace.bricks).toBe(leastBricks);
});

test('without timestamps, the wall time counts', () => {
  const pace = new UpdatePace(1000, 50);
  for (let update = 0; update < 5; update++) pace.measured(pace.bricks, timesOf(0.1));
  expect(pace.bricks).toBe(256);
  pace.measured(256, { stages: [{ label: 'decode', gpuMs: undefined }], wallMs: 100 });
  expect(pace.bricks).toBe(128);
});

/** A pace at which the GPU decodes 400 bricks at once. */
function paceOfGpu(): UpdatePace {
  const pace = new UpdatePace(1000, 4);
  for (let update = 0; update < 9; update++) pace.measured(pace.bricks, timesOf(pace.bricks / 100));
  expect(pace.bricks).toBe(400);
  return pace;
}

test('a slow thread decodes fewer bricks, and more again once it is faster', () => {
  const pace = paceOfGpu();
  for (let update = 0; update < 5; update++) pace.submitted(pace.bricks, pace.bricks * 0.06);
  expect(pace.bricks).toBe(50);
  for (let update = 0; update < 5; update++) pace.submitted(pace.bricks, 30);
  expect(pace.bricks).toBe(16);
  pace.submitted(16, 16 * 0.001);
  expect(pace.bricks).toBe(400);
});

test('neither a single slow update nor small ones make the next ones smaller', () => {
  const pace = paceOfGpu();
  pace.submitted(400, 500);
  pace.submitted(16, 16 * 0.03);
  expect(pace.bricks).toBe(100);
  pace.submitted(100, 50);
  expect(pace.bricks).toBe(100);
  for (let update = 0; update < 5; update++) pace.submitted(1, 0.5);
  expect(pace.bricks).toBe(100);
});

test('small updates of a slow thread do not show that the GPU could decode many bricks', () => {
  const pace = new UpdatePace(1000, 4);
  for (let update = 0; update < 3; update++) pace.measured(pace.bricks, timesOf(0.1));
  expect(pace.bricks).toBe(64);
  pace.submitted(64, 64);
  expect(pace.bricks).toBe(16);
  for (let update = 0; update < 9; update++) pace.measured(pace.bricks, timesOf(0.1));
  pace.submitted(16, 16 * 0.001);
  expect(pace.bricks).toBe(64);
});
