import { expect, test } from 'vitest';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { firstView } from '../model/auto-view.ts';
import { testLook } from '../model/layer-testing.ts';
import { baseId, type LayerLook, noLayers } from '../model/layers.ts';
import { detailWish, slicePlacement } from './slice-drawing.ts';

const info: VolumeInfo = { ...testInfo([64, 64, 64, 6], 'u8'), channels: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] };
const range = [0, 100] as const;
const state = firstView(info, {
  ...{ min: 0, max: 100, count: 64, numbers: range, missing: 0, notFinite: 0, window: range, percentiles: range, flatness: 0 },
  histogram: { low: 0, binWidth: 1, counts: [64] },
});
const placement = slicePlacement(info, 'z', state, { zoom: 1, center: undefined }, { width: 64, height: 64 }, 1);
const wish = (...layers: readonly Partial<LayerLook>[]) => {
  const stack = { ...noLayers, layers: layers.map((look, at) => testLook({ id: `layer ${at}`, ...look })) };
  return detailWish({ info } as VolumeSource, 'z', placement, { ...state, timePoint: 1, layers: stack });
};

test('finer voxels are read of the volume and its shown channels, without those that are shown as labels', () => {
  const [second, third] = [
    { of: baseId, channel: 1 },
    { of: baseId, channel: 2 },
  ];
  expect(wish({})?.timePoints).toEqual([1]);
  expect(wish({}, second, third)?.timePoints).toEqual([1, 3, 5]);
  expect(wish({ ...second, isVisible: false }, third)?.timePoints).toEqual([1, 5]);
  // Channels that are shown as labels are drawn like layers.
  expect(wish(second, { ...third, colormap: 'labels' })?.timePoints).toEqual([1, 3]);
  expect(wish({ ...third, colormap: 'labels', isVisible: false })?.timePoints).toEqual([1]);
});

test('a thick slice is read as a slab', () => {
  expect(wish()?.slab).toBeUndefined();
  const thick = { ...state, slab: { kind: 'maximum', thickness: 6 * info.spacing[2] } } as const;
  expect(detailWish({ info } as VolumeSource, 'z', placement, thick)?.slab).toEqual({ kind: 'maximum', slices: 6 });
});
