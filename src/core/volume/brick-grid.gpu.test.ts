import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { ResidentVolume } from './resident/resident-volume.ts';
import { testInfo, testVoxels } from './resident-testing.ts';

const gpu = await openTestGpu();

function half(bytes: Uint8Array, at: number): number {
  const bits = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  const exponent = (bits >> 10) & 31;
  const size = exponent === 0 ? (bits & 1023) * 2 ** -24 : (1 + (bits & 1023) / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

test('a brick holds the range of its texels and of the texels next to it; a block holds the range of its bricks', async () => {
  const before = gpu.memory.liveBytes();
  const [x, y, z] = [43, 8, 59];
  const info = testInfo([x, y, z, 1], 'u8');
  const voxels = testVoxels(info).map((value) => 40 + (value >> 3));
  voxels[(13 * y + 5) * x + 11] = 255;
  voxels[(16 * y + 2) * x + 21] = 250;
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(voxels);
  /** The range of the texels in a cube of texels and up to one texel around it, or `marginX` texels along x. */
  const rangeOf = (firstX: number, firstZ: number, side: number, marginX: number): [number, number] => {
    let [least, greatest] = [255, 0];
    for (let vz = Math.max(0, firstZ - 1); vz < Math.min(z, firstZ + side + 1); vz++) {
      for (let vy = 0; vy < y; vy++) {
        for (let vx = Math.max(0, firstX - marginX); vx < Math.min(x, firstX + side + marginX); vx++) {
          const value = voxels[(vz * y + vy) * x + vx] as number;
          [least, greatest] = [Math.min(least, value), Math.max(greatest, value)];
        }
      }
    }
    return [least / 255, greatest / 255];
  };
  {
    using scope = gpu.scope('test');
    const { bricks: grid } = await volume.displayTexture(0);
    expect(grid.size).toBe(8);
    for (const [texture, side] of [
      [grid.texture, 8],
      [grid.blocks, 32],
    ] as const) {
      const { width, height, depthOrArrayLayers: depth } = texture;
      expect([width, height, depth]).toEqual([Math.ceil(x / side), 1, Math.ceil(z / side)]);
      const buffer = scope.buffer('texels', 256 * depth, GPUBufferUsage.COPY_SRC);
      await gpu
        .commands('test')
        .record((encoder) =>
          encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256, rowsPerImage: 1 }, [width, 1, depth]),
        )
        .submit();
      const bytes = await gpu.read(buffer);
      for (let cellZ = 0; cellZ < depth; cellZ++) {
        for (let cellX = 0; cellX < width; cellX++) {
          const [least, greatest] = rangeOf(cellX * side, cellZ * side, side, 1);
          // Along x a brick's range covers whole words of four texels.
          const [leastAround, greatestAround] = rangeOf(cellX * side, cellZ * side, side, 4);
          const at = cellZ * 256 + cellX * 8;
          expect(half(bytes, at)).toBeLessThanOrEqual(least);
          // Only bricks near the row’s end may count padding as texels of 0.
          if ((cellX + 1) * side + 4 <= x) expect(half(bytes, at)).toBeGreaterThan(leastAround - 0.003);
          expect(half(bytes, at + 2)).toBeGreaterThanOrEqual(greatest);
          expect(half(bytes, at + 2)).toBeLessThan(greatestAround + 0.003);
        }
      }
    }
  }
  volume.destroy();
  expect(gpu.memory.liveBytes()).toBe(before);
});
