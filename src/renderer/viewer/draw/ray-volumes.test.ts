import { expect, test } from 'vitest';
import { labelSpan } from '../../../core/draw/ray-stack.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { default3d, defaultColors } from '../model/auto-view.ts';
import { placeLayer } from '../model/layer-place.ts';
import { testLook } from '../model/layer-testing.ts';
import { baseId, noLayers } from '../model/layers.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { brickGrid, coarseness, layerIn3d } from './ray-volumes.ts';

const info = testInfo([40, 33, 26, 3], 'u16');
const state = { ...default3d, ...defaultColors, window: [0, 255], layers: noLayers } as unknown as ViewState;
const { map } = placeLayer(info, info);
const look = testLook({ id: 'green', of: baseId, channel: 1 });

/** A texture, of which only the numbers are used. */
const textureOf = (dims: readonly [number, number, number], step = 1): DisplayTexture =>
  ({ dims, step, low: 3, high: 900, bricks: { size: 8 }, texture: { format: 'rg8unorm' } }) as unknown as DisplayTexture;

// biome-ignore format: a matrix
const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

test('the texture of a channel at a coarser level covers the whole volume', () => {
  const layer = { look, info, map, display: textureOf([10, 9, 7]) };
  const { toUnit, extent } = layerIn3d(info, state, layer);
  for (const [at, value] of toUnit.entries()) expect(value, String(at)).toBeCloseTo(identity[at] as number, 6);
  expect(extent).toEqual([1, 1, 1]);
  expect(coarseness(layer)).toBe(4);
});

test('the last texels of a texture of every second voxel extend beyond the volume', () => {
  const layer = { look, info, map, display: textureOf([20, 17, 13], 2) };
  const { toUnit, extent } = layerIn3d(info, state, layer);
  expect([toUnit[0], toUnit[5], toUnit[10]]).toEqual([1, 33 / 34, 1]);
  expect(extent).toEqual([1, 33 / 34, 1]);
  expect(coarseness(layer)).toBe(2);
});

test('bricks have a colour for each label that their type can hold, also for those that the coarse texture lacks', () => {
  const coarse = textureOf([10, 9, 7]);
  expect(labelSpan(brickGrid(info, coarse))).toEqual({ first: 0, count: 65_536 });
  expect(labelSpan(brickGrid(testInfo([40, 33, 26, 1], 'i8'), coarse))).toEqual({ first: -128, count: 256 });
  expect(labelSpan(brickGrid(testInfo([40, 33, 26, 1], 'i32'), coarse))).toEqual({ first: 0, count: 65_536 });
  expect(labelSpan(brickGrid(testInfo([40, 33, 26, 1], 'u32'), { ...coarse, high: 2 ** 20 }))).toEqual({ first: 0, count: 0 });
});
