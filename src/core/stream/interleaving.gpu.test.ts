import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { ChunkShape } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { memorySource } from '../shared/bytes.ts';
import { CompressedVolume } from '../volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { testVoxels, withBindingLimit } from '../volume/resident-testing.ts';
import { compressBytes, infoOf, only, restoreBytes } from './engine-testing.ts';

const gpu = await openTestGpu();
const cpu = createCpuBackend(inlinePool());
const backend = createGpuBackend(gpu);

const chunkShape: ChunkShape = [16, 16, 4, 3, 'interleaved'];

test.each(['wave', 'rice', 'rle'])('GPU and CPU make the same file of a series with %s, and restore it', async (codec) => {
  const info = infoOf([36, 30, 9, 7], 'i16');
  const voxels = testVoxels(info);
  const { bytes } = await compressBytes(cpu, info, voxels, { choice: only(codec), chunkShape });
  for (const maxBoxBytes of [2 ** 13, backend.maxBoxBytes]) {
    const one = { ...backend, maxBoxBytes };
    const own = await compressBytes(one, info, voxels, { choice: only(codec), chunkShape });
    expect(Buffer.from(own.bytes).equals(bytes)).toBe(true);
    expect((await restoreBytes(one, bytes)).get('volume.raw')).toEqual(voxels);
  }
});

test('a series plays from its file, forwards and backwards: each frame shows its own time point', async () => {
  const info = infoOf([20, 18, 6, 7], 'u16');
  const voxels = testVoxels(info);
  const { bytes } = await compressBytes(cpu, info, voxels, { choice: only('wave'), chunkShape });
  const reader = await ContainerReader.open(memorySource('a.stria', bytes));
  const source = { info, chunkShape: reader.header.chunkShape, chunks: await reader.readChunks(0, reader.chunkCount) };
  const played = await CompressedVolume.create(gpu, source, { verify: true });
  await played.displayTexture(0);
  played.prepareFrames(3, [0, 0, 0, 0]);
  for (const t of [0, 1, 2, 3, 4, 5, 6, 0, 6, 5, 2, 3]) {
    const commands = gpu.commands('test');
    played.recordDisplay(commands, t);
    const boxes = played.recordSlice(commands, 2, 4, t);
    await commands.submit();
    const [box] = boxes;
    if (!box || boxes.length !== 1) throw new Error('the slice is not in one box');
    const plane = (t % 3) * 6 + 4;
    const values = new Uint16Array((await gpu.read(box.voxels.buffer, plane * 20 * 18 * 2, 20 * 18 * 2)).buffer);
    const from = (t * 6 + 4) * 20 * 18;
    expect(values, `time point ${t}`).toEqual(new Uint16Array(voxels.buffer).subarray(from, from + 20 * 18));
  }
  played.destroy();
});

test.each([2 ** 20, 9000])('voxels kept as such are those of the chunks, in bindings of %i bytes', async (limit) => {
  const info = infoOf([20, 34, 6, 7], 'u16');
  const voxels = testVoxels(info);
  const { bytes } = await compressBytes(cpu, info, voxels, { choice: only('rice'), chunkShape: [16, 8, 4, 3, 'interleaved'] });
  const reader = await ContainerReader.open(memorySource('a.stria', bytes));
  const chunks = await reader.readChunks(0, reader.chunkCount);
  const kept = await ResidentVolume.create(withBindingLimit(gpu, limit), info, {
    chunkShape: reader.header.chunkShape,
    budgetBytes: 2 ** 24,
  });
  let boxes = 0;
  await kept.fillBoxes(async (box) => {
    boxes++;
    expect(box.voxels.buffer.size).toBeLessThanOrEqual(limit);
    await backend.decodeResident(
      box.chunkNumbers.map((number) => chunks[number] as (typeof chunks)[number]),
      box,
    );
  });
  expect(boxes).toBe(limit === 9000 ? 12 : 3);
  const planes: Uint8Array[] = [];
  for (let t = 0; t < 7; t++) {
    await kept.readBox({ first: [0, 0, 0], size: [20, 34, 6], timePoint: t }, ({ values }) => {
      planes.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    });
  }
  expect(Buffer.concat(planes).equals(voxels)).toBe(true);
  const again: unknown[] = [];
  await kept.forEachBox(async (box) => {
    const encoded = await backend.encodeResident(box, only('rice'));
    for (const [index, number] of box.chunkNumbers.entries()) again[number] = encoded.chunks[index];
  });
  expect(again).toEqual(chunks);
  kept.destroy();
});
