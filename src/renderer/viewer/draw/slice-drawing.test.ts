import { expect, test } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { firstView } from '../model/auto-view.ts';
import { testLook } from '../model/layer-testing.ts';
import { baseId, noLayers } from '../model/layers.ts';
import { detailWish, slicePlacement } from './slice-drawing.ts';

const info = testInfo([64, 64, 64, 2], 'u8');
const range = [0, 100] as const;
const state = firstView(info, {
  ...{ min: 0, max: 100, count: 64, numbers: range, missing: 0, notFinite: 0, window: range, percentiles: range, flatness: 0 },
  histogram: { low: 0, binWidth: 1, counts: [64] },
});
const placement = slicePlacement(info, 'z', state, { zoom: 1, center: undefined }, { width: 64, height: 64 }, 1);
const wish = (of?: string) => {
  const layers = { ...noLayers, layers: [testLook({ id: 'a', of })] };
  return detailWish({ info } as VolumeSource, 'z', placement, { ...state, layers });
};

test('finer voxels are read under layers, but not if several channels are shown together', () => {
  expect(wish()).toBeDefined();
  expect(wish(baseId)).toBeUndefined();
});

test('a thick slice is read as a slab', () => {
  expect(wish()?.slab).toBeUndefined();
  const thick = { ...state, slab: { kind: 'maximum', thickness: 6 * info.spacing[2] } } as const;
  expect(detailWish({ info } as VolumeSource, 'z', placement, thick)?.slab).toEqual({ kind: 'maximum', slices: 6 });
});
