import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { checksum } from './checksum.ts';
import type { EncodedChunk } from './chunk.ts';
import { ContainerReader } from './container-reader.ts';
import {
  faultOf,
  joinRecords,
  readAll,
  smallChunks,
  smallContainer,
  splitRecords,
  variedContainer,
  writeContainer,
} from './container-testing.ts';
import { parseRecordHead, recordEnd } from './record.ts';
import { recoverContainer } from './recover.ts';

const whole = await variedContainer();
const small = await writeContainer(smallContainer, smallChunks);

const wholeContent = await readAll(whole.bytes);

describe('a file truncated at any length', () => {
  test('is refused by the reader, with the reason', async () => {
    for (let length = 0; length < whole.bytes.length; length++) {
      const fault = await faultOf(readAll(whole.bytes.subarray(0, length)));
      expect(fault.tag).toBe('corrupt');
      if (length > 800) expect(fault.message).toMatch(/stria recover/);
    }
  });

  test('has exactly the complete chunks recovered', async () => {
    const ends = chunkEnds(whole.bytes);
    const firstEnd = recordEnd(headAt(whole.bytes, 16));
    for (let length = 0; length < whole.bytes.length; length++) {
      const source = memorySource('test.stria', whole.bytes.subarray(0, length));
      if (length < headerEnd(whole.bytes)) {
        expect((await faultOf(recoverContainer(source))).message).toMatch(/neither the header nor its copy/);
        continue;
      }
      const recovered = await recoverContainer(source);
      expect(recovered.problems.length).toBeGreaterThan(0);
      let count = 0;
      for (const [number, end] of ends.entries()) {
        const isThere = length >= Math.max(end, firstEnd - 7);
        expect(recovered.has(number), `chunk ${number} of ${length} bytes`).toBe(isThere);
        expect(await recovered.readChunk(number)).toEqual(isThere ? whole.chunks[number] : undefined);
        if (isThere) count++;
      }
      expect(recovered.wholeCount).toBe(count);
      if (recovered.source !== undefined)
        expect(recovered.source).toEqual(expect.objectContaining({ format: 'nifti', endian: 'big' }));
    }
  });
});

/** For each chunk the length of file that it needs: the end of its record without padding. */
function chunkEnds(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  for (let offset = 16; offset < bytes.length; ) {
    const head = headAt(bytes, offset);
    const end = offset + 32 + head.meta.length + head.bodyLength;
    const view = new DataView(head.meta.buffer);
    if (head.type === 'CHNK') ends[Number(view.getBigUint64(0, true))] = end;
    if (head.type === 'CONS') {
      const body = new DataView(bytes.buffer, offset + 32, head.bodyLength);
      // u64 first, u32 count, 8 bytes of checksum, u8 width, 2 bytes of element
      for (let at = 0; at < head.bodyLength; at += 23) {
        const first = Number(body.getBigUint64(at, true));
        for (let number = first; number < first + body.getUint32(at + 8, true); number++) ends[number] = end;
      }
    }
    if (head.type === 'RAMP') {
      const body = new DataView(bytes.buffer, offset + 32, head.bodyLength);
      // u64 first, u32 count, u8 width, u32 modulus, 3 × 2 bytes of steps; for each 8 bytes of checksum, 2 bytes of element
      for (let at = 0; at < head.bodyLength; ) {
        const [first, count] = [Number(body.getBigUint64(at, true)), body.getUint32(at + 8, true)];
        for (let number = first; number < first + count; number++) ends[number] = end;
        at += 23 + 10 * count;
      }
    }
    offset = recordEnd(head);
  }
  return ends;
}

function headAt(bytes: Uint8Array, offset: number) {
  const head = parseRecordHead(bytes.subarray(offset), offset);
  if (head === undefined) throw new Error(`no record at byte ${offset}`);
  return head;
}

function headerEnd(bytes: Uint8Array): number {
  return 16 + 32 + headAt(bytes, 16).bodyLength;
}

describe('a flipped bit', () => {
  test('in any byte gives a typed fault or the right content, and verify finds every one', async () => {
    let seed = 12345;
    for (let at = 0; at < whole.bytes.length; at++) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      const damaged = whole.bytes.slice();
      damaged[at] = (damaged[at] as number) ^ (1 << (seed >>> 29));
      const read = await readAll(damaged).catch((error: unknown) => error);
      if (read instanceof Error) expect(read, `byte ${at}`).toBeInstanceOf(StriaError);
      else expect(read, `byte ${at}`).toEqual(wholeContent);
      const fault = await faultOf(readAll(damaged, true));
      expect(['corrupt', 'unsupported'], `byte ${at}`).toContain(fault.tag);
    }
  });

  test('in any byte costs recover at most one chunk record or one record of constants, and never gives a wrong chunk', async () => {
    for (let at = 0; at < whole.bytes.length; at++) {
      const damaged = whole.bytes.slice();
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8));
      const recovered = await recoverContainer(memorySource('test.stria', damaged));
      expect(recovered.problems.length, `byte ${at}`).toBeGreaterThan(0);
      expect(recovered.wholeCount, `byte ${at}`).toBeGreaterThanOrEqual(whole.chunks.length - 1);
      expect(recovered.header).toEqual(wholeContent.header);
      for (const [number, chunk] of whole.chunks.entries()) {
        if (recovered.has(number)) expect(await recovered.readChunk(number)).toEqual(chunk);
      }
    }
  });

  test('many at once still give a typed fault or the right content', async () => {
    const flips = fc.array(fc.tuple(fc.nat(whole.bytes.length - 1), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(flips, async (places) => {
        const damaged = whole.bytes.slice();
        for (const [at, mask] of places) damaged[at] = (damaged[at] as number) ^ mask;
        const results = [readAll(damaged), recoverContainer(memorySource('test.stria', damaged))];
        for (const result of await Promise.allSettled(results)) {
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StriaError);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('in a chunk is reported for that chunk', async () => {
    const damaged = whole.bytes.slice();
    const end = chunkEnds(damaged)[8] as number;
    damaged[end - 1] = (damaged[end - 1] as number) ^ 1;
    const reader = await ContainerReader.open(memorySource('test.stria', damaged));
    expect((await faultOf(reader.readChunk(8))).fullMessage).toMatch(
      /^chunk 9: the CHNK record at byte \d+ is damaged: its content/,
    );
    expect(await reader.readChunk(2)).toEqual(whole.chunks[2]);
  });
});

describe('damage of other kinds', () => {
  test('a hole of zeros in the middle costs the chunks in it, and recover continues after it', async () => {
    const damaged = whole.bytes.slice();
    const ends = chunkEnds(damaged);
    damaged.fill(0, (ends[2] as number) - 60, (ends[2] as number) - 10);
    const recovered = await recoverContainer(memorySource('test.stria', damaged));
    expect(recovered.wholeCount).toBe(11);
    expect(recovered.has(2)).toBe(false);
    expect(recovered.source).toEqual(whole.source);
    expect(recovered.problems.join(' ')).toMatch(/belong to no intact record.*Chunks lost: 1 of 12 \(3\)\./);
  });

  test.each([-4160, -4128, -72, -40, -32, -8, 0, 8, 40])(
    'recover finds the next record %i bytes from the end of a block',
    async (shift) => {
      const chunk = (length: number): EncodedChunk => ({
        ...(smallChunks[0] as EncodedChunk & { kind: 'coded' }),
        ...sums(length),
      });
      const sums = (length: number) => ({ payload: new Uint8Array(length), encodedChecksum: checksum(new Uint8Array(length)) });
      const bytes = await writeContainer(smallContainer, [chunk(2 ** 20 + shift), chunk(16)]);
      const first = recordEnd(headAt(bytes, 16));
      bytes[first] = 0;
      const recovered = await recoverContainer(memorySource('test.stria', bytes));
      expect([recovered.has(0), recovered.has(1), recovered.problems.length]).toEqual([false, true, 2]);
    },
  );

  test('a lost description of the source costs nothing else', async () => {
    const records = splitRecords(whole.bytes).filter(({ type }) => type !== 'SRCE' && type !== 'BLOB');
    const recovered = await recoverContainer(memorySource('test.stria', joinRecords(records, whole.bytes)));
    expect([recovered.wholeCount, recovered.source]).toEqual([12, undefined]);
    expect(recovered.problems).toEqual(["The source file's own header is lost: its description is missing."]);
  });

  test('a container inside a payload is not taken for records', async () => {
    const outer = structuredClone(smallChunks) as EncodedChunk[];
    outer[0] = { ...(outer[0] as EncodedChunk & { kind: 'coded' }), payload: new Uint8Array([...new Uint8Array(8), ...small]) };
    const bytes = await writeContainer(smallContainer, outer);
    const at = headAt(bytes, recordEnd(headAt(bytes, 16)));
    bytes[at.offset] = 0;
    const recovered = await recoverContainer(memorySource('test.stria', bytes));
    expect([recovered.has(0), recovered.has(1)]).toEqual([false, true]);
  });

  test.each([
    ['line ends changed', [0x89, 0x53, 0x54, 0x52, 0x49, 0x41, 0x0a], /as text/],
    ['a high bit lost', [0x09, 0x53, 0x54, 0x52, 0x49, 0x41, 0x0d, 0x0a], /as text/],
    ['another format', [0x5c, 0x01, 0, 0, 0, 0, 0, 0], /not a .stria file/],
  ])('%s is named', async (_, start, message) => {
    const bytes = Uint8Array.from([...start, ...small.subarray(8)]);
    expect((await faultOf(readAll(bytes))).message).toMatch(message);
  });

  test('bytes after the end are refused by the reader and ignored by recover', async () => {
    const longer = Uint8Array.from([...small, ...new Uint8Array(100)]);
    expect((await faultOf(readAll(longer))).message).toMatch(/end is missing or damaged/);
    expect((await recoverContainer(memorySource('test.stria', longer))).wholeCount).toBe(2);
  });
});
