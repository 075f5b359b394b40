import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { StriaError } from '../../shared/errors.ts';
import { joinBytes } from './byte-stream.ts';
import { crc32 } from './crc32.ts';
import { gunzip } from './gunzip.ts';
import { faultOf, noise } from './source-testing.ts';

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += length) yield bytes.slice(at, at + length);
}

async function gunzipAll(bytes: Uint8Array, pieceLength = 1000): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of gunzip(() => inPieces(bytes, pieceLength))) pieces.push(piece.slice());
  return joinBytes(pieces);
}

/** Simulates a browser: yields `given` bytes, then refuses whatever follows the first member. */
function refuseAfter(given: Uint8Array): void {
  class RefusingStream extends TransformStream<Uint8Array, Uint8Array> {
    constructor() {
      super({
        transform(_, controller) {
          if (given.byteLength > 0) controller.enqueue(given.slice());
          controller.error(new TypeError('Junk found after end of compressed data.'));
        },
      });
    }
  }
  vi.stubGlobal('DecompressionStream', RefusingStream);
}

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Compressible bytes with every byte value. */
function content(length: number): Uint8Array {
  return noise(length).map((byte, index) => (index % 7 < 4 ? 3 : byte));
}

const platforms = [
  ['if the platform accepts several members', () => {}],
  ['if the platform refuses them', () => refuseAfter(new Uint8Array())],
] as const;

describe.each(platforms)('%s', (_, prepare) => {
  test('one member', async () => {
    prepare();
    const bytes = await gunzipAll(gzipSync(content(300_000)), 70_000);
    expect(Buffer.from(bytes).equals(content(300_000))).toBe(true);
  });

  test('several members of any length, split into pieces anywhere', async () => {
    prepare();
    const lengths = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        lengths,
        fc.integer({ min: 1, max: 400 }),
        fc.constantFrom(0, 1, 9),
        async (members, pieceLength, level) => {
          const zipped = joinBytes(members.map((length) => gzipSync(content(length), { level })));
          const bytes = await gunzipAll(zipped, pieceLength);
          expect(Buffer.from(bytes).equals(joinBytes(members.map(content)))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a file cut short anywhere is corrupt', async () => {
    prepare();
    const first = gzipSync(content(500));
    const zipped = joinBytes([first, gzipSync(content(300))]);
    for (let length = 2; length < zipped.byteLength; length++) {
      if (length === first.byteLength) continue;
      expect(await faultOf(gunzipAll(zipped.subarray(0, length))), `cut at ${length}`).toMatchObject({ tag: 'corrupt' });
    }
  });

  test('a flipped byte is corrupt, or changes nothing', async () => {
    prepare();
    const zipped = gzipSync(content(400));
    for (let at = 0; at < zipped.byteLength; at++) {
      const flipped = new Uint8Array(zipped);
      flipped[at] = (flipped[at] as number) ^ 0x55;
      try {
        expect(await gunzipAll(flipped), `flipped at ${at}`).toEqual(content(400));
      } catch (error) {
        if (!(error instanceof StriaError)) throw error;
        expect(error.tag, `flipped at ${at}`).toBe('corrupt');
      }
    }
  });

  test('reserved flags are corrupt, in any member', async () => {
    prepare();
    for (const bit of [5, 6, 7]) {
      const odd = new Uint8Array(gzipSync(content(99)));
      odd[3] = 1 << bit;
      expect(await faultOf(gunzipAll(odd, 1)), `bit ${bit}`).toMatchObject({ tag: 'corrupt' });
      const second = joinBytes([gzipSync(content(99)), odd]);
      expect(await faultOf(gunzipAll(second, 7)), `bit ${bit} of the second member`).toMatchObject({ tag: 'corrupt' });
    }
  });

  test('other bytes after the gzip data are corrupt', async () => {
    prepare();
    expect(await faultOf(gunzipAll(joinBytes([gzipSync(content(99)), noise(20)])))).toMatchObject({ tag: 'corrupt' });
  });

  test('an error of the input is passed on unchanged', async () => {
    prepare();
    async function* failing() {
      yield gzipSync(content(5000)).subarray(0, 100);
      throw new StriaError('not-readable', 'the disk is gone');
    }
    const all = async () => {
      for await (const _ of gunzip(failing));
    };
    expect(await faultOf(all())).toMatchObject({ tag: 'not-readable', message: 'the disk is gone' });
  });

  test('stops reading when its caller stops, and when it is cancelled', async () => {
    prepare();
    const zipped = gzipSync(noise(4_000_000));
    let read = 0;
    async function* counting() {
      for await (const piece of inPieces(zipped, 10_000)) {
        read += piece.byteLength;
        yield piece;
      }
    }
    for await (const piece of gunzip(counting)) {
      expect(piece.byteLength).toBeGreaterThan(0);
      // Gives code that runs ahead of its caller the time to do so.
      await new Promise((resolve) => setTimeout(resolve, 50));
      break;
    }
    expect(read).toBeLessThan(zipped.byteLength / 10);
    const cancel = new AbortController();
    const all = async () => {
      for await (const _ of gunzip(counting, cancel.signal)) cancel.abort();
    };
    expect(await faultOf(all())).toMatchObject({ tag: 'aborted' });
  });
});

test('yields each byte once if the platform refuses half-way', async () => {
  const expected = joinBytes([content(3000), content(500)]);
  const zipped = joinBytes([gzipSync(content(3000)), gzipSync(content(500))]);
  for (const given of [1, 2999, 3000]) {
    refuseAfter(expected.subarray(0, given));
    expect(await gunzipAll(zipped)).toEqual(expected);
    vi.unstubAllGlobals();
  }
});

test('reads the output of bgzip: members with an extra field, the last one empty', async () => {
  const block = (bytes: Uint8Array) => {
    const plain = gzipSync(bytes);
    const head = plain.slice(0, 10);
    head[3] = 4;
    const size = plain.byteLength + 8 - 1;
    return joinBytes([head, Uint8Array.of(6, 0, 0x42, 0x43, 2, 0, size & 255, size >> 8), plain.subarray(10)]);
  };
  const zipped = joinBytes([block(content(9000)), block(content(100)), block(new Uint8Array())]);
  expect(new Uint8Array(gunzipSync(zipped))).toEqual(joinBytes([content(9000), content(100)]));
  refuseAfter(new Uint8Array());
  expect(await gunzipAll(zipped, 64)).toEqual(joinBytes([content(9000), content(100)]));
});

test('CRC-32 follows RFC 1952, in one call or in parts', () => {
  const text = new TextEncoder().encode('123456789');
  expect(crc32(text)).toBe(0xcbf43926);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, cut) => {
      const trailer = new Uint8Array(gzipSync(bytes)).slice(-8);
      expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(new DataView(trailer.buffer).getUint32(0, true));
    }),
  );
});

test('damage behind a piece that is still being worked on is told to the reader alone', async () => {
  const zipped = gzipSync(noise(300_000));
  zipped[zipped.length - 6] = (zipped[zipped.length - 6] as number) ^ 1;
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const reading = (async () => {
    for await (const _ of gunzip(() => inPieces(zipped, 70_000))) await new Promise((resolve) => setTimeout(resolve, 20));
  })();
  expect(await faultOf(reading)).toMatchObject({ tag: 'corrupt' });
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
