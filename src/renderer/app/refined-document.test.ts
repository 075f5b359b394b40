import { describe, expect, it, vi } from 'vitest';
import { StriaError } from '../../core/shared/errors.ts';
import { testInfo } from '../../core/volume/resident-testing.ts';
import type { VolumeStatistics } from '../../core/volume/statistics.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import type { Host } from '../host/host.ts';
import { firstView } from '../viewer/model/auto-view.ts';
import { withChannels } from '../viewer/model/channel-group.ts';
import type { ViewState } from '../viewer/model/viewer-api.ts';
import type { Viewer } from '../viewer/viewer.ts';
import { Comparison } from './compare/comparison.ts';
import { Alignment } from './layers/alignment.ts';
import { Channels } from './layers/channels.ts';
import { SecondVolume } from './layers/second-volume.ts';
import { MovieMaker } from './output/movie-maker.ts';
import type { OpenDocument } from './state/document-state.ts';
import { type AppState, createAppStore } from './state/store.ts';

const range = [0, 100] as const;
const statistics: VolumeStatistics = {
  ...{ min: 0, max: 100, count: 64, numbers: range, missing: 0, notFinite: 0, window: range, percentiles: range, flatness: 0 },
  histogram: { low: 0, binWidth: 1, counts: [64] },
};
const channels = [
  { name: 'a', window: [0, 10] as const },
  { name: 'b', window: [0, 20] as const },
];

function setUp() {
  const store = createAppStore();
  const open = (opened: object, decimation: number) => {
    const info = { ...testInfo([8, 8, 8, 2], 'u8'), channels };
    const document = { opened, info, statistics, name: 'big.stria', decimation, isRefining: decimation > 1 } as OpenDocument;
    store.setState({ document: { kind: 'ready', document } });
    return info;
  };
  const first = {};
  const info = open(first, 8);
  return { store, info, refine: () => open(first, 1), replace: () => open({}, 1) };
}

describe('a finer resolution of the open volume, unlike another volume,', () => {
  it('does not end a movie', () => {
    const { store, refine, replace } = setUp();
    const host = { canSaveFolder: () => true, saveFolder: () => new Promise(() => {}) } as unknown as Host;
    const maker = new MovieMaker(host, store);
    const snapshot = () => ({ state: { timePoint: 0 } });
    const viewer = { snapshot, views: { shownSizes: () => new Map([['3d', [16, 16]]]) } } as unknown as Viewer;
    const { output } = store.getState();
    store.setState({ output: { ...output, movie: { ...output.movie, format: 'pictures' } } });
    void maker.make({ viewer, layout: 'quad', sliceAxis: 'z', screenRatio: 1 });
    refine();
    expect(store.getState().output.movieWork.kind).toBe('asking');
    replace();
    expect(store.getState().output.movieWork.kind).toBe('none');
  });

  it('does not end a comparison', () => {
    const { store, refine, replace } = setUp();
    new Comparison(
      store,
      () => undefined,
      () => undefined,
    );
    const fault = { tag: 'corrupt', message: 'bad' } as const;
    store.setState({ comparison: { kind: 'failed', name: 'b', fault } });
    refine();
    expect(store.getState().comparison.kind).toBe('failed');
    replace();
    expect(store.getState().comparison.kind).toBe('none');
  });

  it('does not close the question about a second file', () => {
    const { store, refine, replace } = setUp();
    const second = new SecondVolume(store);
    const choices = { layer: vi.fn(), compare: vi.fn(), replace: vi.fn() };
    second.ask('b.nii', choices);
    refine();
    expect(store.getState().overlay).toBe('second');
    second.choose('layer');
    expect(choices.layer).toHaveBeenCalledOnce();
    second.ask('b.nii', choices);
    replace();
    expect(store.getState().overlay).toBe('none');
  });

  it('does not close the question about a matrix', () => {
    const { store, refine, replace } = setUp();
    new Alignment({} as Host, store, {} as never);
    store.setState({ overlay: 'matrix' });
    refine();
    expect(store.getState().overlay).toBe('matrix');
    replace();
    expect(store.getState().overlay).toBe('none');
  });

  it('keeps the colours of channels that were shown together', async () => {
    const { store, info, refine } = setUp();
    const looks = [
      { name: 'a', colormap: '#123456', isVisible: true, window: undefined },
      { name: 'b', colormap: '#654321', isVisible: true, window: undefined },
    ] as const;
    let state = withChannels(firstView(info, statistics), info, looks, [
      [1, 2],
      [3, 4],
    ]);
    const viewer = {
      snapshot: () => ({ state }),
      set: (change: Partial<ViewState>) => {
        state = { ...state, ...change };
      },
    };
    store.setState({ gpu: { kind: 'ready', gpu: {}, viewer } as unknown as AppState['gpu'] });
    const all = new Channels(store, { base: () => ({}) as VolumeSource, layer: () => undefined });
    await all.showOne(1);
    expect(state.window).toEqual([3, 4]);
    refine();
    await all.showAll();
    expect(state).toMatchObject({ colormap: '#123456', window: [1, 2] });
    expect(state.layers.layers[0]).toMatchObject({ colormap: '#654321', window: [3, 4] });
  });

  it('makes the app read channels again whose reading it interrupted', async () => {
    const { store, info, refine } = setUp();
    let state = firstView(info, statistics);
    const set = (change: Partial<ViewState>) => {
      state = { ...state, ...change };
    };
    const viewer = { snapshot: () => ({ state }), set };
    store.setState({ gpu: { kind: 'ready', gpu: {}, viewer } as unknown as AppState['gpu'] });
    const { document } = store.getState();
    if (document.kind === 'ready') {
      const unknown = { ...info, channels: channels.map(({ name }) => ({ name })) };
      store.setState({ document: { kind: 'ready', document: { ...document.document, info: unknown } } });
    }
    /** A volume that cannot be read. */
    const volumeOf = (onRead: () => void): VolumeSource => {
      const source = {
        get dims(): never {
          onRead();
          throw new StriaError('aborted', 'it was freed');
        },
      };
      return source as unknown as VolumeSource;
    };
    const reads: string[] = [];
    const finer = volumeOf(() => reads.push('finer'));
    let base = volumeOf(() => {
      reads.push('first');
      base = finer;
      refine();
    });
    await new Channels(store, { base: () => base, layer: () => undefined }).showAll();
    expect(reads).toEqual(['first', 'finer']);
  });

  it('makes the app measure the contrast again, which never goes to another volume', async () => {
    for (const [next, expected] of [
      ['refine', [5, 6]],
      ['replace', [1, 2]],
    ] as const) {
      const { store, info, ...change } = setUp();
      let state: ViewState = { ...firstView(info, statistics), window: [1, 2] };
      const set = (change: Partial<ViewState>) => {
        state = { ...state, ...change };
      };
      const viewer = { snapshot: () => ({ state }), set };
      store.setState({ gpu: { kind: 'ready', gpu: {}, viewer } as unknown as AppState['gpu'] });
      const volumeOf = (window: readonly [number, number], onRead: () => void) => {
        const measured = async () => {
          onRead();
          return { ...statistics, window };
        };
        return { info: testInfo([8, 8, 8, 1], 'u8'), statistics: measured } as unknown as VolumeSource;
      };
      const finer = volumeOf([5, 6], () => {});
      let base = volumeOf([0, 0], () => {
        base = finer;
        change[next]();
      });
      await new Channels(store, { base: () => base, layer: () => undefined }).contrast('base');
      expect(state.window, next).toEqual(expected);
    }
  });
});
