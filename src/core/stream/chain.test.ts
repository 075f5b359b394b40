import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { codecOfChunk } from '../chunks/choose.ts';
import { decodeChunk } from '../chunks/decode-chunk.ts';
import { makeChunk, statisticsOf, testPatterns, testShapes } from '../codec/chunk-testing.ts';
import { huffman } from '../codecs/huffman/index.ts';
import { predict } from '../codecs/predict/index.ts';
import { chainByName, chainNames, codecs } from '../codecs/registry.ts';
import { rle } from '../codecs/rle/index.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { encodeChunk } from '../cpu/cpu-task-run.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { checksum } from '../format/checksum.ts';
import type { CodedChunk } from '../format/chunk.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { writeContainer } from '../format/container-testing.ts';
import { memorySource } from '../shared/bytes.ts';
import type { StriaError } from '../shared/errors.ts';
import { describeContainer } from './check/info.ts';
import { compressBytes, infoOf, only, restoreBytes, voxelsOf } from './engine-testing.ts';

const backend = createCpuBackend(inlinePool());

describe('names of chains', () => {
  test('are those of their codecs, and each can be looked up', () => {
    expect(chainNames()).toEqual(expect.arrayContaining([...codecs.map(({ name }) => name), 'rle+huffman', 'rice+huffman']));
    for (const name of chainNames()) expect(chainByName(name).map((codec) => codec.name)).toEqual(name.split('+'));
  });

  test.each(['huffman+rle', 'rle+rle', 'raw+huffman', 'huffman+huffman', 'rle+huffman+huffman', 'rle+', 'zip'])(
    '%s is refused',
    (name) => {
      expect(() => chainByName(name)).toThrow(expect.objectContaining({ tag: 'invalid-input' }));
    },
  );
});

test('the sections of rle payloads are the levels and the values', () => {
  for (const elementBytes of [1, 2, 4] as const) {
    for (const shape of testShapes) {
      for (const pattern of Object.values(testPatterns)) {
        const chunk = makeChunk(shape, elementBytes, pattern);
        const parameters = rle.choose(statisticsOf(chunk), chunk, { axis: 'auto' });
        const payload = rle.reference.encode(chunk, parameters);
        const sections = rle.reference.sections?.(payload, chunk, parameters) ?? [];
        expect(sections.length).toBe(5);
        expect(sections.reduce((sum, length) => sum + length, 0)).toBe(payload.length);
        expect(sections[0]).toBe(Math.ceil(chunk.bytes.length / elementBytes / 4096));
        expect((sections[4] as number) % elementBytes).toBe(0);
      }
    }
  }
});

test('every type is restored through a chain, and info names the chain', async () => {
  for (const type of ['u8', 'u16', 'f64'] as const) {
    for (const chain of ['rle+huffman', 'rice+huffman', 'predict+huffman']) {
      const info = infoOf([37, 21, 31, 1], type);
      const voxels = voxelsOf(info, 'blobs');
      const { bytes } = await compressBytes(backend, info, voxels, { choice: only(chain), chunkShape: [32, 32, 32] });
      expect((await restoreBytes(backend, bytes)).get('volume.raw')).toEqual(voxels);
      const described = await describeContainer(await ContainerReader.open(memorySource('a.stria', bytes)), bytes.length);
      expect(described.chunks.map(({ codec }) => codec)).toContain(chain);
    }
  }
});

/** A chunk whose runs have few lengths and few values. */
const striped = makeChunk([32, 32, 16], 1, (x, y, z) => ((x >> 2) + 3 * (y >> 3) + (z >> 1)) % 5);
const encodedBy = (codec: string, voxels = striped) => encodeChunk(voxels, only(codec, 'x')) as CodedChunk;
const idsOf = ({ stages }: CodedChunk) => stages.map(({ codecId }) => codecId);

describe('a chunk', () => {
  test('keeps the second codec if the result is smaller', () => {
    const chunk = encodedBy('rle+huffman');
    expect(idsOf(chunk)).toEqual([rle.id, huffman.id]);
    expect(chunk.payload.length).toBeLessThan(encodedBy('rle').payload.length);
    expect(decodeChunk(chunk, striped)).toEqual(striped.bytes);
  });

  test('stays with the first codec if the second gains nothing', () => {
    const lone = makeChunk([4, 4, 4], 1, (x, y, z) => Number(x === 1 && y === 2 && z === 3));
    expect(idsOf(encodedBy('rle+huffman', lone))).toEqual([rle.id]);
  });

  test('takes the second codec alone if the first gains nothing', () => {
    const skewed = makeChunk([32, 32, 16], 1, (_x, _y, _z, random) => 17 * (random() % 9));
    expect(idsOf(encodedBy('rle+huffman', skewed))).toEqual([huffman.id]);
  });

  test('keeps a first codec that only sorts, if the second gains from it', () => {
    const scan = makeChunk([32, 32, 16], 1, (x, y, z, random) => 3 * x + 2 * y + z + (random() % 5) + (random() % 5));
    const chunk = encodedBy('predict+huffman', scan);
    expect(idsOf(chunk)).toEqual([predict.id, huffman.id]);
    expect(chunk.payload.length).toBeLessThan(encodedBy('rice', scan).payload.length);
    expect(predict.reference.encode(scan, chunk.stages[0]?.parameters as Uint8Array).length).toBeGreaterThan(scan.bytes.length);
    expect(decodeChunk(chunk, scan)).toEqual(scan.bytes);
  });

  test('stays raw if neither gains', () => {
    const noise = makeChunk([32, 32, 16], 1, (_x, _y, _z, random) => random());
    expect(idsOf(encodedBy('rle+huffman', noise))).toEqual([1]);
  });
});

describe('damage', () => {
  const sound = encodedBy('rle+huffman');

  test('every truncation and every flipped byte is a typed fault, or is caught by the checksum', () => {
    const damaged = [
      ...Array.from({ length: sound.payload.length }, (_, length) => sound.payload.slice(0, length)),
      ...Array.from(sound.payload, (byte, at) => sound.payload.with(at, byte ^ (1 << (at % 8)))),
      ...Array.from(sound.payload, (byte, at) => sound.payload.with(at, byte ^ 0xff)),
    ];
    for (const payload of damaged) {
      expect(() => decodeChunk({ ...sound, payload }, striped)).toThrow(expect.objectContaining({ tag: 'corrupt' }));
    }
  });

  test.each([
    ['a first payload longer than its codec’s bound', [1, 0xfd, 0xff, 0xff, 0xff, 0x0f, 7], /that rle can produce/],
    ['a second payload longer than its codec’s bound', [1, 0x05, ...new Array<number>(99).fill(7)], /that huffman can produce/],
    ['a payload without a header', [], /0 sections/],
  ])('%s is refused before memory is allocated', (_, payload, reason) => {
    expect(() => codecOfChunk({ ...sound, payload: Uint8Array.from(payload) }, striped)).toThrow(reason);
  });

  test('chains that no version knows are unsupported', () => {
    const [first, second] = sound.stages as [CodedChunk['stages'][number], CodedChunk['stages'][number]];
    for (const stages of [[second, first], [first, first], [first, second, second], [{ ...first, codecId: 999 }, second], []]) {
      expect(() => codecOfChunk({ ...sound, stages }, striped)).toThrow(expect.objectContaining({ tag: 'unsupported' }));
    }
  });

  test('parameters of the second codec are corrupt', () => {
    const [first, second] = sound.stages as [CodedChunk['stages'][number], CodedChunk['stages'][number]];
    const stages = [first, { ...second, parameters: Uint8Array.of(1) }];
    expect(() => decodeChunk({ ...sound, stages }, striped)).toThrow(expect.objectContaining({ tag: 'corrupt' }));
  });
});

// Writes golden and faulty files of chains: `STRIA_WRITE_TESTDATA=1 npx vitest run --project unit src/core/stream/chain`.
describe('testdata/chains', async () => {
  const folder = new URL('../../../testdata/chains/', import.meta.url);
  const info = infoOf([16, 16, 24, 1], 'u8');
  const voxels = Uint8Array.from({ length: 16 * 16 * 24 }, (_, i) => ((i >> 2) % 4) * ((i >> 6) % 3));
  const settings = { choice: only('rle+huffman', 'x'), chunkShape: [16, 16, 16] as const };
  const { bytes } = await compressBytes(backend, info, voxels, settings);
  const reader = await ContainerReader.open(memorySource('a.stria', bytes));
  const chunks = (await reader.readChunks(0, reader.chunkCount)) as [CodedChunk, CodedChunk];
  const rewritten = async (change: (chunk: CodedChunk) => Partial<CodedChunk>) => {
    const first = { ...chunks[0], ...change(chunks[0]) };
    return writeContainer(reader.header, [{ ...first, encodedChecksum: checksum(first.payload) }, chunks[1]]);
  };
  const files = new Map([
    ['rle-huffman.stria', bytes],
    ['absurd-length.stria', await rewritten(() => ({ payload: Uint8Array.of(1, 0xfd, 0xff, 0xff, 0xff, 0x0f, 7) }))],
    ['bad-padding.stria', await rewritten(({ payload }) => ({ payload: payload.with(-1, (payload.at(-1) as number) ^ 0xff) }))],
    ['wrong-order.stria', await rewritten(({ stages }) => ({ stages: [...stages].reverse() }))],
  ]);
  if (process.env.STRIA_WRITE_TESTDATA) for (const [name, file] of files) writeFileSync(new URL(name, folder), file);

  test.each([...files])('%s equals what this test generates', (name, file) => {
    expect(new Uint8Array(readFileSync(new URL(name, folder)))).toEqual(file);
  });

  test('the golden file decodes exactly and has two stages', async () => {
    expect(chunks.map(idsOf)).toEqual([
      [rle.id, huffman.id],
      [rle.id, huffman.id],
    ]);
    const golden = new Uint8Array(readFileSync(new URL('rle-huffman.stria', folder)));
    expect((await restoreBytes(backend, golden)).get('volume.raw')).toEqual(voxels);
  });

  test.each([
    ['absurd-length.stria', 'corrupt', /1073741823 bytes exceed the .* that rle can produce/],
    ['bad-padding.stria', 'corrupt', /huffman/],
    ['wrong-order.stria', 'unsupported', /rle after huffman/],
  ])('%s is %s, in the context of its chunk', async (name, tag, reason) => {
    const faulty = new Uint8Array(readFileSync(new URL(name, folder)));
    const fault = await restoreBytes(backend, faulty).catch((error: unknown) => error);
    expect(fault).toMatchObject({ tag });
    expect((fault as StriaError).fullMessage).toMatch(/^chunk 1: /);
    expect((fault as StriaError).fullMessage).toMatch(reason);
  });
});
