import { readdirSync, readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { firstDifference } from '../codec/chunk-testing.ts';
import * as huffman from '../codecs/huffman/plain-decoder-testing.ts';
import * as labels from '../codecs/labels/plain-decoder-testing.ts';
import * as parle from '../codecs/parle/plain-decoder-testing.ts';
import * as predict from '../codecs/predict/plain-decoder-testing.ts';
import * as raw from '../codecs/raw/plain-decoder-testing.ts';
import * as rice from '../codecs/rice/plain-decoder-testing.ts';
import * as rle from '../codecs/rle/plain-decoder-testing.ts';
import * as wave from '../codecs/wave/plain-decoder-testing.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims4, ElementType } from '../shared/volume.ts';
import { compressBytes, infoOf, only, restoreBytes, voxelsOf } from '../stream/engine-testing.ts';
import type { ChunkShape } from './chunk-grid.ts';
import type { StageCodecs } from './plain-chunks-testing.ts';
import { readPlainly } from './plain-reader-testing.ts';
import { checksum } from './plain-records-testing.ts';

// FORMAT.md, 'CHNK': the codecs by their ids.
const codecs: StageCodecs = new Map([
  [1, { decode: raw.decodePlainly }],
  [2, { decode: rle.decodePlainly }],
  [3, { decode: rice.decodePlainly }],
  [4, { decode: parle.decodePlainly }],
  [5, { decode: huffman.decodePlainly, decodedLength: huffman.decodedLengthPlainly }],
  [6, { decode: labels.decodePlainly }],
  [7, { decode: predict.decodePlainly }],
  [8, { decode: wave.decodePlainly }],
]);

const backend = createCpuBackend(inlinePool());
const folder = new URL('../../../testdata/', import.meta.url);
const golden = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.stria'))
  .sort();

type Outcome = ReadonlyMap<string, Uint8Array> | string;

/** The source files, or the fault's tag. */
async function outcomeOf(
  read: () => ReadonlyMap<string, Uint8Array> | Promise<ReadonlyMap<string, Uint8Array>>,
): Promise<Outcome> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StriaError) return error.tag;
    throw error;
  }
}

function differenceOf(actual: Outcome, expected: Outcome): string | undefined {
  if (typeof actual === 'string' || typeof expected === 'string') {
    if (actual === expected) return undefined;
    return `${typeof actual === 'string' ? actual : 'read'} instead of ${typeof expected === 'string' ? expected : 'read'}`;
  }
  if ([...actual.keys()].join() !== [...expected.keys()].join()) return `files ${[...actual.keys()]}`;
  for (const [name, bytes] of actual) {
    const difference = firstDifference(bytes, expected.get(name) as Uint8Array);
    if (difference) return `${name}: ${difference}`;
  }
  return undefined;
}

/** Where the plain reader and the engine differ. */
async function compare(file: Uint8Array): Promise<string | undefined> {
  return differenceOf(
    await outcomeOf(() => readPlainly(file, codecs, inflateRawSync)),
    await outcomeOf(() => restoreBytes(backend, file)),
  );
}

describe('the plain reader', () => {
  test.each([
    ['', '0000000000000000'],
    ['stria', 'ac73d57562d5b395'],
    ['Stria keeps every bit.', '02331de3ce79efca'],
  ])('has the checksum that FORMAT.md gives for %j', (text, expected) => {
    expect(checksum(new TextEncoder().encode(text))).toBe(expected);
  });

  test.each(golden)('reads testdata/%s as the engine does, or refuses it as the engine does', async (name) => {
    expect(await compare(new Uint8Array(readFileSync(new URL(name, folder))))).toBe(undefined);
  });

  test('reads every golden file', () => {
    for (const name of golden.filter((file) =>
      /^(small|series|interleaved|files|deflated|doubles|ramps|parle.golden|codecs.[a-z]+|codecs.rice-max|chains.(rle|predict)-huffman)\.stria$/.test(
        file,
      ),
    )) {
      expect(readPlainly(new Uint8Array(readFileSync(new URL(name, folder))), codecs, inflateRawSync).size, name).toBeGreaterThan(
        0,
      );
    }
  });

  test.each(['small.stria', 'series.stria', 'interleaved.stria', 'ramps.stria', 'files.stria', 'deflated.stria', 'part.stria'])(
    'judges %s with any byte changed as the engine does',
    async (name) => {
      const file = new Uint8Array(readFileSync(new URL(name, folder)));
      for (let at = 0; at < file.length; at++) {
        const difference = await compare(file.with(at, (file[at] as number) ^ (1 << (at % 8))));
        if (difference) expect.fail(`byte ${at}: ${difference}`);
      }
      for (let length = 0; length < file.length; length += 7) {
        const difference = await compare(file.slice(0, length));
        if (difference) expect.fail(`cut to ${length} bytes: ${difference}`);
      }
    },
  );

  test.each<[ElementType, Dims4, ChunkShape, string]>([
    ['u8', [37, 20, 9, 1], [16, 16, 4, 1], 'rle'],
    ['i16', [19, 18, 7, 3], [8, 9, 4, 1], 'rice'],
    ['u16', [6, 5, 4, 11], [6, 5, 4, 3], 'parle'],
    ['f32', [21, 9, 5, 2], [16, 9, 3, 1], 'rice'],
    ['u8', [21, 19, 17, 1], [20, 20, 20, 1], 'labels'],
    ['u16', [33, 19, 9, 1], [32, 20, 9, 1], 'predict+huffman'],
    ['i16', [25, 19, 9, 1], [24, 20, 9, 1], 'wave'],
    ['i16', [25, 19, 5, 5], [24, 16, 3, 2, 'interleaved'], 'wave'],
    ['u8', [6, 5, 4, 11], [6, 5, 4, 3, 'interleaved'], 'rice'],
    ['i32', [17, 9, 5, 2], [16, 9, 5, 1], 'rle+huffman'],
    ['f64', [11, 9, 5, 2], [8, 9, 3, 1], 'parle'],
  ])('reads what the engine writes: %s, %s in chunks of %s, %s', async (type, dims, chunkShape, codec) => {
    const info = infoOf(dims, type);
    for (const look of ['blobs', 'noise', 'constant'] as const) {
      const voxels = voxelsOf(info, look);
      const { bytes } = await compressBytes(backend, info, voxels, { choice: only(codec), chunkShape });
      const [own] = readPlainly(bytes, codecs, inflateRawSync).values();
      expect(firstDifference(own as Uint8Array, voxels), look).toBe(undefined);
    }
  });
});
