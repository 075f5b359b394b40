import { afterEach, expect, test, vi } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { HostSink } from '../../host/host.ts';
import type { SurfaceVolume } from '../meshes/extract-shown.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { SurfaceSaver } from './surface-saver.ts';

afterEach(() => vi.unstubAllGlobals());

function setUp() {
  const workers: SilentWorker[] = [];
  /** A thread that never answers. */
  class SilentWorker {
    isEnded = false;
    onmessage: ((event: { data: unknown }) => void) | undefined;
    constructor() {
      workers.push(this);
    }
    postMessage(): void {}
    terminate(): void {
      this.isEnded = true;
    }
  }
  vi.stubGlobal('Worker', SilentWorker);
  const store = createAppStore();
  const info = testInfo([4, 4, 4, 1], 'u8');
  store.setState({ document: { kind: 'ready', document: { info, name: 'scan.nii' } } as unknown as AppState['document'] });
  let answer: () => void = () => undefined;
  const sink = { name: 'a.stl', write: vi.fn(), close: vi.fn(async () => {}), abort: vi.fn(async () => {}) };
  const saveAs = () =>
    new Promise<HostSink>((resolve) => {
      answer = () => resolve(sink as unknown as HostSink);
    });
  const saver = new SurfaceSaver({ saveAs }, store, () => ({ info }) as unknown as SurfaceVolume);
  return { saver, store, sink, workers, answer: () => answer() };
}

test('a surface that is cancelled while the save dialog is open is not extracted', async () => {
  const { saver, store, sink, workers, answer } = setUp();
  const saved = saver.save({ level: 3 }, 0);
  saver.cancel();
  answer();
  await saved;
  expect([workers.length, sink.abort.mock.calls.length, sink.close.mock.calls.length]).toEqual([0, 1, 0]);
  expect(store.getState().output.surfaceWork.kind).toBe('idle');
});

test('a surface whose volume is compressed in GPU memory while it is saved says so, and leaves no file', async () => {
  const { saver, store, sink, workers, answer } = setUp();
  const saved = saver.save({ level: 3 }, 0);
  answer();
  await vi.waitFor(() => expect(workers).toHaveLength(1));
  workers[0]?.onmessage?.({ data: { kind: 'fault', fault: { tag: 'aborted', message: 'the volume was closed', context: [] } } });
  await saved;
  expect(sink.abort.mock.calls.length).toBe(1);
  expect(store.getState().notice).toBe('Surface: the volume in GPU memory was replaced meanwhile. Try again');
});

test('a surface is cancelled when its volume is closed, and nothing is written', async () => {
  const { saver, store, sink, workers, answer } = setUp();
  const saved = saver.save({ level: 3 }, 0);
  answer();
  await vi.waitFor(() => expect(workers).toHaveLength(1));
  store.setState({ document: { kind: 'empty' } as AppState['document'] });
  await saved;
  expect([workers[0]?.isEnded, sink.abort.mock.calls.length, sink.close.mock.calls.length]).toEqual([true, 1, 0]);
  expect(store.getState().output.surfaceWork.kind).toBe('idle');
});
