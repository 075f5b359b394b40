import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Stopwatch } from '../../core/stream/stage-times.ts';
import type { HostFile } from '../host/host.ts';
import { BackgroundCompressor } from './compress/background.ts';
import { loadResident, type OpenRequest, openStages } from './loading/load-resident.ts';
import { VolumeList } from './loading/volume-list.ts';
import { measureFile } from './measure/measure-file.ts';
import { readInThread } from './meshes/mesh-file-thread.ts';
import { PngEncoder } from './output/png-encoder.ts';
import { createWebTaskPool } from './threads/web-task-pool.ts';

// If an error ends a thread, the work fails with a message that names the thread, and later work gets a new thread.

/** A worker that acts only when the test says so. */
class TestWorker {
  static readonly all: TestWorker[] = [];
  static get last(): TestWorker {
    return TestWorker.all.at(-1) as TestWorker;
  }
  onmessage: ((event: { data: unknown }) => void) | undefined;
  onerror: ((event: { message: string }) => void) | undefined;
  isTerminated = false;
  readonly posted: unknown[] = [];
  constructor() {
    TestWorker.all.push(this);
  }
  postMessage(message: unknown): void {
    this.posted.push(message);
  }
  terminate(): void {
    this.isTerminated = true;
  }
  crash(): void {
    this.onerror?.({ message: 'memory access out of bounds' });
  }
}

beforeEach(() => {
  TestWorker.all.splice(0);
  vi.stubGlobal('Worker', TestWorker);
});
afterEach(() => vi.unstubAllGlobals());

const file: HostFile = { name: 'a.nii', size: 1, handle: {} as never, siblings: async () => undefined };
const request: OpenRequest = { kind: 'file', file };
const ended = (name: string) => ({ tag: 'internal', message: `the ${name} thread ended: memory access out of bounds` });

test.each([
  ['loading', () => loadResident({} as never, request, {}, new Stopwatch(openStages))],
  ['listing', () => new VolumeList(file).choices],
  ['measuring', () => measureFile(request, { kind: 'statistics' }, {})],
  ['PNG encoding', () => new PngEncoder().encode({ rgba: new Uint8Array(4) } as never, [] as never)],
])('%s says that its thread ended', async (name, work) => {
  const done = expect(work()).rejects.toMatchObject(ended(name));
  TestWorker.last.crash();
  await done;
});

test('compressing in the background discards the file that it was writing, and works again', async () => {
  const compressor = new BackgroundCompressor(() => ({}));
  const sink = { write: vi.fn(), close: vi.fn(), abort: vi.fn(async () => {}) };
  const failed = expect(compressor.compress(request, sink, {} as never, {})).rejects.toMatchObject(ended('compressing'));
  const first = TestWorker.last;
  first.crash();
  await failed;
  expect([sink.abort.mock.calls.length, sink.close.mock.calls.length, first.isTerminated]).toEqual([1, 0, true]);

  const again = compressor.compress(request, sink, {} as never, {});
  expect(TestWorker.all).toHaveLength(2);
  const [order] = TestWorker.last.posted as { job: number }[];
  TestWorker.last.onmessage?.({ data: { kind: 'done', job: order?.job, report: 'report' } });
  expect(await again).toBe('report');
});

test('a task on the CPU fails alone, and the next one gets a new thread', async () => {
  const pool = createWebTaskPool(1);
  const task = { kind: 'decode', chunks: [{ kind: 'constant' }] } as never;
  const first = expect(pool.run(task)).rejects.toMatchObject({ tag: 'internal', message: /^a CPU thread ended/ });
  const second = pool.run(task);
  TestWorker.last.crash();
  await first;
  expect(TestWorker.all.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
  TestWorker.last.onmessage?.({ data: { kind: 'done' } });
  expect(await second).toMatchObject({ kind: 'done' });
  await pool.destroy();
});

test('a file of meshes whose thread ends says so, and a cancel ends the thread', async () => {
  const file = { name: 'a.stl', handle: { kind: 'blob', name: 'a.stl', blob: new Blob() } } as unknown as HostFile;
  const reading = readInThread(file, 1e-3, new AbortController().signal);
  TestWorker.last.crash();
  await expect(reading).rejects.toMatchObject({ tag: 'internal', message: expect.stringContaining('thread for meshes') });
  const controller = new AbortController();
  const other = readInThread(file, 1e-3, controller.signal);
  controller.abort();
  await expect(other).rejects.toMatchObject({ tag: 'aborted' });
  expect(TestWorker.all.map(({ isTerminated }) => isTerminated)).toEqual([true, true]);
});
