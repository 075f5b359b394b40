import { gzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { joinRecords, splitRecords } from '../format/container-testing.ts';
import { openVolume } from '../io/open-volume.ts';
import { memorySource } from '../shared/bytes.ts';
import type { SourceDescription } from '../shared/source.ts';
import { recoverVolume } from './check/recover.ts';
import { verifyContainer } from './check/verify.ts';
import { compressVolume } from './compress/compress.ts';
import { auto, compressBytes, infoOf, restoreBytes, voxelsOf, watchedSink } from './engine-testing.ts';
import { mghWithTrailer } from './formats-testing.ts';
import { rewriteLevels } from './levels/rewrite-levels.ts';

const backend = createCpuBackend(inlinePool());
const info = infoOf([9, 8, 7, 1], 'u8');
const voxels = voxelsOf(info, 'blobs');
const open = (bytes: Uint8Array) => ContainerReader.open(memorySource('a.stria', bytes));
const text = (value: string) => new TextEncoder().encode(value);
const noise = voxelsOf(infoOf([3000, 1, 1, 1], 'u8'), 'noise');

async function compressed(...parts: { before?: Uint8Array; after?: Uint8Array }[]): Promise<Uint8Array> {
  const none = new Uint8Array(0);
  const source: SourceDescription = {
    format: 'nifti',
    endian: 'little',
    parts: parts.map(({ before = none, after = none }, at) => ({ name: `${at}`, before, hasVoxels: at === 0, after })),
  };
  return (await compressBytes(backend, info, voxels, { source })).bytes;
}

/** The lengths of the BLOB records' bodies. */
function blobs(file: Uint8Array): number[] {
  return splitRecords(file).flatMap(({ type, body }) => (type === 'BLOB' ? [body.byteLength] : []));
}

async function compressedMgz(): Promise<Uint8Array> {
  const sink = watchedSink();
  const volume = await openVolume(memorySource('scan.mgz', gzipSync(mghWithTrailer)));
  await compressVolume(volume, sink, { backend, choice: auto });
  return sink.bytes();
}

test('the trailer of a gzipped MGH file is deflated and comes back', async () => {
  const file = await compressedMgz();
  expect((await open(file)).header.requires).toEqual(['deflated']);
  // The header's 284 bytes are too short.
  expect(blobs(file)).toEqual([284, expect.toSatisfy((length: number) => length < 400)]);
  expect(await restoreBytes(backend, file)).toEqual(new Map([['scan.mgh', mghWithTrailer]]));
  expect(await verifyContainer(await open(file), { backend })).toMatchObject({ sound: true });
});

test('a file written again is the same, and its source stays deflated', async () => {
  const file = await compressedMgz();
  const [recovered, rewritten] = [watchedSink(), watchedSink()];
  await recoverVolume(memorySource('a.stria', file), recovered);
  expect(recovered.bytes()).toEqual(file);
  await rewriteLevels(await open(file), rewritten, { backend, choice: auto, levels: 'remove' });
  expect(rewritten.bytes()).toEqual(file);
});

test('only bytes that become shorter are deflated, and a header that is short needs no feature', async () => {
  const long = text('an extension of a NIfTI file '.repeat(40));
  const both = await compressed({ before: long, after: noise }, { before: noise, after: long });
  expect(blobs(both)).toEqual([expect.toSatisfy((length: number) => length < 100), 3000, 3000, blobs(both)[0]]);
  const short = await compressed({ before: long.slice(0, 1023), after: long });
  expect((await open(short)).header.requires).toEqual([]);
  expect(blobs(short)).toEqual([1023, long.byteLength]);
  for (const file of [both, short]) {
    const { parts } = await (await open(file)).sourceDescription();
    expect(parts[0]?.after).toEqual(file === both ? noise : long);
  }
});

test('no more is inflated than the description states', async () => {
  const file = await compressed({ before: new Uint8Array(2 ** 24) });
  expect(blobs(file)[0]).toBeLessThan(20_000);
  expect((await (await open(file)).sourceDescription()).parts[0]?.before).toEqual(new Uint8Array(2 ** 24));
  const states = (from: string, to: string) =>
    joinRecords(
      splitRecords(file).map((record) =>
        record.type === 'SRCE' ? { ...record, body: text(new TextDecoder().decode(record.body).replace(from, to)) } : record,
      ),
      file,
    );
  for (const [from, to, message] of [
    ['"before":16777216', '"before":16777215', /longer than it states/],
    ['"before":16777216', '"before":16777217', /has 16777217 bytes before/],
    ['"deflated":{"before":', '"deflated":{"after":', /has 0 bytes after, deflated to/],
    ['"deflated":{"before":', '"deflated":{"before":-', /not a whole number/],
    ['"deflated":{', '"deflated":[],"x":{', /not an object/],
  ] as const) {
    const forged = await open(states(from, to));
    await expect(forged.sourceDescription(), to).rejects.toMatchObject({
      tag: 'corrupt',
      message: expect.stringMatching(message),
    });
  }
});

test('bytes above the limit are stored as they are', async () => {
  const file = await compressed({ before: new Uint8Array(2 ** 24 + 1) });
  expect(blobs(file)).toEqual([2 ** 24 + 1]);
});

test('all deflated bytes together have a limit, so that a small file cannot fill the memory', async () => {
  const file = await compressed({ before: new Uint8Array(2 ** 23 + 1), after: new Uint8Array(2 ** 23) });
  expect(blobs(file)).toEqual([expect.toSatisfy((length: number) => length < 10_000), 2 ** 23]);
  const forged = joinRecords(
    splitRecords(file).map((record) =>
      record.type === 'SRCE'
        ? { ...record, body: text(new TextDecoder().decode(record.body).replace('"deflated":{', '"deflated":{"after":9,')) }
        : record,
    ),
    file,
  );
  await expect((await open(forged)).sourceDescription()).rejects.toMatchObject({
    tag: 'corrupt',
    message: expect.stringMatching(/16777217 deflated bytes in total/),
  });
});
