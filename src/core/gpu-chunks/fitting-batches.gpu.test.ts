import { afterEach, expect, test, vi } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { BoxHalving } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { chunkGridOf } from '../format/chunk-grid.ts';
import { halve } from '../levels/halve.ts';
import { infoOf, only, voxelsOf } from '../stream/engine-testing.ts';
import { createGpuBackend } from './gpu-backend.ts';

const gpu = await openTestGpu();
afterEach(() => vi.restoreAllMocks());

/**
 * Lets the device refuse buffers above a size: they become invalid, as if there were no memory for them.
 * @param part of the labels of the buffers
 */
function refuseAbove(mostBytes: number, part = 'encode', onRefused = () => {}): { count: number } {
  const { device } = gpu;
  const refused = { count: 0 };
  const isRefusedIn: boolean[] = [];
  const [push, pop, create] = [
    device.pushErrorScope.bind(device),
    device.popErrorScope.bind(device),
    device.createBuffer.bind(device),
  ];
  vi.spyOn(device, 'pushErrorScope').mockImplementation((filter) => {
    isRefusedIn.push(false);
    return push(filter);
  });
  vi.spyOn(device, 'popErrorScope').mockImplementation(async () => {
    const isRefused = isRefusedIn.pop();
    const fault = await pop();
    return isRefused ? new GPUOutOfMemoryError('no memory, says the test') : fault;
  });
  vi.spyOn(device, 'createBuffer').mockImplementation((descriptor) => {
    if (!descriptor.label?.includes(part) || descriptor.size <= mostBytes) return create(descriptor);
    refused.count++;
    isRefusedIn[isRefusedIn.length - 1] = true;
    onRefused();
    const invalid = create({ ...descriptor, size: 4 * (device.limits.maxBufferSize + 4), mappedAtCreation: false });
    // As a refused buffer does, it tells the size that was asked for.
    return Object.defineProperty(invalid, 'size', { value: descriptor.size });
  });
  return refused;
}

const info = infoOf([128, 64, 64, 1], 'u8');
const grid = chunkGridOf(info, [16, 16, 16]);
const chunks = Array.from({ length: grid.count }, (_, number) => {
  const { origin, shape } = grid.box(number);
  return { origin, shape };
});
const box = { bytes: voxelsOf(info, 'noise').map((value) => value & 15), dims: [128, 64, 64], elementBytes: 1 } as const;
const choice = only('raw');
const copy = () => ({ ...box, bytes: box.bytes.slice() });

/** Refuses memory to large batches. Resolves with the first refusal. */
function firstRefusal(): Promise<void> {
  return new Promise((resolve) => {
    refuseAbove(300_000, 'encode', resolve);
  });
}

test('if the GPU lacks memory, smaller batches give the same bytes, and halves that are told once', async () => {
  const expected = await createCpuBackend(inlinePool()).encode(copy(), chunks, choice);
  const backend = createGpuBackend(gpu);
  const refused = refuseAbove(300_000);
  const halves: Uint8Array[] = [];
  const halving: BoxHalving = {
    ...{ steps: [2, 2, 2], method: 'mean', type: 'u8' },
    onHalved: ([first]) => void halves.push((first as Uint8Array).slice()),
  };
  expect(await backend.encode(copy(), chunks, choice, { halving })).toEqual(expected);
  expect(refused.count).toBeGreaterThan(0);
  const halved = halve(box.bytes, 'u8', [128, 64, 64], [2, 2, 2], 1, 'mean');
  expect(halves.map((each) => Buffer.from(each).equals(halved as Uint8Array))).toEqual([true]);
  // Later work begins with the size that fitted.
  const { count } = refused;
  const both = await Promise.all([backend.encode(copy(), chunks, choice), backend.encode(copy(), chunks, choice)]);
  expect([both, refused.count]).toEqual([[expected, expected], count]);
});

test('if not even small batches fit, the error says so, and nothing is leaked', async () => {
  const backend = createGpuBackend(gpu);
  const releases: (() => void)[] = [];
  refuseAbove(1000);
  const lend = (release: () => void) => void releases.push(release);
  await expect(backend.encode(copy(), chunks, choice, { lend })).rejects.toMatchObject({ tag: 'out-of-memory' });
  expect(releases).toEqual([]);
});

test('a box for which there was no memory is compressed once there is some', async () => {
  const expected = await createCpuBackend(inlinePool()).encode(copy(), chunks, choice);
  const backend = createGpuBackend(gpu);
  refuseAbove(300_000, 'upload');
  await expect(backend.encode(copy(), chunks, choice)).rejects.toMatchObject({ tag: 'out-of-memory' });
  vi.restoreAllMocks();
  expect(await backend.encode(copy(), chunks, choice)).toEqual(expected);
});

test('a box can be uploaded while another one is refused memory', async () => {
  const expected = await createCpuBackend(inlinePool()).encode(copy(), chunks, choice);
  const backend = createGpuBackend(gpu);
  const refused = firstRefusal();
  const first = backend.encode(copy(), chunks, choice);
  const second = refused.then(() => backend.encode(copy(), chunks, choice));
  expect(await Promise.all([first, second])).toEqual([expected, expected]);
});

test('chunks are decoded beside a box that is refused memory', async () => {
  const encoded = await createCpuBackend(inlinePool()).encode(copy(), chunks, choice);
  const backend = createGpuBackend(gpu);
  const refused = firstRefusal();
  const first = backend.encode(copy(), chunks, choice);
  const target = { ...box, bytes: new Uint8Array(box.bytes.length) };
  const second = refused.then(() => backend.decode(encoded, chunks, target));
  expect((await Promise.all([first, second]))[0]).toEqual(encoded);
  expect(Buffer.from(target.bytes).equals(box.bytes)).toBe(true);
});

test('if the GPU lacks memory, smaller batches are decoded, and damage is told once', async () => {
  const encoded = await createCpuBackend(inlinePool()).encode(copy(), chunks, choice);
  const [first] = encoded;
  if (first?.kind === 'coded') encoded[0] = { ...first, payload: first.payload.map((byte) => byte ^ 1) };
  const backend = createGpuBackend(gpu);
  const refused = refuseAbove(300_000, 'decode.payloads');
  const damaged: number[] = [];
  const job = { onDamage: (chunk: number) => void damaged.push(chunk) };
  const target = { ...box, bytes: new Uint8Array(box.bytes.length) };
  await backend.decode(encoded, chunks, target, job);
  expect([refused.count > 0, damaged]).toEqual([true, [0]]);
  const { count } = refused;
  const lent = await createGpuBackend(gpu).decodeLent?.(encoded, chunks, box, job);
  expect(refused.count).toBeGreaterThan(count);
  const pieces: Uint8Array[] = [];
  for await (const { bytes, release } of lent?.pieces() ?? []) {
    pieces.push(bytes.slice());
    release();
  }
  lent?.release();
  expect(damaged).toEqual([0, 0]);
  // The damaged chunk is in the first 16 planes.
  const sound = (bytes: Uint8Array) => Buffer.from(bytes.subarray(16 * 64 * 128));
  for (const bytes of [target.bytes, Buffer.concat(pieces)]) expect(sound(bytes).equals(sound(box.bytes))).toBe(true);
});

test('a box that does not fit is not tried again in smaller batches', async () => {
  const encoded = await createCpuBackend(inlinePool()).encode(copy(), chunks, choice);
  const backend = createGpuBackend(gpu);
  const refused = refuseAbove(0, 'download.box');
  for (const decode of [backend.decode, backend.decodeLent]) {
    refused.count = 0;
    await expect(decode?.(encoded, chunks, box)).rejects.toMatchObject({ tag: 'out-of-memory' });
    expect(refused.count).toBe(1);
  }
});

test('upload memory that was refused raises nothing when it is given back, and is not kept', async () => {
  await gpu.finish();
  gpu.spare.free();
  refuseAbove(300_000, 'upload-memory');
  await expect(createGpuBackend(gpu).borrowBytes?.(400_000)).rejects.toMatchObject({ tag: 'out-of-memory' });
  await gpu.spare.settle();
  expect(gpu.memory.liveBytes('spare')).toBe(0);
});

test('a box whose rows cannot be padded is not compressed from other voxels', async () => {
  const receiver = await createGpuBackend(gpu).receive?.({ dims: [30, 16, 16], elementBytes: 1 });
  refuseAbove(0, 'plain.rows');
  await expect(receiver?.fill(async (bytes) => void bytes.fill(1))).rejects.toMatchObject({ tag: 'out-of-memory' });
  receiver?.release();
});
