import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { asRecorded } from '../codec/recorded.ts';
import { checksum } from '../format/checksum.ts';
import { gatherPayloads, readPlaces, recordChecksums } from './gpu-payloads.ts';

const gpu = await openTestGpu();

test('payloads of any length are read from several buffers with their checksums, whatever follows them', async () => {
  using scope = gpu.scope('test');
  const lengths = [1, 2, 3, 4, 5, 16_383, 16_384, 16_385, 40_001, 7];
  const bytes = Uint8Array.from({ length: 2 ** 17 }, (_, at) => (at * at + 3 * at) >>> 3);
  const buffers = [scope.storage('a', bytes.byteLength, bytes), scope.storage('b', bytes.byteLength, bytes)];
  let end = 0;
  const payloads = lengths.map((byteLength, i) => {
    const byteOffset = end;
    end += Math.ceil(byteLength / 4) * 4 + (i % 3 === 0 ? 8 : 0);
    return { buffer: buffers[Number(i > 5)] as GPUBuffer, byteOffset, byteLength };
  });
  const commands = gpu.commands('test');
  const places = buffers.map((buffer) => {
    const own = payloads.filter((payload) => payload.buffer === buffer);
    const byteLengths = own.map(({ byteLength }) => byteLength);
    const recorded = asRecorded(
      scope,
      { buffer, byteOffsets: own.map(({ byteOffset }) => byteOffset), byteLengths },
      byteLengths,
    );
    recordChecksums(gpu, commands, scope, recorded);
    return readPlaces(commands, recorded);
  });
  await commands.submit();
  const checksums = places.flatMap((read, at) => (at === 0 ? [0, 1, 2, 3, 4, 5] : [0, 1, 2, 3]).map((i) => read().checksumOf(i)));
  const { lent, byteOffsets } = await gatherPayloads(gpu, payloads, {});
  if (!lent) throw new Error('nothing was lent');
  payloads.forEach(({ byteOffset, byteLength }, i) => {
    const expected = bytes.subarray(byteOffset, byteOffset + byteLength);
    const at = byteOffsets[i] as number;
    expect(Buffer.compare(lent.bytes.subarray(at, at + byteLength), expected)).toBe(0);
    expect(checksums[i], `${byteLength} bytes`).toEqual(checksum(expected));
  });
  lent.release();
  lent.release();
});

test('no payloads need no memory', async () => {
  expect(await gatherPayloads(gpu, [], {})).toEqual({ lent: undefined, byteOffsets: [] });
});
