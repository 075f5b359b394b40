import { describe, expect, test } from 'vitest';
import { FramePacing } from '../../../core/draw/frame-pacing.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { colormap, colormapGradient, colormapNames, colorsOf, labelColorIndex, withPresentName } from '../colors/colormaps.ts';
import { isFloorOpaque, opacityAt, transferTexels } from '../colors/transfer-function.ts';
import { adjustedWindow } from '../slices/slice-canvas.ts';
import { autoView, firstView } from './auto-view.ts';

function statistics(counts: (bin: number) => number, more: Partial<VolumeStatistics> = {}): VolumeStatistics {
  const bins = Array.from({ length: 256 }, (_, bin) => counts(bin));
  const count = bins.reduce((a, b) => a + b);
  const histogram = { low: 0, binWidth: 1, counts: bins };
  return { min: 0, max: 255, count, notFinite: 0, histogram, window: [10, 200], percentiles: [5, 250], flatness: 0.1, ...more };
}

describe('the initial view', () => {
  test('shows surfaces of a scan', () => {
    const view = autoView(
      testInfo([11, 20, 31, 4], 'u8'),
      statistics(() => 100),
    );
    expect(view).toMatchObject({
      projection: 'composite',
      level: expect.closeTo(76.5, 9),
      colormap: 'gray',
      window: [10, 200],
      crosshair: [5, 10, 15],
      timePoint: 0,
    });
  });

  test('shows a sparse volume by maximum intensity projection', () => {
    const view = autoView(
      testInfo([8, 8, 8, 1], 'f32'),
      statistics((bin) => (bin === 0 ? 100_000 : 10)),
    );
    expect(view).toMatchObject({ projection: 'mip' });
  });

  test('shows labels with their palette over all values', () => {
    const labels = statistics((bin) => (bin < 40 ? 1000 : 0), { max: 39, flatness: 0.95 });
    expect(autoView(testInfo([8, 8, 8, 1], 'u16'), labels)).toMatchObject({ colormap: 'labels', window: [0, 39] });
    expect(autoView(testInfo([8, 8, 8, 1], 'f32'), labels).colormap).not.toBe('labels');
  });

  test.each([
    { valueUnit: 'HU' },
    { intercept: -1024 },
    { slope: 0.5 },
    { windows: [{ name: 'Bone', low: -500, high: 1500 }] },
    { dims: [8, 8, 4, 2] as const, channels: [{ name: 'a', window: [0, 9] as const }, { name: 'b' }] },
  ])('does not take for labels what was measured: %j', (facts) => {
    const few = statistics((bin) => (bin < 40 ? 1000 : 0), { max: 39, flatness: 0.95 });
    expect(autoView({ ...testInfo([8, 8, 8, 1], 'i16'), ...facts }, few).colormap).not.toBe('labels');
  });

  test('does not take a scan on a flat background other than 0 for labels', () => {
    const scan = statistics((bin) => (bin === 0 ? 80_000 : bin < 100 ? 200 : 0), { min: -300, max: -200, flatness: 0.82 });
    const shifted = { ...scan, histogram: { ...scan.histogram, low: -300 } };
    expect(autoView(testInfo([8, 8, 8, 1], 'i16'), shifted).colormap).not.toBe('labels');
    expect(autoView(testInfo([8, 8, 8, 1], 'i16'), { ...shifted, flatness: 0.99 }).colormap).toBe('labels');
  });
});

describe('the window of a newly opened volume', () => {
  const scan = statistics(() => 100);
  const info = { ...testInfo([8, 8, 8, 2], 'u8'), slope: 2, intercept: -100 };
  const brain = { name: 'BRAIN', low: 0, high: 80 };

  test('is the first one of the file, in stored values', () => {
    const view = firstView({ ...info, windows: [brain, { name: 'BONE', low: -100, high: 300 }] }, scan);
    expect(view).toMatchObject({ window: [50, 90], level: expect.closeTo(64, 9), projection: 'composite' });
  });

  test('is that of the first channel', () => {
    const channels = [
      { name: 'a', window: [-90, 100] as const },
      { name: 'b', window: [0, 20] as const },
    ];
    expect(firstView({ ...info, channels, windows: [brain] }, scan).window).toEqual([5, 100]);
    expect(firstView({ ...info, channels: [{ name: 'a' }, { name: 'b', window: [0, 20] }] }, scan).window).toEqual([10, 200]);
  });

  test.each([
    [500, 600],
    [-900, -100],
    [80, 0],
    [0, Number.POSITIVE_INFINITY],
  ])('is the automatic one where the file’s shows none of the values: %s to %s', (low, high) => {
    expect(firstView({ ...info, windows: [{ name: '', low, high }] }, scan).window).toEqual([10, 200]);
  });

  const few = statistics((bin) => (bin < 40 ? 1000 : 0), { max: 39, flatness: 0.95 });

  test.each([{}, { windows: [] }, { channels: [{ name: 'a' }, { name: 'b' }] }])('of labels covers all of them: %j', (facts) => {
    const labels = { ...testInfo([8, 8, 8, 2], 'u8'), ...facts };
    expect(firstView(labels, few)).toMatchObject({ window: [0, 39], colormap: 'labels' });
  });

  test('is that of the file even if there are few values, since label files have no window', () => {
    const measured = { ...testInfo([8, 8, 8, 2], 'u8'), windows: [brain] };
    expect(firstView(measured, few)).toMatchObject({ window: [0, 80], colormap: 'gray' });
  });
});

describe('colormaps', () => {
  test('each has 256 colours, and the grey ones are linear', () => {
    for (const name of colormapNames) expect(colormap(name).colors).toHaveLength(768);
    expect([...colormap('gray').colors].slice(-6)).toEqual([254, 254, 254, 255, 255, 255]);
    expect([...colorsOf({ colormap: 'gray', inverted: true })].slice(0, 6)).toEqual([255, 255, 255, 254, 254, 254]);
    expect(colormap('no such map')).toBe(colormap('gray'));
    expect(colormapGradient({ colormap: 'gray', inverted: false })).toMatch(
      /^linear-gradient\(to right, rgb\(0 0 0\), .*rgb\(255 255 255\)\)$/,
    );
  });

  test('the tables are the published ones, from end to end', () => {
    const ends = (name: string) => {
      const { colors } = colormap(name);
      return [colors.slice(0, 3), colors.slice(384, 387), colors.slice(-3)].map((color) =>
        [...color].map((channel) => channel.toString(16).padStart(2, '0')).join(''),
      );
    };
    // First, 129th and last colour as published for matplotlib and Scientific colour maps 7.
    expect(ends('viridis')).toEqual(['440154', '21918c', 'fde725']);
    expect(ends('magma')).toEqual(['000004', 'b73779', 'fcfdbf']);
    expect(ends('inferno')).toEqual(['000004', 'bc3754', 'fcffa4']);
    expect(ends('plasma')).toEqual(['0d0887', 'cc4778', 'f0f921']);
    expect(ends('cividis')).toEqual(['00224e', '7d7c78', 'fee838']);
    expect(ends('turbo')).toEqual(['30123b', 'a4fc3c', '7a0403']);
    expect(ends('batlow')).toEqual(['011959', '828231', 'faccfa']);
  });

  test('a name from an earlier version still works', () => {
    const earlier = { colormap: 'gray-inverted', inverted: false };
    expect(withPresentName(earlier)).toEqual({ colormap: 'gray', inverted: true });
    expect(withPresentName({ colormap: 'hot', inverted: true })).toEqual({ colormap: 'hot', inverted: true });
  });

  test('labels keep their colours when inverted, and each label has one', () => {
    expect(colorsOf({ colormap: 'labels', inverted: true })).toBe(colormap('labels').colors);
    expect([0, 1, 255, 256, 65_535, -1, -255].map(labelColorIndex)).toEqual([0, 1, 255, 1, 255, 254, 255]);
  });

  test('labels are 256 different colours', () => {
    const { colors } = colormap('labels');
    const codes = Array.from({ length: 256 }, (_, index) => colors.slice(index * 3, index * 3 + 3).join());
    expect(new Set(codes).size).toBe(256);
  });
});

describe('the transfer function', () => {
  const ramp = [
    [0.2, 0],
    [0.6, 1],
  ] as const;

  test('is linear between its points and constant outside', () => {
    expect([0, 0.2, 0.4, 0.6, 1].map((place) => opacityAt(ramp, place))).toEqual(
      [0, 0, 0.5, 1, 1].map((v) => expect.closeTo(v, 9)),
    );
    expect(opacityAt([], 0.3)).toBe(0.3);
  });

  test('bounds the opacity of every range', () => {
    const texels = transferTexels({ colormap: 'hot', inverted: false, opacity: ramp });
    const bound = (low: number, high: number): number =>
      texels[(256 + 16 * Math.floor(low * 15) + Math.ceil(high * 15)) * 4 + 3] as number;
    expect(bound(0, 0.19)).toBe(0);
    for (let place = 0; place <= 255; place++) {
      expect(bound(place / 255, place / 255)).toBeGreaterThanOrEqual(texels[place * 4 + 3] as number);
    }
    expect(bound(0, 1)).toBe(255);
  });

  test('only a bright lowest colour is opaque', () => {
    const choices = [
      { colormap: 'gray', inverted: false },
      { colormap: 'viridis', inverted: false },
      { colormap: 'gray', inverted: true },
    ];
    expect(choices.map(isFloorOpaque)).toEqual([false, false, true]);
  });
});

test('dragging right widens the window about its level, dragging up raises it', () => {
  const [low, high] = adjustedWindow([100, 200], [0.1, 0]);
  expect(high - low).toBeGreaterThan(100);
  expect((low + high) / 2).toBeCloseTo(150, 9);
  expect(adjustedWindow([100, 200], [0, -0.25])).toEqual([150, 250]);
});

describe('frame pacing', () => {
  test('a fast GPU draws at full resolution, a slow one smaller while things move', () => {
    const fast = new FramePacing(false);
    fast.measured(1e6, 4);
    expect([fast.movingScale(1e6), fast.stillScale(1e6)]).toEqual([1, 1]);
    const slow = new FramePacing(false);
    slow.measured(1e6, 300);
    expect(slow.movingScale(1e6)).toBeCloseTo(0.1, 9);
    expect(slow.stillScale(1e6)).toBe(1);
    // If even a still picture takes long, a coarse one comes first, then better ones.
    expect(slow.stillScale(1e6, 0.01)).toBeCloseTo(0.1, 9);
    expect([0.2, 0.4, 0.8].map((least) => slow.stillScale(1e6, 0.01, least))).toEqual([0.2, 0.4, 1]);
  });

  test('longer steps allow more pixels, and are used where there would be few', () => {
    const pacing = new FramePacing(false);
    pacing.measured(1e6, 22, 2);
    expect(pacing.expectedMs(1e6)).toBeCloseTo(44, 9);
    expect(pacing.expectedMs(1e6, 0.5)).toBeCloseTo(88, 9);
    expect([pacing.movingStep(1e6), pacing.movingScale(1e6), pacing.movingScale(1e6, 2)]).toEqual([2, 0.5, 0.7]);
    expect(pacing.movingStep(1e5)).toBe(1);
  });

  test('before any measurement, a software GPU starts small', () => {
    expect(new FramePacing(true).movingScale(1e6)).toBeLessThan(0.5);
    expect(new FramePacing(false).movingScale(1e6)).toBe(1);
  });
});
