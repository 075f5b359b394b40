import { expect, test } from 'vitest';
import { decodeChunk } from '../chunks/decode-chunk.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { memorySource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims4, ElementType, VolumeInfo } from '../shared/volume.ts';
import { auto, infoOf, type Look, voxelsOf, type WatchedSink, watchedSink } from '../stream/engine-testing.ts';
import { makeFittingLevels } from '../stream/made-levels/fitting-levels.ts';
import { levelsToMake, makeLevels } from '../stream/made-levels/make-levels.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { leveledFile } from '../volume/levels/leveled-file.ts';
import type { BrickSource } from './brick-source.ts';
import { ContainerBricks } from './container-bricks.ts';
import { KeptBricks } from './kept-bricks.ts';
import { MadeBricks } from './made-bricks.ts';
import { VoxelBricks } from './voxel-bricks.ts';

const backend = createCpuBackend(inlinePool());
const source = { name: 'a.raw' };

function plainFile(info: VolumeInfo, look: Look) {
  const voxels = voxelsOf(info, look);
  const fill = async (bytes: Uint8Array<ArrayBuffer>, at: number) => bytes.set(voxels.subarray(at, at + bytes.byteLength));
  const volume = { ...memoryVolume(info, voxels), fill };
  const leveled = leveledFile(volume, levelsToMake(info));
  if (!leveled) throw new Error('it cannot be read');
  return { volume, file: new VoxelBricks(info, leveled, { areChunked: false }) };
}

type Plain = ReturnType<typeof plainFile>;

const bricksIn = async (bytes: Uint8Array) => ContainerBricks.open(await ContainerReader.open(memorySource('levels', bytes)));

/** The bricks as they are once `makeLevels` has written the levels beside the file. */
async function keptFor({ volume, file }: Plain): Promise<BrickSource> {
  const sink = watchedSink();
  await makeLevels(volume, source, sink, { backend, choice: auto });
  const factors = file.levels[1]?.factors ?? [1, 1, 1];
  return new KeptBricks(file, await bricksIn(sink.bytes()), factors);
}

async function makeInto(bricks: MadeBricks, { volume }: Plain, timePoint: number, limit?: number): Promise<number> {
  let sink: WatchedSink = watchedSink();
  const makeSink = () => {
    sink = watchedSink(limit, () => new StriaError('limit-too-small', 'full'));
    return sink;
  };
  const { firstLevel } = await makeFittingLevels(volume, source, makeSink, { timePoint, backend, choice: auto });
  bricks.add({ timePoint, firstLevel, bricks: await bricksIn(sink.bytes()) });
  return firstLevel;
}

/** The voxels of all bricks of a level, or of those of one time point. */
async function voxelsAt(bricks: BrickSource, level: number, timePoint?: number): Promise<readonly Uint8Array[]> {
  const { grid } = bricks.levels[level] as BrickSource['levels'][number];
  const numbers = Array.from({ length: grid.count }, (_, number) => number).filter(
    (number) => timePoint === undefined || grid.box(number).t === timePoint,
  );
  const found = await bricks.read(numbers.map((number) => ({ level, number })));
  expect(found.length).toBe(numbers.length);
  return found.map((chunk, at) => {
    if (chunk instanceof StriaError) throw chunk;
    const { shape } = grid.box(numbers[at] as number);
    const elementBytes = codecElementBytes(bricks.info.type);
    // Bricks of voxels have no checksums.
    if (chunk.kind === 'coded' && chunk.decodedChecksum.sum === 0) return chunk.payload;
    if (chunk.kind !== 'constant') return decodeChunk(chunk, { shape, elementBytes });
    const { element } = chunk;
    return Uint8Array.from(
      { length: shape[0] * shape[1] * shape[2] * elementBytes },
      (_, byte) => element[byte % elementBytes] as number,
    );
  });
}

const cases: readonly (readonly [ElementType, Dims4, Look, readonly number[]])[] = [
  ['u8', [300, 70, 66, 1], 'noise', [1, 1, 1, 1]],
  ['u8', [261, 71, 70, 2], 'blobs', [1, 1, 1, 1]],
  ['i16', [260, 130, 20, 2], 'noise', [1, 1, 5, 1]],
  ['f32', [300, 20, 66, 1], 'blobs', [1, 1, 1, 1]],
  ['f64', [141, 33, 40, 1], 'noise', [1, 2, 1, 1]],
];

test.each(cases)('made bricks of %s, %j, %s equal those of levels kept beside the file', async (type, dims, look, spacing) => {
  const info = { ...infoOf(dims, type), spacing: spacing as unknown as VolumeInfo['spacing'] };
  const plain = plainFile(info, look);
  const kept = await keptFor(plain);
  const bricks = new MadeBricks(plain.file);
  expect(bricks.levels.map(({ factors, grid }) => [factors, grid.dims, grid.chunkShape])).toEqual(
    kept.levels.map(({ factors, grid }) => [factors, grid.dims, grid.chunkShape]),
  );
  for (let timePoint = 0; timePoint < dims[3]; timePoint++) expect(await makeInto(bricks, plain, timePoint)).toBe(1);
  for (let level = 0; level < kept.levels.length; level++) {
    expect(await voxelsAt(bricks, level), `level ${level}`).toEqual(await voxelsAt(kept, level));
  }
});

test('until they are made, and once they are dropped, coarser bricks are voxels of the file', async () => {
  const plain = plainFile(infoOf([261, 71, 70, 2], 'u8'), 'noise');
  const kept = await keptFor(plain);
  const bricks = new MadeBricks(plain.file);
  expect(await voxelsAt(bricks, 1)).toEqual(await voxelsAt(plain.file, 1));
  await makeInto(bricks, plain, 1);
  // Bricks of both time points are read together.
  expect(await voxelsAt(bricks, 1)).toEqual([...(await voxelsAt(plain.file, 1, 0)), ...(await voxelsAt(kept, 1, 1))]);
  expect(await voxelsAt(kept, 1, 1)).not.toEqual(await voxelsAt(plain.file, 1, 1));
  bricks.drop(1);
  expect(await voxelsAt(bricks, 1)).toEqual(await voxelsAt(plain.file, 1));
});

test('a level that does not fit is left out, and its bricks are voxels of the file', async () => {
  const plain = plainFile(infoOf([300, 70, 66, 1], 'u8'), 'noise');
  const kept = await keptFor(plain);
  const bricks = new MadeBricks(plain.file);
  expect(bricks.levels.length).toBe(3);
  expect(await makeInto(bricks, plain, 0, 60_000)).toBe(2);
  expect(await voxelsAt(bricks, 1)).toEqual(await voxelsAt(plain.file, 1));
  expect(await voxelsAt(bricks, 2)).toEqual(await voxelsAt(kept, 2));
  await expect(makeInto(bricks, plain, 0, 1000)).rejects.toMatchObject({ tag: 'limit-too-small' });
});

const standIn = (plain: Plain, read: BrickSource['read']): BrickSource => ({
  info: plain.file.info,
  levels: plain.file.levels.slice(1),
  place: (brick) => plain.file.place(brick),
  read,
});

test('made bricks are read one by one, without what lies between them', async () => {
  const plain = plainFile(infoOf([261, 71, 70, 1], 'u8'), 'noise');
  const bricks = new MadeBricks(plain.file);
  const asked: number[][] = [];
  const read: BrickSource['read'] = async (some) => {
    asked.push(some.map(({ number }) => number));
    return some.map(() => ({ kind: 'constant', element: Uint8Array.of(0), decodedChecksum: { sum: 0, cross: 0 } }));
  };
  bricks.add({ timePoint: 0, firstLevel: 1, bricks: standIn(plain, read) });
  await bricks.read([
    { level: 1, number: 0 },
    { level: 1, number: 2 },
  ]);
  expect(asked).toEqual([[0], [2]]);
});

test('a made brick that cannot be read is read from the file', async () => {
  const plain = plainFile(infoOf([261, 71, 70, 1], 'u8'), 'noise');
  const bricks = new MadeBricks(plain.file);
  const read = async () => Promise.reject(new StriaError('not-readable', 'gone'));
  bricks.add({ timePoint: 0, firstLevel: 1, bricks: standIn(plain, read) });
  expect(await voxelsAt(bricks, 1)).toEqual(await voxelsAt(plain.file, 1));
});
