import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstDifference, makeChunk, testPatterns, testRandom, testShapes } from '../../codec/chunk-testing.ts';
import type { ChunkVoxels, CodecElementBytes } from '../../codec/codec.ts';
import { chunksToDamage } from '../../codec/codec-testing.ts';
import { StriaError } from '../../shared/errors.ts';
import { labels } from './index.ts';
import { reference } from './reference.ts';
import { wasm } from './wasm.ts';

const none = new Uint8Array(0);

const patterns: Readonly<Record<string, (x: number, y: number, z: number, random: () => number) => number>> = {
  ...testPatterns,
  cells: (x, y, z) => 70000 * Math.floor((x + 2 * Math.sin(z / 3)) / 5) + 300 * Math.floor((y + x / 4) / 4) + Math.floor(z / 6),
  'cells with specks': (x, y, z, random) => (random() % 30 === 0 ? random() % 9 : Math.floor((x + y) / 6) + Math.floor(z / 5)),
  'few random labels': (_x, _y, _z, random) => random() % 3,
  'at most 64 labels': (x, y, z) => Math.floor((x + 16 * y + 256 * z) / 4) % 64,
  '65 labels': (x, y, z) => Math.floor((x + 16 * y + 256 * z) / 4) % 65,
  slices: (_x, _y, z) => z * 0x01010101,
};

function expectSame(chunk: ChunkVoxels, hint: string): void {
  const payload = reference.encode(chunk, none);
  const own = wasm.encode(chunk, none);
  if (!own) throw new Error('no WebAssembly');
  expect(firstDifference(own, payload), `encode ${hint}`).toBeUndefined();
  const decoded = wasm.decode(payload, chunk, none);
  if (!decoded) throw new Error(`a sound payload was refused: ${hint}`);
  expect(firstDifference(decoded, chunk.bytes), `decode ${hint}`).toBeUndefined();
}

/** The voxels that the reference decodes; undefined if it refuses the payload. */
function referenceDecodes(payload: Uint8Array, chunk: ChunkVoxels): Uint8Array | undefined {
  try {
    return reference.decode(payload, chunk, none);
  } catch (error) {
    if (error instanceof StriaError && error.tag === 'corrupt') return undefined;
    throw error;
  }
}

describe('labels in WebAssembly gives the same results as the reference', () => {
  for (const elementBytes of labels.elementBytes) {
    test(`chunks of every shape, ${elementBytes}-byte elements`, () => {
      for (const shape of [...testShapes, [16, 16, 16], [33, 17, 18]] as const) {
        // The reference is slow, so large chunks get only every third pattern.
        const isLarge = shape[0] * shape[1] * shape[2] > 2 ** 12;
        for (const [name, pattern] of Object.entries(patterns).filter((_, number) => !isLarge || number % 3 === 0)) {
          expectSame(makeChunk(shape, elementBytes, pattern), `${shape.join('×')} ${name}`);
        }
      }
    });
  }

  test('anything (property)', () => {
    const side = fc.integer({ min: 1, max: 19 });
    fc.assert(
      fc.property(
        fc.tuple(side, side, side),
        fc.constantFrom<CodecElementBytes>(1, 2, 4),
        fc.constantFrom(...Object.keys(patterns)),
        fc.integer({ min: 1, max: 1e6 }),
        (shape, elementBytes, name, seed) => {
          expectSame(
            makeChunk(shape, elementBytes, patterns[name] as (typeof patterns)[string], seed),
            `${shape.join('×')} ${name}`,
          );
        },
      ),
      { numRuns: 100, seed: 1 },
    );
  });

  test('damaged payloads: both refuse, or both give the same voxels', () => {
    const random = testRandom(5);
    let refused = 0;
    let sound = 0;
    const chunks = [
      ...chunksToDamage(labels),
      makeChunk([18, 17, 2], 1, patterns.cells as (typeof patterns)[string]),
      makeChunk([20, 5, 6], 2, patterns['cells with specks'] as (typeof patterns)[string]),
      makeChunk([9, 8, 7], 4, patterns['cells with specks'] as (typeof patterns)[string]),
      makeChunk([40, 3, 18], 1, patterns['cells with specks'] as (typeof patterns)[string]),
    ];
    for (const chunk of chunks) {
      const payload = reference.encode(chunk, none);
      const check = (damaged: Uint8Array) => {
        const expected = referenceDecodes(damaged, chunk);
        const own = wasm.decode(damaged, chunk, none);
        if (expected) sound++;
        else refused++;
        if ((own === undefined) !== (expected === undefined))
          expect.fail(`${own ? 'only WebAssembly' : 'only the reference'} decodes`);
        if (own && expected && firstDifference(own, expected) !== undefined) expect.fail('the two decode to different voxels');
      };
      for (let length = 0; length < payload.length; length += 1 + (length >> 3)) check(payload.subarray(0, length));
      check(Uint8Array.of(...payload, 0));
      for (let at = 0; at < payload.length; at++) {
        for (const flip of at < 24 ? [0xff, 1, 2, 4, 8, 16, 32, 64, 128] : [1 << (random() % 8), 1 + (random() % 255)]) {
          const damaged = payload.slice();
          damaged[at] = (damaged[at] as number) ^ flip;
          check(damaged);
        }
      }
      for (let number = 0; number < 200; number++) {
        const damaged = payload.slice();
        for (let times = 0; times < 3; times++) damaged[random() % payload.length] = random();
        check(damaged);
      }
    }
    expect(refused).toBeGreaterThan(1000);
    expect(sound).toBeGreaterThan(500);
  });

  test('unsupported input is left to the reference', () => {
    const chunk = makeChunk([8, 8, 2], 1, (x) => x);
    expect(wasm.encode(chunk, Uint8Array.of(1))).toBeUndefined();
    expect(wasm.encode({ ...chunk, bytes: new Uint8Array(7) }, none)).toBeUndefined();
    expect(wasm.decode(new Uint8Array(0), chunk, none)).toBeUndefined();
    expect(wasm.decode(Uint8Array.of(0, 1, 5), chunk, Uint8Array.of(1))).toBeUndefined();
  });
});
