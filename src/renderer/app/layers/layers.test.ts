import { describe, expect, it } from 'vitest';
import { StriaError } from '../../../core/shared/errors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { testLook } from '../../viewer/model/layer-testing.ts';
import { type LayerStack, mostLayers, noLayers } from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import type { KeptVolume } from '../gpu/residency.ts';
import type { LoadedVolume, LoadOptions, OpenRequest } from '../loading/load-resident.ts';
import { AddingQueue } from '../state/adding-queue.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { Layers } from './layers.ts';

const info = testInfo([4, 4, 4, 1], 'u8');
const histogram = { low: 0, binWidth: 1, counts: Array.from({ length: 256 }, () => 1) };
const range = [0, 255] as const;
const statistics = {
  min: 0,
  max: 255,
  count: 256,
  numbers: range,
  missing: 0,
  notFinite: 0,
  histogram,
  window: range,
  percentiles: range,
  flatness: 0,
};

class FakeVolume {
  readonly info = info;
  readonly decimation: number = 1;
  isDestroyed = false;
  async statistics() {
    return statistics;
  }
  destroy() {
    this.isDestroyed = true;
  }
}

class FakeBricks {
  isClosed = false;
  close() {
    this.isClosed = true;
  }
}

interface Load {
  readonly request: OpenRequest;
  readonly options: LoadOptions;
  readonly volume: FakeVolume;
  /** @param bricks those of the file */
  end(bricks?: FakeBricks): Promise<void>;
  fail(error: unknown): Promise<void>;
}

const settle = () => new Promise<void>((resolve) => setTimeout(resolve));
const request = (name: string) => ({ kind: 'file', file: { name } }) as unknown as OpenRequest;

function fakeEngine(budgetBytes = 1000) {
  const listeners = new Set<() => void>();
  let layers: LayerStack = noLayers;
  let shown: ReadonlyMap<string, FakeVolume> = new Map();
  let given: ReadonlyMap<string, FakeBricks> = new Map();
  const viewer = {
    snapshot: () => ({ state: { layers } }),
    set: (change: { layers: LayerStack }) => {
      layers = change.layers;
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setLayers: (volumes: ReadonlyMap<string, FakeVolume>, bricks: ReadonlyMap<string, FakeBricks> = new Map()) => {
      expect(
        [...volumes.values()].some(({ isDestroyed }) => isDestroyed),
        'a destroyed volume is shown',
      ).toBe(false);
      const isClosed = [...bricks.values()].some((each) => each.isClosed);
      expect(isClosed, 'closed bricks are shown').toBe(false);
      shown = volumes;
      given = bricks;
    },
  };
  const gpu = {
    memory: { liveBytes: (label: string) => (({ volume: 700, compressed: 0, mesh: 0 }) as Record<string, number>)[label] ?? 100 },
  };
  const engine = { viewer, gpu, budgetBytes } as unknown as Engine;
  return { engine, viewer, shown: () => [...shown.keys()], given: () => [...given] };
}

function setUp(budgetBytes?: number) {
  const store = createAppStore();
  const loads: Load[] = [];
  let current = fakeEngine(budgetBytes);
  const load = (_engine: unknown, wanted: OpenRequest, options: LoadOptions) =>
    new Promise<LoadedVolume>((resolve, reject) => {
      const volume = new FakeVolume();
      options.signal?.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')));
      loads.push({
        request: wanted,
        options,
        volume,
        end: (bricks) => {
          resolve({ kept: volume as unknown as KeptVolume, bricks: bricks as never, format: 'NIfTI' } as LoadedVolume);
          return settle();
        },
        fail: (error) => {
          reject(error);
          return settle();
        },
      });
    });
  const queue = new AddingQueue(store);
  const layers = new Layers(store, () => current.engine, queue, load);
  const showGpu = () => store.setState({ gpu: { kind: 'ready', ...current.engine } as unknown as AppState['gpu'] });
  showGpu();
  const open = () => store.setState({ document: { kind: 'ready', document: { opened: {}, info } as OpenDocument } });
  open();
  const added = async (name: string) => {
    const adding = layers.adding.add(request(name), name);
    await loads.at(-1)?.end();
    await adding;
    return loads.at(-1) as Load;
  };
  return {
    store,
    queue,
    layers,
    loads,
    added,
    open,
    shown: () => current.shown(),
    given: () => current.given(),
    stack: () => current.viewer.snapshot().state.layers,
    set: (stack: LayerStack) => current.viewer.set({ layers: stack }),
    loseDevice: () => store.setState({ gpu: { kind: 'recovering', message: '' } }),
    returnDevice: () => {
      const { layers: stack } = current.viewer.snapshot().state;
      current = fakeEngine();
      current.viewer.set({ layers: stack });
      showGpu();
    },
  };
}

describe('layers', () => {
  it('are added on top and chosen', async () => {
    const { added, stack, shown, store } = setUp();
    await added('one.nii');
    const { options } = await added('two.nii');
    // All voxels are loaded, even over a network.
    expect(options.isWhole).toBe(true);
    expect(options.keepsVoxels?.()).toBe(true);
    expect(stack().layers.map(({ name }) => name)).toEqual(['one.nii', 'two.nii']);
    expect(shown()).toEqual(['layer-1', 'layer-2']);
    expect(store.getState().layers).toMatchObject({
      chosen: 'layer-2',
      volumes: { 'layer-1': { kind: 'ready', placedBy: 'voxels' } },
    });
  });

  it('of several files are added until one is cancelled, and never to the next document', async () => {
    const { queue, layers, loads, open, store, stack } = setUp();
    const two = ['one.nii', 'two.nii'].map((name) => ({ request: request(name), name }));
    const cancelled = layers.adding.addAll(two);
    queue.cancel();
    await cancelled;
    const closed = layers.adding.addAll(two);
    store.setState({ document: { kind: 'empty' } });
    open();
    await closed;
    expect(loads).toHaveLength(2);
    const added = layers.adding.addAll(two);
    await loads[2]?.end();
    await loads[3]?.end();
    await added;
    expect(stack().layers.map(({ name }) => name)).toEqual(['one.nii', 'two.nii']);
  });

  it('wait until a surface is made, and keep the message of one that could not be added', async () => {
    const { queue, layers, loads, store } = setUp();
    const state = () => store.getState().layers;
    const faults: ((fault: StriaError) => void)[] = [];
    const surface = (name: string) => queue.add(name, 'Reading', () => new Promise((_, reject) => faults.push(reject)));
    const first = surface('lh.stl');
    const added = layers.adding.add(request('one.nii'), 'one.nii');
    const second = surface('rh.stl');
    expect([loads.length, state().waiting]).toEqual([0, ['one.nii', 'rh.stl']]);
    faults[0]?.(new StriaError('corrupt', 'the file ends early'));
    expect(await first).toBeUndefined();
    await settle();
    expect(state()).toMatchObject({ adding: { kind: 'loading', name: 'one.nii' }, waiting: ['rh.stl'] });
    expect(state().notAdded).toMatchObject([{ name: 'lh.stl', fault: { tag: 'corrupt' } }]);
    await loads[0]?.end();
    expect(await added).toBe(true);
    expect(state()).toMatchObject({ adding: { kind: 'loading', name: 'rh.stl' }, notAdded: [{ name: 'lh.stl' }] });
    faults[1]?.(new StriaError('corrupt', 'the file ends early'));
    await second;
    expect(state()).toMatchObject({ adding: { kind: 'none' }, notAdded: [{ name: 'lh.stl' }, { name: 'rh.stl' }] });
  });

  it('that are added or wait when the device is lost are listed with what to do', async () => {
    const { layers, loads, loseDevice, store, stack } = setUp();
    const two = ['one.nii', 'two.nii'].map((name) => ({ request: request(name), name }));
    const added = layers.adding.addAll(two);
    loseDevice();
    expect(await added).toBe(false);
    expect([loads.length, stack().layers]).toEqual([1, []]);
    const fault = { tag: 'device-lost', message: 'It was not added. Add it again' };
    expect(store.getState().layers).toMatchObject({
      adding: { kind: 'none' },
      waiting: [],
      notAdded: two.map(({ name }) => ({ name, fault })),
    });
  });

  it('of files that are added while others load follow in order, also after one that fails', async () => {
    const { queue, layers, loads, store, stack } = setUp();
    const state = () => store.getState().layers;
    const first = layers.adding.addAll(['one.nii', 'broken.nii'].map((name) => ({ request: request(name), name })));
    const second = layers.adding.add(request('three.nii'), 'three.nii');
    expect(loads.map(({ request: { file } }: { request: OpenRequest & { file?: { name: string } } }) => file?.name)).toEqual([
      'one.nii',
    ]);
    expect([loads[0]?.options.signal?.aborted, state().waiting]).toEqual([false, ['broken.nii', 'three.nii']]);
    await loads[0]?.end();
    expect([loads.length, state().waiting]).toEqual([2, ['three.nii']]);
    await loads[1]?.fail(new StriaError('corrupt', 'the header is damaged'));
    expect(await first).toBe(false);
    expect(state()).toMatchObject({
      adding: { kind: 'loading', name: 'three.nii' },
      waiting: [],
      notAdded: [{ name: 'broken.nii', fault: { tag: 'corrupt' } }],
    });
    await loads[2]?.end();
    expect(await second).toBe(true);
    expect(stack().layers.map(({ name }) => name)).toEqual(['one.nii', 'three.nii']);
    // The message stays until it is dismissed or something else is added.
    expect(state()).toMatchObject({ adding: { kind: 'none' }, notAdded: [{ name: 'broken.nii' }] });
    const third = layers.adding.add(request('four.nii'), 'four.nii');
    expect(state().notAdded).toEqual([]);
    const fourth = layers.adding.add(request('five.nii'), 'five.nii');
    queue.cancel();
    expect(await Promise.all([third, fourth])).toEqual([false, false]);
    expect([loads.length, state().adding, state().waiting]).toEqual([4, { kind: 'none' }, []]);
  });

  it('of a file with several volumes are those that the user chooses', async () => {
    const { queue, layers, loads, store, stack } = setUp();
    const several = new StriaError('several', 'it holds several volumes');
    const adding = layers.adding.add(request('two.h5'), 'two.h5');
    await loads[0]?.fail(several);
    expect(store.getState()).toMatchObject({
      overlay: 'layer-volumes',
      layers: { adding: { kind: 'choosing', name: 'two.h5' } },
    });
    layers.adding.chooseVolume({ id: '/b', label: 'b' });
    await settle();
    expect(loads[1]?.request).toMatchObject({ file: { name: 'two.h5' }, dataset: '/b', label: 'b' });
    await loads[1]?.end();
    expect(await adding).toBe(true);
    expect(store.getState().overlay).toBe('none');
    expect(stack().layers.map(({ name }) => name)).toEqual(['two.h5 · b']);
    expect(layers.volumes.requestOf('layer-1')).toMatchObject({ dataset: '/b' });
    // Another question, such as that of the next file, is not replaced.
    const waits = layers.adding.add(request('two.h5'), 'two.h5');
    store.setState({ overlay: 'second' });
    await loads.at(-1)?.fail(several);
    expect(store.getState()).toMatchObject({ overlay: 'second', layers: { adding: { kind: 'loading' } } });
    store.setState({ overlay: 'none' });
    await settle();
    expect(store.getState()).toMatchObject({ overlay: 'layer-volumes', layers: { adding: { kind: 'choosing' } } });
    queue.cancel();
    expect(await waits).toBe(false);
    // Closing the question, or cancelling, adds nothing.
    for (const end of [() => store.setState({ overlay: 'none' }), () => queue.cancel()]) {
      const again = layers.adding.add(request('two.h5'), 'two.h5');
      await loads.at(-1)?.fail(several);
      end();
      expect(await again).toBe(false);
      expect(store.getState()).toMatchObject({ overlay: 'none', layers: { adding: { kind: 'none' } } });
    }
  });

  it('that are larger than memory give their bricks to the viewer, until they are removed, fail or are closed', async () => {
    const { layers, loads, given, set, stack, store } = setUp();
    const all = [new FakeBricks(), new FakeBricks(), new FakeBricks()] as const;
    const added = async (name: string, bricks: FakeBricks) => {
      const adding = layers.adding.add(request(name), name);
      await loads.at(-1)?.end(bricks);
      return adding;
    };
    await added('one.stria', all[0]);
    await added('two.stria', all[1]);
    expect(given()).toEqual([
      ['layer-1', all[0]],
      ['layer-2', all[1]],
    ]);
    set({ ...stack(), layers: stack().layers.slice(1) });
    expect(given()).toEqual([['layer-2', all[1]]]);
    const cancelled = added('three.stria', all[2]);
    store.setState({ document: { kind: 'empty' } });
    await cancelled;
    expect(given()).toEqual([]);
    expect(all.map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
  });

  it('whose files a session did not find stay in the list until they are found', async () => {
    const { layers, loads, store, set } = setUp();
    set({ ...noLayers, layers: [testLook({ id: 'layer-1' })] });
    layers.volumes.restore(new Map(), new Map([['layer-1', { files: [{ path: '../data/lost.nii', size: 1 }] }]]));
    expect(store.getState().layers.volumes).toEqual({ 'layer-1': { kind: 'lost', files: ['lost.nii'] } });
    expect(loads).toEqual([]);
    layers.volumes.restore(new Map([['layer-1', request('found.nii')]]));
    await loads[0]?.end();
    expect(store.getState().layers.volumes['layer-1']?.kind).toBe('ready');
    expect(layers.volumes.lostSourceOf('layer-1')).toBeUndefined();
  });

  it('that do not fit as voxels stay compressed if their file is compressed, and are refused with advice otherwise', async () => {
    const { layers, loads, store, shown } = setUp();
    const large = testInfo([40, 40, 40, 1], 'u8');
    const adding = layers.adding.add(request('one.stria'), 'one.stria');
    const { options, end } = loads[0] as Load;
    expect(options.keepsVoxels?.()).toBe(true);
    expect(() => options.onInfo?.(large, undefined, false)).toThrow(/Compress the file to a .stria and add that/);
    const small = testInfo([5, 5, 5, 1], 'u8');
    options.onInfo?.(small, 20, true);
    expect(options.keepsVoxels?.()).toBe(false);
    await end();
    await adding;
    expect(shown()).toEqual(['layer-1']);
    expect(store.getState().layers.adding).toEqual({ kind: 'none' });
  });

  it('are freed when they are removed, and loaded again when undo brings them back', async () => {
    const { added, layers, stack, set, loads, shown } = setUp();
    const { volume } = await added('one.nii');
    const before = stack();
    layers.removeChosen();
    expect(volume.isDestroyed).toBe(true);
    expect(shown()).toEqual([]);
    set(before);
    expect(loads).toHaveLength(2);
    await loads[1]?.end();
    expect(shown()).toEqual(['layer-1']);
    expect(loads[1]?.volume.isDestroyed).toBe(false);
  });

  it('whose removal is redone while they load are not kept', async () => {
    const { added, layers, stack, set, loads, shown } = setUp();
    await added('one.nii');
    const before = stack();
    layers.removeChosen();
    set(before);
    set(noLayers);
    expect(loads[1]?.options.signal?.aborted).toBe(true);
    await loads[1]?.end();
    expect(shown()).toEqual([]);
  });

  it('end with the document, loaded or still loading', async () => {
    const { added, layers, store, loads, shown, open } = setUp();
    const { volume } = await added('one.nii');
    void layers.adding.add(request('two.nii'), 'two.nii');
    store.setState({ document: { kind: 'empty' } });
    expect(volume.isDestroyed).toBe(true);
    expect(loads[1]?.options.signal?.aborted).toBe(true);
    await settle();
    expect(store.getState().layers).toMatchObject({ adding: { kind: 'none' }, volumes: {}, chosen: undefined });
    expect(shown()).toEqual([]);
    // Another document does not load them again.
    open();
    expect(loads).toHaveLength(2);
  });

  it('come back on a new device', async () => {
    const { added, loseDevice, returnDevice, loads, shown } = setUp();
    const { volume } = await added('one.nii');
    loseDevice();
    expect(volume.isDestroyed).toBe(true);
    returnDevice();
    expect(loads).toHaveLength(2);
    await loads[1]?.end();
    expect(shown()).toEqual(['layer-1']);
  });

  it('are refused before allocation if memory does not suffice', async () => {
    const { queue, layers, loads, store } = setUp();
    const adding = layers.adding.add(request('large.nii'), 'large.nii');
    const onInfo = loads[0]?.options.onInfo;
    let error: unknown;
    try {
      onInfo?.({ ...info, dims: [5, 5, 5, 1] }, undefined, false);
    } catch (thrown) {
      error = thrown;
    }
    await loads[0]?.fail(error);
    await adding;
    expect(store.getState().layers).toMatchObject({
      adding: { kind: 'none' },
      notAdded: [{ name: 'large.nii', fault: { tag: 'out-of-memory' } }],
    });
    expect(() => onInfo?.({ ...info, dims: [4, 5, 5, 1] }, undefined, false)).not.toThrow();
    queue.cancel();
    expect(store.getState().layers.notAdded).toEqual([]);
  });

  it('that fit neither as voxels nor compressed are loaded at a level, if their file can be read in boxes', async () => {
    const mebibytes = 2 ** 20;
    const { layers, loads, store, shown } = setUp(10 * mebibytes);
    const large = testInfo([256, 256, 256, 1], 'u8');
    const adding = layers.adding.add(request('large.nii'), 'large.nii');
    const { options, end, volume } = loads[0] as Load;
    expect(options.levelBytes?.()).toBeUndefined();
    options.onInfo?.(large, undefined, true);
    // Half of what is left is for the texture of the 3D view.
    expect(options.levelBytes?.()).toBeCloseTo((10 * mebibytes - 800) / 2, -1);
    Object.assign(volume, { decimation: 2, file: {} });
    await end();
    expect(await adding).toBe(true);
    expect(shown()).toEqual(['layer-1']);
    expect(store.getState().layers.volumes['layer-1']).toMatchObject({ kind: 'ready', decimation: 2 });
    const compressed = layers.adding.add(request('large.stria'), 'large.stria');
    loads[1]?.options.onInfo?.(testInfo([200, 200, 200, 1], 'u8'), mebibytes, true);
    expect([loads[1]?.options.levelBytes?.(), loads[1]?.options.keepsVoxels?.()]).toEqual([undefined, false]);
    await loads[1]?.end();
    await compressed;
  });

  it('are refused at any level if next to nothing is left', () => {
    const { queue, layers, loads } = setUp();
    void layers.adding.add(request('large.nii'), 'large.nii');
    const { onInfo, levelBytes } = loads[0]?.options ?? {};
    expect(() => onInfo?.(testInfo([256, 256, 256, 1], 'u8'), undefined, true)).toThrow(/Volumes may take/);
    expect(levelBytes?.()).toBeUndefined();
    queue.cancel();
  });

  it('that come back too large for the GPU, or after Cancel, are freed', async () => {
    const { queue, layers, loads, store, stack } = setUp();
    const decimated = layers.adding.add(request('one.nii'), 'one.nii');
    Object.assign(loads[0]?.volume ?? {}, { decimation: 2 });
    await loads[0]?.end();
    await decimated;
    expect(loads[0]?.volume.isDestroyed).toBe(true);
    expect(store.getState().layers.notAdded).toHaveLength(1);
    const cancelled = layers.adding.add(request('two.nii'), 'two.nii');
    queue.cancel();
    await cancelled;
    expect(store.getState().layers).toMatchObject({ adding: { kind: 'none' }, notAdded: [] });
    expect(stack().layers).toEqual([]);
  });

  it('do not exceed the limit of the list', async () => {
    const { added, layers, loads, store } = setUp();
    for (let number = 0; number < mostLayers; number++) await added(`${number}.nii`);
    await layers.adding.add(request('more.nii'), 'more.nii');
    expect(loads).toHaveLength(mostLayers);
    expect(store.getState().layers.notAdded).toMatchObject([{ fault: { tag: 'unsupported' } }]);
  });
});
