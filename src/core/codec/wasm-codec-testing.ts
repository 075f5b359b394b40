/** Compares a codec's WebAssembly version with its reference. Only tests import this. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { firstDifference, makeChunk, type TestPattern, type TestPatterns } from './chunk-testing.ts';
import type { ChunkVoxels, CodecElementBytes, CodecParameters, ReferenceCodec, WasmCodec } from './codec.ts';

export class WasmTwin {
  /** Damaged payloads that both refuse, and those that both decode to the same voxels. */
  refused = 0;
  sound = 0;
  readonly #reference: ReferenceCodec;
  readonly #wasm: WasmCodec;

  constructor(reference: ReferenceCodec, wasm: WasmCodec) {
    this.#reference = reference;
    this.#wasm = wasm;
  }

  /** Both give the same payload, with the same sections, and WebAssembly decodes it. */
  expectSame(chunk: ChunkVoxels, parameters: CodecParameters, hint: string): void {
    const payload = this.#reference.encode(chunk, parameters);
    const own = this.#wasm.encode(chunk, parameters);
    if (!own) throw new Error('no WebAssembly');
    expect(firstDifference(own, payload), `encode ${hint}`).toBeUndefined();
    this.expectDecodes(payload, chunk, parameters, hint);
    if (this.#wasm.sections) {
      const sections = this.#reference.sections?.(payload, chunk, parameters);
      expect(this.#wasm.sections(payload, chunk, parameters), hint).toEqual(sections);
    }
  }

  /** WebAssembly decodes the reference's payload to the chunk's voxels. */
  expectDecodes(payload: Uint8Array, chunk: ChunkVoxels, parameters: CodecParameters, hint: string): void {
    const decoded = this.#wasm.decode(payload, chunk, parameters);
    if (!decoded) throw new Error(`no WebAssembly, or a sound payload was refused: ${hint}`);
    expect(firstDifference(decoded, chunk.bytes), `decode ${hint}`).toBeUndefined();
  }

  /** Both refuse a payload, or both decode it to the same voxels. */
  expectSameVerdict(payload: Uint8Array, chunk: ChunkVoxels, parameters: CodecParameters): void {
    const expected = this.#referenceDecodes(payload, chunk, parameters);
    const own = this.#wasm.decode(payload, chunk, parameters);
    if (expected) this.sound++;
    else this.refused++;
    // `expect` would take longer than decoding.
    if ((own === undefined) !== (expected === undefined))
      expect.fail(`${own ? 'only WebAssembly' : 'only the reference'} decodes`);
    if (own && expected && firstDifference(own, expected) !== undefined) expect.fail('the two decode to different voxels');
  }

  #referenceDecodes(payload: Uint8Array, chunk: ChunkVoxels, parameters: CodecParameters): Uint8Array | undefined {
    try {
      return this.#reference.decode(payload, chunk, parameters);
    } catch (error) {
      if (error instanceof StriaError && error.tag === 'corrupt') return undefined;
      throw error;
    }
  }
}

/** Checks a chunk of each shape with each pattern. */
export function forEachChunk(
  shapes: readonly Dims3[],
  elementBytes: CodecElementBytes,
  patterns: TestPatterns,
  check: (chunk: ChunkVoxels, hint: string) => void,
): void {
  for (const shape of shapes) {
    for (const [name, pattern] of Object.entries(patterns)) {
      check(makeChunk(shape, elementBytes, pattern), `${shape.join('×')} ${name}`);
    }
  }
}

/** Checks arbitrary chunks of such shapes: elements of any width, by any pattern and seed. */
export function forAnyChunk(
  shapes: fc.Arbitrary<Dims3>,
  patterns: TestPatterns,
  numRuns: number,
  check: (chunk: ChunkVoxels, hint: string, seed: number) => void,
): void {
  fc.assert(
    fc.property(
      shapes,
      fc.constantFrom<CodecElementBytes>(1, 2, 4),
      fc.constantFrom(...Object.keys(patterns)),
      fc.integer({ min: 1, max: 1e6 }),
      (shape, elementBytes, name, seed) => {
        const chunk = makeChunk(shape, elementBytes, patterns[name] as TestPattern, seed);
        check(chunk, `${shape.join('×')} ${name}`, seed);
      },
    ),
    { numRuns, seed: 1 },
  );
}

/** How many bytes at a payload's start are damaged most thoroughly: a small part, but with the most effect. */
const head = 64;

/**
 * Copies of a payload that are cut off, too long, or changed in one or three bytes.
 * @param step between the damaged bytes after the first 64
 */
export function* damagedCopies(payload: Uint8Array, random: () => number, step = 1): Generator<Uint8Array> {
  for (let length = 0; length < payload.length; length += 1 + (length >> 4)) yield payload.subarray(0, length);
  for (const more of [1, 4]) yield Uint8Array.of(...payload, ...new Uint8Array(more));
  for (let at = 0; at < payload.length; at += at < head ? 1 : step) {
    const flips = at < head ? [0xff, 1, 2, 4, 8, 16, 32, 64, 128] : [1 << (random() % 8), 1 + (random() % 255)];
    for (const flip of flips) yield payload.with(at, (payload[at] as number) ^ flip);
  }
  for (let number = 0; number < 200; number++) {
    const damaged = payload.slice();
    for (let times = 0; times < 3; times++) damaged[random() % payload.length] = random();
    yield damaged;
  }
}
