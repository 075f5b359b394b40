import { expect, test } from 'vitest';
import { BlobSink } from './blob-sink.ts';

test('a blob holds all bytes in order, also those that the caller has overwritten', async () => {
  const sink = new BlobSink(2 ** 24);
  const bytes = new Uint8Array(3 * 2 ** 20);
  for (let value = 1; value <= 4; value++) await sink.write(bytes.fill(value));
  const found = new Uint8Array(await sink.blob.arrayBuffer());
  expect(found.length).toBe(12 * 2 ** 20);
  expect([0, 3, 6, 9, 11.5].map((at) => found[at * 2 ** 20])).toEqual([1, 2, 3, 4, 4]);
});

test('more bytes than the limit are refused, and an aborted sink holds none', async () => {
  const sink = new BlobSink(100);
  await sink.write(new Uint8Array(100));
  await expect(sink.write(new Uint8Array(1))).rejects.toMatchObject({ tag: 'limit-too-small' });
  expect(sink.bytes).toBe(100);
  await sink.abort();
  expect([sink.bytes, sink.blob.size]).toEqual([0, 0]);
});
