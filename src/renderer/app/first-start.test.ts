import { beforeEach, expect, test, vi } from 'vitest';
import type { RecentFile } from '../../core/shared/ipc.ts';
import { FirstStart, firstSample } from './first-start.ts';
import { startProgress } from './state/progress.ts';
import { sampleTitle } from './state/samples.ts';
import { defaultSettings } from './state/settings.ts';
import { type AppState, type AppStore, createAppStore } from './state/store.ts';

const title = sampleTitle(firstSample);
const progress = startProgress('Compressing', undefined, 0);
let store: AppStore;
const [open, compress, cancel] = [vi.fn(), vi.fn(), vi.fn()];
let first: FirstStart;

beforeEach(() => {
  vi.clearAllMocks();
  store = createAppStore();
  store.setState({ gpu: { kind: 'ready' } as AppState['gpu'] });
  const set = (change: Partial<AppState['settings']>) =>
    store.setState(({ settings }) => ({ settings: { ...settings, ...change } }));
  first = new FirstStart({ store, open, compress, cancel, set });
});

const show = (name: string) => store.setState({ document: { kind: 'ready', document: { name } } as AppState['document'] });

test('a sample is opened and compressed once, with hints, and never again', () => {
  first.begin();
  expect(open.mock.calls).toEqual([[firstSample]]);
  expect(store.getState()).toMatchObject({ hints: true, settings: { introduced: true } });
  store.setState({ document: { kind: 'loading', name: title, progress } });
  expect(compress).not.toHaveBeenCalled();
  show(title);
  store.setState({ compression: { kind: 'running', progress, isAsked: true } });
  store.setState({ compression: { kind: 'idle' } });
  expect(compress).toHaveBeenCalledTimes(1);
  first.end();
  expect(store.getState().hints).toBe(false);
  store.setState({ document: { kind: 'empty' } });
  first.begin();
  expect(open).toHaveBeenCalledTimes(1);
});

test('there is no introduction if Stria was used before, was started with a file, or has no GPU', () => {
  const before: readonly Partial<AppState>[] = [
    { settings: { ...defaultSettings, introduced: true } },
    { recent: [{ id: 'a', name: 'a.nii' } as RecentFile] },
    { document: { kind: 'loading', name: 'a.nii', progress } },
    { queue: [{}] as unknown as AppState['queue'] },
    { gpu: { kind: 'failed' } as AppState['gpu'] },
  ];
  const initial = store.getState();
  for (const state of before) {
    store.setState({ ...initial, ...state });
    first.begin();
  }
  expect(open).not.toHaveBeenCalled();
  expect(store.getState().hints).toBe(false);
});

test('the hints disappear with the sample, and the next file is opened without asking', () => {
  first.begin();
  show(title);
  store.setState({ compression: { kind: 'running', progress, isAsked: true } });
  expect(first.makeWay()).toBe(true);
  expect(cancel).toHaveBeenCalledTimes(1);
  expect(store.getState().hints).toBe(false);
  expect(first.makeWay()).toBe(false);

  store.setState({ ...createAppStore().getState(), gpu: { kind: 'ready' } as AppState['gpu'] });
  first.begin();
  show(title);
  show('scan.nii');
  expect(store.getState().hints).toBe(false);
});
