import { expect, test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { createGpuBackend, type GpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { memorySink, memorySource } from '../../shared/bytes.ts';
import { auto, compressBytes, infoOf, restoreBytes, voxelsOf } from '../engine-testing.ts';
import { restoreVolume } from './restore.ts';

const gpu = await openTestGpu();
const cpu = createCpuBackend(inlinePool());

/** Several slabs, some of them at the same time. */
function watchedBackend() {
  let running = 0;
  const counts = { lent: 0, released: 0, most: 0 };
  const own = createGpuBackend(gpu);
  const backend: GpuBackend = {
    ...own,
    maxBoxBytes: 2 ** 15,
    boxesAtOnce: 2,
    async decodeLent(...decoding) {
      counts.most = Math.max(counts.most, ++running);
      try {
        const lent = await own.decodeLent?.(...decoding);
        if (!lent) throw new Error('nothing was lent');
        counts.lent++;
        return {
          pieces: () => lent.pieces(),
          release: () => {
            counts.released++;
            lent.release();
          },
        };
      } finally {
        running--;
      }
    },
  };
  return { backend, counts };
}

const info = infoOf([32, 32, 160, 1], 'u8');
const voxels = voxelsOf(info, 'blobs');
const chunkShape = [16, 16, 16] as const;

test('slabs are decoded into lent memory, two at once, and written in order', async () => {
  const { bytes } = await compressBytes(cpu, info, voxels, { chunkShape });
  const { backend, counts } = watchedBackend();
  expect((await restoreBytes(backend, bytes)).get('volume.raw')).toEqual(voxels);
  expect(counts).toEqual({ lent: 5, released: 5, most: 2 });
});

test('a damaged payload is reported as on the CPU, and all lent memory is given back', async () => {
  const { bytes } = await compressBytes(cpu, info, voxels, { choice: { ...auto, options: { axis: 'x' } }, chunkShape });
  const damaged = bytes.slice();
  // Within a payload of the last slabs.
  const at = Math.floor(0.8 * bytes.length);
  damaged[at] = (damaged[at] as number) ^ 4;
  const expected = await restoreBytes(cpu, damaged).catch((error: unknown) => error);
  const { backend, counts } = watchedBackend();
  const fault = await restoreBytes(backend, damaged).catch((error: unknown) => error);
  expect(fault).toMatchObject({ tag: 'corrupt' });
  expect(String(fault)).toBe(String(expected));
  expect((fault as { context: unknown }).context).toEqual((expected as { context: unknown }).context);
  expect(counts.released).toBe(counts.lent);
});

test('a fault that comes while an earlier slab is still being written is reported, and not as an unhandled rejection', async () => {
  const { bytes } = await compressBytes(cpu, info, voxels, { choice: { ...auto, options: { axis: 'x' } }, chunkShape });
  const damaged = bytes.slice();
  const at = Math.floor(0.8 * bytes.length);
  damaged[at] = (damaged[at] as number) ^ 4;
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    const { backend, counts } = watchedBackend();
    const slowly = () => new Promise<void>((resolve) => setTimeout(resolve, 400));
    await expect(restoreSlowly(backend, damaged, slowly)).rejects.toMatchObject({ tag: 'corrupt' });
    expect(unhandled).toEqual([]);
    expect(counts.released).toBe(counts.lent);
  } finally {
    process.off('unhandledRejection', note);
  }
});

/** Restores into memory. Each write is delayed. */
async function restoreSlowly(backend: GpuBackend, container: Uint8Array, wait: () => Promise<void>): Promise<void> {
  const makeSink = async () => {
    const sink = memorySink();
    const write = async (piece: Uint8Array) => {
      await wait();
      await sink.write(piece);
    };
    return { ...sink, write };
  };
  await restoreVolume(await ContainerReader.open(memorySource('test.stria', container)), makeSink, { backend, baseName: 'test' });
}
