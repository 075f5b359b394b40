import { describe, expect, it } from 'vitest';
import { colorChannels, type VolumeInfo } from '../../../core/shared/volume.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { firstView } from './auto-view.ts';
import { channelLooks, hasChannels, sharedChannels, withChannels, withOneChannel } from './channel-group.ts';
import { testLook } from './layer-testing.ts';
import { baseId, changedLayer, hasChannelGroup, noLayers } from './layers.ts';

const histogram = { low: 0, binWidth: 4, counts: Array.from({ length: 256 }, () => 3) };
const range = [0, 1000] as const;
const statistics: VolumeStatistics = {
  ...{ min: 0, max: 1000, count: 768, numbers: range, missing: 0, notFinite: 0, histogram, window: range },
  ...{ percentiles: range, flatness: 0 },
};
const channels = [
  { name: 'DAPI', color: '#0000FF', window: [5, 500] as const },
  { name: '' },
  { name: 'Cy5', color: 'pink', window: [2000, 3000] as const },
];
const info: VolumeInfo = { ...testInfo([4, 4, 4, 6], 'u16'), channels };
const windows = [
  [5, 500],
  [1, 2],
  [3, 4],
] as const;

describe('the channels of a volume', () => {
  it('have the colours and windows of the file, if these are usable', () => {
    expect(channelLooks(info, statistics)).toEqual([
      { name: 'DAPI', colormap: '#0000ff', isVisible: true, window: [5, 500] },
      { name: 'Channel 2', colormap: '#ff00ff', isVisible: true, window: undefined },
      { name: 'Cy5', colormap: '#ffff00', isVisible: true, window: undefined },
    ]);
  });

  it('of a picture have a window over all values, and alpha is hidden', () => {
    const rgba: VolumeInfo = { ...testInfo([4, 4, 1, 4], 'u8'), channels: colorChannels };
    const looks = channelLooks(rgba, statistics);
    expect(looks.map(({ colormap, isVisible }) => [colormap, isVisible])).toEqual([
      ['#ff0000', true],
      ['#00ff00', true],
      ['#0000ff', true],
      ['#ffffff', false],
    ]);
    expect(looks.slice(0, 3).map(({ window }) => window)).toEqual([
      [0, 255],
      [0, 255],
      [0, 255],
    ]);
  });

  it('are shown together: the first as the volume, the others as additive layers, below other layers', () => {
    const scan = testLook({ id: 'layer-1' });
    const view = { ...firstView(info, statistics), timePoint: 3, layers: { ...noLayers, layers: [scan] } };
    const together = withChannels(view, info, channelLooks(info, statistics), windows);
    expect(together).toMatchObject({ window: [5, 500], colormap: '#0000ff', timePoint: 1 });
    expect(together.layers.layers.map(({ id, of, channel, blending }) => [id, of, channel, blending])).toEqual([
      ['channel-2', baseId, 1, 'add'],
      ['channel-3', baseId, 2, 'add'],
      ['layer-1', undefined, 0, 'over'],
    ]);
    expect(hasChannelGroup(together.layers)).toBe(true);
    const alone = withOneChannel(together, info, 2, [3, 4]);
    expect(alone).toMatchObject({ timePoint: 5, window: [3, 4], colormap: 'gray', layers: { layers: [scan] } });
  });

  it('are not shown together if there is only one, or more than fit into the list of layers', () => {
    const of = (count: number) => hasChannels({ dims: [1, 1, 1, count], channels: Array(count).fill({ name: 'a' }) });
    expect([1, 2, 33, 34].map(of)).toEqual([false, true, true, false]);
  });

  it('are adopted by a second viewer whose volume has as many channels; its own layers stay', () => {
    const stack = withChannels(firstView(info, statistics), info, channelLooks(info, statistics), windows).layers;
    const own = { ...noLayers, layers: [testLook({ id: 'mask' })] };
    expect(sharedChannels(info, info, stack, own).layers.map(({ id }) => id)).toEqual(['channel-2', 'channel-3', 'mask']);
    expect(sharedChannels(info, testInfo([4, 4, 4, 1], 'u8'), stack, own)).toBe(own);
  });

  it('of one layer’s volume move together', () => {
    const looks = [testLook({ id: 'a' }), testLook({ id: 'a.2', of: 'a' }), testLook({ id: 'b' })];
    const motion = [1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0] as const;
    const moved = changedLayer({ ...noLayers, layers: looks }, 'a.2', { motion });
    expect(moved.layers.map((look) => look.motion)).toEqual([motion, motion, undefined]);
    expect(changedLayer(moved, 'a', { opacity: 0.5 }).layers.map(({ opacity }) => opacity)).toEqual([0.5, 1, 1]);
  });
});
