import { expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { memorySource } from '../../shared/bytes.ts';
import type { Dims4 } from '../../shared/volume.ts';
import { compressBytes, infoOf, voxelsOf } from '../engine-testing.ts';
import { regionsOf } from '../slabs.ts';
import { KernelClock, Stopwatch } from '../stage-times.ts';
import { type RestoreStage, SlabDecoder } from './slab-decoder.ts';

const backend = createCpuBackend(inlinePool());

test.each<[string, Dims4, ChunkShape]>([
  ['cubes', [21, 18, 19, 2], [8, 8, 8]],
  ['rows', [40, 9, 5, 1], [16, 1, 1]],
  ['several time points per chunk', [7, 5, 3, 11], [8, 5, 3, 4]],
  ['interleaved time points', [21, 9, 7, 5], [8, 8, 3, 2, 'interleaved']],
  ['interleaved whole time points', [7, 5, 3, 11], [8, 5, 3, 4, 'interleaved']],
])('%s: the voxels of planes, rows and parts of rows come in the source’s order', async (_name, dims, chunkShape) => {
  const info = infoOf(dims, 'u16');
  const voxels = voxelsOf(info, 'blobs');
  const { bytes } = await compressBytes(backend, info, voxels, { chunkShape });
  const container = await ContainerReader.open(memorySource('test.stria', bytes));
  // Rows of 2 x bytes, planes of 2 x y: a part of a row, of a plane, of a layer; whole layers.
  for (const maxBytes of [5, 2 * dims[0], 5 * dims[0], 2 * dims[0] * dims[1], 7 * dims[0] * dims[1], 2 ** 20]) {
    let progress = 0;
    const slabs = new SlabDecoder(
      container,
      backend,
      new Stopwatch<RestoreStage>(['read', 'decode', 'readback', 'write', 'save']),
      new KernelClock(),
      { onProgress: ({ done }) => (progress = done) },
    );
    const pieces: Uint8Array[] = [];
    for (const region of regionsOf(container.grid, 2, maxBytes)) {
      const [x, y, z] = region.dims;
      const piece = new Uint8Array(2 * x * y * z);
      expect(piece.byteLength).toBeLessThanOrEqual(Math.max(2, maxBytes));
      await slabs.decodeRegion(region, piece);
      pieces.push(piece);
    }
    expect(Buffer.concat(pieces).equals(voxels)).toBe(true);
    expect(progress).toBe(voxels.byteLength);
  }
});
