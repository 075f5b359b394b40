import { expect, test } from 'vitest';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { closeGpu, gpuBackend } from './gpu-device.ts';

/** As much of a Gpu as opening and closing a backend needs. */
function fakeGpu(calls: string[]): Gpu {
  const gpu = {
    isSoftware: false,
    name: 'fake',
    maxBindingBytes: 2 ** 28,
    endPreparing: () => calls.push('end'),
    settle: async () => void calls.push('settle'),
    destroy: () => calls.push('destroy'),
  };
  return gpu as unknown as Gpu;
}

test('a GPU is destroyed once its work has settled', async () => {
  const calls: string[] = [];
  await gpuBackend(fakeGpu(calls)).close();
  expect(calls).toEqual(['end', 'settle', 'destroy']);
});

test('a GPU that was closed while the caller waited is not closed again, and closing it ends before the command does', async () => {
  const calls: string[] = [];
  const opened = gpuBackend(fakeGpu(calls));
  opened.closeGpu?.();
  opened.closeGpu?.();
  await opened.close();
  expect(calls).toEqual(['end', 'settle', 'destroy']);
});

test.each([
  ['is left to the driver', false, ['end', 'settle']],
  ['is destroyed if there is time for it', true, ['end', 'settle', 'destroy']],
])('if the process ends soon, a GPU %s', async (_, isIdleTime, expected) => {
  const calls: string[] = [];
  await closeGpu(fakeGpu(calls), isIdleTime, true);
  expect(calls).toEqual(expected);
});
