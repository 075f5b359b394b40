import { afterAll, describe, expect, test } from 'vitest';
import { openTestGpu } from '../../../cli/node-gpu-testing.ts';
import { standardTuning } from '../../gpu/tuning.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { placePayloads } from '../batch.ts';
import type { CodecElementBytes } from '../codec.ts';
import { decodeChunks } from '../decode-chunks.ts';
import { createKernels } from '../kernels.ts';
import { firstDifference, makeChunk, poisonedBox, putChunk, testRandom } from '../test-chunks.ts';
import { rice } from './index.ts';

const gpu = await openTestGpu();
const kernels = createKernels(rice, gpu);
afterAll(() => {
  gpu.tuning = standardTuning;
});

const shapes: readonly Dims3[] = [
  [64, 64, 64],
  [16, 16, 16],
  [5, 5, 5],
  [17, 33, 20],
  [1, 1, 1],
  [33, 7, 1],
  [70, 64, 1],
  [130, 40, 3],
  [64, 64, 1],
  [64, 32, 1],
];

type Pattern = (x: number, y: number, z: number, random: () => number) => number;
const noisy =
  (bits: number): Pattern =>
  (x, y, z, random) =>
    3 * x + 2 * y + 5 * z + (random() % 2 ** bits);
const patterns: Readonly<Record<string, Pattern>> = {
  constant: () => 0xa1b2c3d4,
  noise: (_x, _y, _z, random) => random(),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map((bits) => [`noise of ${bits} bits`, noisy(bits)])),
  // Every group with a code of its own, lone outliers among them.
  mixed: (x, y, z, random) =>
    ((random() % 2 ** (((x >> 2) * 7 + (y >> 2) * 5 + (z >> 1) * 3) % 17)) + (random() % 61 === 0 ? random() : 0)) | 0,
  sparse: (_x, _y, _z, random) => (random() % 97 === 0 ? random() : 0),
};

/** Encodes chunks by the reference, alters the payloads, and decodes them on the GPU one behind another along z. */
async function decoded(
  shape: Dims3,
  elementBytes: CodecElementBytes,
  form: number,
  names: readonly string[],
  altered: (payload: Uint8Array) => Uint8Array = (payload) => payload,
) {
  using scope = gpu.scope('test');
  const dims: Dims3 = [shape[0], shape[1], names.length * (shape[2] + 1)];
  const expected = poisonedBox(dims, elementBytes);
  const target = { ...expected, buffer: scope.storage('target', expected.bytes.byteLength, expected.bytes) };
  const parameters = Uint8Array.of(form);
  const chunks = names.map((_, i) => ({ origin: [0, 0, i * (shape[2] + 1)] as const, shape, parameters }));
  const payloads = names.map((name, i) => {
    const chunk = makeChunk(shape, elementBytes, patterns[name] as Pattern, i + 1);
    putChunk(expected, [0, 0, i * (shape[2] + 1)], chunk);
    return altered(rice.reference.encode(chunk, parameters));
  });
  const byteLengths = payloads.map(({ byteLength }) => byteLength);
  const { byteOffsets, totalBytes } = placePayloads(byteLengths);
  const joined = new Uint8Array(totalBytes);
  for (const [i, payload] of payloads.entries()) joined.set(payload, byteOffsets[i]);
  const buffer = scope.storage('payloads', totalBytes, joined);
  const results: Record<number, string | undefined> = {};
  for (const threads of [64, 128]) {
    gpu.tuning = { ...standardTuning, 'rice.decode': threads };
    gpu.device.queue.writeBuffer(target.buffer, 0, new Uint8Array(target.buffer.size).fill(0xa5));
    await decodeChunks(gpu, 'test', kernels, { buffer, byteOffsets, byteLengths }, chunks, target, { scope });
    results[threads] = firstDifference(await gpu.read(target.buffer), expected.bytes);
  }
  return results;
}

describe.each([1, 2, 4] as const)('%i-byte elements', (elementBytes) => {
  describe.each([0, 1, 16, 17])('form %i', (form) => {
    test.each(shapes.map((shape) => ({ shape, title: shape.join('×') })))('$title', async ({ shape }) => {
      // By few patterns where the reference is slow.
      const isLarge = shape[0] * shape[1] * shape[2] > 100000;
      const names = isLarge ? ['mixed', 'noise of 4 bits'] : Object.keys(patterns);
      expect(await decoded(shape, elementBytes, form, names)).toEqual({ 64: undefined, 128: undefined });
    });
  });

  test('damaged payloads', async () => {
    const random = testRandom(11);
    for (const shape of [
      [16, 16, 16],
      [17, 19, 9],
    ] as const) {
      for (let round = 0; round < 4; round++) {
        await decoded(shape, elementBytes, round % 2 === 0 ? 0 : 1, ['mixed', 'sparse', 'noise of 6 bits'], (payload) => {
          const bytes = payload.slice(0, round < 2 ? payload.length : random() % payload.length);
          for (let flips = 0; flips < 12; flips++) {
            const at = flips < 6 ? random() % Math.min(bytes.length, 40) : random() % bytes.length;
            bytes[at] = random();
          }
          return bytes;
        });
      }
    }
  });
});
