/**
 * What every plain decoder must do. A plain decoder implements a codec's SPEC.md sentence by sentence, without optimizations
 * and without the codec's own code, so it detects a misreading that reference and kernels share. Only tests import this.
 */
import { describe, expect, test } from 'vitest';
import { firstDifference, makeChunk, statisticsOf, testPatterns, testRandom } from '../codec/chunk-testing.ts';
import type { ChunkVoxels, CodecDefinition, CodecParameters, ReferenceCodec } from '../codec/codec.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';

export type PlainDecoder = ReferenceCodec['decode'];

/** Shapes that clip bricks, groups, tiles and segments on each axis, and some that do not. */
const shapes: readonly Dims3[] = [
  [1, 1, 1],
  [1, 3, 1],
  [5, 2, 1],
  [13, 17, 9],
  [20, 5, 3],
  [70, 35, 2],
  [2, 1, 1100],
  [4100, 1, 1],
];

const patterns = {
  ...testPatterns,
  noisySlope: (x: number, y: number, z: number, random: () => number) => 3 * x + 7 * y - 5 * z + (random() % 9),
  noisySlopeWithPeaks: (x: number, y: number, z: number, random: () => number) =>
    200 * x + 70 * y + 31 * z + (random() % 50 === 0 ? random() : random() % 300),
  labels: (x: number, y: number, z: number, random: () => number) =>
    (Math.floor((x + y) / 7) + Math.floor((y + 2 * z) / 9) + Number(random() % 40 === 0)) % 5,
};

export function describePlainDecoder(definition: CodecDefinition, decode: PlainDecoder): void {
  describe(`${definition.name}: the plain decoder`, () => {
    test.each(shapes.map((shape) => ({ shape, name: shape.join('×') })))(
      'decodes what the reference encodes: $name',
      ({ shape }) => {
        for (const elementBytes of definition.elementBytes) {
          for (const [name, pattern] of Object.entries(patterns)) {
            const chunk = makeChunk(shape, elementBytes, pattern);
            for (const parameters of everyParameters(definition, chunk)) {
              const payload = definition.reference.encode(chunk, parameters);
              const difference = firstDifference(decode(payload, chunk, parameters), chunk.bytes);
              expect(difference, `${name}, ${elementBytes} bytes, parameters ${parameters}`).toBe(undefined);
            }
          }
        }
      },
    );

    test('refuses what the reference refuses, and decodes the rest to the same voxels', () => {
      const random = testRandom(1);
      for (const elementBytes of definition.elementBytes) {
        for (const [shape, pattern] of [
          [[11, 9, 7], patterns.noisySlope],
          [[19, 5, 2], patterns.noisySlopeWithPeaks],
          [[17, 18, 3], patterns.labels],
          [[30, 20, 2], testPatterns.sparse as typeof patterns.labels],
        ] as const) {
          const chunk = makeChunk(shape, elementBytes, pattern);
          for (const parameters of everyParameters(definition, chunk)) {
            const payload = definition.reference.encode(chunk, parameters);
            for (const damaged of damagedCopies(payload, random)) {
              const expected = outcomeOf(definition.reference.decode, damaged, chunk, parameters);
              const actual = outcomeOf(decode, damaged, chunk, parameters);
              if (isSame(actual, expected)) continue;
              expect.fail(
                `${elementBytes} bytes, ${shape.join('×')}, parameters ${parameters}: ${inWords(actual)}; the reference: ${inWords(expected)}`,
              );
            }
          }
        }
      }
    });

    test('refuses parameters that no encoder writes', () => {
      const chunk = makeChunk([4, 4, 4], 1, patterns.labels);
      const payload = definition.reference.encode(chunk, definition.choose(statisticsOf(chunk), chunk, { axis: 'x' }));
      for (const parameters of [[3], [0, 0], [255]]) {
        expect(() => decode(payload, chunk, Uint8Array.from(parameters))).toThrow(StriaError);
      }
    });
  });
}

/** The parameters that the codec chooses for each axis and effort, without duplicates. */
function everyParameters(definition: CodecDefinition, chunk: ChunkVoxels): CodecParameters[] {
  const statistics = statisticsOf(chunk);
  const all = (['x', 'y', 'z'] as const).flatMap((axis) =>
    (['normal', 'max'] as const).map((effort) => definition.choose(statistics, chunk, { axis, effort })),
  );
  return [...new Map(all.map((parameters) => [parameters.join(), parameters])).values()];
}

/** Copies with a bit flipped in each of the first 20 bytes and in 50 others, a truncated copy, and one extended by a byte. */
function* damagedCopies(payload: Uint8Array, random: () => number): Generator<Uint8Array> {
  for (let i = 0; i < 70; i++) {
    const at = i < 20 ? i % payload.length : random() % payload.length;
    yield payload.with(at, (payload[at] as number) ^ (1 << (random() % 8)));
  }
  for (let cut = 1; cut <= Math.min(5, payload.length); cut++) yield payload.slice(0, -cut);
  yield Uint8Array.of(...payload, 0);
  yield Uint8Array.of(...payload, 1, 2, 3, 4);
}

function outcomeOf(decode: PlainDecoder, ...call: Parameters<PlainDecoder>): Uint8Array | StriaError {
  try {
    return decode(...call);
  } catch (error) {
    if (error instanceof StriaError && error.tag === 'corrupt') return error;
    throw error;
  }
}

function isSame(actual: Uint8Array | StriaError, expected: Uint8Array | StriaError): boolean {
  if (actual instanceof StriaError || expected instanceof StriaError) {
    return actual instanceof StriaError && expected instanceof StriaError;
  }
  return firstDifference(actual, expected) === undefined;
}

function inWords(outcome: Uint8Array | StriaError): string {
  return outcome instanceof StriaError ? outcome.message : 'decoded';
}
