import { expect, test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { brickCount, cut, planesOf } from '../../codec/bricks.ts';
import { makeChunk, poisonedBox, putChunk, takeChunk, testRandom } from '../../codec/chunk-testing.ts';
import type { ChunkVoxels, CodecParameters } from '../../codec/codec.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { expectBatch, scanBox } from '../gpu-batch-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { rice } from './index.ts';
import { directoryBytes, geometryOf, parseForm } from './layout.ts';
import { forEachElement, Neighbourhood, predictorsOf } from './predictors.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(rice, gpu, 'default dispatches');
describeCodecOnGpu(rice, gpu, 'spread dispatches', { isBrief: true, isSpread: true });
describeCodecOnGpu(
  { ...rice, choose: (statistics, chunk, options) => rice.choose(statistics, chunk, { ...options, effort: 'max' }) },
  gpu,
  'effort max',
  { isBrief: true },
);

test.each([1, 2, 4] as const)('volumes and pictures of several bricks in one batch, %i-byte elements', async (elementBytes) => {
  const box = scanBox(elementBytes);
  // The upper three slices are pictures, the lower four a volume.
  const parts: { origin: Dims3; shape: Dims3 }[] = [
    { origin: [0, 0, 0], shape: [150, 100, 4] },
    { origin: [0, 0, 4], shape: [100, 100, 3] },
    { origin: [100, 0, 4], shape: [50, 100, 3] },
  ];
  const chunks = parts.map(({ origin, shape }) => {
    const chunk = takeChunk(box, origin, shape);
    const effort = origin[0] === 0 ? 'normal' : 'max';
    const parameters = rice.choose({ changes: [1, 1, 1] }, chunk, { axis: 'auto', effort });
    return { origin, shape, parameters };
  });
  expect(chunks.map(({ parameters }) => [...parameters])).toEqual([[0], [1], [17]]);
  await expectBatch(gpu, rice, box, chunks);
});

test.each([
  { elementBytes: 1, shape: [84, 70, 20] },
  { elementBytes: 1, shape: [150, 70, 1] },
  { elementBytes: 2, shape: [84, 70, 12] },
  { elementBytes: 2, shape: [150, 70, 1] },
  { elementBytes: 4, shape: [70, 20, 12] },
] as const)(
  'soft and soft up, in whole and clipped bricks: $elementBytes-byte elements, $shape',
  async ({ elementBytes, shape }) => {
    const box = poisonedBox(shape, elementBytes);
    // Soft predicts some bricks best, soft up the others.
    const [soft, softUp] = [softNoise(shape, 0), softNoise(shape, 1)];
    const mixed = (x: number, y: number, z: number) => (x < 64 ? soft : softUp)(x, y, z);
    putChunk(box, [0, 0, 0], makeChunk(shape, elementBytes, mixed));
    const part = { origin: [0, 0, 0] as const, shape, parameters: Uint8Array.of(shape[2] === 1 ? 1 : 0) };
    expect(firstPredictors(takeChunk(box, part.origin, shape), part.parameters)).toEqual(expect.arrayContaining([6, 7]));
    await expectBatch(gpu, rice, box, [part]);
  },
);

test.each([
  { elementBytes: 1, shape: [84, 20, 20] },
  { elementBytes: 1, shape: [150, 70, 1] },
  { elementBytes: 2, shape: [36, 20, 12] },
  { elementBytes: 4, shape: [36, 20, 9] },
] as const)(
  'level with means, in whole and clipped bricks: $elementBytes-byte elements, $shape',
  async ({ elementBytes, shape }) => {
    const box = poisonedBox(shape, elementBytes);
    const random = testRandom(3);
    // Noise around levels, one of which is 0, so that signed elements change sign.
    const noisy = (x: number) => (x < 32 ? 100 : 0) + (random() % 12) - 6;
    putChunk(box, [0, 0, 0], makeChunk(shape, elementBytes, noisy));
    const part = { origin: [0, 0, 0] as const, shape, parameters: Uint8Array.of(shape[2] === 1 ? 1 : 0) };
    expect(firstPredictors(takeChunk(box, part.origin, shape), part.parameters)).toContain(0);
    await expectBatch(gpu, rice, box, [part]);
  },
);

test.each([
  { elementBytes: 1, shape: [134, 20, 19] },
  { elementBytes: 1, shape: [530, 70, 1] },
  { elementBytes: 2, shape: [134, 18, 9] },
  { elementBytes: 2, shape: [530, 40, 1] },
] as const)(
  'median and linear, in whole and clipped bricks: $elementBytes-byte elements, $shape',
  async ({ elementBytes, shape }) => {
    const box = poisonedBox(shape, elementBytes);
    const parameters = Uint8Array.of(shape[2] === 1 ? 17 : 16);
    putChunk(box, [0, 0, 0], makeChunk(shape, elementBytes, predictable(shape, elementBytes, parameters)));
    const part = { origin: [0, 0, 0] as const, shape, parameters };
    const found = firstPredictors(takeChunk(box, part.origin, shape), parameters);
    expect(found).toEqual(expect.arrayContaining([8, 9, 10, 11, 12, 13, 14, 15]));
    await expectBatch(gpu, rice, box, [part]);
  },
);

/** Elements that follow predictors 8 to 15, one after another from brick to brick, with slight noise. */
function predictable(
  shape: Dims3,
  elementBytes: 1 | 2,
  parameters: CodecParameters,
): (x: number, y: number, z: number) => number {
  const random = testRandom(5);
  const form = parseForm(parameters);
  const { brick, block } = geometryOf(form, elementBytes);
  const { bits } = planesOf(elementBytes);
  const elements = new Uint16Array(shape[0] * shape[1] * shape[2]);
  for (const { origin, extent } of cut(shape, block)) {
    const first = (origin[2] * shape[1] + origin[1]) * shape[0] + origin[0];
    const predictor = 8 + (Math.floor(origin[0] / brick[0]) % 8);
    elements[first] = 120;
    const own = { origin, extent, first };
    const neighbourhood = new Neighbourhood(elements, shape, own, bits, form);
    forEachElement(own, shape, 1, (place) => {
      const noise = (random() % 7) - 3 + (random() % 40 === 0 ? 30 : 0);
      if (place.index !== first) elements[place.index] = (neighbourhood.predict(predictor, place) + noise) & (2 ** bits - 1);
    });
  }
  return (x, y, z) => elements[(z * shape[1] + y) * shape[0] + x] as number;
}

/** The predictor of the first block of each brick, read from the payload. */
function firstPredictors(chunk: ChunkVoxels, parameters: CodecParameters): number[] {
  const payload = rice.reference.encode(chunk, parameters);
  const entries = brickCount(chunk, geometryOf(parseForm(parameters), chunk.elementBytes)) * planesOf(chunk.elementBytes).planes;
  const view = new DataView(payload.buffer, payload.byteOffset);
  let start = directoryBytes(entries);
  const found: number[] = [];
  for (let brick = 0; brick < entries; brick++) {
    found.push(view.getUint8(start + 1) & (2 ** predictorsOf(parseForm(parameters)).bits - 1));
    start += 4 * view.getUint16(2 * brick, true);
  }
  return found;
}

/** Running sums of noise: in full along one axis, x or y, by half along the other and z. */
function softNoise([width, height, depth]: Dims3, whole: 0 | 1): (x: number, y: number, z: number) => number {
  const random = testRandom(7 + whole);
  const steps = [1, width, width * height] as const;
  const [wholeStep, halfStep] = [steps[whole], steps[1 - whole] as number];
  const ofDepth: number[] = [];
  const ofPlane: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < width * height * depth; i++) {
    ofDepth.push((ofDepth[i - steps[2]] ?? 0) / 2 + (random() % 5) - 2);
    ofPlane.push((ofPlane[i - halfStep] ?? 0) / 2 + (ofDepth[i] as number));
    values.push((values[i - wholeStep] ?? 0) + (ofPlane[i] as number));
  }
  return (x, y, z) => Math.round(values[(z * height + y) * width + x] as number);
}
