/** A Gpu for tests. Imported by tests alone. */
import { afterEach, beforeEach, expect } from 'vitest';
import type { Gpu } from '../core/gpu/gpu.ts';
import { openNodeGpu, releaseNodeGpu } from '../node/node-gpu.ts';

interface TestGpu {
  readonly gpu: Gpu;
  /** Errors that nobody caught. */
  readonly uncaptured: string[];
}

/** One for all files of this process: a software GPU takes a minute to compile all kernels. No file may release Dawn, therefore. */
let open: Promise<TestGpu> | undefined;
const opened = new Set<Gpu>();

process.once('exit', () => {
  for (const gpu of opened) gpu.destroy();
  releaseNodeGpu();
});

async function start(): Promise<TestGpu> {
  const gpu = await openNodeGpu({ software: true, limits: 'default' });
  const uncaptured: string[] = [];
  gpu.device.addEventListener('uncapturederror', ({ error }) => void uncaptured.push(error.message));
  // Poisons reused buffers, so that nothing relies on old contents.
  gpu.spare.beforeUse = (buffer) => gpu.device.queue.writeBuffer(buffer, 0, new Uint8Array(buffer.size).fill(0xa5));
  opened.add(gpu);
  return { gpu, uncaptured };
}

/**
 * A software GPU of the limits that every device has, shared with the other files of this process. Each test must leave it as it
 * was: not lost, without an error that nobody caught, and with no byte more allocated than before, but for
 * spare buffers.
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
