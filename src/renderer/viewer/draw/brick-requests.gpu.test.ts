import { afterEach, expect, test } from 'vitest';
import { type BrickKey, brickKey, brickOf } from '../../../core/bricks/brick.ts';
import { BrickRays } from '../../../core/bricks/brick-rays.ts';
import { finished, testBricks } from '../../../core/bricks/bricks-testing.ts';
import { GpuBricks } from '../../../core/bricks/gpu-bricks.ts';
import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { type RayView, rayFrame, rayFrameBytes, rayParameters, wholeOf } from '../../../core/draw/ray-pass.ts';
import { rayTransfer, rayTransferSize } from '../../../core/draw/ray-transfer.ts';
import type { Dims3, Dims4 } from '../../../core/shared/volume.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { transferIn } from './stack-colors.ts';

const gpu = await openTestGpu();
afterEach(() => finished(gpu));

const dims: Dims4 = [40, 32, 24, 1];
const window = [0, 400] as const;
/** Along z, without perspective, over the whole cube. */
const view: RayView = {
  toCube: [0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0.5, 0.5, 1, 1],
  eye: [0, 0, 1, 0],
  edges: [1, 1, 1],
};

test('a ray requests the next finer bricks of the coarse ones that it crosses, and draws those that are loaded', async () => {
  const source = await testBricks(dims, 'u8', [8, 8, 8], (x, y, z) => 100 + ((x ^ y ^ z) & 15));
  const host = new HostBricks(source, { bytes: 2 ** 20 });
  const bricks = new GpuBricks(gpu, host, { payloadBytes: 2 ** 20, atlasBytes: 2 ** 18, textureBytes: 2 ** 20 });
  const rays = new BrickRays(gpu, bricks);
  using scope = gpu.scope('requests');
  const target = scope.texture('target', 4 * 32 * 32, {
    size: [32, 32],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.STORAGE_BINDING,
  });
  const transfer = transferIn(scope, rayTransferSize);
  const texels = rayTransfer(new Uint8Array(768), (place) => place);
  gpu.device.queue.writeTexture({ texture: transfer }, texels, { bytesPerRow: 1024 }, [...rayTransferSize]);
  const frame = scope.buffer('frame', rayFrameBytes, GPUBufferUsage.UNIFORM);
  const volume = { dims: dims.slice(0, 3) as unknown as Dims3, bricks: { size: 8 }, low: 0, high: 1 };
  const whole = [0, 1] as const;
  const look = { window, level: 0, attenuation: 0, lighting: false, clip: [whole, whole, whole] as const };
  const parameters = rayParameters(
    volume,
    { ...look, outside: ['clamp', 'clamp'] },
    { isCategorical: false, isFloorOpaque: false },
    1,
  );
  gpu.device.queue.writeBuffer(frame, 0, rayFrame(volume, view, parameters, wholeOf(target)));

  /** The missed bricks of each level, if some are loaded and the finest ones are wanted. */
  const missedWith = async (keys: readonly BrickKey[]): Promise<number[]> => {
    bricks.want(keys);
    for (let round = 0; round < 300 && !bricks.isSettled; round++) {
      bricks.update();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    const commands = gpu.commands('frame');
    const paged = { timePoint: 0, window, isCategorical: false, numbers: [0, 255] as const };
    rays.begin(commands, [paged], { edges: [1, 1, 1], detail: 1e-9 });
    rays.record(commands, { projection: 'mip', frame, transfer }, target, wholeOf(target));
    const feedback = rays.end(commands);
    await commands.submit();
    const { missed } = feedback();
    return [0, 1, 2].map((level) => missed.filter((key) => brickOf(key).level === level).length);
  };
  const [, middle = 0, coarsest = 0] = source.levels.map(({ grid }) => grid.count);
  const coarse = Array.from({ length: coarsest }, (_, number) => brickKey({ level: 2, number }));
  try {
    expect([coarsest, middle]).toEqual([2 * 1 * 1, 3 * 2 * 2]);
    expect(await missedWith(coarse)).toEqual([0, middle, 0]);
    expect(await missedWith([...coarse, brickKey({ level: 1, number: 0 })])).toEqual([8, middle - 1, 0]);
  } finally {
    rays.destroy();
    bricks.close();
    host.close();
  }
});
