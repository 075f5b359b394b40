/** Batches of different kinds of chunks, for the GPU tests of `rice` and `predict`. Only tests import this. */

import { expect } from 'vitest';
import { firstDifference, makeChunk, poisonedBox, putChunk, type TestBox, takeChunk } from '../codec/chunk-testing.ts';
import type { CodecDefinition, CodecElementBytes, GpuChunk } from '../codec/codec.ts';
import { decodeChunks } from '../codec/decode-chunks.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { createKernels } from './kernels.ts';

/** Slopes with noise and isolated bright voxels, so that every predictor, every code and escapes occur. */
function scan(x: number, y: number, z: number, random: () => number): number {
  const noise = random() % (1 + ((x >> 4) + 3 * (y >> 4)) * 7);
  return 3 * x + 2 * y + 50 * z + noise + (random() % 211 === 0 ? random() : 0);
}

export function scanBox(elementBytes: CodecElementBytes): TestBox {
  const box = poisonedBox([150, 100, 7], elementBytes);
  putChunk(box, [0, 0, 0], makeChunk(box.dims, elementBytes, scan));
  return box;
}

/**
 * Encodes chunks that fill a box in one batch, compares the bytes (and the sections, if it is a first stage) with the
 * reference's, and decodes them together.
 */
export async function expectBatch(
  gpu: Gpu,
  codec: CodecDefinition,
  { bytes, dims, elementBytes }: TestBox,
  chunks: readonly GpuChunk[],
  isFirstStage = false,
): Promise<void> {
  using scope = gpu.scope('test');
  const { reference } = codec;
  const kernels = createKernels(codec, gpu);
  const voxels = { buffer: scope.storage('box', bytes.byteLength, bytes), dims, elementBytes };
  const payloads = await kernels.encode(voxels, chunks, { scope, isFirstStage });
  const encoded = await gpu.read(payloads.buffer as GPUBuffer);
  for (const [i, { origin, shape, parameters }] of chunks.entries()) {
    const chunk = takeChunk({ bytes, dims, elementBytes }, origin, shape);
    const expected = reference.encode(chunk, parameters);
    const start = payloads.byteOffsets[i] as number;
    const actual = encoded.subarray(start, start + (payloads.byteLengths[i] as number));
    expect(firstDifference(actual, expected), `chunk ${i}`).toBe(undefined);
    if (isFirstStage) expect(payloads.sections?.[i]).toEqual(reference.sections?.(expected, chunk, parameters));
  }
  const target = { ...voxels, buffer: scope.storage('target', bytes.byteLength, bytes.slice().fill(0xa5)) };
  await decodeChunks(gpu, 'decode', kernels, payloads, chunks, target, { scope });
  expect(firstDifference(await gpu.read(target.buffer), bytes)).toBe(undefined);
}
