import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ByteSource, memorySource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { ContainerReader } from './container-reader.ts';
import {
  codedChunk,
  faultOf,
  joinRecords,
  type RawRecord,
  rampChunk,
  rawSource,
  readAll,
  smallChunks,
  smallContainer,
  smallVolume,
  splitRecords,
  variedContainer,
  writeContainer,
} from './container-testing.ts';
import { encodeHeader } from './header.ts';
import { encodeRecord } from './record.ts';
import { recoverContainer } from './recover.ts';

const whole = await variedContainer();
const small = await writeContainer(smallContainer, smallChunks);

describe('a hostile file with valid checksums everywhere', () => {
  /** The small file with one kind of record changed. */
  function changed(
    type: string,
    change: (body: Uint8Array, meta: Uint8Array) => Uint8Array | undefined,
  ): Uint8Array<ArrayBuffer> {
    const records = splitRecords(small).map((record): RawRecord => {
      if (record.type !== type) return record;
      const body = record.body.slice();
      const meta = record.meta.slice();
      return { type, body: change(body, meta) ?? body, meta };
    });
    return joinRecords(records, small);
  }

  function withHeader(
    change: (json: Record<string, unknown> & { volume: Record<string, unknown> }) => void,
  ): Uint8Array<ArrayBuffer> {
    return changed('HEAD', (body) => {
      const json = JSON.parse(new TextDecoder().decode(body));
      change(json);
      return new TextEncoder().encode(JSON.stringify(json));
    });
  }

  /** A source that would notice an allocation of more than it holds. */
  function guarded(bytes: Uint8Array): ByteSource {
    const inner = memorySource('test.stria', bytes);
    return {
      ...inner,
      read(offset, length, options) {
        expect(length).toBeLessThanOrEqual(bytes.length);
        return inner.read(offset, length, options);
      },
    };
  }

  test('splitting and joining gives the same file', () => {
    expect(joinRecords(splitRecords(whole.bytes), whole.bytes)).toEqual(whole.bytes);
  });

  test.each<[string, (json: Record<string, unknown> & { volume: Record<string, unknown> }) => void, RegExp]>([
    ['huge dims', (json) => Object.assign(json.volume, { dims: [2 ** 40, 2 ** 40, 1, 1] }), /more voxels than can be counted/],
    ['unsafe dims', (json) => Object.assign(json.volume, { dims: [1e300, 1, 1, 1] }), /not a whole number/],
    ['negative dims', (json) => Object.assign(json.volume, { dims: [-4, 4, 2, 1] }), /not a whole number/],
    ['dims of nothing', (json) => Object.assign(json.volume, { dims: [0, 4, 2, 1] }), /not a whole number/],
    ['broken dims', (json) => Object.assign(json.volume, { dims: [4, 4, 2.5, 1] }), /not a whole number/],
    ['dims that are not numbers', (json) => Object.assign(json.volume, { dims: [4, 4, null, 1] }), /not a whole number/],
    ['three dims', (json) => Object.assign(json.volume, { dims: [4, 4, 2] }), /3 entries/],
    ['no dims', (json) => Object.assign(json.volume, { dims: undefined }), /not a list/],
    ['a chunk of nothing', (json) => Object.assign(json, { chunk: [4, 0, 1, 1] }), /not a whole number/],
    [
      'a chunk of parts of two time points',
      (json) => Object.assign(json, { chunk: [4, 4, 1, 2] }),
      /without holding each completely/,
    ],
    ['a chunk beyond all memory', (json) => Object.assign(json, { chunk: [2 ** 20, 2 ** 20, 1, 1] }), /exceed 16777216 bytes/],
    [
      'a billion chunks',
      (json) => {
        json.volume.dims = [1000, 1000, 1000, 1];
        json.chunk = [1, 1, 1, 1];
      },
      /1000000000 chunks/,
    ],
    ['more chunks than the file has', (json) => Object.assign(json.volume, { dims: [4, 4, 5, 1] }), /describes 5 chunks.*has 2/],
    ['an affine that is a text', (json) => Object.assign(json.volume, { affine: 'identity' }), /not a list/],
    ['a slope that is a word', (json) => Object.assign(json.volume, { slope: 'toString' }), /not a number/],
    ['channels that are none', (json) => Object.assign(json.volume, { channels: [] }), /0 channels/],
    [
      'channels that do not divide t',
      (json) => Object.assign(json.volume, { channels: [{ name: 'a' }, { name: 'b' }] }),
      /2 channels, but t is 1/,
    ],
    ['a channel without a name', (json) => Object.assign(json.volume, { channels: [{}] }), /channel's name/],
    ['a colour that is a word', (json) => Object.assign(json.volume, { channels: [{ name: '', color: 'red' }] }), /#rrggbb/],
    ['a window of one end', (json) => Object.assign(json.volume, { channels: [{ name: '', window: [1] }] }), /window/],
    ['a unit that is a number', (json) => Object.assign(json.volume, { valueUnit: 1 }), /valueUnit/],
    ['windows that are words', (json) => Object.assign(json.volume, { windows: ['Bone'] }), /not an object/],
    ['no volume', (json) => Object.assign(json, { volume: null }), /not an object/],
    ['another format', (json) => Object.assign(json, { format: 'png' }), /not that of a .stria/],
    ['a version that is not the first bytes', (json) => Object.assign(json, { version: [1, 7] }), /1\.0 and 1\.7/],
    ['a writer without a name', (json) => Object.assign(json, { writer: '' }), /writer/],
  ])('header with %s', async (_, change, message) => {
    const bytes = withHeader(change);
    const fault = await faultOf(ContainerReader.open(guarded(bytes)));
    expect(fault).toMatchObject({ tag: 'corrupt', message: expect.stringMatching(message) });
    // recover takes the header's copy, which this file still has as it was
    await recoverContainer(guarded(bytes)).catch((error: unknown) => expect(error).toBeInstanceOf(StriaError));
  });

  test.each<[string, (json: Record<string, unknown> & { volume: Record<string, unknown> }) => void, RegExp]>([
    ['a feature', (json) => Object.assign(json, { requires: ['wavelets', 'zones'] }), /lacks: wavelets, zones/],
    ['an element type', (json) => Object.assign(json.volume, { type: 'c64' }), /"c64"/],
    ['a source format', (json) => Object.assign(json, { source: 'flac' }), /"flac"/],
    ['a unit', (json) => Object.assign(json.volume, { spatialUnit: 'parsec' }), /"parsec"/],
    ['a version', (json) => Object.assign(json, { version: [2, 0] }), /version 2\.0; this Stria reads versions 1\.x/],
  ])('header with %s of a later time is refused by its name', async (_, change, message) => {
    const bytes = withHeader(change);
    for (const work of [ContainerReader.open(guarded(bytes)), recoverContainer(guarded(bytes))]) {
      expect(await faultOf(work)).toMatchObject({ tag: 'unsupported', message: expect.stringMatching(message) });
    }
  });

  test('unknown header keys are ignored', async () => {
    const bytes = withHeader((json) => Object.assign(json, { zones: [1, 2] }));
    expect((await ContainerReader.open(guarded(bytes))).header.volume).toEqual(smallVolume);
  });

  test.each<[string, () => Uint8Array]>([
    ['no JSON', () => new TextEncoder().encode('{"format":')],
    ['no UTF-8', () => Uint8Array.of(0xff, 0xfe, 0)],
    ['a list', () => new TextEncoder().encode('[]')],
    ['a deep nest', () => new TextEncoder().encode('['.repeat(500_000))],
    ['more than a mebibyte', () => new TextEncoder().encode(`{"format":"stria","x":"${'x'.repeat(2 ** 20)}"}`)],
  ])('header of %s', async (_, body) => {
    expect((await faultOf(ContainerReader.open(guarded(changed('HEAD', body))))).tag).toBe('corrupt');
  });

  test('another major version in the first bytes is refused by its number', async () => {
    const bytes = small.slice();
    bytes[8] = 3;
    expect(await faultOf(readAll(bytes))).toMatchObject({ tag: 'unsupported', message: expect.stringMatching(/version 3\.0/) });
  });

  // INDX of the small file: u32 methods, u32 runs, method (1, u16 1, 0), then the coded run (u8 1, u32 count, u64 offset,
  // u32 method, u32 length) and the constant run (u8 0, u32 count, 8 bytes of checksum, u8 width, element).
  const codedRun = 12;
  const constantRun = codedRun + 21;
  const set = (at: number, value: number) => (body: Uint8Array) => {
    new DataView(body.buffer).setUint32(at, value, true);
    return body;
  };
  const setByte = (at: number, value: number) => (body: Uint8Array) => {
    body[at] = value;
    return body;
  };
  test.each<[string, (body: Uint8Array) => Uint8Array, RegExp]>([
    ['methods without end', set(0, 0xffffffff), /ends early|stages|codec 0/],
    ['runs without end', set(4, 0xffffffff), /ends early/],
    ['too few runs', set(4, 1), /after its last field/],
    ['no runs', set(4, 0), /after its last field/],
    ['a run of four billion coded chunks', set(codedRun + 1, 0xffffffff), /ends early/],
    ['a run of four billion constant chunks', set(constantRun + 1, 0xffffffff), /more entries/],
    ['an empty run', set(constantRun + 1, 0), /run without chunks/],
    ['a run of another kind', setByte(codedRun, 9), /kind 9/],
    ['a record in the signature', set(codedRun + 5, 8), /where no record/],
    ['a record between two places', set(codedRun + 5, 1001), /where no record/],
    ['a record behind the end', set(codedRun + 5, 1 << 30), /after byte \d+, the end of the chunk records/],
    ['a record beyond counting', set(codedRun + 9, 0xffffffff), /exceeds the size of any file/],
    ['a payload beyond the file', set(codedRun + 17, 1 << 20), /after byte \d+, the end of the chunk records/],
    ['a payload beyond all chunks', set(codedRun + 17, 0xffffffff), /the limit is/],
    ['a method that is none', set(codedRun + 13, 1), /lacks method 1/],
    ['no stages', setByte(8, 0), /0 stages/],
    ['an element of 4 bytes', setByte(constantRun + 13, 4), /4 bytes in a volume of 1-byte/],
    ['bytes behind it', (body) => Uint8Array.from([...body, 0]), /after its last field/],
    ['nothing', () => new Uint8Array(0), /ends early/],
  ])('index with %s', async (_, change, message) => {
    const bytes = changed('INDX', change);
    expect(await faultOf(ContainerReader.open(guarded(bytes)))).toMatchObject({
      tag: 'corrupt',
      message: expect.stringMatching(message),
    });
    const recovered = await recoverContainer(guarded(bytes));
    expect(recovered.wholeCount).toBe(2);
    expect(recovered.problems[0]).toMatch(/^The index/);
  });

  // The ramps' file: u8 kind, u32 count, u8 width, u32 modulus, 3 × 2 bytes of steps, then twice 8 bytes of checksum and 2 of element.
  const rampRun = 8;
  test.each<[string, (body: Uint8Array) => Uint8Array, RegExp]>([
    ['no chunks', set(rampRun + 1, 0), /run without chunks/],
    ['four billion chunks', set(rampRun + 1, 0xffffffff), /ends early/],
    ['a chunk too many', set(rampRun + 1, 3), /ends early/],
    ['an element of 1 byte', setByte(rampRun + 5, 1), /1 bytes in a volume of 2-byte/],
    ['modulus 1', set(rampRun + 6, 1), /modulo 1/],
    ['a modulus that the element cannot reach', set(rampRun + 6, 65_536), /modulo 65536/],
    ['a step that is the modulus', setByte(rampRun + 10, 255), /steps 255, 3, 9 modulo 255/],
    ['no steps', (body) => body.fill(0, rampRun + 10, rampRun + 16), /without steps/],
    ['an element that is the modulus', setByte(rampRun + 16 + 8, 255), /from 255 on modulo 255/],
    ['a second element beyond', setByte(rampRun + 26 + 9, 1), /from 257 on modulo 255/],
    ['its last byte missing', (body) => body.slice(0, -1), /ends early/],
  ])('ramps with %s: the index is refused, and recover has them from their own record', async (_, change, message) => {
    const volume = { ...smallVolume, type: 'u16' as const };
    const chunks = [rampChunk(7), rampChunk(1)];
    const records = splitRecords(await writeContainer({ ...smallContainer, volume }, chunks)).map((record) =>
      record.type === 'INDX' ? { ...record, body: change(record.body.slice()) } : record,
    );
    const bytes = joinRecords(records, small);
    expect(await faultOf(ContainerReader.open(guarded(bytes)))).toMatchObject({
      tag: 'corrupt',
      message: expect.stringMatching(message),
    });
    const recovered = await recoverContainer(guarded(bytes));
    expect(recovered.problems[0]).toMatch(/^The index/);
    expect([await recovered.readChunk(0), await recovered.readChunk(1)]).toEqual(chunks);
  });

  test('ramps that contradict the index', async () => {
    const volume = { ...smallVolume, type: 'u16' as const };
    const file = await writeContainer({ ...smallContainer, volume }, [rampChunk(7), rampChunk(1)]);
    for (const [at, value] of [
      [17, 2],
      [23, 8],
      [31, 8],
    ] as const) {
      const records = splitRecords(file).map((record) =>
        record.type === 'RAMP' ? { ...record, body: record.body.slice().with(at, value) } : record,
      );
      expect((await faultOf(readAll(joinRecords(records, small), true))).message).toMatch(/disagree about chunk 1/);
    }
  });

  test.each([
    ['a missing chunk', (count: number) => count - 1],
    ['a chunk too many', (count: number) => count + 1],
  ])('index with %s', async (_, change) => {
    const bytes = changed('INDX', set(constantRun + 1, change(1)));
    expect((await faultOf(ContainerReader.open(guarded(bytes)))).tag).toBe('corrupt');
  });

  test('an index that names another chunk, codec or length than the record is found when the chunk is read', async () => {
    const wrong: [string, Uint8Array, RegExp][] = [
      ['number', changed('CHNK', (_, meta) => void meta.set([1])), /record at byte \d+ belongs to chunk 2/],
      ['codec', changed('INDX', setByte(9, 2)), /disagree about its codec/],
      ['length', changed('INDX', set(codedRun + 17, 15)), /disagree about its codec or its length/],
    ];
    for (const [what, bytes, message] of wrong) {
      const reader = await ContainerReader.open(guarded(bytes));
      const fault = await faultOf(reader.readChunk(0));
      expect(fault.fullMessage, what).toMatch(message);
      expect(fault.context, what).toEqual(['chunk 1']);
    }
  });

  test.each([0, 8, 16, 24, 32])('TAIL with a wrong number at %i', async (at) => {
    for (const value of [0, 16, small.length, 2 ** 40, 2 ** 52]) {
      const bytes = small.slice();
      const offset = bytes.length - 88;
      new DataView(bytes.buffer).setBigUint64(offset + 32 + at, BigInt(value), true);
      bytes.set(encodeRecord({ type: 'TAIL', offset, body: bytes.slice(offset + 32) }), offset);
      const fault = await faultOf(readAll(bytes));
      expect(fault).toMatchObject({
        tag: 'corrupt',
        message: expect.not.stringMatching(/the TAIL record at byte \d+ is damaged/),
      });
    }
  });

  test('an end that points far back is refused without reading the file', async () => {
    const bytes = await writeContainer(smallContainer, [
      codedChunk(new Uint8Array(2 ** 22)),
      smallChunks[1] as (typeof smallChunks)[number],
    ]);
    new DataView(bytes.buffer).setBigUint64(bytes.length - 16, 1024n, true);
    const inner = memorySource('test.stria', bytes);
    const lengths: number[] = [];
    const source: ByteSource = {
      ...inner,
      read(offset, length, options) {
        lengths.push(length);
        return inner.read(offset, length, options);
      },
    };
    expect((await faultOf(ContainerReader.open(source))).message).toMatch(/stria recover/);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(2 ** 20);
  });

  test('a TAIL that points at itself, or at something that is not an index', async () => {
    const bytes = changed('TAIL', (body) => body);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(bytes.length - 16, BigInt(bytes.length - 16), true);
    expect((await faultOf(readAll(bytes))).tag).toBe('corrupt');
    view.setBigUint64(bytes.length - 16, 16n, true);
    expect((await faultOf(readAll(bytes))).tag).toBe('corrupt');
  });

  test.each<[string, (json: { parts: Record<string, unknown>[] }) => unknown, RegExp]>([
    ['a path for a name', (json) => Object.assign(json.parts[0] ?? {}, { name: '../../.profile' }), /not a plain file name/],
    ['a folder for a name', (json) => Object.assign(json.parts[0] ?? {}, { name: '..' }), /not a plain file name/],
    ['no voxels', (json) => Object.assign(json.parts[0] ?? {}, { hasVoxels: false }), /one part with voxels/],
    ['no parts', (json) => Object.assign(json, { parts: [] }), /one part with voxels/],
    ['a thousand parts', (json) => Object.assign(json, { parts: Array(1000).fill(json.parts[0]) }), /at most 64/],
    ['a blob beyond the file', (json) => Object.assign(json.parts[0] ?? {}, { before: 2 ** 50 }), /the file ends at/],
    ['a blob that is another record', (json) => Object.assign(json.parts[0] ?? {}, { before: 5 }), /instead of|is damaged/],
    ['a blob of less than nothing', (json) => Object.assign(json.parts[0] ?? {}, { after: -1 }), /not a whole number/],
    ['voxels stored otherwise', (json) => Object.assign(json, { stored: { samples: 1 } }), /differ in how the source stores/],
    ['another format than the header', (json) => Object.assign(json, { format: 'nrrd' }), /the header names a raw source/],
  ])('source with %s', async (_, change, message) => {
    const bytes = changed('SRCE', (body) => {
      const json = JSON.parse(new TextDecoder().decode(body));
      change(json);
      return new TextEncoder().encode(JSON.stringify(json));
    });
    const reader = await ContainerReader.open(guarded(bytes));
    expect(await faultOf(reader.sourceDescription())).toMatchObject({ tag: 'corrupt', message: expect.stringMatching(message) });
    const recovered = await recoverContainer(guarded(bytes));
    expect(recovered.wholeCount).toBe(2);
    expect(recovered.problems.length).toBeGreaterThan(0);
  });

  test('swapped BLOBs are detected', async () => {
    const records = splitRecords(whole.bytes).map((record) =>
      record.type === 'BLOB' ? { ...record, meta: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0) } : record,
    );
    const reader = await ContainerReader.open(guarded(joinRecords(records, whole.bytes)));
    expect((await faultOf(reader.sourceDescription())).message).toMatch(/another part/);
  });

  test('constants that the volume does not have, or that contradict the index', async () => {
    const beyond = changed('CONS', set(0, 5));
    const wrong = changed('CONS', setByte(21, 6));
    for (const [bytes, message] of [
      [beyond, /after the last/],
      [wrong, /disagree about chunk 2/],
    ] as const) {
      const reader = await ContainerReader.open(guarded(bytes));
      expect((await faultOf(reader.checkRecords())).message).toMatch(message);
    }
    expect((await recoverContainer(guarded(beyond))).problems.join()).toMatch(/after the last/);
  });

  test('a chunk that occurs twice, or that the volume does not have', async () => {
    const records = splitRecords(small);
    const chunk = records.find(({ type }) => type === 'CHNK') as RawRecord;
    const stranger = { ...chunk, meta: Uint8Array.from(chunk.meta, (byte, at) => (at === 0 ? 77 : byte)) };
    const bytes = joinRecords([...records.slice(0, 2), chunk, stranger, ...records.slice(2)], small);
    const recovered = await recoverContainer(guarded(bytes));
    expect(recovered.wholeCount).toBe(2);
    expect(recovered.problems).toEqual([
      'Chunk 1 occurs twice; the first was used.',
      'Some records belong to chunks that the volume does not have, or that were found already.',
    ]);
    const reader = await ContainerReader.open(guarded(bytes));
    expect((await faultOf(reader.checkRecords())).message).toMatch(/the index lacks the record .* of chunk 1/);
  });

  test('an unknown record is skipped if its first letter is in lower case, and otherwise refused by name', async () => {
    const records = splitRecords(small);
    const extra = (type: string) => {
      const record = { type, meta: new Uint8Array(8).fill(3), body: Uint8Array.of(1, 2, 3) };
      return joinRecords([...records.slice(0, 1), record, ...records.slice(1)], small);
    };
    // the index still has the chunk's old place: the file reads on only where the index is made to fit
    const fits = (bytes: Uint8Array) => {
      const list = splitRecords(bytes);
      const index = list.find(({ type }) => type === 'INDX') as RawRecord;
      const view = new DataView(index.body.buffer);
      view.setUint32(codedRun + 5, view.getUint32(codedRun + 5, true) + 48, true);
      return joinRecords(list, small);
    };
    expect(await readAll(fits(extra('note')), true)).toEqual(await readAll(small, true));
    expect((await recoverContainer(guarded(fits(extra('note'))))).problems).toEqual([]);
    const unknown = fits(extra('Zone'));
    expect(await faultOf(readAll(unknown, true))).toMatchObject({
      tag: 'unsupported',
      message: expect.stringMatching(/Zone record/),
    });
    expect((await recoverContainer(guarded(unknown))).problems.join()).toMatch(
      /^This version of Stria does not know the Zone record at byte \d+, and left it out\.$/,
    );
  });

  test('a copy that differs from the header is found by verify, and recover uses the first', async () => {
    const other = { ...smallContainer, requires: [], volume: { ...smallVolume, slope: 2 }, writer: 'stria 0.1.0' };
    const bytes = changed('head', () => encodeHeader(other));
    expect((await faultOf(readAll(bytes, true))).message).toMatch(/differs from the header/);
    expect((await recoverContainer(guarded(bytes))).header.volume.slope).toBe(1);
  });

  test('any record with any bytes and valid checksums gives a typed fault or a readable file', async () => {
    const records = splitRecords(whole.bytes);
    const change = fc.record({
      record: fc.nat(records.length - 1),
      where: fc.nat(),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
      inMeta: fc.boolean(),
      cut: fc.boolean(),
    });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const list = records.map(({ type, meta, body }) => ({ type, meta: meta.slice(), body: body.slice() }));
        for (const { record, where, bytes, inMeta, cut } of changes) {
          const target = list[record] as RawRecord;
          const part = inMeta ? target.meta : target.body;
          part.set(bytes.subarray(0, Math.max(0, part.length - (where % (part.length + 1)))), where % (part.length + 1));
          if (cut && !inMeta && target.type !== 'TAIL') target.body = target.body.slice(0, where % (target.body.length + 1));
        }
        const source = guarded(joinRecords(list, whole.bytes));
        for (const result of await Promise.allSettled([
          readAll(await source.read(0, source.size), true),
          recoverContainer(source),
        ])) {
          if (result.status === 'fulfilled') continue;
          expect(result.reason).toBeInstanceOf(StriaError);
          expect(result.reason.tag).not.toBe('internal');
          refused++;
        }
      }),
      { numRuns: 1500 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  test('the source is unchanged', async () => {
    expect((await readAll(small)).source).toEqual(rawSource);
  });
});
