/** A Gpu for tests. Only tests import this. */
import { afterEach, beforeEach, expect } from 'vitest';
import type { Gpu } from '../core/gpu/gpu.ts';
import { openNodeGpu, releaseNodeGpu } from '../node/node-gpu.ts';

interface TestGpu {
  readonly gpu: Gpu;
  /** Uncaptured errors. */
  readonly uncaptured: string[];
}

/**
 * One device for all test files of this process that want the same features, because a software GPU takes a minute to compile all kernels. No file may
 * therefore release Dawn.
 */
const open = new Map<string, Promise<TestGpu>>();
const opened = new Set<Gpu>();

process.once('exit', () => {
  for (const gpu of opened) gpu.destroy();
  releaseNodeGpu();
});

async function start(without: readonly GPUFeatureName[]): Promise<TestGpu> {
  const gpu = await openNodeGpu({ software: true, limits: 'default', without });
  const uncaptured: string[] = [];
  gpu.onError((message) => void uncaptured.push(message));
  // Poisons reused buffers, so that nothing relies on old contents.
  gpu.spare.beforeUse = (buffer) => gpu.device.queue.writeBuffer(buffer, 0, new Uint8Array(buffer.size).fill(0xa5));
  opened.add(gpu);
  return { gpu, uncaptured };
}

/**
 * A software GPU with the limits that every device has, shared with the other files of this process. Each test must leave it as
 * it was: not lost, without an uncaptured error, and with no more bytes allocated than before, except spare buffers.
 * @param without optional features that its device lacks
 */
export async function openTestGpu(without: readonly GPUFeatureName[] = []): Promise<Gpu> {
  const key = without.join();
  const before = open.get(key);
  const opening = before && !(await before).gpu.isLost ? before : start(without);
  open.set(key, opening);
  const { gpu, uncaptured } = await opening;
  let liveBytes = 0;
  beforeEach(() => {
    liveBytes = gpu.memory.liveBytes();
  });
  afterEach(() => {
    expect(uncaptured.splice(0)).toEqual([]);
    expect(gpu.isLost).toBe(false);
    gpu.spare.free();
    expect(gpu.memory.liveBytes()).toBe(liveBytes);
  });
  return gpu;
}
