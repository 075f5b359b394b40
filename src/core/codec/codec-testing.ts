/** Tests that every codec's reference must pass. Only tests import this; core/codecs/gpu-codec-testing.ts does the same for kernels. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { elementCount } from './batch.ts';
import { firstDifference, fromHex, makeChunk, statisticsOf, testPatterns, testShapes } from './chunk-testing.ts';
import type { ChunkVoxels, CodecDefinition, CodecOptions, CodecParameters } from './codec.ts';

/** A worked example from SPEC.md: an encoding that must never change. All bytes in hexadecimal, separated by spaces. */
export interface GoldenVector {
  readonly name: string;
  readonly shape: Dims3;
  readonly elementBytes: 1 | 2 | 4;
  readonly voxels: string;
  readonly parameters: string;
  readonly payload: string;
}

export const testAxes: readonly CodecOptions['axis'][] = ['x', 'y', 'z'];

export function parametersFor(definition: CodecDefinition, chunk: ChunkVoxels, axis: CodecOptions['axis']): CodecParameters {
  return definition.choose(statisticsOf(chunk), chunk, { axis });
}

/** The parameters that a codec takes for these axes, without duplicates for codecs that ignore axes. */
export function differentParameters(
  axes: readonly CodecOptions['axis'][],
  parametersOf: (axis: CodecOptions['axis']) => CodecParameters,
): CodecParameters[] {
  const all = axes.map(parametersOf);
  return [...new Map(all.map((parameters) => [parameters.join(), parameters])).values()];
}

/** Small chunks whose payloads are damaged in every way. */
export function chunksToDamage(definition: CodecDefinition): ChunkVoxels[] {
  const sparse = testPatterns.sparse as (typeof testPatterns)[string];
  const blobs = testPatterns.blobs as (typeof testPatterns)[string];
  return definition.elementBytes.flatMap((elementBytes) => [
    makeChunk([7, 5, 3], elementBytes, sparse),
    makeChunk([11, 9, 7], elementBytes, blobs),
  ]);
}

function faultOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

function expectFault(action: () => unknown, tags: readonly string[]): void {
  const fault = faultOf(action);
  // This runs many times, and `expect` would take longer than decoding.
  if (fault instanceof StriaError && tags.includes(fault.tag)) return;
  expect(fault).toBeInstanceOf(StriaError);
  expect(tags).toContain((fault as StriaError).tag);
}

export interface CodecTraits {
  /** Whether voxels have only one encoding, so that any other payload is refused or decodes to other voxels. Default: true. */
  readonly canonical?: boolean;
  /** For a reference written for speed: SPEC.md as plainly as possible, which must give the same bytes. */
  readonly encodeByDefinition?: (chunk: ChunkVoxels, parameters: CodecParameters) => Uint8Array;
}

/** Statistics of test chunks. All codecs are tested with the same chunks. */
const knownStatistics = new Map<string, ReturnType<typeof statisticsOf>>();

function statisticsOfPattern(name: string, chunk: ChunkVoxels): ReturnType<typeof statisticsOf> {
  const key = [name, chunk.elementBytes, ...chunk.shape].join();
  const statistics = knownStatistics.get(key) ?? statisticsOf(chunk);
  knownStatistics.set(key, statistics);
  return statistics;
}

export function describeCodec(
  definition: CodecDefinition,
  golden: readonly GoldenVector[],
  { canonical = true, encodeByDefinition }: CodecTraits = {},
): void {
  const { reference } = definition;
  const expectByDefinition = (payload: Uint8Array, chunk: ChunkVoxels, parameters: CodecParameters, hint?: string) => {
    if (encodeByDefinition) expect(firstDifference(payload, encodeByDefinition(chunk, parameters)), hint).toBe(undefined);
  };

  describe(`${definition.name}: the reference`, () => {
    test.each(golden)('golden vector: $name', (vector) => {
      const { shape, elementBytes } = vector;
      const bytes = fromHex(vector.voxels);
      const parameters = vector.parameters === '' ? new Uint8Array(0) : fromHex(vector.parameters);
      const payload = fromHex(vector.payload);
      expect([...reference.encode({ bytes, shape, elementBytes }, parameters)]).toEqual([...payload]);
      expect([...reference.decode(payload, { shape, elementBytes }, parameters)]).toEqual([...bytes]);
    });

    for (const elementBytes of definition.elementBytes) {
      describe(`${elementBytes}-byte elements`, () => {
        test.each(testShapes.map((shape) => ({ shape, name: shape.join('×') })))('round trip of $name', ({ shape }) => {
          for (const [name, pattern] of Object.entries(testPatterns)) {
            const chunk = makeChunk(shape, elementBytes, pattern);
            const statistics = statisticsOfPattern(name, chunk);
            for (const parameters of differentParameters([...testAxes, 'auto'], (axis) =>
              definition.choose(statistics, chunk, { axis }),
            )) {
              const hint = `${name}, parameters ${parameters}`;
              const payload = reference.encode(chunk, parameters);
              // Larger chunks would be slow and show nothing more.
              if (elementCount(chunk) < 2 ** 14) expectByDefinition(payload, chunk, parameters, hint);
              const decoded = reference.decode(payload, chunk, parameters);
              expect(firstDifference(decoded, chunk.bytes), hint).toBe(undefined);
              expect(payload.length).toBeLessThanOrEqual(definition.encodedBound(chunk));
              const estimate = definition.estimate(statistics, chunk, parameters);
              expect(estimate).toBeGreaterThan(0);
              expect(estimate).toBeLessThanOrEqual(definition.encodedBound(chunk));
            }
          }
        });
      });
    }

    test('round trip of arbitrary chunks (property)', () => {
      const chunks = fc
        .record({
          shape: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
          elementBytes: fc.constantFrom(...definition.elementBytes),
          axis: fc.constantFrom<CodecOptions['axis']>('x', 'y', 'z', 'auto'),
        })
        .chain(({ shape, elementBytes, axis }) => {
          const length = shape[0] * shape[1] * shape[2] * elementBytes;
          const bytes = fc.oneof(
            fc.uint8Array({ minLength: length, maxLength: length }),
            fc.uint8Array({ minLength: length, maxLength: length, max: 1 }),
          );
          return bytes.map((voxels) => ({ chunk: { bytes: voxels, shape, elementBytes }, axis }));
        });
      fc.assert(
        fc.property(chunks, ({ chunk, axis }) => {
          const parameters = parametersFor(definition, chunk, axis);
          const payload = reference.encode(chunk, parameters);
          expectByDefinition(payload, chunk, parameters);
          expect(firstDifference(reference.decode(payload, chunk, parameters), chunk.bytes)).toBe(undefined);
        }),
        { numRuns: 300, seed: 1 },
      );
    });

    test('arbitrary bytes as a payload are refused, or are what encode writes (property)', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 24 }), fc.integer({ min: 1, max: 20 }), (payload, length) => {
          const geometry = { shape: [length, 1, 1] as const, elementBytes: 1 as const };
          const parameters = parametersFor(definition, { ...geometry, bytes: new Uint8Array(length) }, 'x');
          let decoded: Uint8Array;
          try {
            decoded = reference.decode(payload, geometry, parameters);
          } catch (error) {
            expect((error as StriaError).tag).toBe('corrupt');
            return;
          }
          const encoded = reference.encode({ ...geometry, bytes: decoded }, parameters);
          if (canonical) expect([...encoded]).toEqual([...payload]);
          expect([...reference.decode(encoded, geometry, parameters)]).toEqual([...decoded]);
        }),
        { numRuns: 2000, seed: 1 },
      );
    });

    test('every truncated and every extended payload is corrupt', () => {
      for (const chunk of chunksToDamage(definition)) {
        for (const parameters of differentParameters(testAxes, (axis) => parametersFor(definition, chunk, axis))) {
          const payload = reference.encode(chunk, parameters);
          for (let length = 0; length < payload.length; length++) {
            expectFault(() => reference.decode(payload.subarray(0, length), chunk, parameters), ['corrupt']);
          }
          expectFault(() => reference.decode(Uint8Array.of(...payload, 0), chunk, parameters), ['corrupt']);
          expectFault(() => reference.decode(Uint8Array.of(...payload, 1), chunk, parameters), ['corrupt']);
        }
      }
    });

    test('every flipped byte is corrupt or gives other voxels (the same voxels only if encodings are not unique)', () => {
      for (const chunk of chunksToDamage(definition)) {
        const parameters = parametersFor(definition, chunk, 'auto');
        const payload = reference.encode(chunk, parameters);
        for (let at = 0; at < payload.length; at++) {
          for (const flip of [0xff, 1, 2, 4, 8, 16, 32, 64, 128]) {
            const damaged = payload.slice();
            damaged[at] = (damaged[at] as number) ^ flip;
            let decoded: Uint8Array;
            try {
              decoded = reference.decode(damaged, chunk, parameters);
            } catch (error) {
              // As in `expectFault`: `expect` would be slow.
              if (error instanceof StriaError && error.tag === 'corrupt') continue;
              throw error;
            }
            const isRight =
              decoded.length === chunk.bytes.length && !(canonical && firstDifference(decoded, chunk.bytes) === undefined);
            if (!isRight) expect.fail(`byte ${at} of ${payload.length} flipped by ${flip}`);
          }
        }
      }
    });

    test('parameters of another codec are corrupt', () => {
      const chunk = makeChunk([4, 4, 4], 1, () => 7);
      const payload = reference.encode(chunk, parametersFor(definition, chunk, 'x'));
      expectFault(() => reference.decode(payload, chunk, Uint8Array.of(3)), ['corrupt']);
      expectFault(() => reference.decode(payload, chunk, Uint8Array.of(0, 0)), ['corrupt']);
    });

    test('absurd shapes are refused before memory is allocated', () => {
      const parameters = parametersFor(
        definition,
        makeChunk([1, 1, 1], 1, () => 0),
        'x',
      );
      for (const shape of [
        [65535, 65535, 65535],
        [1290, 1290, 1290],
        [0, 1, 1],
        [-1, 1, 1],
        [1.5, 1, 1],
      ] as const) {
        expectFault(
          () => reference.decode(new Uint8Array(64), { shape, elementBytes: 1 }, parameters),
          ['corrupt', 'unsupported', 'invalid-input'],
        );
      }
    });

    test('a chunk with too few voxel bytes is refused', () => {
      const chunk = { bytes: new Uint8Array(7), shape: [2, 2, 2] as const, elementBytes: 1 as const };
      expectFault(
        () => reference.encode(chunk, parametersFor(definition, { ...chunk, bytes: new Uint8Array(8) }, 'x')),
        ['internal'],
      );
    });
  });
}
