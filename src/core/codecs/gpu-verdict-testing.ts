/** Tests that kernels and reference agree on which payloads are sound. Called by gpu-codec-testing.ts. */

import { expect, test } from 'vitest';
import { placePayloads } from '../codec/batch.ts';
import { firstDifference, makeChunk, poisonedBox, takeChunk, testPatterns, testRandom } from '../codec/chunk-testing.ts';
import type { ChunkVoxels, CodecDefinition, CodecElementBytes, CodecParameters } from '../codec/codec.ts';
import { chunksToDamage, parametersFor } from '../codec/codec-testing.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { createKernels } from './kernels.ts';

/** Number of chunks in a row of the box. */
const perRow = 16;

/** @param widths of elements to test @param largest the shape of the largest chunk, a whole brick for codecs with bricks */
export function describeVerdictOnGpu(
  definition: CodecDefinition,
  gpu: Gpu,
  widths: readonly CodecElementBytes[],
  largest: Dims3 = [16, 16, 16],
): void {
  const kernels = createKernels(definition, gpu);

  /** Whether the GPU finds each payload sound: it raises no flag, and the payload decodes to the chunk's voxels. */
  async function soundOnGpu(
    chunk: ChunkVoxels,
    parameters: CodecParameters,
    payloads: readonly Uint8Array[],
  ): Promise<boolean[]> {
    const { shape, elementBytes } = chunk;
    const pitch = Math.ceil(shape[0] / 4) * 4;
    const box = poisonedBox([pitch * perRow, shape[1], shape[2] * Math.ceil(payloads.length / perRow)], elementBytes, 0);
    const chunks = payloads.map((_, i) => {
      const origin: Dims3 = [(i % perRow) * pitch, 0, Math.floor(i / perRow) * shape[2]];
      return { origin, shape, parameters };
    });
    const byteLengths = payloads.map(({ byteLength }) => byteLength);
    const { byteOffsets, totalBytes } = placePayloads(byteLengths);
    const joined = new Uint8Array(totalBytes);
    for (const [i, payload] of payloads.entries()) joined.set(payload, byteOffsets[i]);
    using scope = gpu.scope('test');
    const buffer = scope.storage('payloads', totalBytes, joined);
    const target = { buffer: scope.storage('box', box.bytes.byteLength), dims: box.dims, elementBytes };
    const faults = scope.storage('faults', 4 * payloads.length);
    const plan = kernels.prepareDecode({ buffer, byteOffsets, byteLengths }, chunks, target, scope, faults);
    const commands = gpu.commands('test');
    plan(commands);
    await commands.submit();
    const flags = await gpu.readWords(faults);
    const decoded = { ...box, bytes: await gpu.read(target.buffer) };
    return chunks.map(
      ({ origin }, i) => flags[i] === 0 && firstDifference(takeChunk(decoded, origin, shape).bytes, chunk.bytes) === undefined,
    );
  }

  function isSoundByReference(chunk: ChunkVoxels, parameters: CodecParameters, payload: Uint8Array): boolean {
    try {
      return firstDifference(definition.reference.decode(payload, chunk, parameters), chunk.bytes) === undefined;
    } catch (error) {
      if (error instanceof StriaError && error.tag === 'corrupt') return false;
      throw error;
    }
  }

  test.each(widths)('GPU and reference agree on which payloads are sound, %i-byte elements', async (elementBytes) => {
    const small = chunksToDamage(definition).filter((chunk) => chunk.elementBytes === elementBytes);
    type Pattern = (typeof testPatterns)[string];
    // Unclipped bricks, payloads of several segments, and noise.
    const whole = makeChunk(largest, elementBytes, testPatterns.blobs as Pattern);
    const noise = makeChunk([5, 6, 4], elementBytes, testPatterns.random as Pattern);
    for (const chunk of [...small, whole, noise]) {
      const parameters = parametersFor(definition, chunk, 'y');
      const payloads = mutants(definition.reference.encode(chunk, parameters));
      const onGpu = await soundOnGpu(chunk, parameters, payloads);
      const wrong = payloads.flatMap((payload, i) => {
        const isSound = isSoundByReference(chunk, parameters, payload);
        return isSound === onGpu[i] ? [] : [`mutant ${i}: only the reference finds it ${isSound ? 'sound' : 'damaged'}`];
      });
      expect(onGpu[0], 'the payload itself').toBe(true);
      expect(wrong, `${chunk.shape.join('×')}, ${payloads[0]?.byteLength} bytes`).toEqual([]);
    }
  });
}

/** This many bits at a payload's start and at its end are flipped one by one, and a sample of those between. */
const edgeBits = 128;
const middleFlips = 100;

/** The payload itself, then copies with one bit flipped, truncated, extended, and spliced. */
export function mutants(payload: Uint8Array): Uint8Array[] {
  const { length } = payload;
  const random = testRandom(length);
  const bits = Array.from({ length: 8 * length }, (_, bit) => bit);
  const step = Math.ceil(bits.length / middleFlips);
  const flipped = bits.filter((bit) => bit < edgeBits || bits.length - bit <= edgeBits || bit % step === 0);
  const withFlipped = (...ones: number[]) => {
    const copy = payload.slice();
    for (const bit of ones) copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
    return copy;
  };
  const spliced = () => {
    const at = random() % (length + 1);
    const removed = random() % 3;
    const inserted = Array.from({ length: random() % 3 }, () => random() % 256);
    return Uint8Array.of(...payload.subarray(0, at), ...inserted, ...payload.subarray(at + removed));
  };
  const lengths = Array.from({ length }, (_, at) => at).filter((at) => at < 12 || length - at <= 12);
  return [
    payload,
    ...flipped.map((bit) => withFlipped(bit)),
    ...Array.from({ length: 30 }, () => withFlipped(random() % bits.length, random() % bits.length)),
    ...lengths.map((at) => payload.slice(0, at)),
    ...[[0], [1], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [...payload]].map((tail) =>
      Uint8Array.of(...payload, ...tail),
    ),
    ...Array.from({ length: 50 }, spliced),
  ];
}
