import { expect, test } from 'vitest';
import { StriaError } from '../../../core/shared/errors.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { createAppStore } from '../state/store.ts';
import type { FileMeasurer } from './file-task.ts';
import { FullStatistics } from './full-statistics.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve));
const found = { window: [2, 900] } as unknown as VolumeStatistics;

function setUp() {
  const store = createAppStore();
  let window: readonly [number, number] = [5, 50];
  const viewer = {
    snapshot: () => ({ state: { window } }),
    set: (change: { readonly window: readonly [number, number] }) => {
      window = change.window;
    },
  };
  const open = (name: string) => {
    const document = { opened: { name }, name, decimation: 4, statistics: { window: [5, 50] } };
    store.setState({ document: { kind: 'ready', document: document as never } });
  };
  let job: JobOptions = {};
  let end: (result: VolumeStatistics) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const measure = ((_task: unknown, options: JobOptions) => {
    job = options;
    return new Promise((resolve, reject) => {
      [end, fail] = [resolve, reject];
    });
  }) as unknown as FileMeasurer;
  const taken: VolumeStatistics[] = [];
  const statistics = new FullStatistics(store, measure, (next) => taken.push(next));
  store.setState({ gpu: { kind: 'ready', viewer } as never });
  open('a.stria');
  return {
    ...{ store, statistics, taken, open, job: () => job, window: () => window, viewer },
    end: () => end(found),
    fail: (error: unknown) => fail(error),
  };
}

test('are computed with progress, and an automatic window follows', async () => {
  const { store, statistics, taken, job, end, window } = setUp();
  void statistics.compute();
  job().onProgress?.({ stage: 'Reading the voxels', done: 3, total: 10 });
  expect(store.getState().fullStatistics).toMatchObject({ kind: 'running', progress: { done: 3, total: 10 } });
  end();
  await settled();
  expect([taken, store.getState().fullStatistics, window()]).toEqual([[found], { kind: 'idle' }, [2, 900]]);
});

test('leave a window that the user chose', async () => {
  const { statistics, end, window, viewer } = setUp();
  viewer.set({ window: [7, 8] });
  void statistics.compute();
  end();
  await settled();
  expect(window()).toEqual([7, 8]);
});

test('are cancelled on request, and when another volume opens', async () => {
  const { store, statistics, taken, open, job, end, fail } = setUp();
  for (const cancel of [() => statistics.cancel(), () => open('b.stria')]) {
    void statistics.compute();
    const { signal } = job();
    cancel();
    expect([signal?.aborted, store.getState().fullStatistics.kind]).toEqual([true, 'idle']);
    fail(new StriaError('aborted', 'cancelled'));
    end();
    await settled();
    expect([taken, store.getState().fullStatistics.kind]).toEqual([[], 'idle']);
  }
});

test('are no longer computed once a finer resolution has loaded all voxels', async () => {
  const { store, statistics, taken, job, end } = setUp();
  void statistics.compute();
  const { document } = store.getState();
  if (document.kind !== 'ready') throw new Error('no document');
  store.setState({ document: { kind: 'ready', document: { ...document.document, decimation: 1 } } });
  expect([job().signal?.aborted, store.getState().fullStatistics.kind]).toEqual([true, 'idle']);
  end();
  await settled();
  expect(taken).toEqual([]);
});

test('say why they failed, and can be tried again', async () => {
  const { store, statistics, taken, end, fail } = setUp();
  void statistics.compute();
  fail(new StriaError('not-readable', 'the disk is gone'));
  await settled();
  expect(store.getState().fullStatistics).toMatchObject({ kind: 'failed', fault: { message: 'the disk is gone' } });
  void statistics.compute();
  end();
  await settled();
  expect([taken, store.getState().fullStatistics.kind]).toEqual([[found], 'idle']);
});
