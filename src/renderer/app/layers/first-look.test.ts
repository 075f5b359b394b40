import { describe, expect, it } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { firstLabelView } from '../../viewer/model/auto-view.ts';
import { firstLook } from './first-look.ts';

const info = testInfo([8, 8, 8, 1], 'u8');

/** Statistics of values in 256 bins of 1. */
function statisticsOf(counts: Readonly<Record<number, number>>, flatness: number): VolumeStatistics {
  const values = Object.keys(counts).map(Number);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const count = Object.values(counts).reduce((sum, each) => sum + each);
  const histogram = { low: 0, binWidth: 1, counts: Array.from({ length: 256 }, (_, bin) => counts[bin] ?? 0) };
  const window = [min, max] as const;
  return { min, max, count, numbers: window, missing: 0, notFinite: 0, histogram, window, percentiles: window, flatness };
}

const mask = statisticsOf({ 0: 400, 1: 112 }, 0.95);
const atlas = statisticsOf({ 0: 300, 3: 50, 9: 50, 17: 60, 41: 52 }, 0.9);
const smoothLabels = statisticsOf(Object.fromEntries(Array.from({ length: 90 }, (_, value) => [value, 10])), 0.5);
const scan = statisticsOf(Object.fromEntries(Array.from({ length: 200 }, (_, value) => [value, 10])), 0.05);
const look = (name: string, statistics: VolumeStatistics, type = info, images = 0) =>
  firstLook({ id: 'a', name }, type, statistics, images);

describe('the first look of a layer', () => {
  it('shows labels for an atlas and for a mask with one number, whatever their names', () => {
    expect(look('brain.nii', atlas)).toMatchObject({ colormap: 'labels', window: [0, 41], smooth: false, hidesBelow: false });
    expect(look('brain.nii', mask)).toMatchObject({ colormap: 'labels' });
  });

  it('shows labels for many small regions if the name says so', () => {
    expect(look('sub-01_aseg.nii.gz', smoothLabels).colormap).toBe('labels');
    expect(look('segmented-later.nii.gz', smoothLabels).colormap).toBe('hot');
  });

  it('shows an image for scans, floats and measured values, even with the name of a mask', () => {
    expect(look('scan.nii', scan)).toMatchObject({ colormap: 'hot', window: [0, 199], hidesBelow: true });
    expect(look('mask.nii', scan).colormap).toBe('hot');
    expect(look('mask.nii', atlas, testInfo([8, 8, 8, 1], 'f32')).colormap).toBe('hot');
    expect(look('dose.nii', atlas, { ...info, valueUnit: 'Gy' }).colormap).toBe('hot');
  });

  it('hides the labels that its table hides', () => {
    const table = [{ number: 3 }, { number: 9, isHidden: true }];
    const { labels, colormap } = firstLook({ id: 'a', name: 'a.nii' }, info, scan, 0, { areLabels: true, table });
    expect([labels.except, colormap]).toEqual([[9], 'labels']);
    const view = firstLabelView(info, scan, { areLabels: true, table });
    expect(view).toMatchObject({ colormap: 'labels', layers: { base: { labels: { except: [9] } } } });
    expect(firstLabelView(info, atlas, { table: [{ number: 3, name: 'A' }] })).toBeUndefined();
  });

  it('has different colours for each image', () => {
    expect([0, 1, 2, 3, 4].map((images) => look('scan.nii', scan, info, images).colormap)).toEqual([
      'hot',
      'viridis',
      'magma',
      'cividis',
      'hot',
    ]);
  });
});
