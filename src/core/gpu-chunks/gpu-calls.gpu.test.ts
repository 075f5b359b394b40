import { expect, test, vi } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { ChunkBox } from '../chunks/backend.ts';
import { codecById } from '../codecs/registry.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { openSample } from '../samples/sample.ts';
import type { SampleKind } from '../samples/sample-kinds.ts';
import { StriaError } from '../shared/errors.ts';
import { auto, infoOf, only, voxelsOf } from '../stream/engine-testing.ts';
import { createGpuBackend } from './gpu-backend.ts';
import { uploadBox } from './gpu-transfer.ts';

const gpu = await openTestGpu();

/** Calls of WebGPU while two chunks are encoded once more. For small batches these calls take most of the time. */
const codecNamesOf = (chunk: EncodedChunk) =>
  chunk.kind === 'coded' ? chunk.stages.map(({ codecId }) => codecById(codecId).name) : [];

async function callsOf(kind: SampleKind) {
  const sample = openSample({ kind, dims: [64, 32, 32], type: 'u8', seed: 1 });
  const pieces: Uint8Array[] = [];
  for await (const piece of sample.voxels({})) pieces.push(piece.slice());
  using scope = gpu.scope('test');
  const bytes = new Uint8Array(Buffer.concat(pieces));
  const voxels = uploadBox(gpu, scope, { bytes, dims: [64, 32, 32], elementBytes: 1 });
  const chunks = [0, 32].map((x): ChunkBox => ({ origin: [x, 0, 0], shape: [32, 32, 32] }));
  const backend = createGpuBackend(gpu);
  const encode = () => backend.encodeResident({ voxels, chunks }, auto, { onTimes: () => {} });
  await encode();
  const { device } = gpu;
  const buffers = vi.spyOn(device, 'createBuffer');
  const groups = vi.spyOn(device, 'createBindGroup');
  const submits = vi.spyOn(device.queue, 'submit');
  try {
    const { chunks: encoded } = await encode();
    const made = buffers.mock.calls.map(([{ usage }]) => usage);
    return {
      codecs: encoded.map(codecNamesOf),
      submits: submits.mock.calls.length,
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
  expect(phantom).toEqual({ codecs: [rice, rice], submits: 4, bindGroups: 7, buffers: 18, readable: 0 });
  const potential = await callsOf('potential');
  expect(potential).toEqual({ codecs: [chain, chain], submits: 6, bindGroups: 10, buffers: 27, readable: 0 });
});

test('payloads that were read are freed if the work behind them fails', async () => {
  const bytes = voxelsOf(infoOf([32, 32, 32, 1], 'u8'), 'blobs');
  using scope = gpu.scope('test');
  const chunk: ChunkBox = { origin: [0, 0, 0], shape: [32, 32, 32] };
  const box = { voxels: uploadBox(gpu, scope, { bytes, dims: [32, 32, 32], elementBytes: 1 }), chunks: [chunk] };
  const make = gpu.commands.bind(gpu);
  let [encoderCalls, failed] = [0, 0];
  vi.spyOn(gpu, 'commands').mockImplementation((label, onTimes) => {
    const commands = make(label, onTimes);
    const submit = commands.submit.bind(commands);
    const fail = async () => {
      await submit();
      failed++;
      throw new StriaError('internal', 'the write failed');
    };
    // The encoder's second commands write the payloads. Nothing waits for them before the payloads are read.
    if (label === 'rice.encode' && ++encoderCalls === 2) vi.spyOn(commands, 'submit').mockImplementation(fail);
    return commands;
  });
  try {
    await expect(createGpuBackend(gpu).encodeResident(box, only('rice'), {})).rejects.toThrow('the write failed');
  } finally {
    vi.restoreAllMocks();
  }
  expect(failed).toBe(1);
  expect(gpu.memory.liveBytes('lent')).toBe(0);
});
