import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BrickSource } from '../../../core/bricks/brick-source.ts';
import { ballVoxel, finished } from '../../../core/bricks/bricks-testing.ts';
import { ContainerBricks } from '../../../core/bricks/container-bricks.ts';
import { HalvedBricks } from '../../../core/bricks/halved-bricks.ts';
import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { inlinePool } from '../../../core/cpu/inline-pool.ts';
import { ContainerReader } from '../../../core/format/container-reader.ts';
import { memorySource } from '../../../core/shared/bytes.ts';
import type { Dims4 } from '../../../core/shared/volume.ts';
import { infoOf } from '../../../core/stream/engine-testing.ts';
import { withAllLevels, withoutFinest } from '../../../core/volume/levels/left-out-testing.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { pictureGrounds } from '../colors/grounds.ts';
import { firstView } from '../model/auto-view.ts';
import { BrickSpace } from './brick-space.ts';
import { testCamera } from './camera-testing.ts';
import { rayPicture } from './ray-picture.ts';

const gpu = await openTestGpu();
const dims: Dims4 = [260, 66, 52, 1];
const info = infoOf(dims, 'u8');
const chunkShape = [16, 16, 16] as const;
/** Pixels are so large that rays want the first level, not the volume or the second level. */
const size = { width: 220, height: 120 };
const { camera, eye } = testCamera(size.width / size.height);
const voxel = ballVoxel(dims, 'u8');
const voxels = Uint8Array.from({ length: dims[0] * dims[1] * dims[2] }, (_, at) => {
  const [x, y, z] = [at % dims[0], Math.floor(at / dims[0]) % dims[1], Math.floor(at / dims[0] / dims[1])];
  return voxel(x, y, z, 0);
});
const bytes = await withAllLevels(info, voxels, chunkShape);
let coarse: ResidentVolume;
beforeEach(async () => {
  const level = { dims: [65, 17, 13, 1], factors: [4, 4, 4] } as const;
  coarse = await ResidentVolume.create(gpu, info, { chunkShape: [...chunkShape], level });
  coarse.append(new Uint8Array(65 * 17 * 13));
});
afterEach(async () => {
  coarse.destroy();
  await finished(gpu);
});

async function open(file: Uint8Array): Promise<BrickSource> {
  return HalvedBricks.open(await ContainerReader.open(memorySource('a.stria', file)), inlinePool());
}

async function picture(from: BrickSource, projection: 'mip' | 'composite') {
  const asked: number[] = [];
  const read: BrickSource['read'] = (bricks, options) => {
    asked.push(...bricks.map(({ level }) => level));
    return from.read(bricks, options);
  };
  const source: BrickSource = { info: from.info, levels: from.levels, place: (brick) => from.place(brick), read };
  const host = new HostBricks(source, { bytes: 2 ** 22 });
  const budgets = { payloadBytes: 2 ** 21, atlasBytes: 2 ** 21, bricksPerUpdate: 64 };
  const space = new BrickSpace(gpu, host, budgets, () => [-Infinity, Infinity], { arrived() {}, changed() {} });
  const state = { ...firstView(info, await coarse.statistics()), window: [0, 200] as const, projection };
  const display = await coarse.displayTexture(0);
  const scene = { info, display, state, camera, eye, step: 1, ground: pictureGrounds.transparent, bricks: space };
  try {
    const { rgba } = await rayPicture(gpu, scene, { ...size, background: 'transparent' }, 100);
    expect(space.unread).toBeUndefined();
    return { rgba, asked };
  } finally {
    space.close();
    host.close();
  }
}

test.each(['mip', 'composite'] as const)(
  'a file that leaves out a level is drawn like one with all levels: %s',
  async (projection) => {
    const [whole, lean] = [await open(bytes), await open(await withoutFinest(bytes, 1))];
    expect([whole, lean]).toEqual([expect.any(ContainerBricks), expect.any(HalvedBricks)]);
    const [expected, found] = [await picture(whole, projection), await picture(lean, projection)];
    expect(found.asked.filter((level) => level === 1).length).toBeGreaterThan(10);
    expect(expected.rgba.some((value) => value > 0)).toBe(true);
    expect(Buffer.compare(found.rgba, expected.rgba)).toBe(0);
  },
);
