import { expect, test } from 'vitest';
import { openTestGpu } from '../../cli/node-gpu-testing.ts';
import { testInfo, testVoxels } from './resident-testing.ts';
import { ResidentVolume } from './resident-volume.ts';

const gpu = await openTestGpu();

function half(bytes: Uint8Array, at: number): number {
  const bits = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  const exponent = (bits >> 10) & 31;
  const size = exponent === 0 ? (bits & 1023) * 2 ** -24 : (1 + (bits & 1023) / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

test('a brick holds the range of its texels and of the bricks around it', async () => {
  const before = gpu.memory.liveBytes();
  const [x, y, z] = [19, 8, 27];
  const info = testInfo([x, y, z, 1], 'u8');
  const voxels = testVoxels(info).map((value) => 40 + (value >> 3));
  voxels[(13 * y + 5) * x + 11] = 255;
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(voxels);
  {
    using scope = gpu.scope('test');
    const display = await volume.displayTexture(0);
    const grid = display.bricks;
    expect([grid.size, grid.texture.width, grid.texture.height, grid.texture.depthOrArrayLayers]).toEqual([8, 3, 1, 4]);
    const buffer = scope.buffer('texels', 256 * 4, GPUBufferUsage.COPY_SRC);
    await gpu
      .commands('test')
      .record((encoder) =>
        encoder.copyTextureToBuffer({ texture: grid.texture }, { buffer, bytesPerRow: 256, rowsPerImage: 1 }, [3, 1, 4]),
      )
      .submit();
    const bytes = await gpu.read(buffer);
    for (let brickZ = 0; brickZ < 4; brickZ++) {
      for (let brickX = 0; brickX < 3; brickX++) {
        const around: number[] = [];
        for (let vz = Math.max(0, brickZ * 8 - 8); vz < Math.min(z, brickZ * 8 + 16); vz++) {
          for (let vy = 0; vy < y; vy++) {
            for (let vx = Math.max(0, brickX * 8 - 8); vx < Math.min(x, brickX * 8 + 16); vx++) {
              around.push(voxels[(vz * y + vy) * x + vx] as number);
            }
          }
        }
        const at = brickZ * 256 + brickX * 8;
        expect(half(bytes, at)).toBeLessThanOrEqual(Math.min(...around) / 255);
        // Only bricks beside the row's end may count padding as texels of 0.
        if (brickX === 0) expect(half(bytes, at)).toBeGreaterThan(Math.min(...around) / 255 - 0.003);
        expect(half(bytes, at + 2)).toBeGreaterThanOrEqual(Math.max(...around) / 255);
        expect(half(bytes, at + 2)).toBeLessThan(Math.max(...around) / 255 + 0.003);
      }
    }
  }
  volume.destroy();
  expect(gpu.memory.liveBytes()).toBe(before);
});
