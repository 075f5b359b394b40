import { expect, test } from 'vitest';
import { decodeChunk } from '../chunks/decode-chunk.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { halve } from '../levels/halve.ts';
import { memorySource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { type Dims3, type ElementType, elementBytes, typedVoxels, type VolumeInfo } from '../shared/volume.ts';
import type { LeveledVoxels, StreamedLevels, VolumeLevel } from '../shared/volume-level.ts';
import { auto, infoOf, voxelsOf, watchedSink } from '../stream/engine-testing.ts';
import { makeLevels } from '../stream/made-levels/make-levels.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { cut } from '../volume/levels/level-testing.ts';
import { leveledFile } from '../volume/levels/leveled-file.ts';
import { ContainerBricks } from './container-bricks.ts';
import { KeptBricks } from './kept-bricks.ts';
import { canHaveBricks, VoxelBricks } from './voxel-bricks.ts';

/** A plain file in memory, whose reads are counted. */
function plain(dims: VolumeInfo['dims'], type: ElementType, content = 'noise' as 'noise' | 'blobs') {
  const info = infoOf(dims, type);
  const voxels = voxelsOf(info, content);
  const reads: number[] = [];
  const fill = async (bytes: Uint8Array<ArrayBuffer>, at: number) => {
    reads.push(bytes.byteLength);
    bytes.set(voxels.subarray(at, at + bytes.byteLength));
  };
  return { info, voxels, reads, fill, leveled: leveledFile({ info, fill }) as StreamedLevels };
}

const plainly = { areChunked: false };
const brickTypes = ['u8', 'i16', 'f64'] as const;

test.each(brickTypes)(
  'bricks of a plain file of %s hold its voxels, and those of coarser levels every second one, every fourth …',
  async (type) => {
    const { info, leveled } = plain([300, 70, 66, 2], type);
    const bricks = new VoxelBricks(info, leveled, plainly);
    expect(bricks.levels.map(({ factors }) => factors)).toEqual(leveled.levels.map(({ factors }) => factors));
    const elements = elementBytes(type) / codecElementBytes(type);
    for (const [level, { grid }] of bricks.levels.entries()) {
      const pieces: Uint8Array[] = [];
      for await (const piece of leveled.voxels(level)) pieces.push(piece);
      const voxels = Buffer.concat(pieces);
      const whole = { dims: (leveled.levels[level] as VolumeLevel).dims, type };
      const found = await bricks.read(Array.from({ length: grid.count }, (_, number) => ({ level, number })));
      for (const [number, chunk] of found.entries()) {
        const { origin, shape, t } = grid.box(number);
        const first: Dims3 = [origin[0] / elements, origin[1], origin[2]];
        const box = { level, first, size: [shape[0] / elements, shape[1], shape[2]] as const, timePoint: t };
        const expected = cut(voxels, whole, box);
        if (chunk instanceof StriaError || chunk.kind !== 'coded') throw new Error('no payload');
        expect(Buffer.from(chunk.payload).equals(expected)).toBe(true);
        expect(bricks.place({ level, number }).payloadBytes).toBe(expected.byteLength);
      }
    }
  },
);

test('a brick of equal voxels has no payload', async () => {
  const info = infoOf([200, 70, 66, 1], 'u16');
  const voxels = new Uint8Array(info.dims[0] * info.dims[1] * info.dims[2] * 2).fill(7);
  const fill = async (bytes: Uint8Array<ArrayBuffer>, at: number) => bytes.set(voxels.subarray(at, at + bytes.byteLength));
  const bricks = new VoxelBricks(info, leveledFile({ info, fill }) as LeveledVoxels, plainly);
  expect(await bricks.read([{ level: 0, number: 0 }])).toMatchObject([{ kind: 'constant', element: Uint8Array.of(7, 7) }]);
});

test('bricks that lie beside each other in the rows of a file are read once, also if they are asked for one by one', async () => {
  const { info, reads, leveled } = plain([300, 70, 66, 1], 'u8');
  const bricks = new VoxelBricks(info, leveled, plainly);
  const [columns] = (bricks.levels[0] as (typeof bricks.levels)[number]).grid.counts;
  await Promise.all(Array.from({ length: columns }, (_, number) => bricks.read([{ level: 0, number }])));
  for (let number = 0; number < columns; number++) await bricks.read([{ level: 0, number }]);
  expect(reads.reduce((sum, bytes) => sum + bytes, 0)).toBe(300 * 64 * 64);
});

test('a cancelled brick does not cancel others that need the same read, and a read that nobody needs ends', async () => {
  const { info, leveled } = plain([300, 70, 66, 1], 'u8');
  let begun = 0;
  const signals: AbortSignal[] = [];
  const waits: (() => void)[] = [];
  const slow: LeveledVoxels = {
    ...leveled,
    async read(box, options = {}) {
      begun++;
      if (options.signal) signals.push(options.signal);
      await new Promise<void>((resolve) => waits.push(resolve));
      return leveled.read(box, options);
    },
  };
  const bricks = new VoxelBricks(info, slow, plainly);
  const [one, other] = [new AbortController(), new AbortController()];
  const first = bricks.read([{ level: 0, number: 0 }], { signal: one.signal });
  const second = bricks.read([{ level: 0, number: 1 }], { signal: other.signal });
  await new Promise(setImmediate);
  expect(begun).toBe(1);
  one.abort();
  await expect(first).rejects.toThrow('cancelled');
  expect(signals[0]?.aborted).toBe(false);
  other.abort();
  await expect(second).rejects.toThrow('cancelled');
  expect(signals[0]?.aborted).toBe(true);
  // The next call reads again.
  const third = bricks.read([{ level: 0, number: 0 }]);
  const release = setInterval(() => {
    for (const resolve of waits.splice(0)) resolve();
  }, 1);
  expect((await third)[0]).toMatchObject({ kind: 'coded' });
  clearInterval(release);
});

test('a part of the file that cannot be read costs only its own bricks', async () => {
  const { info, leveled } = plain([300, 70, 66, 1], 'u8');
  const broken: LeveledVoxels = {
    ...leveled,
    async read(box, options) {
      if (box.first[1] >= 64) throw new StriaError('not-readable', 'the disk is broken there');
      return leveled.read(box, options);
    },
  };
  const bricks = new VoxelBricks(info, broken, plainly);
  const [columns] = (bricks.levels[0] as (typeof bricks.levels)[number]).grid.counts;
  const found = await bricks.read([
    { level: 0, number: 0 },
    { level: 0, number: columns },
  ]);
  expect(found).toMatchObject([{ kind: 'coded' }, { tag: 'not-readable' }]);
});

test('levels that do not halve a volume have no bricks', () => {
  const info = infoOf([300, 300, 300, 1], 'u8');
  expect(canHaveBricks(info, { dims: [150, 150, 150, 1], factors: [2, 2, 2] })).toBe(true);
  expect(canHaveBricks(info, { dims: [100, 100, 100, 1], factors: [3, 3, 3] })).toBe(false);
  expect(canHaveBricks(info, { dims: [149, 150, 150, 1], factors: [2, 2, 2] })).toBe(false);
});

test('levels kept beside a file are the coarser bricks, as they are stored', async () => {
  const { info, voxels, fill, leveled } = plain([300, 70, 66, 1], 'u8', 'blobs');
  const sink = watchedSink();
  const backend = createCpuBackend(inlinePool());
  await makeLevels({ ...memoryVolume(info, voxels), fill }, { name: 'a.raw' }, sink, { backend, choice: auto, method: 'mean' });
  const kept = await ContainerBricks.open(await ContainerReader.open(memorySource('a.raw.levels.stria', sink.bytes())));
  const whole = new VoxelBricks(info, leveled, plainly);
  expect(KeptBricks.areAlike(whole, kept)).toBe(true);
  const bricks = new KeptBricks(whole, kept, [2, 2, 2]);
  expect(bricks.levels.map(({ factors }) => factors)).toEqual([
    [1, 1, 1],
    [2, 2, 2],
    [4, 4, 4],
  ]);
  const halved = halve(typedVoxels('u8', voxels), 'u8', [300, 70, 66], [2, 2, 2], 1, 'mean');
  const grid = (bricks.levels[1] as (typeof bricks.levels)[number]).grid;
  const { origin, shape } = grid.box(1);
  const [chunk] = await bricks.read([{ level: 1, number: 1 }]);
  if (!chunk || chunk instanceof StriaError) throw new Error('no chunk');
  const box = { level: 1, first: origin, size: shape, timePoint: 0 };
  const expected = cut(new Uint8Array(halved.buffer), { dims: [150, 35, 33, 1], type: 'u8' }, box);
  expect(Buffer.from(decodeChunk(chunk, { shape, elementBytes: 1 })).equals(expected)).toBe(true);
  expect(await bricks.read([{ level: 0, number: 0 }])).toEqual(await whole.read([{ level: 0, number: 0 }]));
});
