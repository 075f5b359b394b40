import { afterAll, expect, test } from 'vitest';
import { openNodeGpu, releaseNodeGpu } from '../../../cli/node-gpu.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { decodeChunks } from '../decode-chunks.ts';
import { describeCodecOnGpu } from '../describe-codec-gpu.ts';
import { firstDifference, makeChunk, poisonedBox, putChunk, takeChunk } from '../test-chunks.ts';
import { pictureGeometry, volumeGeometry } from './bricks.ts';
import { predict } from './index.ts';
import { parametersOf } from './layout.ts';

const gpu = await openNodeGpu({ software: true });
const smallGpu = await openNodeGpu({ software: true, limits: 'default' });

describeCodecOnGpu(predict, gpu, "the adapter's limits");
describeCodecOnGpu(predict, smallGpu, 'default limits', { isSecondDevice: true });

afterAll(() => {
  gpu.destroy();
  smallGpu.destroy();
  releaseNodeGpu();
});

/** Slopes with noise, and lone bright voxels: every predictor and every class. */
function scan(x: number, y: number, z: number, random: () => number): number {
  const noise = random() % (1 + ((x >> 4) + 3 * (y >> 4)) * 7);
  return 3 * x + 2 * y + 50 * z + noise + (random() % 211 === 0 ? random() : 0);
}

test.each([1, 2, 4] as const)('all modes in one batch as a first stage, %i-byte elements', async (elementBytes) => {
  const box = poisonedBox([150, 100, 7], elementBytes);
  putChunk(box, [0, 0, 0], makeChunk(box.dims, elementBytes, scan));
  // The upper three slices are pictures, the lower four volumes; of each the second may have medians.
  const parts: { origin: Dims3; shape: Dims3 }[] = [
    { origin: [0, 0, 0], shape: [80, 100, 4] },
    { origin: [80, 0, 0], shape: [70, 100, 4] },
    { origin: [0, 0, 4], shape: [80, 100, 3] },
    { origin: [80, 0, 4], shape: [70, 100, 3] },
  ];
  const chunks = parts.map(({ origin, shape }, i) => {
    const geometry = i < 2 ? volumeGeometry : pictureGeometry;
    const parameters = parametersOf({ geometry, tryMedian: i % 2 === 1 });
    const chunk = takeChunk(box, origin, shape);
    const payload = predict.reference.encode(chunk, parameters);
    return { origin, shape, parameters, payload, sections: predict.reference.sections?.(payload, chunk, parameters) };
  });

  using scope = gpu.scope('test');
  const kernels = predict.createKernels(gpu);
  const voxels = { buffer: scope.storage('box', box.bytes.byteLength, box.bytes), dims: box.dims, elementBytes };
  const payloads = await kernels.encode(voxels, chunks, { scope, isFirstStage: true });
  expect(payloads.sections).toEqual(chunks.map(({ sections }) => sections));
  const bytes = await gpu.read(payloads.buffer as GPUBuffer);
  for (const [i, { payload }] of chunks.entries()) {
    const start = payloads.byteOffsets[i] as number;
    expect(firstDifference(bytes.subarray(start, start + (payloads.byteLengths[i] as number)), payload)).toBe(undefined);
  }
  const target = { ...voxels, buffer: scope.storage('target', box.bytes.byteLength, box.bytes.slice().fill(0xa5)) };
  await decodeChunks(gpu, 'decode', kernels, payloads, chunks, target, { scope });
  expect(firstDifference(await gpu.read(target.buffer), box.bytes)).toBe(undefined);
});
