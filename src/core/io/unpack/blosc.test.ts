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
