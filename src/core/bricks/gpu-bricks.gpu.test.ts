import { afterEach, describe, expect, test } from 'vitest';
import { openNodeGpu } from '../../node/node-gpu.ts';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { codecs } from '../codecs/registry.ts';
import { type Dims4, type ElementType, typedVoxels } from '../shared/volume.ts';
import { floatBits, isFloatType } from '../volume/voxel-key.ts';
import { brickKey } from './brick.ts';
import { ballVoxel, finished, slotBytesOf, type TestBricks, testBricks } from './bricks-testing.ts';
import { GpuBricks } from './gpu-bricks.ts';
import { HostBricks } from './host-bricks.ts';

const gpu = await openTestGpu();
afterEach(() => finished(gpu));

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Updates until all wanted bricks are decoded. */
async function load(bricks: GpuBricks): Promise<void> {
  const end = performance.now() + 30_000;
  while (!bricks.isSettled) {
    if (performance.now() > end) throw new Error('the bricks never arrive');
    bricks.update();
    await settle();
  }
}

/** Compares a brick in the atlas, and its range, with its voxels. */
async function check(bricks: GpuBricks, source: TestBricks, key: number): Promise<void> {
  const bytes = await bricks.readSlot(key);
  if (!bytes) throw new Error(`brick ${key} has no slot`);
  const { type } = source.info;
  const values = slotBytesOf(source, key, bricks.atlas.slotShape).flatMap((row) => [...typedVoxels(type, row.bytes.slice())]);
  const bits = (value: number) => (isFloatType(type) ? floatBits(value) : value >>> 0);
  const range = await gpu.readWords(bricks.atlas.ranges, 16 * (bricks.atlas.slots.get(key) as number), 16);
  expect([...range], `range of ${key}`).toEqual([bits(Math.min(...values)), bits(Math.max(...values)), 0, 1]);
  for (const row of slotBytesOf(source, key, bricks.atlas.slotShape)) {
    expect(bytes.subarray(row.at, row.at + row.bytes.byteLength), `brick ${key}`).toEqual(row.bytes);
  }
}

function randomNumbers(seed: number) {
  let state = seed;
  return (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

/** Every codec by itself, and a chain. */
const names = [...codecs.map(({ name }) => name), 'rice+huffman'];

const cases: readonly { type: ElementType; dims: Dims4; chunk: readonly [number, number, number] }[] = [
  { type: 'u8', dims: [44, 37, 29, 1], chunk: [16, 16, 16] },
  { type: 'u16', dims: [30, 25, 18, 2], chunk: [12, 8, 8] },
  { type: 'f32', dims: [26, 18, 21, 1], chunk: [8, 8, 8] },
  { type: 'f64', dims: [13, 9, 10, 1], chunk: [8, 8, 8] },
];

describe.each(cases)('$type, $dims in chunks of $chunk', ({ type, dims, chunk }) => {
  test('every voxel of the atlas is the stored one, whatever bricks are requested and evicted', async () => {
    const source = await testBricks(dims, type, chunk, ballVoxel(dims, type), { codecs: names });
    const host = new HostBricks(source, { bytes: 2 ** 16 });
    const [x, y, z] = chunk;
    const slots = 7;
    const slotBytes = Math.ceil((x * (type === 'f64' ? 4 : type === 'f32' ? 4 : type === 'u16' ? 2 : 1)) / 4) * 4 * y * z;
    const bricks = new GpuBricks(gpu, host, { payloadBytes: 12_000, atlasBytes: slots * slotBytes, bricksPerUpdate: 5 });
    expect(bricks.atlas.slotCount).toBe(slots);
    const all = source.levels.flatMap(({ grid }, level) =>
      Array.from({ length: grid.count }, (_, number) => brickKey({ level, number })),
    );
    const random = randomNumbers(5);
    const seen = new Set<number>();
    for (let round = 0; round < 24 || (seen.size < all.length && round < 200); round++) {
      const unseen = all.filter((key) => !seen.has(key));
      const wanted = Array.from({ length: 1 + random(slots) }, (_, at) => {
        const from = at % 2 === 0 && unseen.length > 0 ? unseen : all;
        return from[random(from.length)] as number;
      });
      bricks.want(wanted);
      // Sometimes other bricks are wanted before these have arrived.
      if (random(4) === 0) {
        bricks.update();
        continue;
      }
      await load(bricks);
      for (const key of new Set(wanted)) {
        expect(bricks.faultOf(key)).toBeUndefined();
        expect(bricks.has(key)).toBe(true);
        if (bricks.atlas.slots.has(key)) await check(bricks, source, key);
        else expect(bricks.table.isConstant(key)).toBe(true);
        seen.add(key);
      }
      const { usedSlots, poolBytes } = bricks.use;
      expect(usedSlots).toBeLessThanOrEqual(slots);
      expect(poolBytes).toBeLessThanOrEqual(12_000);
    }
    expect(seen.size).toBe(all.length);
    expect(bricks.use.evicted).toBeGreaterThan(0);
    expect(source.used.size).toBeGreaterThan(names.length / 2);
    bricks.close();
    host.close();
    await settle();
  });
});

test('bricks that are no longer wanted are cancelled, and closing in the middle frees everything', async () => {
  const source = await testBricks([32, 32, 32, 1], 'u8', [8, 8, 8], ballVoxel([32, 32, 32, 1], 'u8'));
  const host = new HostBricks(source, { reads: 1 });
  const bricks = new GpuBricks(gpu, host, { payloadBytes: 2 ** 16, atlasBytes: 2 ** 14 });
  expect(bricks.want(Array.from({ length: 40 }, (_, at) => at))).toBe(40 - bricks.atlas.slotCount);
  expect(bricks.use.loading).toBe(bricks.atlas.slotCount);
  bricks.want([63]);
  await settle();
  expect(bricks.use.loading).toBeLessThanOrEqual(1);
  await load(bricks);
  // The second read, if any, is the one that was under way before.
  expect(source.reads.count).toBeLessThanOrEqual(2);
  bricks.want([1, 2, 3, 20, 21, 22]);
  bricks.close();
  bricks.close();
  await settle();
  expect(bricks.update()).toBe(0);
  expect(host.use.waiting).toBe(0);
  host.close();
});

test('bricks that are wanted again right after they were cancelled arrive without another request', async () => {
  const source = await testBricks([16, 16, 16, 1], 'u8', [8, 8, 8], ballVoxel([16, 16, 16, 1], 'u8'));
  const host = new HostBricks(source);
  const bricks = new GpuBricks(gpu, host, { payloadBytes: 2 ** 16, atlasBytes: 2 ** 14 });
  bricks.want([0], 'one');
  bricks.want([], 'one');
  bricks.want([0], 'other');
  for (let turn = 0; turn < 50; turn++) await settle();
  expect(bricks.update()).toBe(1);
  bricks.close();
  host.close();
});

test('a brick that cannot be decoded or does not fit is named, and the others are shown', async () => {
  const source = await testBricks([32, 16, 16, 1], 'u8', [8, 8, 8], ballVoxel([32, 16, 16, 1], 'u8'), { levelCount: 1 });
  const unknown: TestBricks = {
    ...source,
    read: async (bricks) =>
      (await source.read(bricks)).map((chunk, at) =>
        bricks[at]?.number === 2 && 'kind' in chunk && chunk.kind === 'coded'
          ? { ...chunk, stages: [{ codecId: 99, parameters: new Uint8Array(0) }] }
          : chunk,
      ),
  };
  const host = new HostBricks(unknown);
  const bricks = new GpuBricks(gpu, host, { payloadBytes: 2 ** 16, atlasBytes: 2 ** 14 });
  bricks.want([1, 2, 5]);
  await load(bricks);
  expect(bricks.faultOf(2)).toMatchObject({ tag: 'unsupported', context: ['chunk 3'] });
  for (const key of [1, 5]) if (!bricks.table.isConstant(key)) await check(bricks, source, key);
  bricks.close();
  const small = new GpuBricks(gpu, host, { payloadBytes: 64, atlasBytes: 2 ** 14 });
  small.want([5]);
  await load(small);
  expect(small.faultOf(5)?.tag).toBe('limit-too-small');
  small.close();
  expect(() => new GpuBricks(gpu, host, { atlasBytes: 100 })).toThrow(/takes 512 bytes of GPU memory; the limit is 100/);
  host.close();
});

test('bricks are not loaded long before they can be decoded, and all arrive in the end', async () => {
  const source = await testBricks([72, 72, 72, 1], 'u8', [8, 8, 8], (x, y, z) => x * y * z, { levelCount: 1, codecs: ['raw'] });
  const host = new HostBricks(source);
  const bricks = new GpuBricks(gpu, host, { payloadBytes: 2 ** 20, atlasBytes: 2 ** 20 });
  const keys = Array.from({ length: 729 }, (_, key) => key);
  bricks.want(keys);
  const mostLoading = bricks.use.loading;
  for (let turn = 0; turn < 50; turn++) await settle();
  const { kept } = host.use;
  await load(bricks);
  expect(mostLoading).toBe(192);
  expect(kept).toBe(192);
  expect(keys.every((key) => bricks.has(key))).toBe(true);
  await check(bricks, source, 700);
  bricks.close();
  host.close();
});

test('constant bricks take neither payload nor slot', async () => {
  const source = await testBricks([32, 32, 32, 1], 'f32', [8, 8, 8], (x) => (x < 16 ? -2.5 : x), { levelCount: 1 });
  const host = new HostBricks(source);
  const bricks = new GpuBricks(gpu, host, { payloadBytes: 2 ** 16, atlasBytes: 2 ** 14 });
  bricks.want([0, 1, 2, 4, 5]);
  await load(bricks);
  expect(bricks.use).toMatchObject({ usedSlots: 1, payloadBytes: 0 });
  expect(await gpu.readWords(bricks.table.entries(), 0, 24)).toEqual(
    Uint32Array.of(0x80000000, 0x80000000, 1, 0, 0x80000000, 0x80000000),
  );
  expect(new Float32Array((await gpu.read(bricks.table.constants, 0, 4)).buffer)[0]).toBe(-2.5);
  // A ramp is decoded from its parameters.
  await check(bricks, source, 2);
  bricks.close();
  host.close();
});

test('bricks for which the source has other voxels are drawn until the new ones have arrived, and then replaced', async () => {
  const dims: Dims4 = [64, 8, 8, 1];
  // Bricks 0 to 7 along x: constant and noisy ones, before and after.
  const noise = (x: number, y: number, z: number) => (Math.imul(x * 64 + y * 8 + z + 1, 0x9e3779b1) >>> 24) & 127;
  const sourceOf = (constants: readonly (number | undefined)[], add: number) =>
    testBricks(dims, 'u8', [8, 8, 8], (x, y, z) => constants[x >> 3] ?? noise(x, y, z) + add, { levelCount: 1 });
  const before = await sourceOf([1, 2, undefined, undefined, 5, undefined, 7, 8], 0);
  const after = await sourceOf([1, undefined, 3, undefined, 6, undefined, 9, 9], 1);
  let now = before;
  const host = new HostBricks({ ...before, place: () => ({ payloadBytes: 512 }), read: (...given) => now.read(...given) });
  let arrivals = 0;
  const bricks = new GpuBricks(gpu, host, { payloadBytes: 2 ** 16, atlasBytes: 2 ** 12 }, () => arrivals++);
  const entryOf = async (key: number) => (await gpu.readWords(bricks.table.entries(), 4 * key, 4))[0] as number;
  const constantOf = async (key: number) => {
    const entry = await entryOf(key);
    expect(entry >>> 31, `brick ${key} is constant`).toBe(1);
    return (await gpu.readWords(bricks.table.constants, 4 * (entry & 0x7fffffff), 4))[0];
  };
  const all = [0, 1, 2, 3, 4, 5, 6, 7];
  bricks.want(all);
  await load(bricks);
  expect(bricks.use.usedSlots).toBe(3);
  bricks.want(all.slice(0, 7));
  now = after;
  arrivals = 0;
  const reads = after.reads.count;
  const { changes } = bricks;
  host.renew((key) => key !== 5);
  expect(arrivals).toBeGreaterThan(0);
  expect(bricks.isSettled).toBe(false);
  // A constant brick that nobody wants is forgotten, so that rays report it as missed: also those of layers, which have a copy of the table.
  expect(bricks.changes).toBeGreaterThan(changes);
  expect(all.map((key) => bricks.has(key))).toEqual([true, true, true, true, true, true, true, false]);
  await check(bricks, before, 3);
  await load(bricks);
  expect(after.reads.count - reads).toBe(6);
  expect([await constantOf(0), await constantOf(2), await constantOf(4), await constantOf(6)]).toEqual([1, 3, 6, 9]);
  for (const key of [1, 3]) await check(bricks, after, key);
  await check(bricks, before, 5);
  expect(bricks.use.usedSlots).toBe(3);
  bricks.want(all);
  await load(bricks);
  expect(await constantOf(7)).toBe(9);
  bricks.close();
  host.renew(() => true);
  host.close();
});

test('after the device was lost, another one gets the bricks from host memory', async () => {
  const source = await testBricks([32, 32, 32, 1], 'u8', [8, 8, 8], ballVoxel([32, 32, 32, 1], 'u8'), { codecs: ['rice'] });
  const host = new HostBricks(source);
  const other = await openNodeGpu({ software: true, limits: 'default' });
  const lost = new GpuBricks(other, host, { payloadBytes: 2 ** 16, atlasBytes: 2 ** 15 });
  const keys = [21, 22, 25, 26, 37];
  lost.want(keys);
  await load(lost);
  lost.want([38, 41, 42]);
  lost.update();
  other.destroy();
  await other.device.lost;
  await settle();
  expect(lost.update()).toBe(0);
  lost.want(keys);
  lost.close();
  await settle();
  const before = source.reads.count;
  const bricks = new GpuBricks(gpu, host, { payloadBytes: 2 ** 16, atlasBytes: 2 ** 15 });
  bricks.want(keys);
  await load(bricks);
  for (const key of keys) await check(bricks, source, key);
  expect(source.reads.count).toBe(before);
  bricks.close();
  host.close();
});
