import { expect, test, vi } from 'vitest';
import type { GpuDiagnosis } from './diagnosis.ts';
import { Gpu } from './gpu.ts';

/** A device that is lost on demand. Calls that are pending then are rejected before the loss is told, as in Chromium. */
function fakeGpu(refusal: { message: string } | null = null) {
  let lose: (info: { message: string }) => void = () => {};
  let isLost = false;
  const answer = async <T>(value: T): Promise<T> => {
    if (isLost) throw new DOMException('the device was destroyed', 'OperationError');
    return value;
  };
  const device = {
    features: new Set(),
    limits: { maxComputeWorkgroupsPerDimension: 65535 },
    lost: new Promise((resolve) => {
      lose = resolve;
    }),
    addEventListener: () => {},
    removeEventListener: () => {},
    pushErrorScope: vi.fn(),
    popErrorScope: vi.fn(() => answer(refusal)),
    queue: { onSubmittedWorkDone: () => answer(undefined) },
  };
  const gpu = new Gpu(device as unknown as GPUDevice, { software: true } as GpuDiagnosis);
  const destroy = () => {
    isLost = true;
    setTimeout(() => lose({ message: 'destroyed' }), 5);
  };
  return { gpu, device, destroy };
}

const lost = { tag: 'device-lost', message: 'the GPU device was lost: destroyed' };

test('resources are returned if the GPU has memory for them', async () => {
  const free = vi.fn();
  expect(await fakeGpu().gpu.allocate('to draw', () => 'made', free)).toBe('made');
  expect(free).not.toHaveBeenCalled();
});

test('resources for which the GPU has no memory are freed, and the message says what they were for', async () => {
  const free = vi.fn();
  const { gpu } = fakeGpu({ message: 'no room' });
  const message = 'the GPU does not have enough memory to draw: no room';
  await expect(gpu.allocate('to draw', () => 'made', free)).rejects.toMatchObject({ tag: 'out-of-memory', message });
  expect(free.mock.calls).toEqual([['made']]);
});

test('a loss while resources are created is told as the loss, and they are freed', async () => {
  const { gpu, destroy } = fakeGpu();
  const free = vi.fn();
  const create = () => {
    destroy();
    return 'made';
  };
  await expect(gpu.allocate('to draw', create, free)).rejects.toMatchObject(lost);
  expect(free.mock.calls).toEqual([['made']]);
});

test('resources that cannot be created leave no error scope open', async () => {
  const { gpu, device } = fakeGpu();
  const fail = () => {
    throw new RangeError('too large');
  };
  await expect(gpu.allocate('to draw', fail)).rejects.toThrow('too large');
  expect(device.popErrorScope).toHaveBeenCalledTimes(device.pushErrorScope.mock.calls.length);
});

test('a loss while submitted work runs is told as the loss', async () => {
  const { gpu, destroy } = fakeGpu();
  await gpu.finish();
  destroy();
  await expect(gpu.finish()).rejects.toMatchObject(lost);
});
