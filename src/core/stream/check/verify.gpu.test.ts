import { expect, test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { createGpuBackend, type GpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { memorySource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { auto, compressBytes, infoOf, voxelsOf } from '../engine-testing.ts';
import { verifyContainer } from './verify.ts';

const gpu = await openTestGpu();
const cpu = createCpuBackend(inlinePool());
const info = infoOf([64, 64, 80, 1], 'u16');
const { bytes } = await compressBytes(cpu, info, voxelsOf(info, 'noise'), {
  choice: { ...auto, options: { axis: 'x' } },
  chunkShape: [16, 16, 8],
});
const open = (file: Uint8Array<ArrayBuffer>) => ContainerReader.open(memorySource('a.stria', file));

/** Many batches, two at once. */
function watchedBackend(fail?: (call: number) => unknown) {
  const counts = { running: 0, most: 0, calls: 0 };
  const own = createGpuBackend(gpu);
  const backend: GpuBackend = {
    ...own,
    maxBoxBytes: 2 ** 15,
    boxesAtOnce: 2,
    decode: () => Promise.reject(new Error('voxels are not needed')),
    async check(...work) {
      counts.calls++;
      counts.most = Math.max(counts.most, ++counts.running);
      try {
        const error = fail?.(counts.calls);
        if (error !== undefined) throw error;
        await own.check?.(...work);
      } finally {
        counts.running--;
      }
    },
  };
  return { backend, counts };
}

test('a sound file is checked in several batches at once, without reading its voxels back', async () => {
  const { backend, counts } = watchedBackend();
  expect(await verifyContainer(await open(bytes), { backend })).toMatchObject({ sound: true, chunkCount: 160, damagedCount: 0 });
  expect(counts).toEqual({ running: 0, most: 2, calls: 20 });
});

test('damaged payloads, checksums and records are found as on the CPU', async () => {
  const reader = await open(bytes);
  const damaged = bytes.slice();
  const recordOf = (chunk: number) => {
    const entry = reader.entry(chunk);
    if (entry.kind !== 'coded') throw new Error(`chunk ${chunk} has no record`);
    return entry;
  };
  const flip = (at: number) => {
    damaged[at] = (damaged[at] as number) ^ 4;
  };
  for (const chunk of [3, 4, 77, 159]) flip(recordOf(chunk).recordOffset + recordOf(chunk).recordLength - 9);
  flip(recordOf(40).recordOffset);
  flip(recordOf(120).recordOffset + 20);
  const byCpu = await verifyContainer(await open(damaged), { backend: cpu });
  const { backend, counts } = watchedBackend();
  const byGpu = await verifyContainer(await open(damaged), { backend });
  expect(byCpu.damaged.map(({ chunk }) => chunk)).toEqual([3, 4, 40, 77, 120, 159]);
  expect(byGpu.damaged).toEqual(byCpu.damaged);
  expect(byGpu).toMatchObject({ sound: false, damagedCount: 6, problems: byCpu.problems });
  expect(counts.most).toBe(2);
});

test('a failure or a cancel ends the work once no batch runs any more', async () => {
  const lost = watchedBackend((call) => (call === 5 ? new StriaError('device-lost', 'gone') : undefined));
  await expect(verifyContainer(await open(bytes), { backend: lost.backend })).rejects.toThrow('gone');
  expect(lost.counts.running).toBe(0);
  expect(lost.counts.calls).toBeLessThanOrEqual(6);

  const cancel = new AbortController();
  const cancelled = watchedBackend((call) => {
    if (call === 5) cancel.abort();
    return undefined;
  });
  const verifying = verifyContainer(await open(bytes), { backend: cancelled.backend }, { signal: cancel.signal });
  await expect(verifying).rejects.toMatchObject({ tag: 'aborted' });
  expect(cancelled.counts.running).toBe(0);
  expect(cancelled.counts.calls).toBeLessThanOrEqual(6);
});
