import { expect, test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { makeChunk, poisonedBox, putChunk } from '../../codec/chunk-testing.ts';
import { withBindingLimit } from '../../volume/resident-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { createEncoder } from './encode-kernels.ts';
import { wave } from './index.ts';
import { mostCounted, scratchFor } from './scratch.ts';

const gpu = await openTestGpu();

// Two whole blocks, and a part of a third one.
const longestSide = 130;
// Parts of one value, raw ones, and coded ones with one and two special values. The choices are tested on parts without any.
const widerPatterns = ['constant', 'random', 'sparse', 'worst case (alternating)'];
// `wave` has no bricks, and its decoder takes a step for each element of a row in each slice.
const largestDamaged = [16, 16, 4] as const;
describeCodecOnGpu(wave, gpu, 'as dispatches are', { longestSide, widerPatterns, largestDamaged });
describeCodecOnGpu(wave, gpu, 'dispatches spread', { isBrief: true, isSpread: true });

test('chunks that are encoded in several groups and submits have the same payloads', async () => {
  using scope = gpu.scope('test');
  const dims = [40, 8, 8] as const;
  const bytes = Uint8Array.from({ length: 40 * 8 * 8 }, (_, i) => (i % 40) + (i >> 6));
  const voxels = { buffer: scope.storage('box', bytes.byteLength, bytes), dims, elementBytes: 1 } as const;
  const none = new Uint8Array(0);
  const chunks = [0, 8, 16, 24, 32].map((x) => ({ origin: [x, 0, 0], shape: [8, 8, 8], parameters: none }) as const);
  const limits = [undefined, { groupBytes: 1, submitBytes: 2 ** 20 }, { groupBytes: 2 ** 20, submitBytes: 1 }];
  const [together, ...apart] = await Promise.all(
    limits.map(async (limit) => {
      const payloads = await createEncoder(gpu, limit).encode(voxels, chunks, { scope });
      return { ...payloads, bytes: payloads.buffer && (await gpu.read(payloads.buffer)), buffer: undefined };
    }),
  );
  expect(together?.bytes?.byteLength).toBeGreaterThan(0);
  expect(apart).toEqual([together, together]);
});

test('memory for a chunk of the default shape of a volume one voxel wide, and parts that are counted in several dispatches', async () => {
  const none = new Uint8Array(0);
  const extent = [1, 1, 64] as const;
  const parts = Array.from({ length: 8192 }, (_, number) => ({
    chunk: 0,
    extent,
    firstWord: 0,
    plane: 0,
    number,
    partCount: 8192,
  }));
  using scope = gpu.scope('test');
  scratchFor(gpu, [{ parts }], scope);

  const shape = [16, 16, 200] as const;
  const chunk = makeChunk(shape, 1, (x, y, z, random) => 100 + 50 * Math.sin((x + y + z) / 9) + (random() % 3));
  const box = poisonedBox(shape, 1, 0);
  putChunk(box, [0, 0, 0], chunk);
  const voxels = { buffer: scope.storage('box', box.bytes.byteLength, box.bytes), dims: shape, elementBytes: 1 } as const;
  const encode = async (of: typeof gpu) => {
    const chunks = [{ origin: [0, 0, 0], shape, parameters: none }] as const;
    const { buffer, byteLengths } = await createEncoder(of).encode(voxels, chunks, { scope });
    return gpu.read(buffer as GPUBuffer, 0, byteLengths[0]);
  };
  const narrow = withBindingLimit(gpu, 60_000);
  expect(mostCounted(narrow)).toBe(3);
  expect(await encode(narrow)).toEqual(wave.reference.encode(chunk, none));
});

test.each(wave.elementBytes)(
  'choices from some of many rows are those of the reference, %i-byte elements',
  async (elementBytes) => {
    using scope = gpu.scope('test');
    const [shape, parameters, height] = [[5, 40, 30], new Uint8Array(0), elementBytes === 1 ? 100 : 4000] as const;
    const scan = makeChunk(shape, elementBytes, (x, y, z, random) => {
      return height * (1 + Math.sin(x / 9) * Math.cos(y / 7 + z / 11)) + (random() % (height / 20));
    });
    const expected = wave.reference.encode(scan, parameters);
    expect(expected.byteLength).toBeLessThan(0.8 * scan.bytes.byteLength);
    const box = poisonedBox(shape, elementBytes);
    putChunk(box, [0, 0, 0], scan);
    const voxels = { buffer: scope.storage('box', box.bytes.byteLength, box.bytes), dims: shape, elementBytes };
    const { buffer, byteLengths } = await createEncoder(gpu).encode(voxels, [{ origin: [0, 0, 0], shape, parameters }], {
      scope,
    });
    expect(byteLengths).toEqual([expected.byteLength]);
    expect(await gpu.read(buffer as GPUBuffer, 0, expected.byteLength)).toEqual(expected);
  },
);
