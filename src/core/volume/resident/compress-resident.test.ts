import { expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { memorySink, memorySource } from '../../shared/bytes.ts';
import { compressVolume } from '../../stream/compress/compress.ts';
import { compressBytes, infoOf, only, restoreBytes, voxelsOf } from '../../stream/engine-testing.ts';
import { memoryVolume, rawSource } from '../../stream/memory-volume.ts';
import { writeContainer } from './compress-resident.ts';

const backend = createCpuBackend(inlinePool());

test.each<readonly [ChunkShape]>([[[8, 8, 4, 3, 'interleaved']], [[16, 9, 6, 3, 'interleaved']], [[16, 9, 6, 3]]])(
  'chunks are written as they are cut: %j',
  async (chunkShape) => {
    const info = infoOf([16, 9, 6, 5], 'u8');
    const voxels = voxelsOf(info, 'blobs');
    const { bytes } = await compressBytes(backend, info, voxels, { choice: only('rice'), chunkShape });
    const reader = await ContainerReader.open(memorySource('a.stria', bytes));
    const chunks = await reader.readChunks(0, reader.chunkCount);
    const sink = memorySink();
    await writeContainer(
      sink,
      { kept: { info, forEachBox: async () => {} }, source: rawSource('volume.raw'), chunkShape },
      chunks,
      {},
    );
    expect((await restoreBytes(backend, sink.bytes())).get('volume.raw')).toEqual(voxels);
    expect(sink.bytes()).toEqual(bytes);
  },
);

test('a saved file has the same levels as compressing its voxels', async () => {
  const info = infoOf([150, 20, 9, 2], 'u16');
  const voxels = voxelsOf(info, 'noise');
  const chunkShape: ChunkShape = [32, 8, 4];
  const whole = memorySink();
  const choice = only('rice');
  await compressVolume(memoryVolume(info, voxels), whole, { backend, choice, chunkShape, levels: true });
  const reader = await ContainerReader.open(memorySource('a.stria', whole.bytes()));
  const chunks = await reader.readChunks(0, reader.chunkCount);
  const sink = memorySink();
  const volume = { kept: { info, forEachBox: async () => {} }, source: rawSource('volume.raw'), chunkShape };
  await writeContainer(sink, volume, chunks, {}, { backend, choice, levels: true });
  expect(sink.bytes()).toEqual(whole.bytes());
});
