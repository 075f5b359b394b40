import { afterEach, expect, test, vi } from 'vitest';
import { StriaError } from '../shared/errors.ts';
import type { Gpu } from './gpu.ts';
import { UploadMemory } from './upload-memory.ts';

afterEach(() => vi.unstubAllGlobals());

test('memory that cannot be mapped because the device is being lost is told as the loss', async () => {
  vi.stubGlobal('GPUBufferUsage', { MAP_WRITE: 2, COPY_SRC: 4 });
  const destroy = vi.fn();
  // Chromium rejects `mapAsync` with an AbortError before it reports the loss.
  const gpu = {
    checkAlive: () => {},
    scope: () => ({ reused: () => ({}), destroy }),
    spare: { mapForWriting: () => Promise.reject(new DOMException('the device was destroyed', 'AbortError')) },
    causeOf: async () => new StriaError('device-lost', 'the GPU device was lost'),
  } as unknown as Gpu;
  await expect(UploadMemory.take(gpu, 16)).rejects.toMatchObject({ tag: 'device-lost' });
  expect(destroy).toHaveBeenCalledOnce();
});
