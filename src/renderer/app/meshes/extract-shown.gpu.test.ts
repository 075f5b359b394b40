import { afterEach, expect, test, vi } from 'vitest';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { extractSurfaces } from '../../../core/mesh/surfaces.ts';
import { memoryVolume } from '../../../core/stream/memory-volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testInfo, testVoxels, withBindingLimit } from '../../../core/volume/resident-testing.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { extractShown } from './extract-shown.ts';
import type { SurfaceTask } from './surface-protocol.ts';

const software = await openTestGpu();
/** The same device, disguised as a hardware one. */
const gpu = new Proxy(software, {
  get: (target, key) => {
    if (key === 'isSoftware') return false;
    const value: unknown = Reflect.get(target, key, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});

afterEach(() => vi.unstubAllGlobals());

const info = testInfo([9, 8, 7, 1], 'u8');
const bytes = testVoxels(info);

async function setUp() {
  const tasks: SurfaceTask[] = [];
  /** A thread that finishes every task at once. */
  class ReadyWorker {
    onmessage: (event: { data: unknown }) => void = () => {};
    postMessage(task: SurfaceTask): void {
      tasks.push(task);
      queueMicrotask(() => this.onmessage({ data: { kind: 'done', triangles: 5 } }));
    }
    terminate(): void {}
  }
  vi.stubGlobal('Worker', ReadyWorker);
  const volume = await ResidentVolume.create(software, info, { chunkShape: [8, 4, 4] });
  volume.append(bytes);
  const progress: number[] = [];
  const extract = (device: Gpu | undefined, { isOpen = true, onlyGpu = false } = {}) =>
    extractShown(
      volume,
      0,
      { surfaces: [{ level: 99 }], smoothing: 0, file: undefined },
      {
        signal: new AbortController().signal,
        gpu: device,
        onlyGpu,
        isOpen: () => isOpen,
        onBytes: (done, total) => void progress.push(done / total),
      },
    );
  return { volume, tasks, progress, extract };
}

test('surfaces come from the GPU that holds the voxels, and a thread only finishes them', async () => {
  const { volume, tasks, progress, extract } = await setUp();
  const readBox = vi.spyOn(volume, 'readBox');
  expect(await extract(gpu)).toBe(5);
  const found = await extractSurfaces(memoryVolume(info, bytes), { surfaces: [{ level: 99 }], t: 0, smoothing: 0 });
  expect(tasks).toEqual([{ kind: 'finish', info, found, smoothing: 0, surfaces: [{ level: 99 }], file: undefined }]);
  expect([readBox.mock.calls.length, progress]).toEqual([0, [1]]);
  volume.destroy();
});

test('the thread extracts if the GPU is a software one or cannot hold planes', async () => {
  const { volume, tasks, extract } = await setUp();
  for (const device of [undefined, software, withBindingLimit(gpu, 256)]) await extract(device);
  expect(tasks.map(({ kind }) => kind)).toEqual(['begin', 'begin', 'begin']);
  volume.destroy();
});

test('nothing is left to the thread if only the GPU may extract', async () => {
  const { volume, tasks, extract } = await setUp();
  await extract(software, { onlyGpu: true });
  expect(tasks.map(({ kind }) => kind)).toEqual(['finish']);
  await expect(extract(undefined, { onlyGpu: true })).rejects.toMatchObject({ tag: 'internal' });
  volume.destroy();
});

test('a volume that was closed is not extracted', async () => {
  const { volume, tasks, extract } = await setUp();
  await expect(extract(gpu, { isOpen: false })).rejects.toMatchObject({ tag: 'aborted' });
  expect(tasks).toEqual([]);
  volume.destroy();
});
