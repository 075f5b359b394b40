import { afterEach, expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { type Dims3, type Dims4, elementBytes, typedVoxels } from '../shared/volume.ts';
import { brickKey } from './brick.ts';
import type { BrickLevel } from './brick-source.ts';
import { ballVoxel, finished, type TestBricks, testBricks } from './bricks-testing.ts';
import { GpuBricks } from './gpu-bricks.ts';
import { HostBricks } from './host-bricks.ts';

const gpu = await openTestGpu();
afterEach(() => finished(gpu));
const dims: Dims4 = [44, 37, 29, 1];
const chunk: Dims3 = [16, 16, 16];

async function load(bricks: GpuBricks): Promise<void> {
  for (const end = performance.now() + 30_000; !bricks.isSettled; ) {
    if (performance.now() > end) throw new Error('the bricks never arrive');
    bricks.update();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** The least and the greatest texel of each cell of a brick of level 0. @param isAlone whether its neighbours are not loaded */
function cellsOf({ info, voxels, levels }: TestBricks, number: number, offset: number, isAlone: boolean): [number, number][] {
  const typed = typedVoxels(info.type, voxels[0] as Uint8Array<ArrayBuffer>);
  const mask = 2 ** (8 * elementBytes(info.type)) - 1;
  const { origin, shape } = (levels[0] as BrickLevel).grid.box(number);
  const at = (place: readonly number[]): number => {
    const [x, y, z] = place.map((value, axis) => {
      const [low, high] = isAlone
        ? [origin[axis] as number, (origin[axis] as number) + (shape[axis] as number) - 1]
        : [0, (dims[axis] as number) - 1];
      return Math.min(high, Math.max(low, value));
    }) as [number, number, number];
    return ((typed[(z * dims[1] + y) * dims[0] + x] as number) & mask) ^ offset;
  };
  const cells: [number, number][] = [];
  for (let cell = 0; cell < 8; cell++) {
    const first = [cell & 1, (cell >> 1) & 1, cell >> 2].map((part, axis) => (origin[axis] as number) + 8 * part);
    let [least, greatest] = [mask, 0];
    // Along x, a cell's range covers whole words, so it has two texels more at each end.
    for (let z = -1; z <= 8; z++)
      for (let y = -1; y <= 8; y++)
        for (let x = -2; x <= 9; x++) {
          const texel = at([x, y, z].map((by, axis) => (first[axis] as number) + by));
          [least, greatest] = [Math.min(least, texel), Math.max(greatest, texel)];
        }
    cells.push([least, greatest]);
  }
  return cells;
}

test.each([
  ['u8', 0],
  ['i8', 0x80],
  ['u16', 0],
  ['i16', 0x8000],
] as const)('bricks of %s hold what is there of their neighbours, also if that arrives later', async (type, offset) => {
  const source = await testBricks(dims, type, chunk, ballVoxel(dims, type), { codecs: ['rice', 'raw'] });
  const host = new HostBricks(source, { bytes: 2 ** 18 });
  const limits = { payloadBytes: 2 ** 18, atlasBytes: 60 * 4096 * elementBytes(type), textureBytes: 2 ** 21, bricksPerUpdate: 5 };
  const bricks = new GpuBricks(gpu, host, limits);
  const { atlas, table } = bricks;
  expect(atlas.filtered.isUsed).toBe(true);
  const { count } = (source.levels[0] as BrickLevel).grid;
  const keys = Array.from({ length: count }, (_, number) => brickKey({ level: 0, number }));
  const read = async (key: number): Promise<[number, number][]> => {
    const slot = atlas.slots.get(key) as number;
    const words = await gpu.readWords(atlas.filtered.cells, 32 * slot, 32);
    return [...words].map((word) => [word & 0xffff, word >>> 16]);
  };
  const first = keys.find((key) => (source.place({ level: 0, number: key }).payloadBytes ?? 0) > 0) as number;
  bricks.want([first]);
  await load(bricks);
  expect(await read(first)).toEqual(cellsOf(source, first, offset, true));
  bricks.want(keys);
  await load(bricks);
  let constants = 0;
  for (const key of keys) {
    if (table.isConstant(key)) {
      constants++;
      continue;
    }
    const cells = cellsOf(source, key, offset, false);
    expect(await read(key), `brick ${key}`).toEqual(cells);
    const ends = [Math.min(...cells.map(([low]) => low)), Math.max(...cells.map(([, high]) => high))];
    const bits = ends.map((texel) => (texel - offset) >>> 0);
    expect([...(await gpu.readWords(atlas.ranges, 16 * (atlas.slots.get(key) as number), 16))]).toEqual([...bits, 0, 1]);
  }
  expect(count - constants).toBeGreaterThan(8);
  bricks.close();
  host.close();
});
