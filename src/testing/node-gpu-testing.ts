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
 * One device for all test files of this process, because a software GPU takes a minute to compile all kernels. No file may
 * therefore release Dawn.
 */
let open: Promise<TestGpu> | undefined;
const opened = new Set<Gpu>();

process.once('exit', () => {
  for (const gpu of opened) gpu.destroy();
  releaseNodeGpu();
});

async function start(): Promise<TestGpu> {
  const gpu = await openNodeGpu({ software: true, limits: 'default' });
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
 */
export async function openTestGpu(): Promise<Gpu> {
  if ((await open)?.gpu.isLost) open = undefined;
  open ??= start();
  const { gpu, uncaptured } = await open;
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
