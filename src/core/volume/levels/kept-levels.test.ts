import { expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { openVolume } from '../../io/open-volume.ts';
import { type ByteSource, memorySource } from '../../shared/bytes.ts';
import type { Dims4, ElementType } from '../../shared/volume.ts';
import type { StreamedLevels } from '../../shared/volume-level.ts';
import { compressVolume } from '../../stream/compress/compress.ts';
import { auto, watchedSink } from '../../stream/engine-testing.ts';
import { makeLevels } from '../../stream/made-levels/make-levels.ts';
import { testInfo, testVoxels } from '../resident-testing.ts';
import { findKeptLevels, type KeptLevels, withKeptLevels } from './kept-levels.ts';
import { leveledContainer } from './leveled-container.ts';
import { leveledFile } from './leveled-file.ts';

const backend = createCpuBackend(inlinePool());
const settings = { backend, choice: auto };
const name = 'a.raw.levels.stria';

interface Plain {
  readonly source: ByteSource;
  readonly volume: OpenVolume;
}

async function plainFile(dims: Dims4, type: ElementType, bytes: Uint8Array, modifiedMs?: number): Promise<Plain> {
  const source = { ...memorySource('a.raw', bytes), modifiedMs };
  return { source, volume: await openVolume(source, { raw: { dims, type } }) };
}

async function levelsFor({ volume, source }: Plain): Promise<Uint8Array<ArrayBuffer>> {
  const sink = watchedSink();
  await makeLevels(volume, source, sink, settings);
  expect([sink.closed, sink.aborted]).toEqual([1, 0]);
  return sink.bytes();
}

const found = ({ volume, source }: Plain, levels: Uint8Array<ArrayBuffer>): Promise<KeptLevels | undefined> =>
  findKeptLevels(volume, source, async (wanted) => (wanted === name ? memorySource(name, levels) : undefined), undefined);

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece.slice());
  return Buffer.concat(parts);
}

test.each<[ElementType, Dims4]>([
  ['u8', [300, 61, 70, 2]],
  ['i16', [141, 40, 33, 1]],
  ['f32', [130, 9, 66, 3]],
])('levels of %s beside a file are those that its .stria would have', async (type, dims) => {
  const info = testInfo(dims, type);
  const bytes = testVoxels(info);
  const plain = await plainFile(dims, type, bytes);
  const kept = await found(plain, await levelsFor(plain));
  if (!kept || kept.fault) throw new Error('they were not found');
  const leveled = withKeptLevels(leveledFile(plain.volume) as StreamedLevels, kept.levels);

  const sink = watchedSink();
  await compressVolume(plain.volume, sink, { ...settings, levels: true, timeGroup: 1, chunkShape: [64, 64, 64, 1] });
  const reader = await ContainerReader.open(memorySource('a.stria', sink.bytes()));
  const expected = leveledContainer(reader, await reader.levels());
  expect(leveled.levels).toEqual(expected.levels);
  expect(leveled.levels.length).toBeGreaterThan(1);
  for (const [level, { dims }] of leveled.levels.entries()) {
    const all = await joined(leveled.voxels(level));
    const planeBytes = all.byteLength / dims[3];
    for (let timePoint = 0; timePoint < dims[3]; timePoint++) {
      const box = { level, first: [0, 0, 0], size: [dims[0], dims[1], dims[2]], timePoint } as const;
      const whole = await expected.read(box);
      expect(Buffer.compare(all.subarray(timePoint * planeBytes, (timePoint + 1) * planeBytes), whole)).toBe(0);
      expect(Buffer.compare(await leveled.read(box), whole)).toBe(0);
    }
  }
});

const dims: Dims4 = [200, 20, 30, 1];
const voxels = testVoxels(testInfo(dims, 'u8'));

test('levels are not used once the voxels, their type or size, or the time of the file differ', async () => {
  const plain = await plainFile(dims, 'u8', voxels, 1000);
  const levels = await levelsFor(plain);
  expect(await found(plain, levels)).toMatchObject({ name, levels: [{}] });
  // Where the time is not known, the voxels decide.
  expect(await found(await plainFile(dims, 'u8', voxels), levels)).toMatchObject({ levels: [{}] });
  const changed = voxels.slice();
  changed[70_001] = (changed[70_001] as number) ^ 1;
  const others: [Plain, RegExp][] = [
    [await plainFile(dims, 'u8', changed, 1000), /now has other voxels/],
    [await plainFile(dims, 'u8', voxels, 2000), /been modified since/],
    [await plainFile(dims, 'i8', voxels, 1000), /another size or type/],
    [await plainFile([100, 20, 60, 1], 'u8', voxels, 1000), /another size or type/],
  ];
  for (const [other, words] of others) {
    expect(await found(other, levels)).toMatchObject({ name, fault: { message: expect.stringMatching(words) } });
  }
  expect(await findKeptLevels(plain.volume, plain.source, async () => undefined, undefined)).toBeUndefined();
});

test('levels of a file that was modified before 1970 are made without its time', async () => {
  const plain = await plainFile(dims, 'u8', voxels, -1000);
  expect(await found(plain, await levelsFor(plain))).toMatchObject({ name, levels: [{}] });
});

test('a file of levels that is cut anywhere, damaged or another .stria is refused with a message', async () => {
  const plain = await plainFile(dims, 'u8', voxels);
  const levels = await levelsFor(plain);
  for (let length = 0; length < levels.byteLength; length += 997) {
    expect(await found(plain, levels.slice(0, length))).toMatchObject({
      fault: { tag: expect.stringMatching(/corrupt|unsupported/) },
    });
  }
  const sink = watchedSink();
  await compressVolume(plain.volume, sink, settings);
  expect(await found(plain, sink.bytes())).toMatchObject({
    fault: { message: expect.stringContaining('levels of another file') },
  });
  const aborted = AbortSignal.abort();
  await expect(
    findKeptLevels(plain.volume, plain.source, async () => memorySource(name, levels), undefined, { signal: aborted }),
  ).rejects.toMatchObject({ tag: 'aborted' });
});

test('a file that needs no levels, or can only be read in order, gets none, and a failure leaves nothing', async () => {
  const small = await plainFile([64, 20, 30, 1], 'u8', voxels.slice(0, 64 * 20 * 30));
  const plain = await plainFile(dims, 'u8', voxels);
  const cases: [Plain, string, AbortSignal?][] = [
    [small, 'invalid-input'],
    [{ ...plain, volume: { ...plain.volume, fill: undefined } as unknown as OpenVolume }, 'unsupported'],
    [plain, 'aborted', AbortSignal.abort()],
  ];
  for (const [{ volume, source }, tag, signal] of cases) {
    const sink = watchedSink();
    await expect(makeLevels(volume, source, sink, settings, { signal })).rejects.toMatchObject({ tag });
    expect([sink.closed, sink.aborted]).toEqual([0, 1]);
  }
});
