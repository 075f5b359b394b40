import { describe, expect, test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import type { EncodeChoice } from '../../chunks/backend.ts';
import { chunkShapeOf } from '../../chunks/chunk-shape.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { isInterleaved } from '../../format/chunk-grid.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { createGpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { memorySink, memorySource } from '../../shared/bytes.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { Dims4, ElementType } from '../../shared/volume.ts';
import { compressBytes, infoOf, only } from '../../stream/engine-testing.ts';
import { rawSource } from '../../stream/memory-volume.ts';
import { CompressedVolume } from '../compressed/compressed-volume.ts';
import { withBindingLimit } from '../resident-testing.ts';
import { compressResident, writeContainer } from './compress-resident.ts';
import { ResidentVolume } from './resident-volume.ts';
import { inTimeGroups, type KeptSeries } from './time-groups.ts';

const gpu = await openTestGpu();
const backend = createGpuBackend(gpu);
const cpu = createCpuBackend(inlinePool());
const source = rawSource('volume.raw');

/** A series whose time points are alike (`slow`), or whose slices are alike (`fast`). */
function series(dims: Dims4, type: ElementType, change: 'slow' | 'fast') {
  const info = infoOf(dims, type);
  const plane = dims[0] * dims[1];
  const values = Int16Array.from({ length: plane * dims[2] * dims[3] }, (_, at) => {
    const [z, t] = [Math.floor(at / plane) % dims[2], Math.floor(at / plane / dims[2])];
    const [ofSlice, ofTime] = change === 'slow' ? [90, 3] : [3, 90];
    return 400 * Math.sin((at % dims[0]) / 5) + ofSlice * ((z * 7) % 5) + ofTime * ((t * 3) % 5) + ((at * 37) % 11);
  });
  return { info, voxels: type === 'u8' ? Uint8Array.from(values, (value) => value >> 3) : new Uint8Array(values.buffer) };
}

async function resident(on: Gpu, { info, voxels }: ReturnType<typeof series>) {
  const chunkShape = chunkShapeOf(info, false);
  const kept = await ResidentVolume.create(on, info, { chunkShape, budgetBytes: 2 ** 24 });
  kept.append(voxels);
  return { kept, source, chunkShape };
}

async function savedFile(on: Gpu, volume: KeptSeries, choice: EncodeChoice, job: JobOptions = {}) {
  const grouped = await inTimeGroups(on, volume, choice, job);
  const { payloads } = await compressResident(backend, grouped, choice, job);
  const chunks = await payloads.inHost();
  const sink = memorySink();
  await writeContainer(sink, grouped, chunks, job);
  return sink.bytes();
}

async function keptCompressed(bytes: Uint8Array) {
  const reader = await ContainerReader.open(memorySource('a.stria', bytes));
  const { volume: info, chunkShape } = reader.header;
  const chunks = await reader.readChunks(0, reader.chunkCount);
  return { kept: await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: true }), source, chunkShape };
}

const bySize: EncodeChoice = { codec: 'auto', options: { axis: 'auto', prefer: 'size' } };

describe('a series saved from GPU memory has the same bytes as its voxels compressed from a file', () => {
  test.each([
    ['wave', [70, 30, 9, 11], 'i16', only('wave'), true],
    ['wave, whole time points', [17, 11, 3, 10], 'u8', only('wave'), true],
    ['by size, alike', [33, 30, 9, 5], 'i16', bySize, true],
    ['rle', [33, 30, 9, 5], 'i16', only('rle'), false],
  ] as const)('%s', async (_name, dims, type, choice, isGrouped) => {
    const own = series(dims, type, 'slow');
    const { bytes } = await compressBytes(cpu, own.info, own.voxels, { choice });
    const reader = await ContainerReader.open(memorySource('a.stria', bytes));
    expect(isInterleaved(reader.header.chunkShape)).toBe(isGrouped);
    const volume = await resident(gpu, own);
    const done: number[] = [];
    const onProgress = (progress: { readonly done: number }) => void done.push(progress.done);
    expect(Buffer.from(await savedFile(gpu, volume, choice, { onProgress })).equals(bytes)).toBe(true);
    expect(done).toContain(own.voxels.byteLength);
    volume.kept.destroy();
  });

  test('by size, without groups if time points differ more than slices', async () => {
    const own = series([33, 30, 9, 5], 'i16', 'fast');
    const volume = await resident(gpu, own);
    expect(await inTimeGroups(gpu, volume, bySize, {})).toMatchObject({ kept: volume.kept, chunkShape: volume.chunkShape });
    volume.kept.destroy();
  });

  test('kept compressed in chunks of single time points, or in groups', async () => {
    const own = series([70, 30, 9, 11], 'i16', 'slow');
    const [single, grouped] = await Promise.all(
      [only('rice'), only('wave')].map(async (choice) => (await compressBytes(cpu, own.info, own.voxels, { choice })).bytes),
    );
    const fromSingle = await keptCompressed(single as Uint8Array);
    expect(Buffer.from(await savedFile(gpu, fromSingle, only('wave'))).equals(grouped as Uint8Array)).toBe(true);
    fromSingle.kept.destroy();
    // The state after compressing an open series with `wave`, keeping it compressed, and then choosing `rice`.
    const fromGroups = { ...(await keptCompressed(grouped as Uint8Array)), chunkShape: chunkShapeOf(own.info, false) };
    expect(Buffer.from(await savedFile(gpu, fromGroups, only('rice'))).equals(single as Uint8Array)).toBe(true);
    fromGroups.kept.destroy();
  });

  test('in pieces that the GPU can bind, and without groups if not even one row of chunks fits', async () => {
    const own = series([72, 250, 9, 7], 'u8', 'slow');
    const rowBytes = 72 * 64 * 9 * 7;
    for (const [limit, boxes] of [
      [2 * rowBytes, 2],
      [rowBytes - 4, undefined],
    ] as const) {
      const limited = withBindingLimit(gpu, limit);
      const volume = await resident(limited, own);
      const { kept, chunkShape } = await inTimeGroups(limited, volume, only('wave'), {});
      expect(isInterleaved(chunkShape)).toBe(boxes !== undefined);
      const sizes: number[] = [];
      const chunks: EncodedChunk[] = [];
      await kept.forEachBox(async (box) => {
        sizes.push(box.voxels.buffer.size);
        const encoded = await backend.encodeResident(box, only('rle'));
        for (const [i, number] of box.chunkNumbers.entries()) chunks[number] = encoded.chunks[i] as EncodedChunk;
      });
      expect(Math.max(...sizes)).toBeLessThanOrEqual(limit);
      if (boxes !== undefined) expect(sizes).toHaveLength(boxes);
      const { bytes } = await compressBytes(cpu, own.info, own.voxels, { choice: only('rle'), chunkShape });
      const sink = memorySink();
      await writeContainer(sink, { kept, source, chunkShape }, chunks, {});
      expect(Buffer.from(sink.bytes()).equals(bytes)).toBe(true);
      volume.kept.destroy();
    }
  });

  test('reading time points to compare them can be cancelled', async () => {
    const volume = await resident(gpu, series([33, 30, 9, 5], 'i16', 'slow'));
    const cancelled = inTimeGroups(gpu, volume, bySize, { signal: AbortSignal.abort() });
    await expect(cancelled).rejects.toMatchObject({ tag: 'aborted' });
    volume.kept.destroy();
  });
});
