import { expect, test } from 'vitest';
import { type BrickKey, brickKey } from '../../../core/bricks/brick.ts';
import { ComputedBricks } from '../../../core/bricks/computed-bricks.ts';
import { BrickMap } from './brick-map.ts';
import { chunkPicture } from './chunk-rectangles.ts';
import type { SlicePlacement } from './slice-geometry.ts';

test('the map gives the finest loaded level at a voxel', () => {
  const source = new ComputedBricks(128, 16);
  const loaded = new Set<BrickKey>();
  const use = { decoded: 0, evicted: 0 };
  const load = (level: number, number: number) => {
    loaded.add(brickKey({ level, number }));
    use.decoded++;
  };
  const map = new BrickMap({ source, use, has: (key) => loaded.has(key) });
  expect(map.chunkAt(20, 0, 0, 0)).toBeUndefined();
  // A brick of level 1 covers 32³ voxels of the volume.
  load(1, 0);
  expect(map.chunkAt(20, 0, 0, 0)).toEqual({ way: 1, text: '1/2' });
  expect(map.chunkAt(32, 0, 0, 0)).toBeUndefined();
  load(0, 1);
  expect([map.chunkAt(20, 0, 0, 0)?.text, map.chunkAt(15, 0, 0, 0)?.text]).toEqual(['1/1', '1/2']);

  const placement: SlicePlacement = {
    frame: { across: 2, right: { axis: 0, sign: 1 }, down: { axis: 1, sign: 1 }, letters: undefined },
    dims: [128, 128, 128],
    spacing: [1, 1, 1],
    width: 128,
    height: 128,
    index: 3,
    camera: { zoom: 1, center: undefined },
    margin: 0,
  };
  const painted = () => chunkPicture(map, placement, 0);
  const [key, count] = [painted().key, painted().rectangles().length];
  expect(count).toBe(4);
  load(0, 8 * 8 * 8 - 1);
  expect(painted().key).not.toBe(key);
});
