/** A Gpu for the tests of one file. Imported by tests alone. */
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { Gpu } from '../core/gpu/gpu.ts';
import { openNodeGpu, releaseNodeGpu } from './node-gpu.ts';

const open = new Set<Gpu>();

/**
 * A software GPU, destroyed behind the file's last test. Each test must leave it as it was: not lost, without an error
 * that nobody caught, and with no byte more allocated than before.
 * @param limits 'default': those that every device has, and dispatches of few workgroups along each dimension, so that what
 * needs more along one of large volumes does so of small ones. Left out: the adapter's
 */
export async function openTestGpu(limits?: 'default'): Promise<Gpu> {
  const gpu = await openNodeGpu({ software: true, ...(limits && { limits, workgroupsPerDimension: 5 }) });
  open.add(gpu);
  const uncaptured: string[] = [];
  gpu.device.addEventListener('uncapturederror', ({ error }) => void uncaptured.push(error.message));
  let liveBytes = 0;
  beforeEach(() => {
    liveBytes = gpu.memory.liveBytes();
  });
  afterEach(() => {
    expect(uncaptured.splice(0)).toEqual([]);
    expect(gpu.isLost).toBe(false);
    expect(gpu.memory.liveBytes()).toBe(liveBytes);
  });
  afterAll(() => {
    gpu.destroy();
    open.delete(gpu);
    if (open.size === 0) releaseNodeGpu();
  });
  return gpu;
}
