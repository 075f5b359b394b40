import { describe, expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { chunkGridOf } from '../format/chunk-grid.ts';
import { spreadDispatches } from '../gpu/spread-testing.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import type { Dims3 } from '../shared/volume.ts';
import { auto, infoOf } from '../stream/engine-testing.ts';
import { CompressedVolume } from '../volume/compressed/compressed-volume.ts';
import type { VoxelBox } from './backend.ts';
import { ChunkMap } from './chunk-map.ts';
import { notableRamps, rampByDefinition } from './ramp-testing.ts';

const gpu = await openTestGpu();
const backend = createGpuBackend(gpu);
const cpu = createCpuBackend(inlinePool());

/** Chunks of many shapes in one box: whole, clipped, of one row, one element wide. */
const shapes: readonly Dims3[] = [
  [40, 9, 37],
  [23, 9, 37],
  [1, 9, 37],
  [40, 1, 5],
  [17, 1, 1],
  [2, 3, 1],
];

/** All of these ramps in all shapes, stacked along z. The last two chunks are a ramp with one wrong element, and a constant. */
function boxOf(elementBytes: CodecElementBytes) {
  const parts = notableRamps[elementBytes].flatMap((ramp) => shapes.map((shape) => rampByDefinition(shape, elementBytes, ramp)));
  const [ramp] = notableRamps[elementBytes];
  if (!ramp) throw new Error('no ramp');
  const off = rampByDefinition([40, 9, 37], elementBytes, ramp);
  off.bytes[off.bytes.byteLength - elementBytes] = (off.bytes.at(-elementBytes) as number) ^ 4;
  parts.push(off, rampByDefinition([7, 9, 3], elementBytes, { first: 77, steps: [0, 0, 0], modulus: 0 }));
  const dims: Dims3 = [40, 9, parts.reduce((sum, { shape }) => sum + shape[2], 0)];
  const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * elementBytes);
  let z = 0;
  const chunks = parts.map((part) => {
    const [width, height, depth] = part.shape;
    const origin: Dims3 = [0, 0, z];
    for (let row = 0; row < height * depth; row++) {
      const place = ((z + Math.floor(row / height)) * dims[1] + (row % height)) * dims[0];
      bytes.set(part.bytes.subarray(row * width * elementBytes, (row + 1) * width * elementBytes), place * elementBytes);
    }
    z += depth;
    return { origin, shape: part.shape };
  });
  return { box: { bytes, dims, elementBytes } satisfies VoxelBox, chunks };
}

test.each([1, 2, 4] as const)(
  'GPU and CPU find the same ramps, and each decodes them: elements of %i bytes',
  async (elementBytes) => {
    const { box, chunks } = boxOf(elementBytes);
    const here = await backend.encode(box, chunks, auto);
    expect(here).toEqual(await cpu.encode(box, chunks, auto));
    expect(here.filter(({ kind }) => kind === 'ramp').length).toBeGreaterThan(notableRamps[elementBytes].length * 3);
    expect(here.slice(-2).map(({ kind }) => kind)).toEqual(['coded', 'constant']);
    // The surroundings of the chunks are unchanged.
    for (const one of [backend, cpu]) {
      const decoded = { ...box, bytes: new Uint8Array(box.bytes.byteLength) };
      await one.decode(here, chunks, decoded);
      expect(decoded.bytes).toEqual(box.bytes);
    }
  },
);

describe('dispatches spread over two dimensions', () => {
  spreadDispatches(gpu);
  test('find and decode the same', async () => {
    const { box, chunks } = boxOf(2);
    const here = await backend.encode(box, chunks, auto);
    expect(here).toEqual(await cpu.encode(box, chunks, auto));
    const decoded = { ...box, bytes: new Uint8Array(box.bytes.byteLength) };
    await backend.decode(here, chunks, decoded);
    expect(decoded.bytes).toEqual(box.bytes);
  });
});

test('a volume of ramps that stays compressed gives its voxels and reports its chunks', async () => {
  const info = infoOf([20, 9, 7, 1], 'u16');
  const chunkShape = [8, 8, 4] as const;
  const { bytes } = rampByDefinition([20, 9, 7], 2, { first: 0, steps: [1, 20, 180], modulus: 255 });
  const grid = chunkGridOf(info, [...chunkShape, 1]);
  const box = { bytes: bytes as Uint8Array<ArrayBuffer>, dims: [20, 9, 7], elementBytes: 2 } as const;
  const places = Array.from({ length: grid.count }, (_, number) => grid.box(number));
  const chunks = await backend.encode(box, places, auto);
  expect(new ChunkMap(info, chunkShape, chunks).shares).toEqual([{ codec: 'ramp', count: grid.count, bytes: 0 }]);
  const volume = await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: true });
  for (const [x, y, z] of [
    [0, 0, 0],
    [19, 8, 6],
    [15, 7, 3],
    [16, 8, 4],
  ] as const) {
    expect(await volume.voxel(x, y, z, 0)).toBe((x + 20 * y + 180 * z) % 255);
  }
  volume.destroy();
});

test('no kernel runs for chunks that cannot be ramps', async () => {
  const labels: string[] = [];
  const dims: Dims3 = [64, 8, 2];
  const floats = Float32Array.from({ length: 64 * 8 * 2 }, (_, at) => Math.sin(at) * (1 + at));
  const onTimes = ({ stages }: { stages: readonly { label: string }[] }) => void labels.push(...stages.map(({ label }) => label));
  const box = { bytes: new Uint8Array(floats.buffer), dims, elementBytes: 4 } as const;
  await backend.encode(box, [{ origin: [0, 0, 0], shape: dims }], auto, { onTimes });
  expect(labels).toContain('analyze');
  expect(labels).not.toContain('ramps');
});
