import { afterEach, expect, test, vi } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { EncodeChoice } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { chunkGridOf } from '../format/chunk-grid.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3, Dims4 } from '../shared/volume.ts';
import { auto, infoOf, only, voxelsOf } from '../stream/engine-testing.ts';
import { DecodePlanner } from './decode-planner.ts';
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

test('bytes that changed on the way are found, also of a payload that the second codec did not make shorter', async () => {
  const bytes = new Uint8Array(64 * 32 * 16).map((_, at) => (at % 64 < 32 ? 3 : at >> 6) & (at >> 13));
  bytes[5] = 9;
  const chunks = [0, 32].map((x) => ({ origin: [x, 0, 0] as const, shape: [32, 32, 16] as const }));
  using scope = gpu.scope('test');
  const voxels = uploadBox(gpu, scope, { bytes, dims: [64, 32, 16], elementBytes: 1 });
  const kept = await backend.encodeKept({ voxels, chunks }, only('rle+huffman'));
  const single = kept.placed.find((chunk) => chunk.kind === 'coded' && chunk.stages.length === 1);
  if (single?.kind !== 'coded') throw new Error('each payload became shorter');
  gpu.device.queue.writeBuffer(single.buffer, single.byteOffset, Uint8Array.of(1, 2, 3, 4));
  await expect(kept.read({})).rejects.toMatchObject({ tag: 'internal', message: expect.stringContaining('discarded') });
  kept.release();
});

test('a piece for which memory is refused once is read again; twice is an error', async () => {
  const { kept, expected } = await keptOf(only('rice'));
  const { commands } = gpu;
  for (const refusals of [1, 2]) {
    let calls = 0;
    vi.spyOn(gpu, 'commands').mockImplementation((...args) => {
      // The second piece, and its repetition.
      if (++calls >= 2 && calls < 2 + refusals) throw new StriaError('out-of-memory', 'no memory, says the test');
      return commands.apply(gpu, args);
    });
    // The pieces hold one chunk each. The third is begun only once the second is there.
    const reading = kept.read({}, 1);
    if (refusals === 1) expect(await reading).toEqual(expected);
    else await expect(reading).rejects.toMatchObject({ tag: 'out-of-memory' });
    vi.restoreAllMocks();
  }
  kept.release();
  await gpu.finish();
  expect(gpu.memory.liveBytes('lent')).toBe(0);
});

test('the check finds words that were not decoded, although the last check left the right ones in memory', async () => {
  const { box, chunks } = boxOf([64, 64, 40, 1], [32, 32, 16]);
  using scope = gpu.scope('test');
  const voxels = uploadBox(gpu, scope, box);
  const kept = await backend.encodeKept({ voxels, chunks }, only('rice'));
  const { beforeUse } = gpu.spare;
  gpu.spare.beforeUse = undefined;
  try {
    expect(await backend.checkKept({ voxels, chunks }, kept)).toEqual({ differingWords: 0 });
    vi.spyOn(DecodePlanner.prototype, 'plan').mockReturnValue(() => {});
    const { differingWords } = await backend.checkKept({ voxels, chunks }, kept);
    expect(differingWords).toBeGreaterThan(0);
  } finally {
    gpu.spare.beforeUse = beforeUse;
    kept.release();
  }
});
