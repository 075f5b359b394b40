import { expect, test } from 'vitest';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { ChunkShape } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { memorySink, memorySource } from '../shared/bytes.ts';
import { compressBytes, infoOf, only, restoreBytes, voxelsOf } from '../stream/engine-testing.ts';
import { rawSource } from '../stream/memory-volume.ts';
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
