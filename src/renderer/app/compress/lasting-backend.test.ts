import { expect, test, vi } from 'vitest';
import type { Backend } from '../../../core/chunks/backend.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { lastingBackend } from './lasting-backend.ts';

function backendOf(decode: () => Promise<void>): Backend {
  const device = { kind: 'cpu', name: 'double', software: false } as const;
  return { device, maxBoxBytes: 1, encode: async () => [], decode: vi.fn(decode), destroy: vi.fn(async () => {}) };
}

const box = { bytes: new Uint8Array(1), dims: [1, 1, 1], elementBytes: 1 } as const;

test('the CPU takes over when the GPU is lost, and is used from then on', async () => {
  const other = backendOf(async () => {});
  const gpu = backendOf(async () => {
    throw new StriaError('device-lost', 'gone');
  });
  const makeOther = vi.fn(() => other);
  const lasting = lastingBackend(gpu, makeOther);
  await lasting.decode([], [], box);
  await lasting.decode([], [], box);
  expect(gpu.decode).toHaveBeenCalledTimes(1);
  expect(other.decode).toHaveBeenCalledTimes(2);
  expect(makeOther).toHaveBeenCalledTimes(1);
  await lasting.destroy();
  expect(other.destroy).toHaveBeenCalledTimes(1);
});

test('other faults are thrown, and the GPU’s backend is not destroyed', async () => {
  const gpu = backendOf(async () => {
    throw new StriaError('corrupt', 'damaged');
  });
  const makeOther = vi.fn(() => gpu);
  const lasting = lastingBackend(gpu, makeOther);
  await expect(lasting.decode([], [], box)).rejects.toMatchObject({ tag: 'corrupt' });
  await lasting.destroy();
  expect(makeOther).not.toHaveBeenCalled();
  expect(gpu.destroy).not.toHaveBeenCalled();
});
