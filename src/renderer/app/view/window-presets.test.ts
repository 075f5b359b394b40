import { expect, test } from 'vitest';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { looksLikeCt, presetsOf, presetWindow, windowPresets } from './window-presets.ts';

function volume(type: VolumeInfo['type'], min: number, max: number, scale: Partial<VolumeInfo> = {}) {
  const histogram = { low: min, binWidth: (max - min) / 256, counts: new Array<number>(256).fill(1) };
  const statistics: VolumeStatistics = {
    ...{ min, max, count: 256, notFinite: 0, numbers: [min, max], missing: 0, histogram, flatness: 0 },
    ...{ window: [min + 5, max - 5], percentiles: [min + 1, max - 1] },
  };
  return { info: { ...testInfo([4, 4, 4, 1], type), ...scale }, statistics };
}

const signed = volume('i16', -1024, 3071);
const shifted = volume('u16', 0, 4095, { slope: 1, intercept: -1024 });

test('values of a CT are recognised, and others are not', () => {
  expect([signed, shifted, volume('i16', -2000, 2976)].map(looksLikeCt)).toEqual([true, true, true]);
  const others = [
    volume('u8', 0, 255),
    volume('i16', 0, 1200),
    volume('u16', 0, 4095),
    volume('i16', -32_768, 32_767),
    volume('f32', -1000, 1000),
    volume('i16', -1024, 100),
  ];
  expect(others.map(looksLikeCt)).toEqual(others.map(() => false));
});

test('tissue presets are offered only for a CT, in HU through slope and intercept', () => {
  expect(presetsOf(signed)).toHaveLength(windowPresets.length);
  expect(presetsOf(volume('u8', 0, 255)).map(({ id }) => id)).toEqual(['auto', 'range', 'percentiles']);
  expect(presetWindow('brain', signed)).toEqual([0, 80]);
  expect(presetWindow('lung', signed)).toEqual([-1350, 150]);
  expect(presetWindow('lung', shifted)).toEqual([-326, 1174]);
  expect(presetWindow('bone', volume('i16', -512, 1500, { slope: 2, intercept: 0 }))).toEqual([-250, 650]);
});

test("the other presets follow from the volume's values", () => {
  expect(presetWindow('auto', signed)).toEqual([-1019, 3066]);
  expect(presetWindow('range', signed)).toEqual([-1024, 3071]);
  expect(presetWindow('percentiles', signed)).toEqual([-1023, 3070]);
});

test('with a negative slope a window starts at the stored value of the lowest physical one', () => {
  const falling = volume('i16', 0, 31, { slope: -2.5, intercept: 1000 });
  expect(presetWindow('range', falling)).toEqual([31, 0]);
});

test("the file's own windows, and those of its channels, are among the presets, each once", () => {
  const windows = [
    { name: 'BRAIN', low: 0, high: 80 },
    { name: '', low: -600.00001, high: 1400 },
    { name: 'BRAIN', low: 0, high: 80 },
    { name: 'none', low: 5, high: 5 },
  ];
  const channels = [{ name: 'DAPI', window: [10, 20] as const }, { name: 'GFP' }];
  const shiftedFile = volume('u16', 0, 4095, { slope: 1, intercept: -1024, windows, channels, valueUnit: 'HU' });
  const own = presetsOf(shiftedFile).filter(({ group }) => group === 'file');
  expect(own.map(({ label, hint }) => [label, hint])).toEqual([
    ['BRAIN', '0 to 80 HU'],
    ['Window 2', '−600 to 1400 HU'],
    ['DAPI', '10 to 20 HU'],
  ]);
  expect(presetWindow(own[0]?.id ?? '', shiftedFile)).toEqual([1024, 1104]);
});
