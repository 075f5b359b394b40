import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { sharedBytes } from '../shared/shared-bytes.ts';
import { nextTurn } from '../shared/turn.ts';
import { uploadBox, uploadPayloads } from './gpu-transfer.ts';

const gpu = await openTestGpu();

test('payloads are uploaded in pieces of whole ones, each followed by zeros up to a word', async () => {
  using scope = gpu.scope('test');
  const half = 2 ** 22;
  const lengths = [half, half - 3, 5, 2 ** 23 + 1, 0, half + 2, half, 1];
  const payloads = lengths.map((length, number) => Uint8Array.from({ length }, (_, at) => at * (number + 3) + (at >> 9)));
  const { buffer, byteOffsets, byteLengths } = await uploadPayloads(gpu, scope, payloads);
  expect(byteLengths).toEqual(lengths);
  const commands = gpu.commands('test');
  const reads = payloads.map(({ byteLength }, i) => commands.read(buffer, byteOffsets[i], 4 * Math.ceil(byteLength / 4)));
  await commands.submit();
  payloads.forEach((payload, i) => {
    const expected = Buffer.concat([payload, Buffer.alloc(-payload.byteLength & 3)]);
    const found = reads[i]?.() as Uint8Array;
    expect(Buffer.compare(found.subarray(0, expected.byteLength), expected), `payload ${i}`).toBe(0);
  });
});

test('between the pieces of payloads other work of the thread has its turn', async () => {
  using scope = gpu.scope('test');
  let turns = 0;
  let isDone = false;
  const count = async () => {
    for (; !isDone; turns++) await nextTurn();
  };
  const counting = count();
  const payloads = Array.from({ length: 4 }, () => new Uint8Array(2 ** 23));
  await uploadPayloads(gpu, scope, payloads);
  expect(turns).toBeGreaterThanOrEqual(4);
  isDone = true;
  await counting;
});

test('a box in memory that threads share is uploaded', async () => {
  using scope = gpu.scope('test');
  const bytes = sharedBytes(66).subarray(2);
  bytes.forEach((_, at) => {
    bytes[at] = at + 1;
  });
  const { buffer } = uploadBox(gpu, scope, { bytes, dims: [16, 2, 2], elementBytes: 1 });
  const commands = gpu.commands('test');
  const read = commands.read(buffer, 0, 64);
  await commands.submit();
  expect([...read()]).toEqual([...bytes]);
});

test('no payloads are uploaded', async () => {
  using scope = gpu.scope('test');
  expect(await uploadPayloads(gpu, scope, [])).toMatchObject({ byteOffsets: [], byteLengths: [] });
});
