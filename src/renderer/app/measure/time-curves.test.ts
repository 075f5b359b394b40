import { expect, it } from 'vitest';
import { StriaError } from '../../../core/shared/errors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { noLayers } from '../../viewer/model/layers.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { TimeCurves, timeCurvesCsv } from './time-curves.ts';

const settle = () => new Promise((resolve) => setTimeout(resolve));

/** Two channels of 20 time points, each 2 s; the stored value is 100 t + x. */
const info = {
  ...testInfo([8, 8, 8, 40], 'i16'),
  spacing: [1, 1, 1, 2],
  slope: 0.5,
  intercept: 0,
  channels: [{ name: 'one' }, { name: 'two' }],
} as const;

function setUp() {
  const store = createAppStore();
  const listeners = new Set<() => void>();
  let state = { timePoint: 25, crosshair: [3, 4, 5], layers: noLayers };
  const viewer = {
    snapshot: () => ({ state }),
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const reads: number[] = [];
  const broken: { error?: Error | undefined } = {};
  const voxel = async (x: number, _y: number, _z: number, t: number) => {
    reads.push(t);
    if (broken.error) throw broken.error;
    return 100 * t + x;
  };
  const readBox: VolumeSource['readBox'] = async ({ first, size, timePoint }, visit) => {
    const place = (at: number) => first[0] + (at % size[0]);
    const values = Float64Array.from({ length: size[0] * size[1] * size[2] }, (_, at) => 100 * timePoint + place(at));
    visit({ first, size, values, rowLength: size[0] });
  };
  const base = { info, voxel, readBox, decimation: 1 } as unknown as VolumeSource;
  const curves = new TimeCurves(store, { base: () => base, layer: () => undefined });
  store.setState({ gpu: { kind: 'ready', viewer } as unknown as AppState['gpu'] });
  store.setState({ document: { kind: 'ready', document: { info, name: 'series.nii' } as unknown as OpenDocument } });
  const show = (inspectorTab: 'measure' | 'display') =>
    store.setState(({ settings }) => ({ settings: { ...settings, inspectorTab } }));
  const set = (change: Partial<typeof state>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  return { store, curves, reads, broken, show, set };
}

it('is the values of the crosshair’s voxel at each time point of the channel, read only while it is shown', async () => {
  const { store, reads, show, set } = setUp();
  await settle();
  expect(reads).toEqual([]);
  show('measure');
  await settle();
  const { timeCurve } = store.getState();
  expect(timeCurve).toMatchObject({ voxel: [3, 4, 5], unit: 's' });
  expect(timeCurve?.times).toEqual(Array.from({ length: 20 }, (_, at) => 2 * at));
  expect(timeCurve?.series).toEqual([
    { volume: 'base', name: 'series.nii', unit: undefined, values: Array.from({ length: 20 }, (_, at) => 50 * (20 + at) + 1.5) },
  ]);
  expect(timeCurve && timeCurvesCsv([timeCurve]).split(/\r?\n/).slice(0, 3)).toEqual([
    'time (s),series.nii',
    '0,1001.5',
    '2,1051.5',
  ]);
  // Playback does not read the curve again.
  reads.length = 0;
  set({ timePoint: 26 });
  await settle();
  expect(reads).toEqual([]);
  show('display');
  expect(store.getState().timeCurve).toBeUndefined();
});

it('follows the crosshair, and stops reading at the previous place', async () => {
  const { store, reads, show, set } = setUp();
  show('measure');
  set({ crosshair: [4, 4, 5] });
  set({ crosshair: [6, 4, 5] });
  await settle();
  expect(store.getState().timeCurve?.voxel).toEqual([6, 4, 5]);
  // Reading at the first place stops after 16 time points.
  expect(reads).toHaveLength(36);
});

it('can be pinned, for comparison and saving with others, until the document is closed', async () => {
  const { store, curves, show, set } = setUp();
  show('measure');
  await settle();
  curves.pin();
  set({ crosshair: [7, 0, 0] });
  await settle();
  curves.pin();
  set({ crosshair: [1, 1, 1] });
  await settle();
  const { timeCurve, pinnedCurves } = store.getState();
  expect(pinnedCurves.map(({ slot, voxel }) => [slot, voxel])).toEqual([
    [1, [3, 4, 5]],
    [2, [7, 0, 0]],
  ]);
  expect(
    timeCurve &&
      timeCurvesCsv([timeCurve, ...pinnedCurves])
        .split(/\r?\n/)
        .slice(0, 2),
  ).toEqual(['time (s),series.nii at x 2 y 2 z 2,series.nii at x 4 y 5 z 6,series.nii at x 8 y 1 z 1', '0,1000.5,1001.5,1003.5']);
  curves.unpin(1);
  curves.pin();
  expect(store.getState().pinnedCurves.map(({ slot }) => slot)).toEqual([2, 1]);
  store.setState({ document: { kind: 'empty' } });
  expect(store.getState().pinnedCurves).toEqual([]);
});

it('is the mean of the chosen region', async () => {
  const { store, show, set } = setUp();
  show('measure');
  const points = [
    [2, 2, 3],
    [6, 4, 3],
  ] as const;
  const measurement = { id: 'rectangle-1', kind: 'rectangle', name: 'Rectangle 1', axis: 'z', timePoint: 0, points } as const;
  store.setState({ measurements: [measurement], chosenMeasurement: measurement.id });
  await settle();
  const { timeCurve } = store.getState();
  expect(timeCurve?.region).toBe('Rectangle 1');
  // x 2 to 5.
  expect(timeCurve?.series[0]?.values).toEqual(Array.from({ length: 20 }, (_, at) => 50 * (20 + at) + 0.5 * 3.5));
  store.setState({ measurements: [{ ...measurement, name: 'Thalamus' }] });
  await settle();
  expect(store.getState().timeCurve?.region).toBe('Thalamus');
  set({ crosshair: [0, 0, 0] });
  store.setState({ chosenMeasurement: undefined });
  await settle();
  expect(store.getState().timeCurve).toMatchObject({ voxel: [0, 0, 0], region: undefined });
});

it('is read again once a finer resolution has replaced the one that was being read', async () => {
  const { store, broken, show } = setUp();
  const openAt = (decimation: number) => {
    const document = { info, name: 'series.nii', opened: info, decimation } as unknown as OpenDocument;
    store.setState({ document: { kind: 'ready', document } });
  };
  openAt(4);
  broken.error = new StriaError('aborted', 'cancelled');
  show('measure');
  broken.error = undefined;
  openAt(1);
  await settle();
  expect(store.getState().timeCurveFault).toBeUndefined();
  expect(store.getState().timeCurve?.series[0]?.values).toHaveLength(20);
});
