import { expect, test } from 'vitest';
import { StriaError } from '../../../core/shared/errors.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import type { HostFile } from '../../host/host.ts';
import { baseId, noLayers } from '../../viewer/model/layers.ts';
import type { FileMeasurer } from '../measure/file-task.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { exactVoxels } from './exact-voxels.ts';
import { labelLookOf } from './label-tables.ts';
import { Labels } from './labels.ts';

function setUp(measureFile: FileMeasurer = () => Promise.reject(new Error('the file is not needed')), decimation = 1) {
  const store = createAppStore();
  /** Ends reads of the volume. */
  let read = () => {};
  let failRead: (error: unknown) => void = () => {};
  const readBox = () =>
    new Promise<void>((resolve, reject) => {
      read = resolve;
      failRead = reject;
    });
  const base = { info: testInfo([4, 4, 4, 2], 'u8'), decimation, readBox } as unknown as VolumeSource;
  let state = { colormap: 'labels', layers: noLayers, timePoint: 0, crosshair: [0, 0, 0] };
  const viewer = {
    snapshot: () => ({ state }),
    subscribe: () => () => {},
    setLabels: () => {},
    set: (change: Partial<typeof state>) => {
      state = { ...state, ...change };
      store.setState(({ layers }) => ({ layers: { ...layers, stack: state.layers } }));
    },
  };
  /** The volumes whose files were measured. */
  const measured: string[] = [];
  const labels = new Labels({ openDialog: async () => [] }, store, { base: () => base, layer: () => base }, (volumeId) => {
    measured.push(volumeId);
    return measureFile;
  });
  const open = () => {
    const document = { info: testInfo([4, 4, 4, 1], 'u8') };
    store.setState({ document: { kind: 'ready', document } as unknown as AppState['document'] });
    store.setState(({ labels: before }) => ({ labels: { ...before, isBaseLabels: true } }));
  };
  store.setState({ gpu: { kind: 'ready', viewer } as unknown as AppState['gpu'] });
  open();
  return {
    store,
    labels,
    measured,
    open,
    endRead: () => read(),
    failRead: (error: unknown) => failRead(error),
    crosshair: () => state.crosshair,
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

function tableFile(name: string, text: string): HostFile {
  const blob = new Blob([text]);
  return { name, size: blob.size, handle: { kind: 'blob', name, blob }, siblings: async () => undefined };
}

test('a loaded table does not replace a table of a session', async () => {
  const { store, labels } = setUp();
  const kept = { name: 'kept.csv', table: [{ number: 1, name: 'Kept' }] };
  labels.restore({ 'table-2': kept });
  await labels.load(tableFile('a.csv', 'number,name\n1,A\n'));
  await labels.load(tableFile('b.csv', 'number,name\n1,B\n'));
  const { loaded } = store.getState().labels;
  expect(loaded['table-2']).toBe(kept);
  expect(Object.values(loaded).map(({ name }) => name)).toEqual(['kept.csv', 'a.csv', 'b.csv']);
  expect(loaded[labelLookOf(store.getState(), baseId).table ?? '']?.name).toBe('b.csv');
});

test('a table that arrives when another volume is open is ignored, and so is its fault', async () => {
  const { store, labels, open } = setUp();
  for (const text of ['number,name\n1,A\n', 'no table']) {
    const loading = labels.load(tableFile('a.csv', text));
    store.setState({ document: { kind: 'empty' } as AppState['document'] });
    open();
    await loading;
    expect(store.getState().labels).toMatchObject({ loaded: {}, fault: undefined });
  }
});

test('measuring inside labels can be cancelled, and ends when the volume is closed', async () => {
  const { store, labels, open, endRead } = setUp();
  const close = () => {
    store.setState({ document: { kind: 'empty' } as AppState['document'] });
    open();
  };
  for (const cancel of [() => labels.cancelStatistics(), close]) {
    const measuring = labels.statistics(baseId);
    expect(store.getState().labels.measuring).toBe(0);
    cancel();
    expect(store.getState().labels.measuring).toBeUndefined();
    endRead();
    await expect(measuring).rejects.toMatchObject({ tag: 'aborted' });
  }
});

test('measuring that ends because the volume was compressed in GPU memory says so', async () => {
  const { store, labels, failRead } = setUp();
  const measuring = labels.statistics(baseId);
  failRead(new StriaError('aborted', 'the volume was closed'));
  await expect(measuring).rejects.toMatchObject({ tag: 'aborted' });
  expect(store.getState().notice).toBe('Statistics: the volume in GPU memory was replaced meanwhile. Try again');
});

test('voxels that the GPU lacks are read from the file', async () => {
  const info = testInfo([4, 4, 4, 1], 'u16');
  const boxes: unknown[] = [];
  const file = {
    read: async (box: unknown) => {
      boxes.push(box);
      return Uint8Array.of(7, 0, 8, 1);
    },
  };
  const volume = { info, decimation: 2, file } as unknown as VolumeSource;
  const box = { first: [1, 2, 3], size: [2, 1, 1], timePoint: 0 } as const;
  const found: unknown[] = [];
  await exactVoxels(volume, new AbortController().signal).readBox(box, (piece) => found.push(piece));
  expect(boxes).toEqual([{ level: 0, ...box }]);
  expect(found).toEqual([{ first: [1, 2, 3], size: [2, 1, 1], values: Uint16Array.of(7, 264), rowLength: 2 }]);
});

test('labels that are only partly in GPU memory are counted from the file on request, with progress, and kept', async () => {
  const tasks: unknown[] = [];
  let job: JobOptions = {};
  let end: (counts: ReadonlyMap<number, number>) => void = () => {};
  const measureFile = ((task: unknown, options: JobOptions) => {
    tasks.push(task);
    job = options;
    return new Promise((resolve) => {
      end = resolve;
    });
  }) as unknown as FileMeasurer;
  const { store, labels, open } = setUp(measureFile, 4);
  const showTab = (inspectorTab: 'layers' | 'display') =>
    store.setState(({ settings }) => ({ settings: { ...settings, inspectorOpen: true, inspectorTab } }));
  const counted = () => store.getState().labels.counted;
  showTab('layers');
  await settled();
  expect([counted(), tasks]).toEqual([{ id: baseId, kind: 'partial' }, []]);

  labels.countAll();
  expect(tasks).toEqual([{ kind: 'label-counts', timePoint: 0 }]);
  job.onProgress?.({ stage: 'Counting', done: 1, total: 4 });
  expect(counted()).toEqual({ id: baseId, kind: 'counting', done: 0.25 });
  labels.cancelCounting();
  expect([counted(), job.signal?.aborted]).toEqual([{ id: baseId, kind: 'partial' }, true]);

  // Counting continues while the list is hidden.
  labels.countAll();
  showTab('display');
  await settled();
  expect([counted(), job.signal?.aborted]).toEqual([undefined, false]);
  showTab('layers');
  await settled();
  expect(counted()).toMatchObject({ kind: 'counting' });
  const counts = new Map([[1, 2 ** 40]]);
  end(counts);
  await settled();
  expect(counted()).toEqual({ id: baseId, kind: 'ready', counts });
  showTab('display');
  showTab('layers');
  await settled();
  expect([counted(), tasks.length]).toEqual([{ id: baseId, kind: 'ready', counts }, 2]);

  store.setState({ document: { kind: 'empty' } as AppState['document'] });
  open();
  await settled();
  expect(counted()).toEqual({ id: baseId, kind: 'partial' });
});

/** A measurer whose tasks end on demand. */
function heldMeasurer() {
  let job: JobOptions = {};
  let end: (result: unknown) => void = () => {};
  const measureFile = ((_task: unknown, options: JobOptions) => {
    job = options;
    return new Promise((resolve) => {
      end = resolve;
    });
  }) as unknown as FileMeasurer;
  return { measureFile, job: () => job, end: (result: unknown) => end(result) };
}

test('counting from the file ends when a finer resolution has loaded all voxels', async () => {
  const { measureFile, job } = heldMeasurer();
  const { store, labels } = setUp(measureFile, 4);
  store.setState(({ settings }) => ({ settings: { ...settings, inspectorOpen: true, inspectorTab: 'layers' } }));
  await settled();
  labels.countAll();
  const { document } = store.getState();
  if (document.kind !== 'ready') throw new Error('no document');
  store.setState({ document: { kind: 'ready', document: { ...document.document, decimation: 1 } } });
  expect(job().signal?.aborted).toBe(true);
  expect(store.getState().labels.counted?.kind).not.toBe('counting');
});

test('going to a label is cancelled when the volume is closed', async () => {
  const { measureFile, job, end } = heldMeasurer();
  const { store, labels, open, crosshair } = setUp(measureFile, 4);
  const going = labels.goTo(baseId, 3);
  store.setState({ document: { kind: 'empty' } as AppState['document'] });
  open();
  expect(job().signal?.aborted).toBe(true);
  store.setState(({ labels: before }) => ({ labels: { ...before, chosen: { id: baseId, number: 3 } } }));
  end([1, 2, 3]);
  await going;
  expect(crosshair()).toEqual([0, 0, 0]);
});

test('the labels of a layer that is only partly in GPU memory are counted from its own file', async () => {
  const { measureFile, job } = heldMeasurer();
  const { store, labels, measured } = setUp(measureFile, 4);
  const layer = { id: 'atlas', channel: 0, colormap: 'labels' };
  store.setState(({ layers, labels: before, settings }) => ({
    layers: { ...layers, stack: { ...layers.stack, layers: [layer] } as never },
    labels: { ...before, isBaseLabels: false },
    settings: { ...settings, inspectorOpen: true, inspectorTab: 'layers' },
  }));
  await settled();
  labels.countAll();
  expect([store.getState().labels.counted?.id, measured]).toEqual(['atlas', ['atlas']]);
  const { document } = store.getState();
  if (document.kind !== 'ready') throw new Error('no document');
  // The open volume may well be in GPU memory.
  store.setState({ document: { kind: 'ready', document: { ...document.document, decimation: 1 } } });
  const counting = job();
  expect(counting.signal?.aborted).toBe(false);
  void labels.goTo('atlas', 3);
  expect(measured).toEqual(['atlas', 'atlas']);
  store.setState(({ layers }) => ({ layers: { ...layers, stack: { ...layers.stack, layers: [] } } }));
  expect(counting.signal?.aborted).toBe(true);
});

test('the labels of a channel that is only partly in GPU memory are counted from the file', async () => {
  const { measureFile, job, end } = heldMeasurer();
  const { store, labels } = setUp(measureFile, 4);
  const channel = { id: 'channel-2', of: baseId, channel: 1, colormap: 'labels' };
  store.setState(({ layers, labels: before, settings }) => ({
    layers: { ...layers, stack: { ...layers.stack, layers: [channel] } as never },
    labels: { ...before, isBaseLabels: false },
    settings: { ...settings, inspectorOpen: true, inspectorTab: 'layers' },
  }));
  await settled();
  const counted = () => store.getState().labels.counted;
  expect(counted()).toEqual({ id: 'channel-2', kind: 'partial' });
  labels.countAll();
  job().onProgress?.({ stage: 'Counting', done: 1, total: 2 });
  expect(counted()).toEqual({ id: 'channel-2', kind: 'counting', done: 0.5 });
  const counts = new Map([[5, 64]]);
  end(counts);
  await settled();
  expect(counted()).toEqual({ id: 'channel-2', kind: 'ready', counts });
});
