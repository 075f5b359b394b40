import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { Backend } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { createHandoverBackend } from '../cpu/handover-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import type { ReadSharedFile } from '../shared/bytes.ts';
import { compressVolume } from './compress/compress.ts';
import { compressBytes, infoOf, only, restoreBytes, voxelsOf, watchedSink } from './engine-testing.ts';
import type { LevelChoice } from './levels/level-choice.ts';
import { memoryVolume } from './memory-volume.ts';

const gpu = createGpuBackend(await openTestGpu());

/** Ten boxes, each of one layer of chunks. */
const info = infoOf([32, 32, 160, 1], 'u8');
const voxels = voxelsOf(info, 'blobs');
const settings = { choice: only('rle'), chunkShape: [32, 32, 16] as const };
const readInMemory: ReadSharedFile = (_file, position, target) => {
  target.set(voxels.subarray(position, position + target.byteLength));
  return target.byteLength;
};
const inFile = {
  ...memoryVolume(info, voxels),
  place: { file: { path: 'a.raw', descriptor: 0 }, start: 0 },
  async fill(target: Uint8Array<ArrayBuffer>, start: number) {
    target.set(voxels.subarray(start, start + target.byteLength));
  },
};

/** Threads do two boxes; a GPU does the others. */
function handover() {
  // As a pool of threads: halved voxels go to shared memory.
  const pool = { ...inlinePool(readInMemory), isInline: false };
  const cpu = createCpuBackend(pool, inlinePool(readInMemory));
  let [begun, done] = [0, 0];
  let openNow = (_: Backend) => {};
  const opened = new Promise<Backend>((resolve) => {
    openNow = resolve;
  });
  const count = async <T>(work: () => Promise<T> | undefined, signal: AbortSignal | undefined): Promise<T> => {
    const end = new Promise<never>((_, reject) => signal?.addEventListener('abort', reject, { once: true }));
    if (begun++ >= 2) return end;
    end.catch(() => {});
    const result = (await work()) as T;
    if (++done === 2) openNow(gpu);
    return result;
  };
  const threads: Backend = {
    ...cpu,
    encodeFile: (...given) => count(() => cpu.encodeFile?.(...given), given[3]?.signal),
    decodeLent: (...given) => count(() => cpu.decodeLent?.(...given), given[3]?.signal),
  };
  const patience = { silentMs: 0, restMs: 0, paceMs: 0 };
  return createHandoverBackend({
    threads,
    open: () => opened,
    boxesAtOnce: 1,
    maxBoxBytes: 2 ** 14,
    patience,
  });
}

const compare = async (levels: LevelChoice) => {
  const { bytes: expected } = await compressBytes(createCpuBackend(inlinePool()), info, voxels, { ...settings, levels });
  const sink = watchedSink();
  const report = await compressVolume(inFile, sink, { backend: handover(), ...settings, levels });
  expect(Buffer.compare(sink.bytes(), expected)).toBe(0);
  expect(report.device).toMatchObject({ kind: 'gpu', name: expect.stringMatching(/ and CPU, 2 threads$/) });
  expect(report.kernelTimes).toBeDefined();
  return expected;
};

test('threads begin and a GPU goes on: the file is the same, and both restore it together', async () => {
  const expected = await compare(false);
  const restored = (await restoreBytes(handover(), expected)).get('volume.raw') as Uint8Array;
  expect(Buffer.compare(restored, voxels)).toBe(0);
});

test.each(['mean', 'mode'] as const)('threads begin with levels, and a GPU goes on with them: by %s', async (levels) => {
  await compare(levels);
});
