import { expect, test } from 'vitest';
import { decodeMs, frameAxis, withFrame } from './frames.ts';
import { default3d } from './model/auto-view.ts';
import type { ViewState } from './model/viewer-api.ts';

const state: ViewState = {
  ...default3d,
  projection: 'mip',
  level: 100,
  window: [0, 255],
  colormap: 'gray',
  opacity: [],
  crosshair: [1, 2, 3],
  timePoint: 4,
  smooth: false,
  slab: { kind: 'none', thickness: 1 },
  sliceSlabs: undefined,
  oblique: { turn: 0, tilt: 0 },
};

test('a frame moves the crosshair along its axis, or the time point', () => {
  expect(withFrame(state, { axis: 'x', index: 9 }).crosshair).toEqual([9, 2, 3]);
  expect(withFrame(state, { axis: 'y', index: 9 }).crosshair).toEqual([1, 9, 3]);
  expect(withFrame(state, { axis: 'z', index: 9 })).toEqual({ ...state, crosshair: [1, 2, 9] });
  expect(withFrame(state, { axis: 't', index: 9 })).toEqual({ ...state, timePoint: 9 });
  expect((['x', 'y', 'z', 't'] as const).map(frameAxis)).toEqual([0, 1, 2, 3]);
});

test('decoding time includes every stage except drawing; without timestamps it is unknown', () => {
  const stages = [
    { label: 'scan', gpuMs: 0.25 },
    { label: 'rle+huffman.decode', gpuMs: 0.5 },
    { label: 'texture', gpuMs: 4 },
    { label: 'resident.bricks', gpuMs: 8 },
    { label: 'slice', gpuMs: 2 },
  ];
  expect(decodeMs(stages)).toBe(0.75);
  expect(decodeMs([])).toBe(0);
  expect(decodeMs([{ label: 'scan', gpuMs: undefined }])).toBeUndefined();
});
