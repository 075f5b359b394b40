import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CpuTask, CpuTaskResult } from '../../../core/cpu/cpu-task.ts';
import { createWebTaskPool } from './web-task-pool.ts';

const workers: FakeWorker[] = [];

/** A thread whose tasks the test ends. */
class FakeWorker {
  onmessage: ((event: MessageEvent<CpuTaskResult>) => void) | undefined;
  onerror: ((event: ErrorEvent) => void) | undefined;
  readonly tasks: CpuTask[] = [];
  constructor() {
    workers.push(this);
  }
  postMessage(task: CpuTask): void {
    this.tasks.push(task);
  }
  terminate(): void {}
  end(data: CpuTaskResult): void {
    this.onmessage?.({ data } as MessageEvent<CpuTaskResult>);
  }
}

beforeEach(() => void vi.stubGlobal('Worker', FakeWorker));
afterEach(() => {
  vi.unstubAllGlobals();
  workers.length = 0;
});

const task: CpuTask = { kind: 'decode', chunks: [], shapes: [], elementBytes: 1 };

test('nothing of a finished task is kept, however long the signal lives', async () => {
  const pool = createWebTaskPool(1);
  const { signal } = new AbortController();
  for (const result of [
    { kind: 'decode', voxels: Uint8Array.of(1), faults: [] },
    { kind: 'fault', fault: { tag: 'corrupt', message: 'damaged' } },
  ] satisfies CpuTaskResult[]) {
    const run = pool.run(task, signal);
    workers[0]?.end(result);
    await run.catch(() => undefined);
  }
  expect(workers[0]?.tasks).toHaveLength(2);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('cancelled tasks that have not begun never begin', async () => {
  const pool = createWebTaskPool(1);
  const controller = new AbortController();
  const runs = [1, 2, 3].map(() => pool.run({ ...task }, controller.signal));
  controller.abort();
  for (const run of runs) await expect(run).rejects.toMatchObject({ tag: 'aborted' });
  const next = { ...task };
  const ended = pool.run(next);
  workers[0]?.end({ kind: 'decode', voxels: undefined, faults: [] });
  expect(workers[0]?.tasks[1]).toBe(next);
  workers[0]?.end({ kind: 'decode', voxels: undefined, faults: [] });
  await ended;
});
