import { afterEach, expect, test, vi } from 'vitest';
import { createGpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import { Stopwatch } from '../../../core/stream/stage-times.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import type { LoadingEngine } from '../gpu/residency.ts';
import type { LoadMessage } from './load-protocol.ts';
import { loadResident, openStages } from './load-resident.ts';

const gpu = await openTestGpu();
const budgetBytes = 2 ** 20;
const engine: LoadingEngine = { gpu, backend: createGpuBackend(gpu), budgetBytes, brickBudgets: {} as never };
const info: LoadMessage = {
  kind: 'info',
  info: testInfo([8, 8, 8, 1], 'u8'),
  format: 'NRRD',
  chunkShape: undefined,
  payloadBytes: undefined,
  levels: [],
  areLevelsStored: false,
  canKeepLevels: false,
  note: undefined,
  preview: undefined,
  boxLevels: undefined,
  making: undefined,
  arePictures: false,
  tags: [],
};

/** The loading thread, whose messages the test sends. */
class FakeWorker {
  static last: FakeWorker;
  onmessage: (event: { readonly data: LoadMessage }) => void = () => {};
  onerror: (event: { readonly message: string }) => void = () => {};
  constructor() {
    FakeWorker.last = this;
  }
  postMessage(): void {}
  terminate(): void {}
}

afterEach(() => void vi.unstubAllGlobals());

/** Begins to load, up to the allocation of GPU memory. */
function begin(signal?: AbortSignal) {
  vi.stubGlobal('Worker', FakeWorker);
  let reached = () => {};
  const allocating = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const sample = { kind: 'sample', sample: { kind: 'zero', side: 8 } } as never;
  const job = { signal, onInfo: () => reached() };
  const loading = loadResident(engine, sample, job, new Stopwatch(openStages));
  return { loading, allocating };
}

// `openTestGpu` finds what is left in GPU memory.
test('a volume whose loading is cancelled while its memory is allocated is freed', async () => {
  const controller = new AbortController();
  const { loading, allocating } = begin(controller.signal);
  FakeWorker.last.onmessage({ data: info });
  await allocating;
  controller.abort();
  await expect(loading).rejects.toMatchObject({ tag: 'aborted' });
  await expect.poll(() => gpu.memory.liveBytes('volume')).toBe(0);
});

test('a volume whose thread ends while its memory is allocated is freed', async () => {
  const { loading, allocating } = begin();
  FakeWorker.last.onmessage({ data: info });
  await allocating;
  FakeWorker.last.onerror({ message: 'trap' });
  await expect(loading).rejects.toMatchObject({ tag: 'internal' });
  await expect.poll(() => gpu.memory.liveBytes('volume')).toBe(0);
});
