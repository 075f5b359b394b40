import { deflateSync } from 'node:zlib';
import Blosc from 'numcodecs/blosc';
import { describe, expect, test } from 'vitest';
import { faultOf, noise } from '../common/source-testing.ts';
import { bloscLength, decodeBlosc } from './blosc.ts';

/** Values with long and short matches, near and far, and some noise. */
function sample(length: number): Uint8Array {
  const bytes = noise(length, 5);
  for (let at = 0; at < length; at++) {
    const part = Math.floor(at / 700) % 4;
    if (part === 0) bytes[at] = 7;
    if (part === 1) bytes[at] = at % 48;
    if (part === 2 && at > 20_000) bytes[at] = bytes[at - 20_000] as number;
  }
  return bytes;
}

describe.each(['blosclz', 'lz4', 'lz4hc', 'snappy', 'zlib', 'zstd'])('%s', (cname) => {
  test.each([0, 1, 2])('decodes what c-blosc wrote, with shuffle %i', async (shuffle) => {
    for (const length of [0, 1, 15, 129, 1000, 70_001]) {
      for (const blocksize of [0, 4096]) {
        for (const clevel of [0, 1, 5, 9]) {
          const codec = Blosc.fromConfig({ id: 'blosc', cname, shuffle, blocksize, clevel } as never);
          const data = sample(length);
          const packed = await codec.encode(data);
          expect(bloscLength(packed)).toBe(length);
          const same = Buffer.compare(await decodeBlosc(packed), data) === 0;
          if (!same) expect.fail(`${length} bytes in blocks of ${blocksize} at level ${clevel}`);
        }
      }
    }
  });

  test('finds most damage, and truncation anywhere', async () => {
    const codec = Blosc.fromConfig({ id: 'blosc', cname, shuffle: 1, blocksize: 0, clevel: 5 } as never);
    const packed = await codec.encode(sample(6000));
    let found = 0;
    for (let at = 0; at < packed.byteLength; at += 7) {
      const bytes = packed.slice();
      bytes[at] = (bytes[at] as number) ^ 0x5a;
      const fault = await faultOf(decodeBlosc(bytes));
      if (fault !== undefined) found++;
      if (fault !== undefined && !/corrupt|unsupported/.test(fault.tag)) expect.fail(`byte ${at}: ${fault.message}`);
    }
    expect(found).toBeGreaterThan(0);
    for (let length = 0; length < packed.byteLength; length += 11) {
      expect((await faultOf(decodeBlosc(packed.slice(0, length))))?.tag).toBe('corrupt');
    }
  });
});

/** A chunk that is not shuffled, with the zlib streams of each block. */
function zlibChunk(
  elementBytes: number,
  length: number,
  blockBytes: number,
  blocks: readonly (readonly Uint8Array[])[],
): Uint8Array {
  const head = new DataView(new ArrayBuffer(16 + 4 * blocks.length));
  const parts: Uint8Array[] = [new Uint8Array(head.buffer)];
  let at = head.byteLength;
  for (const [block, streams] of blocks.entries()) {
    head.setUint32(16 + 4 * block, at, true);
    for (const stream of streams) {
      parts.push(new Uint8Array(Uint32Array.of(stream.byteLength).buffer), stream);
      at += 4 + stream.byteLength;
    }
  }
  for (const [index, value] of [length, blockBytes, at].entries()) head.setUint32(4 + 4 * index, value, true);
  // The versions, the flags with zlib (3) in their upper bits, the length of an element.
  parts[0]?.set([2, 1, 3 << 5, elementBytes]);
  return Buffer.concat(parts);
}

describe('zlib streams side by side', () => {
  const split = (byte: number, length = 512): Uint8Array => deflateSync(new Uint8Array(length).fill(byte));
  const block = [1, 2, 3, 4].map((byte) => split(byte));
  const expected = [1, 2, 3, 4].flatMap((byte) => new Array<number>(512).fill(byte));

  test('each has its place in its block, and each block in the content', async () => {
    const blocks = Array.from({ length: 9 }, () => block);
    const content = await decodeBlosc(zlibChunk(4, 9 * 2048, 2048, blocks));
    expect([...content]).toEqual(blocks.flatMap(() => expected));
  });

  test.each([
    ['short', split(3, 511)],
    ['long', split(3, 513)],
    ['broken', split(3).fill(0xff, 4)],
    ['empty', new Uint8Array()],
  ])('one that is %s makes the chunk damaged', async (_, wrong) => {
    for (const [at, count] of [
      [0, 1],
      [8, 9],
      [3, 9],
    ] as const) {
      const blocks = Array.from({ length: count }, (_, number) => (number === at ? block.with(2, wrong) : block));
      expect((await faultOf(decodeBlosc(zlibChunk(4, count * 2048, 2048, blocks))))?.tag).toBe('corrupt');
    }
  });

  test('a block that its streams do not fill is damaged', async () => {
    const streams = [1, 2, 3, 4].map((byte) => split(byte));
    expect((await faultOf(decodeBlosc(zlibChunk(4, 2050, 2050, [streams]))))?.tag).toBe('corrupt');
  });
});
