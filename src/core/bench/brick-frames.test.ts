import { expect, test } from 'vitest';
import { stageMs, updateParts } from './brick-frames.ts';

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
