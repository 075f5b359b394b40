import { expect, test } from 'vitest';
import { causeOf, longFrames, stageMs, updateParts } from './brick-frames.ts';
import type { BrickFrameParts } from './harness/result.ts';

const stages = [
  { label: 'decode', gpuMs: 2, startMs: 0 },
  { label: 'texture', gpuMs: 1, startMs: 2 },
  { label: 'texture', gpuMs: 0.5, startMs: 4 },
  { label: 'copied', gpuMs: 0, startMs: 5 },
];

test('the time between the stages of an update is that of copies', () => {
  expect(updateParts({ decoded: 7, refreshed: 3, times: { stages, wallMs: 9 } })).toEqual({
    ...{ decodeMs: 2, textureMs: 1.5, copyMs: 1.5 },
    ...{ decoded: 7, refreshed: 3 },
  });
  expect(stageMs({ stages, wallMs: 9 }, 'decode')).toBe(2);
});

test('a frame without an update has no bricks and takes no time for them', () => {
  expect(updateParts(undefined)).toEqual({ decodeMs: 0, textureMs: 0, copyMs: 0, decoded: 0, refreshed: 0 });
});

test('without timestamps, the times are unknown', () => {
  const untimed = stages.map(({ label }) => ({ label, gpuMs: undefined }));
  const { decodeMs, textureMs, copyMs } = updateParts({ decoded: 1, refreshed: 0, times: { stages: untimed, wallMs: 9 } });
  expect([decodeMs, textureMs, copyMs]).toEqual([undefined, undefined, undefined]);
});

test('long frames are counted by the part that took at least half of them', () => {
  const idle = { ...updateParts(undefined), drawMs: 5, hostMs: 2, waitMs: 30, garbageMs: 0 };
  const frame = (parts: Partial<BrickFrameParts>): BrickFrameParts => {
    return { ...idle, ms: 40, missed: 0, bias: 1, scale: 1, step: 1, used: 9, ...parts };
  };
  const frames = [
    frame({ drawMs: 31 }),
    frame({ decodeMs: 15, textureMs: 6, copyMs: 0.5 }),
    frame({ garbageMs: 25 }),
    frame({ garbageMs: 21, drawMs: 20 }),
    frame({ hostMs: 20 }),
    frame({ drawMs: 19, garbageMs: 18 }),
  ];
  expect(frames.map(causeOf)).toEqual(['rays', 'bricks', 'garbage', 'garbage', 'thread', 'other']);
  expect(longFrames(frames, 33)).toBe('6 (2 garbage, 1 rays, 1 bricks, 1 thread, 1 other)');
  expect(longFrames(frames, 40)).toBe('none');
  expect(causeOf(frame({ drawMs: undefined, garbageMs: undefined }))).toBe('other');
});
