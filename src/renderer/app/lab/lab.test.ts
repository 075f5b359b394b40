import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BenchCase } from '../../../core/bench/harness/result.ts';
import { createAppStore } from '../state/store.ts';
import { Lab, labFiles } from './lab.ts';
import type { LabMessage } from './lab-protocol.ts';

/** Threads that never answer by themselves. */
class SilentWorker {
  static all: SilentWorker[] = [];
  onmessage: ((event: { data: LabMessage }) => void) | undefined;
  isEnded = false;
  constructor() {
    SilentWorker.all.push(this);
  }
  postMessage(): void {}
  terminate(): void {
    this.isEnded = true;
  }
}

beforeEach(() => {
  SilentWorker.all = [];
  vi.stubGlobal('Worker', SilentWorker);
  vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function setUp() {
  const store = createAppStore();
  const lab = new Lab(store, () => undefined);
  let writes = 0;
  const started = () => {
    lab.run();
    const worker = SilentWorker.all.at(-1) as SilentWorker;
    const send = (data: LabMessage) => worker.onmessage?.({ data });
    send({ kind: 'stage', stage: 'encode', gpuBytes: 7 });
    return { worker, send };
  };
  store.subscribe(() => writes++);
  return {
    store,
    lab,
    started,
    now: () => store.getState().lab,
    /** The number of changes of the state within a minute. */
    writesLater: () => {
      writes = 0;
      vi.advanceTimersByTime(60_000);
      return writes;
    },
  };
}

test('a cancelled run whose thread does not stop is ended, and changes nothing afterwards', () => {
  const { lab, started, now, writesLater } = setUp();
  const { worker } = started();
  lab.cancel();
  expect([now().run, worker.isEnded]).toEqual([{ kind: 'cancelled', gpuBytes: undefined }, false]);
  vi.advanceTimersByTime(3000);
  expect([now().run, worker.isEnded]).toEqual([{ kind: 'cancelled', gpuBytes: 0 }, true]);
  expect(writesLater()).toBe(0);
});

test('a run that replaces a cancelled one is not ended with it', () => {
  const { lab, started, now } = setUp();
  const first = started();
  lab.cancel();
  const second = started();
  vi.advanceTimersByTime(5000);
  expect([first.worker.isEnded, second.worker.isEnded, now().run.kind]).toEqual([true, false, 'running']);
  second.send({ kind: 'fault', fault: { tag: 'internal', message: 'no', context: [] }, gpuBytes: 0 });
  expect(vi.getTimerCount()).toBe(0);
});

test('files of results are named after what was measured, not after what is chosen now', () => {
  const { lab, started, now } = setUp();
  lab.choose({ suite: 'codecs', size: 32 });
  const { send } = started();
  send({ kind: 'case', found: { subject: 'labels' } as BenchCase });
  lab.cancel();
  send({ kind: 'fault', fault: { tag: 'aborted', message: 'cancelled', context: [] }, gpuBytes: 0 });
  lab.choose({ suite: 'view', size: 256 });
  const { name, text } = labFiles(now(), 'json');
  expect(name).toBe('stria-codecs-32.json');
  expect(JSON.parse(text)).toMatchObject({ incomplete: true, suite: 'codecs', size: 32, cases: [{ subject: 'labels' }] });
  expect(labFiles(now(), 'csv').name).toBe('stria-codecs-32.csv');
});
