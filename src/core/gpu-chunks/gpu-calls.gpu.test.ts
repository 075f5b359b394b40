import { expect, test, vi } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { ChunkBox, VoxelBox } from '../chunks/backend.ts';
import { codecById } from '../codecs/registry.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { Commands } from '../gpu/commands.ts';
import { openSample } from '../samples/sample.ts';
import type { SampleKind } from '../samples/sample-kinds.ts';
import { StriaError } from '../shared/errors.ts';
import { auto, infoOf, only, voxelsOf } from '../stream/engine-testing.ts';
import { createGpuBackend } from './gpu-backend.ts';
import { clearedBox, downloadBox, uploadBox } from './gpu-transfer.ts';

const gpu = await openTestGpu();

/** Calls of WebGPU while two chunks are encoded once more. For small batches these calls take most of the time. */
const codecNamesOf = (chunk: EncodedChunk) =>
  chunk.kind === 'coded' ? chunk.stages.map(({ codecId }) => codecById(codecId).name) : [];

/** Counts how often the CPU begins to wait for the GPU, until mocks are restored. */
function countWaits(): { count: number } {
  const waits = { count: 0 };
  let pending = 0;
  const counted = (wait: () => Promise<undefined>): Promise<undefined> => {
    if (pending++ === 0) waits.count++;
    return wait().finally(() => pending--);
  };
  const { queue } = gpu.device;
  const { mapAsync } = GPUBuffer.prototype;
  const done = queue.onSubmittedWorkDone.bind(queue);
  vi.spyOn(queue, 'onSubmittedWorkDone').mockImplementation(() => counted(done));
  vi.spyOn(GPUBuffer.prototype, 'mapAsync').mockImplementation(function (this: GPUBuffer, ...range) {
    return counted(() => mapAsync.apply(this, range));
  });
  return waits;
}

async function callsOf(kind: SampleKind, choice = auto) {
  const sample = openSample({ kind, dims: [64, 32, 32], type: 'u8', seed: 1 });
  const pieces: Uint8Array[] = [];
  for await (const piece of sample.voxels({})) pieces.push(piece.slice());
  using scope = gpu.scope('test');
  const bytes = new Uint8Array(Buffer.concat(pieces));
  const voxels = uploadBox(gpu, scope, { bytes, dims: [64, 32, 32], elementBytes: 1 });
  const chunks = [0, 32].map((x): ChunkBox => ({ origin: [x, 0, 0], shape: [32, 32, 32] }));
  const backend = createGpuBackend(gpu);
  const encode = () => backend.encodeResident({ voxels, chunks }, choice, { onTimes: () => {} });
  // The first call compiles kernels and learns how much to read, the second takes memory for that.
  await encode();
  await encode();
  const { device } = gpu;
  const waits = countWaits();
  const buffers = vi.spyOn(device, 'createBuffer');
  const groups = vi.spyOn(device, 'createBindGroup');
  const submits = vi.spyOn(device.queue, 'submit');
  try {
    const { chunks: encoded } = await encode();
    const made = buffers.mock.calls.map(([{ usage }]) => usage);
    return {
      codecs: encoded.map(codecNamesOf),
      submits: submits.mock.calls.length,
      waits: waits.count,
      bindGroups: groups.mock.calls.length,
      buffers: made.length,
      readable: made.filter((usage) => usage & GPUBufferUsage.MAP_READ).length,
    };
  } finally {
    vi.restoreAllMocks();
  }
}

test('encoding again takes as few calls of WebGPU as before, and allocates no memory that the CPU reads', async () => {
  const [rice, chain] = [['rice'], ['rle', 'huffman']];
  const phantom = await callsOf('phantom');
  expect(phantom).toEqual({ codecs: [rice, rice], submits: 2, waits: 2, bindGroups: 8, buffers: 12, readable: 0 });
  const potential = await callsOf('potential');
  expect(potential).toEqual({ codecs: [chain, chain], submits: 2, waits: 2, bindGroups: 14, buffers: 19, readable: 0 });
});

test('each codec waits for the GPU twice, however many steps it has', async () => {
  for (const codec of ['wave', 'parle', 'rice'] as const) {
    const calls = await callsOf('phantom', only(codec));
    expect(calls, codec).toMatchObject({ codecs: [[codec], [codec]], submits: 2, waits: 2, readable: 0 });
  }
});

test('if payloads stay in GPU memory, the lengths are all that is read', async () => {
  using scope = gpu.scope('test');
  const backend = createGpuBackend(gpu);
  const shape = [64, 64, 64] as const;
  const bytes = voxelsOf(infoOf([128, 64, 64, 1], 'u8'), 'noise').map((value) => value & 15);
  const voxels = uploadBox(gpu, scope, { bytes, dims: [128, 64, 64], elementBytes: 1 });
  const chunks = [0, 64].map((x): ChunkBox => ({ origin: [x, 0, 0], shape }));
  const encode = () => backend.encodeKept({ voxels, chunks }, only('rice'));
  (await encode()).release();
  const waits = countWaits();
  const lent = vi.spyOn(Commands.prototype, 'lend');
  const submits = vi.spyOn(gpu.device.queue, 'submit');
  try {
    const kept = await encode();
    expect(kept.byteLength).toBeGreaterThan(2 ** 17);
    // Analysis, encoding, and the move of the payloads, for which nothing waits.
    expect([waits.count, submits.mock.calls.length, lent.mock.calls.length]).toEqual([2, 3, 0]);
    kept.release();
  } finally {
    vi.restoreAllMocks();
  }
});

test('chunks that may be ramps cost no wait of their own beside others', async () => {
  using scope = gpu.scope('test');
  const backend = createGpuBackend(gpu);
  const noise = voxelsOf(infoOf([96, 32, 32, 1], 'u8'), 'noise');
  /** Noise of two bits; then a ramp; then what only looks like one until its last voxel. */
  const bytes = noise.map((value, at) => {
    const [x, y, z] = [at % 96, Math.floor(at / 96) % 32, Math.floor(at / 96 / 32)];
    if (x < 32) return value & 3;
    return x === 95 && y === 31 && z === 31 ? 250 : (x + 2 * y + 5 * z) & 255;
  });
  const chunks = [0, 32, 64].map((x): ChunkBox => ({ origin: [x, 0, 0], shape: [32, 32, 32] }));
  const box: VoxelBox = { bytes, dims: [96, 32, 32], elementBytes: 1 };
  const voxels = uploadBox(gpu, scope, box);
  const expected = await createCpuBackend(inlinePool()).encode(box, chunks, only('rice'));
  expect(expected.map(({ kind }) => kind)).toEqual(['coded', 'ramp', 'coded']);
  const encode = async (count: number) => {
    const encoding = () => backend.encodeResident({ voxels, chunks: chunks.slice(0, count) }, only('rice'));
    await encoding();
    await encoding();
    const waits = countWaits();
    const { chunks: encoded } = await encoding();
    vi.restoreAllMocks();
    expect(encoded).toEqual(expected.slice(0, count));
    return waits.count;
  };
  expect(await encode(2)).toBe(2);
  expect(await encode(3)).toBe(3);
});

test('a batch of several codecs is decoded and checked with one wait', async () => {
  using scope = gpu.scope('test');
  const backend = createGpuBackend(gpu);
  const cpu = createCpuBackend(inlinePool());
  const dims = [96, 32, 32] as const;
  const bytes = voxelsOf(infoOf([...dims, 1], 'u8'), 'blobs').map((value, at) => (at % 96 < 64 ? value : 7));
  const box: VoxelBox = { bytes, dims, elementBytes: 1 };
  const chunks = [0, 32, 64].map((x): ChunkBox => ({ origin: [x, 0, 0], shape: [32, 32, 32] }));
  const encoded = [
    ...(await cpu.encode(box, chunks.slice(0, 1), only('rice'))),
    ...(await cpu.encode(box, chunks.slice(1), only('rle'))),
  ];
  expect(encoded.map((chunk) => (chunk.kind === 'coded' ? codecNamesOf(chunk) : chunk.kind))).toEqual([
    ['rice'],
    ['rle'],
    'constant',
  ]);
  const voxels = clearedBox(gpu, scope, box);
  const waits = countWaits();
  await backend.decodeResident(encoded, { voxels, chunks });
  vi.restoreAllMocks();
  const decoded = new Uint8Array(bytes.length);
  await downloadBox(gpu, voxels, decoded);
  expect(decoded).toEqual(bytes);
  expect(waits.count).toBe(1);
});

test('payloads that were read are freed if the work behind them fails', async () => {
  // Noise, which only raw stores, beside blobs.
  const bytes = voxelsOf(infoOf([64, 32, 32, 1], 'u8'), 'blobs');
  const noise = voxelsOf(infoOf([64, 32, 32, 1], 'u8'), 'noise');
  for (let at = 0; at < bytes.length; at++) if (at % 64 >= 32) bytes[at] = noise[at] as number;
  using scope = gpu.scope('test');
  const chunks = [0, 32].map((x): ChunkBox => ({ origin: [x, 0, 0], shape: [32, 32, 32] }));
  const box = { voxels: uploadBox(gpu, scope, { bytes, dims: [64, 32, 32], elementBytes: 1 }), chunks };
  const backend = createGpuBackend(gpu);
  const { chunks: encoded } = await backend.encodeResident(box, only('rice'), {});
  expect(encoded.map(codecNamesOf)).toEqual([['rice'], ['raw']]);
  const make = gpu.commands.bind(gpu);
  let [encodings, failed] = [0, 0];
  vi.spyOn(gpu, 'commands').mockImplementation((label, onTimes) => {
    const commands = make(label, onTimes);
    const fail = async () => {
      commands.abandon();
      failed++;
      throw new StriaError('internal', 'the write failed');
    };
    // The second encoding is raw's, after the payload of rice was read.
    if (label === 'encode' && ++encodings === 2) vi.spyOn(commands, 'submit').mockImplementation(fail);
    return commands;
  });
  try {
    await expect(backend.encodeResident(box, only('rice'), {})).rejects.toThrow('the write failed');
  } finally {
    vi.restoreAllMocks();
  }
  expect(failed).toBe(1);
  expect(gpu.memory.liveBytes('lent')).toBe(0);
});

test('payloads behind the part that was expected are read afterwards', async () => {
  using scope = gpu.scope('test');
  const shape = [128, 64, 64] as const;
  const backend = createGpuBackend(gpu);
  const noise = voxelsOf(infoOf([...shape, 1], 'u8'), 'noise');
  const encode = async (mask: number) => {
    const bytes = noise.map((value) => value & mask);
    const chunks = [0, 64].map((x): ChunkBox => ({ origin: [x, 0, 0], shape: [64, 64, 64] }));
    const voxels = uploadBox(gpu, scope, { bytes, dims: shape, elementBytes: 1 });
    const cpu = await createCpuBackend(inlinePool()).encode({ bytes, dims: shape, elementBytes: 1 }, chunks, only('rice'));
    const submits = vi.spyOn(gpu.device.queue, 'submit');
    expect((await backend.encodeResident({ voxels, chunks }, only('rice'), {})).chunks).toEqual(cpu);
    const { length } = submits.mock.calls;
    vi.restoreAllMocks();
    return length;
  };
  // The first batch tells how much the second one reads.
  expect(await encode(1)).toBe(3);
  expect(await encode(1)).toBe(2);
  expect(await encode(15)).toBe(3);
  expect(await encode(15)).toBe(2);
});
