import { expect, test, vi } from 'vitest';
import { decodeChunk } from '../chunks/decode-chunk.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import type { TaskPool } from '../cpu/cpu-task.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { type ChunkShape, codecElementBytes } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { type ByteSource, memorySource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import type { HalvingMethod } from '../shared/halving.ts';
import type { Dims4, ElementType, VolumeInfo } from '../shared/volume.ts';
import { compressBytes, infoOf, voxelsOf } from '../stream/engine-testing.ts';
import { allLevels } from '../stream/levels/leveled-writer.ts';
import { withAllLevels, withoutFinest } from '../volume/levels/left-out-testing.ts';
import { type Brick, brickKey } from './brick.ts';
import type { BrickSource } from './brick-source.ts';
import { ContainerBricks } from './container-bricks.ts';
import { HalvedBricks } from './halved-bricks.ts';
import { HostBricks } from './host-bricks.ts';

const cpu = createCpuBackend(inlinePool());

async function openBytes(bytes: Uint8Array): Promise<ContainerReader> {
  return ContainerReader.open(memorySource('test.stria', bytes));
}

async function files(info: VolumeInfo, chunkShape: ChunkShape, levels: HalvingMethod, leftOut: number) {
  const whole = await withAllLevels(info, voxelsOf(info, 'blobs'), chunkShape, levels);
  return { whole, lean: await withoutFinest(whole, leftOut) };
}

function allOf({ levels }: BrickSource, level: number): Brick[] {
  return Array.from({ length: levels[level]?.grid.count ?? 0 }, (_, number) => ({ level, number }));
}

function voxelsIn({ levels, info }: BrickSource, { level, number }: Brick, chunk: EncodedChunk | StriaError | undefined) {
  if (!chunk || chunk instanceof StriaError) throw chunk ?? new Error('no chunk');
  const shape = levels[level]?.grid.box(number).shape ?? [0, 0, 0];
  // Constant bricks that were made have no checksum.
  const { sum, cross } = chunk.decodedChecksum;
  const elementBytes = codecElementBytes(info.type);
  if (chunk.kind === 'constant' && sum === 0 && cross === 0) {
    const bytes = new Uint8Array(shape[0] * shape[1] * shape[2] * elementBytes);
    return bytes.map((_, at) => chunk.element[at % elementBytes] as number);
  }
  return decodeChunk(chunk, { shape, elementBytes });
}

interface Case {
  readonly type: ElementType;
  readonly dims: Dims4;
  readonly spacing?: VolumeInfo['spacing'];
  readonly chunkShape: ChunkShape;
  readonly method?: HalvingMethod;
  readonly leftOut?: number;
}

const cases: readonly Case[] = [
  { type: 'u8', dims: [300, 21, 13, 1], chunkShape: [16, 16, 16] },
  { type: 'u8', dims: [600, 21, 13, 1], chunkShape: [16, 16, 16], leftOut: 2 },
  { type: 'u8', dims: [301, 35, 17, 2], chunkShape: [16, 8, 8], method: 'mode' },
  { type: 'i16', dims: [259, 30, 19, 3], chunkShape: [16, 8, 8] },
  { type: 'u16', dims: [520, 33, 11, 1], chunkShape: [20, 13, 7], leftOut: 2 },
  { type: 'u16', dims: [1030, 40, 9, 1], spacing: [0.5, 0.5, 2, 1], chunkShape: [16, 16, 4] },
  { type: 'u32', dims: [300, 40, 30, 1], chunkShape: [15, 9, 5], method: 'mode' },
  { type: 'f32', dims: [270, 20, 20, 1], chunkShape: [16, 16, 16] },
  { type: 'f64', dims: [270, 20, 10, 1], chunkShape: [32, 8, 8], leftOut: 1 },
];

test.each(cases)('$type $dims in chunks of $chunkShape: bricks equal the stored ones', async (one) => {
  const { type, dims, spacing = [1, 1, 1, 1], chunkShape, method = 'mean', leftOut = 1 } = one;
  const { whole, lean } = await files({ ...infoOf(dims, type), spacing }, chunkShape, method, leftOut);
  const stored = await ContainerBricks.open(await openBytes(whole));
  const made = await HalvedBricks.open(await openBytes(lean), inlinePool());
  expect(made).toBeInstanceOf(HalvedBricks);
  expect(made.levels.map(({ factors }) => factors)).toEqual(stored.levels.map(({ factors }) => factors));
  expect(made.levels.length).toBeGreaterThan(leftOut);
  let coded = 0;
  for (const level of stored.levels.keys()) {
    const bricks = allOf(stored, level);
    expect(made.levels[level]?.grid).toEqual(stored.levels[level]?.grid);
    const [expected, found] = [await stored.read(bricks), await made.read(bricks)];
    for (const [at, brick] of bricks.entries()) {
      const chunk = found[at];
      expect(Buffer.compare(voxelsIn(made, brick, chunk), voxelsIn(stored, brick, expected[at]))).toBe(0);
      if (chunk instanceof StriaError || chunk?.kind !== 'coded') continue;
      expect(chunk.payload.buffer.byteLength).toBe(chunk.payload.byteLength);
      expect(chunk.payload.byteLength).toBeLessThanOrEqual(made.place(brick).payloadBytes);
      if (level === 1) coded++;
    }
  }
  expect(coded).toBeGreaterThan(0);
});

test('a lost chunk counts as zeros, as in stored levels', async () => {
  const info = infoOf([300, 40, 40, 1], 'u8');
  const bytes = await withAllLevels(info, voxelsOf(info, 'blobs'), [16, 16, 16]);
  const lost = 19;
  const reader = await openBytes(await withoutFinest(bytes, 1, lost));
  expect(reader.lostCount).toBe(1);
  const [stored, made] = [await ContainerBricks.open(await openBytes(bytes)), await HalvedBricks.open(reader, inlinePool())];
  const bricks = allOf(stored, 1);
  const [expected, found] = [await stored.read(bricks), await made.read(bricks)];
  for (const [at, brick] of bricks.entries()) {
    expect(voxelsIn(made, brick, found[at])).toEqual(voxelsIn(stored, brick, expected[at]));
  }
  expect(found[0]).not.toHaveProperty('isLost');
});

test('planes that were halved before the method was known can differ from the stored ones, the others cannot', async () => {
  const info = infoOf([300, 32, 32, 1], 'u8');
  const half = 300 * 32 * 16;
  const voxels = voxelsOf(info, 'noise').map((byte, at) => (at >= half || at % 911 === 0 ? byte : 0));
  const settings = { chunkShape: [16, 16, 16] as const, levels: true, levelLimits: allLevels };
  const { bytes } = await compressBytes(cpu, info, voxels, settings);
  const stored = await ContainerBricks.open(await openBytes(bytes));
  const made = await HalvedBricks.open(await openBytes(await withoutFinest(bytes, 1)), inlinePool());
  const planes = new Set<number>();
  for (const brick of allOf(stored, 1)) {
    const [[expected], [found]] = [await stored.read([brick]), await made.read([brick])];
    const [before, now] = [voxelsIn(stored, brick, expected), voxelsIn(made, brick, found)];
    const { plane, shape } = stored.levels[1]?.grid.box(brick.number) ?? { plane: 0, shape: [1, 1, 1] };
    for (const [at, byte] of now.entries()) if (byte !== before[at]) planes.add(plane + Math.floor(at / shape[0] / shape[1]));
  }
  expect(Math.max(...planes)).toBe(7);
});

test('a file that leaves nothing out, and one without levels, are read as they are', async () => {
  const info = infoOf([300, 20, 10, 1], 'u8');
  const { whole } = await files(info, [16, 16, 16], 'mean', 1);
  const { bytes } = await compressBytes(cpu, info, voxelsOf(info, 'blobs'), { chunkShape: [16, 16, 16], levels: false });
  for (const each of [whole, bytes]) {
    expect(await HalvedBricks.open(await openBytes(each), inlinePool())).toBeInstanceOf(ContainerBricks);
  }
});

/** A file without its finest level, whose reads are counted, and fail where `fails` says. */
async function watched(fails: (offset: number, length: number) => boolean = () => false) {
  const { lean } = await files(infoOf([300, 40, 40, 1], 'u8'), [16, 16, 16], 'mean', 1);
  const source = memorySource('test.stria', lean);
  let [reads, isOpen] = [0, false];
  const read: ByteSource['read'] = async (offset, length, options) => {
    if (isOpen) reads++;
    if (isOpen && fails(offset, length)) throw new StriaError('not-readable', 'the disk is broken there');
    return source.read(offset, length, options);
  };
  const reader = await ContainerReader.open({ ...source, read });
  await reader.levels();
  isOpen = true;
  return { lean, reader, bricks: await HalvedBricks.open(reader, inlinePool()), reads: () => reads };
}

test('the chunks of a brick, and of several, are read together', async () => {
  const { bricks, reads } = await watched();
  await bricks.read([{ level: 1, number: 0 }]);
  expect(reads()).toBe(1);
  await bricks.read(allOf(bricks, 1));
  expect(reads()).toBe(2);
});

test('a damaged chunk costs the bricks that it is part of', async () => {
  const { lean, reader } = await watched();
  const chunk = Array.from({ length: reader.chunkCount }, (_, number) => number).find(
    (number) => number > 100 && reader.entry(number).kind === 'coded',
  ) as number;
  const entry = reader.entry(chunk);
  if (entry.kind !== 'coded') throw new Error('not coded');
  const damaged = lean.slice();
  damaged[entry.recordOffset + entry.recordLength - 12] = (damaged[entry.recordOffset + entry.recordLength - 12] as number) ^ 1;
  const bricks = await HalvedBricks.open(await openBytes(damaged), inlinePool());
  const results = await bricks.read(allOf(bricks, 1));
  const faults = results.flatMap((result, number) => (result instanceof StriaError ? [{ result, number }] : []));
  expect(faults).toHaveLength(1);
  expect(faults[0]?.result).toMatchObject({ tag: 'corrupt', context: [`chunk ${chunk + 1}`] });
  const host = new HostBricks(bricks);
  const key = brickKey({ level: 1, number: faults[0]?.number ?? 0 });
  const context = [`level 1, chunk ${(faults[0]?.number ?? 0) + 1}`, `chunk ${chunk + 1}`];
  await expect(host.request(key, 0)).rejects.toMatchObject({ tag: 'corrupt', context });
  host.close();
});

test('a place in the file that cannot be read is tried again', async () => {
  let left = 2;
  const { bricks } = await watched(() => left-- > 0);
  const host = new HostBricks(bricks, { retryMs: 1 });
  expect(await host.request(brickKey({ level: 1, number: 3 }), 0)).toBeDefined();
  host.close();
});

test('a read that is cancelled ends, and reads no more', async () => {
  const { bricks, reads } = await watched();
  const controller = new AbortController();
  const reading = bricks.read(allOf(bricks, 1), { signal: controller.signal });
  controller.abort();
  await expect(reading).rejects.toMatchObject({ tag: 'aborted' });
  expect(reads()).toBeLessThanOrEqual(1);
  await expect(bricks.read([{ level: 1, number: 0 }], { signal: controller.signal })).rejects.toMatchObject({ tag: 'aborted' });
});

test.each([
  [300, 32, 32, 1],
  [300, 300, 32, 1],
] as const)('bricks of %i × %i × %i voxels are zeros only where their chunks are', async (...dims) => {
  const info = infoOf(dims, 'u8');
  const voxels = new Uint8Array(dims[0] * dims[1] * dims[2]);
  // Every second chunk along x is full of one value.
  for (let at = 0; at < voxels.length; at++) voxels[at] = ((at % dims[0]) >> 4) % 2 === 1 ? 7 : 0;
  const whole = await withAllLevels(info, voxels, [16, 16, 16]);
  const stored = await ContainerBricks.open(await openBytes(whole));
  const made = await HalvedBricks.open(await openBytes(await withoutFinest(whole, 1)), inlinePool());
  const all = allOf(made, 1);
  const [expected, found] = [await stored.read(all), await made.read(all)];
  for (const [at, brick] of all.entries()) {
    expect(Buffer.compare(voxelsIn(made, brick, found[at]), voxelsIn(stored, brick, expected[at]))).toBe(0);
  }
});

test('few chunks are held at once however short their records are, and blocks of zeros go to no thread', async () => {
  const info = infoOf([1104, 256, 64, 1], 'f32');
  const voxels = new Uint8Array(4 * info.dims[0] * info.dims[1] * info.dims[2]);
  for (let at = 3; at < voxels.length; at += 4_000_000) voxels[at] = 64;
  // A brick of the third level takes 256 chunks.
  const reader = await openBytes(await withoutFinest(await withAllLevels(info, voxels, [16, 16, 16]), 3));
  const readTogether = vi.spyOn(reader, 'readTogether');
  const blocks: number[] = [];
  const pool = inlinePool();
  const run: TaskPool['run'] = (task, ...more) => {
    if (task.kind === 'halve') blocks.push(task.blocks.length);
    return pool.run(task, ...more);
  };
  const bricks = await HalvedBricks.open(reader, { ...pool, run });
  const all = allOf(bricks, 3);
  expect(bricks.levels[3]?.factors).toEqual([8, 8, 8]);
  expect(reader.chunkCount).toBeGreaterThan(2 ** 12);
  const found = await bricks.read(all);
  expect(found.every((chunk) => !(chunk instanceof StriaError))).toBe(true);
  expect(blocks.length).toBeGreaterThan(0);
  expect(Math.max(...blocks)).toBeLessThan(64);
  expect(Math.max(...readTogether.mock.calls.map(([numbers]) => numbers.length))).toBeLessThanOrEqual(2 ** 12);
});
