import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { UploadMemory } from './upload-memory.ts';

const gpu = await openTestGpu();

test('data written by the CPU arrive on the GPU, and the memory is reused once the GPU has copied it', async () => {
  using scope = gpu.scope('test');
  const target = scope.storage('target', 1000);
  for (const value of [7, 9]) {
    const memory = await UploadMemory.take(gpu, 997);
    expect(memory.bytes.byteLength).toBe(997);
    expect(UploadMemory.of(memory.bytes)).toBe(memory);
    expect(UploadMemory.of(memory.bytes.subarray(1))).toBe(undefined);
    memory.bytes.fill(value);
    memory.copyTo(target);
    expect(memory.bytes.byteLength).toBe(0);
    memory.release();
    expect(gpu.spare.holdsMapped(997)).toBe(false);
    expect([...(await gpu.read(target, 0, 997))].every((byte) => byte === value)).toBe(true);
    expect(gpu.memory.liveBytes('spare')).toBeGreaterThanOrEqual(1000);
    expect(gpu.memory.liveBytes('spare')).toBeLessThan(2000);
    // Mapped again without being asked, so that the next user need not wait.
    expect(gpu.spare.holdsMapped(997)).toBe(true);
  }
});

test('settling waits until used memory is mapped again', async () => {
  using scope = gpu.scope('test');
  const memory = await UploadMemory.take(gpu, 2 ** 20);
  memory.copyTo(scope.storage('target', 2 ** 20));
  expect(gpu.spare.holdsMapped(2 ** 20)).toBe(false);
  await gpu.settle();
  expect(gpu.spare.holdsMapped(2 ** 20)).toBe(true);
  gpu.spare.free();
});

test('unused memory is returned', async () => {
  const before = gpu.memory.liveBytes();
  (await UploadMemory.take(gpu, 4096)).release();
  gpu.spare.free();
  expect(gpu.memory.liveBytes()).toBe(before);
});

test('other bytes are not upload memory', () => {
  expect(UploadMemory.of(new Uint8Array(4))).toBe(undefined);
});
