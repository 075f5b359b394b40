import { expect, test } from 'vitest';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { type ByteSource, memorySource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { compressVolume } from '../stream/compress/compress.ts';
import { auto, infoOf, voxelsOf, watchedSink } from '../stream/engine-testing.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { brickKey } from './brick.ts';
import { ContainerBricks } from './container-bricks.ts';
import { HostBricks } from './host-bricks.ts';

const cpu = createCpuBackend(inlinePool());
const info = infoOf([200, 20, 12, 2], 'u16');

async function container(chunkShape: readonly [number, number, number, number?] = [16, 8, 8]) {
  const sink = watchedSink();
  const settings = { backend: cpu, choice: auto, chunkShape, levels: chunkShape[3] === undefined };
  await compressVolume(memoryVolume(info, voxelsOf(info, 'blobs')), sink, settings);
  return sink.bytes();
}

/** A source that counts its reads, and fails for reads in a part of the file. */
function watched(bytes: Uint8Array, fails: (offset: number, length: number) => boolean = () => false) {
  const source = memorySource('test.stria', bytes);
  const reads: { readonly offset: number; readonly length: number }[] = [];
  const read: ByteSource['read'] = async (offset, length, options) => {
    reads.push({ offset, length });
    if (fails(offset, length)) throw new StriaError('not-readable', 'the disk is broken there');
    return source.read(offset, length, options);
  };
  return { source: { ...source, read } satisfies ByteSource, reads };
}

test('every brick of every level is the chunk that the reader of the level gives', async () => {
  const { source, reads } = watched(await container());
  const reader = await ContainerReader.open(source);
  const bricks = await ContainerBricks.open(reader);
  const readers = [reader, ...(await reader.levels())];
  expect(bricks.levels.length).toBe(readers.length);
  expect(bricks.levels.length).toBeGreaterThan(1);
  expect(bricks.levels.map(({ factors }) => factors)).toEqual([[1, 1, 1], ...readers.slice(1).map((one) => one.level?.factors)]);
  const before = reads.length;
  const host = new HostBricks(bricks, { reads: 2 });
  let count = 0;
  for (const [level, one] of readers.entries()) {
    const found = await Promise.all(
      Array.from({ length: one.chunkCount }, (_, number) => host.request(brickKey({ level, number }), 0)),
    );
    expect(found).toEqual(await one.readChunks(0, one.chunkCount));
    count += found.filter(({ kind }) => kind === 'coded').length;
  }
  // Ranges are joined, so there are far fewer reads than chunks with payloads. (The comparison reads as well.)
  expect(count).toBeGreaterThan(20);
  expect(reads.slice(before).filter(({ length }) => length > 0).length).toBeLessThan(count / 3);
  host.close();
});

test('a part of the file that cannot be read costs only its own bricks, which are named', async () => {
  const bytes = await container();
  const good = await ContainerReader.open(memorySource('test.stria', bytes));
  const coded = Array.from({ length: good.chunkCount }, (_, number) => number).filter(
    (number) => good.entry(number).kind === 'coded',
  );
  const broken = coded[5] as number;
  const entry = good.entry(broken);
  if (entry.kind !== 'coded') throw new Error('not coded');
  let isBroken = false;
  const { source } = watched(
    bytes,
    (offset, length) => isBroken && offset <= entry.recordOffset && offset + length > entry.recordOffset,
  );
  const damaged = bytes.slice();
  const flipped = coded[9] as number;
  const other = good.entry(flipped);
  if (other.kind !== 'coded') throw new Error('not coded');
  damaged[other.recordOffset + other.recordLength - 12] = (damaged[other.recordOffset + other.recordLength - 12] as number) ^ 1;
  for (const [from, number, tag] of [
    [source, broken, 'not-readable'],
    [memorySource('test.stria', damaged), flipped, 'corrupt'],
  ] as const) {
    isBroken = false;
    const host = new HostBricks(await ContainerBricks.open(await ContainerReader.open(from)), { retryMs: 1 });
    isBroken = true;
    const results = await Promise.allSettled(coded.map((one) => host.request(one, 0)));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    const result = results[coded.indexOf(number)];
    expect(result?.status === 'rejected' && result.reason).toMatchObject({ tag, context: [`chunk ${number + 1}`] });
    host.close();
  }
});

test('chunks of several time points are refused', async () => {
  const reader = await ContainerReader.open(memorySource('test.stria', await container([200, 20, 12, 2])));
  await expect(ContainerBricks.open(reader)).rejects.toMatchObject({ tag: 'unsupported' });
});
