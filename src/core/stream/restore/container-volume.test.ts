import { expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { joinRecords, splitRecords } from '../../format/container-testing.ts';
import { memorySource } from '../../shared/bytes.ts';
import type { SourceDescription } from '../../shared/source.ts';
import { compressVolume } from '../compress/compress.ts';
import { auto, compressBytes, infoOf, voxelsOf, watchedSink } from '../engine-testing.ts';
import { containerVolume } from './container-volume.ts';

const backend = createCpuBackend(inlinePool());
const none = new Uint8Array(0);
/** A file of half floats, whose container says so in its header. */
const source: SourceDescription = {
  format: 'npy',
  endian: 'little',
  stored: { samples: 1, as: 'f16' },
  parts: [{ name: 'a.npy', before: Uint8Array.of(1, 2, 3), hasVoxels: true, after: none }],
};
const info = infoOf([9, 8, 7, 1], 'f32');
const { bytes: file } = await compressBytes(backend, info, voxelsOf(info, 'blobs'), { source });

const volumeIn = async (bytes: Uint8Array) =>
  containerVolume(await ContainerReader.open(memorySource('a.stria', bytes)), backend);

test('a container compressed again is the same, also if its source stores voxels in another form', async () => {
  const sink = watchedSink();
  await compressVolume(await volumeIn(file), sink, { backend, choice: auto });
  expect(sink.bytes()).toEqual(file);
});

test('voxels are read without the description of such a source', async () => {
  const body = new TextEncoder().encode('{}\n');
  const records = splitRecords(file).map((record) => (record.type === 'SRCE' ? { ...record, body } : record));
  const volume = await volumeIn(joinRecords(records, file));
  let length = 0;
  for await (const piece of volume.voxels()) length += piece.byteLength;
  expect(length).toBe(4 * 9 * 8 * 7);
  await expect(volume.source()).rejects.toMatchObject({ tag: 'corrupt' });
});
