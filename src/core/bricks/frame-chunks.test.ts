import { expect, test } from 'vitest';
import { planAxes } from '../io/common/array-axes.ts';
import { griddedLevels } from '../io/common/gridded-levels.ts';
import { noise } from '../io/common/source-testing.ts';
import type { VoxelGrid } from '../io/common/voxel-grid.ts';
import { testInfo } from '../volume/resident-testing.ts';
import { brickKey } from './brick.ts';
import { HostBricks } from './host-bricks.ts';
import { VoxelBricks } from './voxel-bricks.ts';

// Files whose chunks are whole frames, such as movies in HDF5: each frame that a brick touches is decoded as a whole.

const [width, height, depth] = [1536, 1024, 70] as const;
const info = testInfo([width, height, depth, 1], 'u8');
const frameBytes = width * height;
const bytes = noise(frameBytes + 7 * depth);
const valueAt = (x: number, y: number, z: number) => bytes[7 * z + y * width + x];

/** The volume in chunks of `planes` frames, with a cache for 16 frames. `decoded` counts how often a frame was decoded. */
function movie(planes: number) {
  const count = { decoded: 0 };
  const grid: VoxelGrid = {
    shape: [depth, height, width],
    chunks: [planes, height, width],
    type: 'u8',
    async read([chunk = 0]) {
      count.decoded += planes;
      const data = new Uint8Array(planes * frameBytes);
      for (let z = 0; z < planes; z++) {
        const from = 7 * (chunk * planes + z);
        data.set(bytes.subarray(from, from + frameBytes), z * frameBytes);
      }
      return { data, stride: [frameBytes, width, 1] };
    },
  };
  const level = { grid, plan: planAxes(['z', 'y', 'x'], grid.shape) };
  const leveled = griddedLevels([level], { cacheBytes: 16 * frameBytes, readingCount: 1 });
  return { count, bricks: new VoxelBricks(info, leveled, { areChunked: true, readsAtOnce: 1 }) };
}

test.each([1, 4])('neighbouring bricks share the chunks that are decoded (%i frames in a chunk)', async (planes) => {
  const { count, bricks } = movie(planes);
  const host = new HostBricks(bricks);
  const { grid } = bricks.levels[0] as (typeof bricks.levels)[number];
  const perLayer = grid.counts[0] * grid.counts[1];
  // All bricks of a layer, as a view asks for them: in no order of the file.
  const order = Array.from({ length: perLayer }, (_, at) => (at * 23) % perLayer);
  const chunks = await Promise.all(order.map((number, priority) => host.request(brickKey({ level: 0, number }), priority)));
  for (const [at, chunk] of chunks.entries()) {
    const { origin, shape } = grid.box(order[at] as number);
    if (chunk.kind !== 'coded') throw new Error('not constant');
    const [x, y, z] = [shape[0] - 1, shape[1] - 1, shape[2] - 1];
    expect(chunk.payload[(z * shape[1] + y) * shape[0] + x]).toBe(valueAt(origin[0] + x, origin[1] + y, origin[2] + z));
  }
  // Each brick by itself would have 64 frames decoded, 24,576 in all.
  expect(count.decoded).toBeLessThanOrEqual(10 * 64);
  host.close();
});
