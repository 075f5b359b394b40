import { describe, expect, it } from 'vitest';
import type { LineSamples } from '../../../core/draw/line-from-file.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { testLook } from '../../viewer/model/layer-testing.ts';
import { type LayerStack, noLayers } from '../../viewer/model/layers.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { Profiles, profileCsv } from './profiles.ts';

const info = { ...testInfo([20, 20, 20, 1], 'i16'), slope: 2, intercept: 1, valueUnit: 'HU' };
/** Half as many voxels along each axis, of 2 mm. */
const coarse = { ...testInfo([10, 10, 10, 1], 'u8'), affine: [2, 0, 0, 0.5, 0, 2, 0, 0.5, 0, 0, 2, 0.5] };
const distance: Measurement = {
  id: 'd',
  kind: 'distance',
  name: 'Distance',
  axis: 'z',
  timePoint: 0,
  points: [
    [2, 4, 6.5],
    [8, 4, 6.5],
  ],
};
const look = (id: string, colormap: string) => testLook({ id, colormap });

function setUp() {
  const store = createAppStore();
  const listeners = new Set<() => void>();
  let state = {
    timePoint: 0,
    smooth: false,
    colormap: 'gray',
    layers: noLayers,
    slab: { kind: 'none' as 'none' | 'mean', thickness: 5 },
  };
  const viewer = {
    snapshot: () => ({ state }),
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const asked: (LineSamples & {
    readonly volume: VolumeSource;
    readonly end: () => void;
    readonly fail: (error: unknown) => void;
  })[] = [];
  const base = { info } as VolumeSource;
  const layer = { info: { ...coarse, affine: [...coarse.affine] } } as unknown as VolumeSource;
  const sample = async (_gpu: unknown, volume: VolumeSource, _time: number, line: LineSamples) => {
    await new Promise<void>((end, fail) => asked.push({ ...line, volume, end, fail }));
    return Float32Array.from({ length: line.count }, (_, at) => (at === 0 ? Number.NaN : at));
  };
  new Profiles(store, { base: () => base, layer: (id) => (id === 'none' ? undefined : layer) }, sample);
  store.setState({ gpu: { kind: 'ready', viewer } as unknown as AppState['gpu'] });
  store.setState({ document: { kind: 'ready', document: { info, name: 'scan.nii' } as OpenDocument } });
  return {
    store,
    asked,
    show: (layers: LayerStack) => {
      state = { ...state, layers };
      store.setState((before) => ({ layers: { ...before.layers, stack: layers } }));
    },
    setSlab: (thickness: number) => {
      state = { ...state, slab: { kind: 'mean', thickness } };
      for (const listener of listeners) listener();
    },
    setTime: (timePoint: number) => {
      state = { ...state, timePoint };
      for (const listener of listeners) listener();
    },
    end: async () => {
      for (const { end } of asked) end();
      await new Promise((resolve) => setTimeout(resolve));
    },
  };
}

describe('the profile of the chosen distance', () => {
  it('has real values of the volume and its image layers at equal distances, each read in its own voxels', async () => {
    const { store, asked, show, end } = setUp();
    show({
      ...noLayers,
      layers: [look('pet', 'hot'), look('seg', 'labels'), { ...look('hidden', 'hot'), isVisible: false }, look('none', 'hot')],
    });
    store.setState({ measurements: [distance], chosenMeasurement: 'd' });
    expect(asked.map(({ from, to, smooth }) => ({ from, to, smooth }))).toEqual([
      { from: [2, 4, 6.5], to: [8, 4, 6.5], smooth: false },
      { from: [1, 2, 3.25], to: [4, 2, 3.25], smooth: true },
    ]);
    await end();
    const { profile } = store.getState();
    expect(profile?.distances).toEqual(Array.from({ length: 13 }, (_, at) => at / 2));
    expect(profile?.series.map(({ name, unit }) => [name, unit])).toEqual([
      ['scan.nii', 'HU'],
      ['pet', undefined],
    ]);
    expect(profile?.series[0]?.values.slice(0, 3)).toEqual([null, 3, 5]);
    expect(profile?.series[1]?.values.slice(0, 3)).toEqual([null, 1, 2]);
    expect(profile && profileCsv(profile, info).split(/\r?\n/).slice(0, 3)).toEqual([
      'distance (mm),scan.nii (HU),pet',
      '0,,',
      '0.5,3,1',
    ]);
  });

  it('is read again when the line or the time point changes, only for the latest state, and removed if nothing is chosen', async () => {
    const { store, asked, setTime, end } = setUp();
    store.setState({ measurements: [distance, { ...distance, id: 'other', kind: 'angle' }], chosenMeasurement: 'd' });
    for (const x of [9, 10, 11])
      store.setState({
        measurements: [
          {
            ...distance,
            points: [
              [2, 4, 6.5],
              [x, 4, 6.5],
            ],
          },
        ],
      });
    await end();
    expect(asked.map(({ to }) => to[0])).toEqual([8, 11]);
    await end();
    setTime(1);
    expect(asked).toHaveLength(3);
    await end();
    setTime(1);
    expect(asked).toHaveLength(3);
    store.setState({ chosenMeasurement: 'other' });
    expect(store.getState().profile).toBeUndefined();
  });

  it('is read again once a finer resolution has replaced the one that was being read', async () => {
    const { store, asked, end } = setUp();
    const openAt = (decimation: number) => {
      const document = { info, name: 'scan.nii', opened: info, decimation } as unknown as OpenDocument;
      store.setState({ document: { kind: 'ready', document } });
    };
    openAt(4);
    store.setState({ measurements: [distance], chosenMeasurement: 'd' });
    // The coarse volume is freed, which ends its readings.
    asked[0]?.fail(new StriaError('aborted', 'cancelled'));
    openAt(1);
    await end();
    await end();
    expect(asked).toHaveLength(2);
    expect(store.getState().profileFault).toBeUndefined();
    expect(store.getState().profile?.series).toHaveLength(1);
  });

  it('goes through the slices of a thick slice, in the volume and in its layers', async () => {
    const { store, asked, show, setSlab, end } = setUp();
    show({ ...noLayers, layers: [look('pet', 'hot')] });
    store.setState({ measurements: [distance], chosenMeasurement: 'd' });
    await end();
    setSlab(5);
    expect(asked.slice(2).map(({ from, to, slab }) => ({ from, to, slab }))).toEqual([
      { from: [2, 4, 0.5], to: [8, 4, 0.5], slab: { kind: 'mean', across: [0, 0, 1], slices: [4, 8] } },
      { from: [1, 2, 0.25], to: [4, 2, 0.25], slab: { kind: 'mean', across: [0, 0, 0.5], slices: [4, 8] } },
    ]);
    await end();
    const { profile } = store.getState();
    expect(profile && profileCsv(profile, info).split(/\r?\n/)[0]).toBe(
      'distance (mm),"scan.nii, mean of 5 slices (HU)","pet, mean of 5 slices"',
    );
  });

  it('on the oblique slice runs between the points, whether slices are thick or not', async () => {
    const { store, asked, setSlab } = setUp();
    setSlab(5);
    const points = [
      [2.2, 4.1, 6.5],
      [8.4, 5.3, 9.9],
    ] as const;
    const measurements = [{ ...distance, oblique: { turn: 20, tilt: 10 }, points }];
    store.setState({ measurements, chosenMeasurement: 'd' });
    expect(asked.map(({ from, to, slab }) => ({ from, to, slab }))).toEqual([
      { from: points[0], to: points[1], slab: undefined },
    ]);
  });
});
