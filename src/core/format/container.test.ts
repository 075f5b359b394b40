import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { type ByteSource, memorySink, memorySource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { fileFormats, type SourceDescription } from '../shared/source.ts';
import { type Dims4, elementTypes, type VolumeInfo } from '../shared/volume.ts';
import type { EncodedChunk } from './chunk.ts';
import { chunkGridOf, codecElementBytes } from './chunk-grid.ts';
import { ContainerReader } from './container-reader.ts';
import { isContainer } from './container-start.ts';
import {
  codedChunk,
  constantChunk,
  rampChunk,
  rawSource,
  smallChunks,
  smallContainer,
  smallVolume,
  splitRecords,
  variedContainer,
  writeContainer,
} from './container-testing.ts';
import { ContainerWriter } from './container-writer.ts';
import { writerName } from './header.ts';
import { recoverContainer } from './recover.ts';

const open = (bytes: Uint8Array) => ContainerReader.open(memorySource('test.stria', bytes));

const anyNumber = fc.double();
const smallLength = fc.integer({ min: 1, max: 5 });
const anyVolume: fc.Arbitrary<VolumeInfo> = fc.record({
  dims: fc.tuple(smallLength, smallLength, smallLength, fc.integer({ min: 1, max: 3 })),
  type: fc.constantFrom(...elementTypes),
  spacing: fc.tuple(anyNumber, anyNumber, anyNumber, anyNumber),
  spatialUnit: fc.constantFrom('m', 'mm', 'um', 'unknown'),
  timeUnit: fc.constantFrom('s', 'ms', 'us', 'unknown'),
  affine: fc.array(anyNumber, { minLength: 12, maxLength: 12 }),
  slope: anyNumber,
  intercept: anyNumber,
});
const anyName = fc.string({ maxLength: 20 });
/** Some with channels, a unit and windows. */
const anyVolumeWithFacts: fc.Arbitrary<VolumeInfo> = anyVolume.chain((volume) =>
  fc
    .record({
      channels: fc.option(
        fc.array(
          fc.record(
            {
              name: anyName,
              color: fc.stringMatching(/^#[0-9a-f]{6}$/),
              window: fc.tuple(anyNumber, anyNumber),
            },
            { requiredKeys: ['name'] },
          ),
          { minLength: volume.dims[3], maxLength: volume.dims[3] },
        ),
        { nil: undefined },
      ),
      valueUnit: fc.option(fc.string({ minLength: 1, maxLength: 9 }), { nil: undefined }),
      windows: fc.option(
        fc.array(fc.record({ name: anyName, low: anyNumber, high: anyNumber }), { minLength: 1, maxLength: 3 }),
        {
          nil: undefined,
        },
      ),
    })
    .map(({ channels, valueUnit, windows }) => ({
      ...volume,
      ...(channels && { channels }),
      ...(valueUnit !== undefined && { valueUnit }),
      ...(windows && { windows }),
    })),
);
const anyShape: fc.Arbitrary<Dims4> = fc.tuple(fc.constantFrom(2, 4), smallLength, smallLength, fc.constant(1));
const anyPart = fc.record({
  name: fc.stringMatching(/^[a-zA-Z0-9 ä∂._-]{1,20}$/).filter((name) => name !== '.' && name !== '..'),
  before: fc.uint8Array({ maxLength: 30 }),
  after: fc.uint8Array({ maxLength: 30 }),
});
const anySource = fc.record({
  format: fc.constantFrom(...fileFormats),
  endian: fc.constantFrom('little' as const, 'big' as const),
  parts: fc
    .tuple(fc.uniqueArray(anyPart, { minLength: 1, maxLength: 3, selector: ({ name }) => name }), fc.nat(2))
    .map(([parts, with_]) => parts.map((part, at) => ({ ...part, hasVoxels: at === with_ % parts.length }))),
});

function anyChunk(width: number): fc.Arbitrary<EncodedChunk> {
  const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const sums = fc.record({ sum: word, cross: word });
  const stage = fc.record({ codecId: fc.integer({ min: 1, max: 65535 }), parameters: fc.uint8Array({ maxLength: 5 }) });
  const wrap = 2 ** (8 * width);
  const modulus = fc.oneof(fc.constant(0), fc.integer({ min: 2, max: Math.min(65_536, wrap - 1) }), fc.constant(255));
  const ramp = modulus.chain((modulus) => {
    const below = fc.nat((modulus || wrap) - 1);
    const steps = fc.oneof(
      fc.constant([1, 0, 0] as const),
      fc.tuple(below, below, fc.integer({ min: 1, max: (modulus || wrap) - 1 })),
    );
    const element = below.map((first) => new Uint8Array(Uint32Array.of(first).buffer).slice(0, width));
    return fc.record({
      kind: fc.constant('ramp' as const),
      element,
      steps,
      modulus: fc.constant(modulus),
      decodedChecksum: sums,
    });
  });
  return fc.oneof(
    ramp,
    fc
      .record({
        element: fc.uint8Array({ minLength: width, maxLength: width, max: 1 }),
        decodedChecksum: fc.constant({ sum: 1, cross: 2 }),
      })
      .map((chunk) => ({ kind: 'constant' as const, ...chunk })),
    fc
      .record({
        stages: fc.array(stage, { minLength: 1, maxLength: 3 }),
        payload: fc.uint8Array({ maxLength: 40 }),
        decodedChecksum: sums,
      })
      .map(({ payload, ...chunk }) => ({ ...codedChunk(payload), ...chunk }) as EncodedChunk),
  );
}

describe('round trips', () => {
  test('header, chunks and source are read and recovered as they were written', async () => {
    const anything = fc.tuple(anyVolumeWithFacts, anyShape, anySource).chain(([volume, chunkShape, source]) => {
      const count = chunkGridOf(volume, chunkShape).count;
      const chunks = fc.array(anyChunk(codecElementBytes(volume.type)), { minLength: count, maxLength: count });
      return fc.record({ volume: fc.constant(volume), chunkShape: fc.constant(chunkShape), source: fc.constant(source), chunks });
    });
    await fc.assert(
      fc.asyncProperty(anything, async ({ volume, chunkShape, source, chunks }) => {
        const bytes = await writeContainer({ volume, chunkShape, sourceFormat: source.format }, chunks, source);
        const reader = await open(bytes);
        const isOfPictures = source.format === 'png' || source.format === 'tiff';
        const requires = source.format === 'dicom' ? ['files'] : isOfPictures ? ['pictures'] : [];
        expect(reader.header).toEqual({ volume, chunkShape, sourceFormat: source.format, writer: writerName, requires });
        expect(reader.chunkCount).toBe(chunks.length);
        expect(await reader.readChunks(0, chunks.length)).toEqual(chunks);
        expect(await reader.sourceDescription()).toEqual(source);
        await reader.checkRecords();
        const recovered = await recoverContainer(memorySource('test.stria', bytes));
        expect(recovered.problems).toEqual([]);
        expect(recovered.wholeCount).toBe(chunks.length);
        expect(recovered.source).toEqual(source);
        for (const [number, chunk] of chunks.entries()) {
          expect(recovered.has(number)).toBe(true);
          expect(await recovered.readChunk(number)).toEqual(chunk);
          const entry = reader.entry(number);
          expect(entry.kind).toBe(chunk.kind);
          if (entry.kind === 'coded' && chunk.kind === 'coded') {
            expect([entry.stages, entry.payloadLength]).toEqual([chunk.stages, chunk.payload.length]);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test.each(['one by one', 'together'])('without a sink, the writer counts the bytes of a file, chunks %s', async (how) => {
    const { bytes, chunks, source } = await variedContainer();
    const { header } = await open(bytes);
    const writer = await ContainerWriter.create(undefined, header);
    if (how === 'together') await writer.countChunks(0, chunks);
    else for (const [number, chunk] of chunks.entries()) await writer.chunk(number, chunk);
    await writer.finish(source);
    expect(writer.bytesWritten).toBe(bytes.length);
  });

  test('the same calls give the same bytes, and bytesWritten counts them', async () => {
    const one = await variedContainer();
    const two = await variedContainer();
    expect(one.bytes).toEqual(two.bytes);
    const sink = memorySink();
    const writer = await ContainerWriter.create(sink, smallContainer);
    for (const [number, chunk] of smallChunks.entries()) await writer.chunk(number, chunk);
    await writer.finish(rawSource);
    expect(writer.bytesWritten).toBe(sink.bytes().length);
  });

  test('an index beyond the last 64 KiB, and more runs of constants than are held back', async () => {
    const volume = { ...smallVolume, dims: [20_000, 64, 64, 1] as const };
    const chunks = Array.from({ length: 20_000 }, (_, i) =>
      i % 2 === 0 ? constantChunk(i % 250) : codedChunk(Uint8Array.of(i % 251)),
    );
    const bytes = await writeContainer({ volume, chunkShape: [1, 64, 64, 1], sourceFormat: 'raw' }, chunks);
    const records = splitRecords(bytes);
    expect(records.filter(({ type }) => type === 'CONS').length).toBe(3);
    expect(records.find(({ type }) => type === 'INDX')?.body.length).toBeGreaterThan(65_536);
    const reader = await open(bytes);
    expect(await reader.readChunks(0, 20_000)).toEqual(chunks);
    await reader.checkRecords();
    expect((await recoverContainer(memorySource('test.stria', bytes))).wholeCount).toBe(20_000);
  });

  test('more ramps than are held back', async () => {
    const volume = { ...smallVolume, dims: [10_000, 64, 64, 1] as const, type: 'u16' as const };
    const chunks = Array.from({ length: 10_000 }, (_, i) => rampChunk(i % 255, i < 5000 ? [1, 0, 0] : [2, 0, 0]));
    const bytes = await writeContainer({ volume, chunkShape: [1, 64, 64, 1], sourceFormat: 'raw' }, chunks);
    expect(splitRecords(bytes).filter(({ type }) => type === 'RAMP').length).toBe(3);
    const reader = await open(bytes);
    expect(await reader.readChunks(0, 10_000)).toEqual(chunks);
    await reader.checkRecords();
    expect((await recoverContainer(memorySource('test.stria', bytes))).wholeCount).toBe(10_000);
  });

  test('payloads own their memory, so that one can be transferred without the others', async () => {
    const { bytes, chunks } = await variedContainer();
    const read = await (await open(bytes)).readChunks(0, chunks.length);
    for (const chunk of read) {
      if (chunk.kind === 'coded') expect(chunk.payload.buffer.byteLength).toBe(chunk.payload.byteLength);
    }
  });

  test('names that could lead out of a folder are changed when written', async () => {
    const source: SourceDescription = {
      ...rawSource,
      parts: rawSource.parts.map((part) => ({ ...part, name: '../a\\b/c:d\n' })),
    };
    const reader = await open(await writeContainer(smallContainer, smallChunks, source));
    expect((await reader.sourceDescription()).parts[0]?.name).toBe('.._a_b_c_d_');
  });

  test('the writer names the version of the package', () => {
    expect(writerName).toBe(`${packageJson.name} ${packageJson.version}`);
  });
});

describe('size', () => {
  test('a constant 512³ costs well under 1 kB of index in all', async () => {
    const volume = { ...smallVolume, dims: [512, 512, 512, 1] as const };
    const chunks = Array.from({ length: 512 }, () => constantChunk(0));
    const bytes = await writeContainer({ volume, chunkShape: [64, 64, 64, 1], sourceFormat: 'raw' }, chunks);
    const records = splitRecords(bytes).filter(({ type }) => ['CONS', 'INDX', 'TAIL'].includes(type));
    expect(records.reduce((sum, { body }) => sum + 32 + body.length, 0)).toBeLessThan(900);
    expect(bytes.length).toBeLessThan(2048);
  });

  test('ramps cost 9 bytes a chunk of 1-byte elements, in the index and beside the chunks', async () => {
    const volume = { ...smallVolume, dims: [512, 512, 512, 1] as const };
    const chunks = Array.from({ length: 512 }, (_, i): EncodedChunk => {
      return {
        kind: 'ramp',
        element: Uint8Array.of(i % 255),
        steps: [1, 2, 4],
        modulus: 255,
        decodedChecksum: { sum: i, cross: i },
      };
    });
    const bytes = await writeContainer({ volume, chunkShape: [64, 64, 64, 1], sourceFormat: 'raw' }, chunks);
    const [index, ...ramps] = splitRecords(bytes)
      .filter(({ type }) => type === 'INDX' || type === 'RAMP')
      .reverse();
    expect(index?.body.length).toBe(8 + 1 + 4 + 1 + 4 + 3 + 512 * 9);
    expect(ramps.map(({ body }) => body.length)).toEqual(new Array(8).fill(8 + 12 + 64 * 9));
  });

  test('a coded chunk costs at most 70 bytes in all', async () => {
    const volume = { ...smallVolume, dims: [512, 512, 512, 1] as const };
    const payloads = Array.from({ length: 512 }, (_, i) => new Uint8Array(100 + (i % 8)));
    const chunks = payloads.map((payload, i) => codedChunk(payload, 2, Uint8Array.of(i % 3)));
    const bytes = await writeContainer({ volume, chunkShape: [64, 64, 64, 1], sourceFormat: 'raw' }, chunks);
    const none = await writeContainer({ ...smallContainer, chunkShape: [4, 4, 2, 1] }, [constantChunk(0)]);
    const payloadBytes = payloads.reduce((sum, payload) => sum + payload.length, 0);
    expect((bytes.length - none.length - payloadBytes) / 512).toBeLessThan(70);
  });
});

describe('reading', () => {
  /** A source that counts reads and the bytes asked for. */
  function counted(bytes: Uint8Array): ByteSource & { reads: number; largest: number } {
    const inner = memorySource('test.stria', bytes);
    return {
      ...inner,
      reads: 0,
      largest: 0,
      read(offset, length, options) {
        this.reads++;
        this.largest = Math.max(this.largest, length);
        return inner.read(offset, length, options);
      },
    };
  }

  test('opening takes few reads, and neighbours are read together', async () => {
    const volume = { ...smallVolume, dims: [512, 512, 512, 1] as const };
    const chunks = Array.from({ length: 512 }, (_, i) => codedChunk(new Uint8Array(1000).fill(i)));
    const source = counted(await writeContainer({ volume, chunkShape: [64, 64, 64, 1], sourceFormat: 'raw' }, chunks));
    const reader = await ContainerReader.open(source);
    expect(source.reads).toBeLessThanOrEqual(3);
    source.reads = 0;
    expect(await reader.readChunks(0, 512)).toEqual(chunks);
    expect(source.reads).toBe(1);
    expect(await reader.readChunk(300)).toEqual(chunks[300]);
  });

  test('the signal reaches the innermost read, and an abort stays one', async () => {
    const { bytes } = await variedContainer();
    const signals: unknown[] = [];
    const inner = memorySource('test.stria', bytes);
    const source: ByteSource = {
      ...inner,
      read(offset, length, options) {
        signals.push(options?.signal);
        return inner.read(offset, length);
      },
    };
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const reader = await ContainerReader.open(source, options);
    await reader.readChunk(0, options);
    await reader.sourceDescription(options);
    await reader.checkRecords(options);
    await recoverContainer(source, options);
    expect(signals.every((signal) => signal === controller.signal)).toBe(true);
    controller.abort();
    for (const work of [reader.readChunks(0, 2, options), reader.checkRecords(options), recoverContainer(source, options)]) {
      await expect(work).rejects.toMatchObject({ tag: 'aborted' });
    }
  });

  test('a source that returns fewer bytes than promised gives a fault that says so', async () => {
    const { bytes } = await variedContainer();
    const inner = memorySource('test.stria', bytes);
    const short: ByteSource = { ...inner, read: async (offset, length) => (await inner.read(offset, length)).slice(1) };
    await expect(ContainerReader.open(short)).rejects.toMatchObject({ tag: 'not-readable' });
  });

  test('isContainer recognises a container by its first bytes', async () => {
    const { bytes } = await variedContainer();
    expect(isContainer(bytes)).toBe(true);
    expect(isContainer(bytes.subarray(1))).toBe(false);
    expect(isContainer(bytes.subarray(0, 7))).toBe(false);
  });
});

describe('the writer refuses', () => {
  const writer = () => ContainerWriter.create(memorySink(), smallContainer);

  test('chunks out of order, too many, or too few', async () => {
    const one = await writer();
    await expect(one.chunk(1, constantChunk(0))).rejects.toThrow(/instead of chunk 1/);
    await one.chunk(0, constantChunk(0));
    await expect(one.finish(rawSource)).rejects.toThrow(/after 1 of 2/);
    await one.chunk(1, constantChunk(0));
    await expect(one.chunk(2, constantChunk(0))).rejects.toThrow(StriaError);
  });

  test.each([
    ['a modulus of 1', [0, 1, 0], 1, 0],
    ['a modulus beyond 65536', [0, 1, 0], 65_537, 0],
    ['a step as large as the modulus', [0, 1, 10], 10, 0],
    ['half a step', [0, 1, 0.5], 10, 0],
    ['a first element beyond the modulus', [0, 1, 1], 10, 12],
    ['no steps', [0, 0, 0], 10, 1],
  ] as const)('a ramp with %s', async (_, steps, modulus, first) => {
    const volume = { ...smallVolume, type: 'u16' as const };
    const one = await ContainerWriter.create(memorySink(), { ...smallContainer, volume });
    await expect(one.chunk(0, rampChunk(first, steps, modulus))).rejects.toMatchObject({ tag: 'internal' });
  });

  test('elements of another width, stages without end, parameters too long, sources without voxels', async () => {
    const one = await writer();
    await expect(one.chunk(0, constantChunk(1, 2))).rejects.toThrow(/2 bytes, not 1/);
    const chunk = codedChunk(Uint8Array.of(1));
    const stages = Array.from({ length: 9 }, () => ({ codecId: 1, parameters: new Uint8Array(0) }));
    await expect((await writer()).chunk(0, { ...chunk, stages } as EncodedChunk)).rejects.toThrow(/stages/);
    await expect((await writer()).chunk(0, codedChunk(Uint8Array.of(1), 1, new Uint8Array(256)))).rejects.toThrow(/parameters/);
    await expect((await writer()).chunk(0, codedChunk(Uint8Array.of(1), 0))).rejects.toThrow(/codec/);
    const source = { ...rawSource, parts: rawSource.parts.map((part) => ({ ...part, hasVoxels: false })) };
    await expect(writeContainer(smallContainer, smallChunks, source)).rejects.toThrow(/one of them with voxels/);
  });

  test.each([
    ['no voxels', { ...smallVolume, dims: [0, 1, 1, 1] }, [1, 1, 1, 1]],
    ['half a voxel', { ...smallVolume, dims: [1.5, 1, 1, 1] }, [1, 1, 1, 1]],
    ['uncountable voxels', { ...smallVolume, dims: [2 ** 20, 2 ** 20, 2 ** 20, 1] }, [64, 64, 64, 1]],
    ['an affine of 11 numbers', { ...smallVolume, affine: smallVolume.affine.slice(1) }, [1, 1, 1, 1]],
    ['chunks of two time points', smallVolume, [4, 4, 1, 2]],
    ['too many chunks', { ...smallVolume, dims: [1000, 1000, 1000, 1] }, [1, 1, 1, 1]],
  ] as const)('a volume with %s', async (_, volume, chunkShape) => {
    const made = ContainerWriter.create(memorySink(), { volume, chunkShape, sourceFormat: 'raw' });
    await expect(made).rejects.toMatchObject({ tag: 'invalid-input' });
  });
});
