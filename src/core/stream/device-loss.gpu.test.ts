import { expect, test } from 'vitest';
import { openNodeGpu } from '../../node/node-gpu.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { ContainerReader } from '../format/container-reader.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { memorySource } from '../shared/bytes.ts';
import { toStriaError } from '../shared/errors.ts';
import { verifyContainer } from './check/verify.ts';
import { compressVolume } from './compress/compress.ts';
import { compressBytes, infoOf, only, restoreBytes, voxelsOf, watchedSink } from './engine-testing.ts';
import { memoryVolume } from './memory-volume.ts';

/** `npm run soak -- devices` asks for more. */
const losses = Number(process.env.STRIA_SOAK_COUNT ?? 24);

const info = infoOf([64, 32, 48, 1], 'u8');
const voxels = voxelsOf(info, 'blobs');
const settings = { choice: only('rle'), chunkShape: [32, 32, 16] as const };

/** Destroys the device just before the n-th submit from now. */
function loseAt(gpu: Gpu, submit: number): void {
  const { queue } = gpu.device;
  const plain = queue.submit.bind(queue);
  let count = 0;
  queue.submit = (buffers) => {
    if (count++ === submit) gpu.device.destroy();
    plain(buffers);
  };
}

test('a device that is lost at any submit of compressing, restoring and verifying gives the whole result or says so', async () => {
  const cpu = createCpuBackend(inlinePool());
  const { bytes: expected } = await compressBytes(cpu, info, voxels, settings);
  const ends = { whole: 0, lost: 0 };
  const wrong: string[] = [];
  for (let number = 0; number < losses; number++) {
    const gpu = await openNodeGpu({ software: true, limits: 'default' });
    const backend = { ...createGpuBackend(gpu), maxBoxBytes: 2 ** 15 };
    const sink = watchedSink();
    const jobs = [
      () => compressVolume(memoryVolume(info, voxels), sink, { backend, ...settings }).then(() => sink.bytes()),
      () => restoreBytes(backend, expected).then((files) => files.get('volume.raw')),
      async () => {
        const reader = await ContainerReader.open(memorySource('a.stria', expected));
        return (await verifyContainer(reader, { backend }, {})).sound ? voxels : undefined;
      },
    ];
    const kind = number % jobs.length;
    loseAt(gpu, Math.floor(number / jobs.length) % 12);
    try {
      const result = await (jobs[kind] as (typeof jobs)[number])();
      if (!result || Buffer.compare(result, kind === 0 ? expected : voxels) !== 0) wrong.push(`loss ${number}: another result`);
      ends.whole++;
    } catch (error) {
      if (toStriaError(error).tag !== 'device-lost') wrong.push(`loss ${number}: ${toStriaError(error).fullMessage}`);
      if (kind === 0 && (sink.closed !== 0 || sink.aborted !== 1)) wrong.push(`loss ${number}: the output was finished`);
      ends.lost++;
    }
    gpu.spare.free();
    if (gpu.memory.liveBytes() !== 0) wrong.push(`loss ${number}: ${gpu.memory.liveBytes()} bytes are not freed`);
    gpu.destroy();
  }
  if (process.env.STRIA_SOAK_COUNT) console.log(`soak: ${losses} device losses in Node: ${JSON.stringify(ends)}`);
  expect(wrong).toEqual([]);
  expect(ends.lost).toBeGreaterThan(losses / 3);
});
