import { afterEach, expect, test, vi } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { EncodeChoice } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { chunkGridOf } from '../format/chunk-grid.ts';
import type { Dims3, Dims4 } from '../shared/volume.ts';
import { auto, infoOf, only, voxelsOf } from '../stream/engine-testing.ts';
import { createGpuBackend } from './gpu-backend.ts';
import { uploadBox } from './gpu-transfer.ts';

const gpu = await openTestGpu();
const backend = createGpuBackend(gpu);
afterEach(() => vi.restoreAllMocks());

/** Blobs, of which every fourth chunk is constant and some are noise. */
function boxOf(dims: Dims4, chunkShape: Dims3) {
  const info = infoOf(dims, 'u8');
  const grid = chunkGridOf(info, chunkShape);
  const chunks = Array.from({ length: grid.count }, (_, number) => grid.box(number));
  const bytes = voxelsOf(info, 'blobs');
  const noise = voxelsOf(info, 'noise');
  const [width, height] = dims;
  for (let at = 0; at < bytes.length; at++) {
    const [x, y] = [at % width, Math.floor(at / width) % height];
    if (x < 32 && y < 32) bytes[at] = 7;
    if (x >= 32 && y >= 32) bytes[at] = noise[at] as number;
  }
  return { box: { bytes, dims: [dims[0], dims[1], dims[2]], elementBytes: 1 } as const, chunks };
}

async function keptOf(choice: EncodeChoice) {
  const { box, chunks } = boxOf([64, 64, 40, 1], [32, 32, 16]);
  const scope = gpu.scope('test');
  const voxels = uploadBox(gpu, scope, box);
  const kept = await backend.encodeKept({ voxels, chunks }, choice);
  scope.destroy();
  return { kept, expected: await createCpuBackend(inlinePool()).encode(box, chunks, choice) };
}

test.each([
  ['auto', auto],
  ['a chain', only('predict+huffman')],
  ['raw', only('raw')],
] as const)('%s: what is read back equals what the CPU encodes, and outlines tell the lengths before', async (_name, choice) => {
  const { kept, expected } = await keptOf(choice);
  expect(gpu.memory.liveBytes('result')).toBeGreaterThanOrEqual(kept.byteLength);
  const outlines = kept.outlines();
  expect(outlines).toEqual(
    expected.map((chunk) => {
      if (chunk.kind !== 'coded') return chunk;
      return { kind: 'coded', stages: chunk.stages, payload: { byteLength: chunk.payload.byteLength } };
    }),
  );
  expect(await kept.read({})).toEqual(expected);
  expect(await kept.read({}, 5000)).toEqual(expected);
  kept.release();
  expect(gpu.memory.liveBytes('result')).toBe(0);
});

test('an abort ends the reading before the next piece, and nothing stays lent', async () => {
  const { kept } = await keptOf(only('raw'));
  const ending = new AbortController();
  const submits = vi.spyOn(gpu.device.queue, 'submit');
  const reading = kept.read({ signal: ending.signal }, 2 ** 14);
  ending.abort();
  await expect(reading).rejects.toMatchObject({ tag: 'aborted' });
  // Of eight pieces, only the first was copied.
  expect(submits.mock.calls.length).toBe(1);
  kept.release();
  await gpu.finish();
  expect([gpu.memory.liveBytes('lent'), gpu.memory.liveBytes('result')]).toEqual([0, 0]);
});

test('bytes that changed on the way are found', async () => {
  const { kept } = await keptOf(only('rice'));
  const [coded] = kept.placed.filter((chunk) => chunk.kind === 'coded');
  if (!coded) throw new Error('nothing was encoded');
  gpu.device.queue.writeBuffer(coded.buffer, coded.byteOffset, Uint8Array.of(1, 2, 3, 4));
  await expect(kept.read({})).rejects.toMatchObject({ tag: 'internal', message: expect.stringContaining('discarded') });
  kept.release();
  expect(gpu.memory.liveBytes('lent')).toBe(0);
});
