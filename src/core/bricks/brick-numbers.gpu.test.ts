import { afterEach, expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { type Dims3, type Dims4, type ElementType, elementBytes, typedVoxels } from '../shared/volume.ts';
import { floatBits } from '../volume/voxel-key.ts';
import { brickKey } from './brick.ts';
import type { BrickLevel } from './brick-source.ts';
import { finished, type TestBricks, type TestVoxel, testBricks } from './bricks-testing.ts';
import { GpuBricks } from './gpu-bricks.ts';
import { HostBricks } from './host-bricks.ts';

const gpu = await openTestGpu();
afterEach(() => finished(gpu));
const dims: Dims4 = [22, 17, 13, 1];
const chunk: Dims3 = [8, 8, 8];
const missing = -(2 ** 127);

async function load(bricks: GpuBricks): Promise<void> {
  for (const end = performance.now() + 30_000; !bricks.isSettled; ) {
    if (performance.now() > end) throw new Error('the bricks never arrive');
    bricks.update();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** The floats of a whole 3D texture, x fastest. */
async function texelsOf(texture: GPUTexture): Promise<(x: number, y: number, z: number) => number> {
  using scope = gpu.scope('texels');
  const { width, height, depthOrArrayLayers: depth } = texture;
  const pitch = Math.ceil((4 * width) / 256) * 256;
  const buffer = scope.buffer('texels', pitch * height * depth, GPUBufferUsage.COPY_SRC);
  const layout = { buffer, bytesPerRow: pitch, rowsPerImage: height };
  await gpu
    .commands('texels')
    .record((encoder) => encoder.copyTextureToBuffer({ texture }, layout, [width, height, depth]))
    .submit();
  const floats = new Float32Array((await gpu.read(buffer)).buffer);
  return (x, y, z) => floats[((z * height + y) * pitch) / 4 + x] as number;
}

/** The texel of the nearest voxel to a position, and whether it is missing. @param lowest the lowest number that is not missing */
function texelOf({ info, voxels }: TestBricks, place: readonly number[], lowest: number): number {
  const typed = typedVoxels(info.type, voxels[0] as Uint8Array<ArrayBuffer>);
  const [x, y, z] = place.map((value, axis) => Math.min((dims[axis] as number) - 1, Math.max(0, value))) as unknown as Dims3;
  const value = typed[(z * dims[1] + y) * dims[0] + x] as number;
  return info.type.startsWith('f') && (!Number.isFinite(value) || value < lowest) ? missing : Math.fround(value);
}

/** Compares the texels, cells and ranges of all bricks with the source's voxels. @returns how many bricks were compared */
async function compare(source: TestBricks, bricks: GpuBricks, lowest: number): Promise<number> {
  const { atlas } = bricks;
  const { grid } = source.levels[0] as BrickLevel;
  const texels = await texelsOf(atlas.filtered.texture);
  const perVoxel = source.info.type === 'f64' ? 2 : 1;
  let count = 0;
  for (let number = 0; number < grid.count; number++) {
    const slot = atlas.slots.peek(brickKey({ level: 0, number }));
    if (slot === undefined) continue;
    count++;
    const first = grid.box(number).origin.map((value, axis) => (axis === 0 ? value / perVoxel : value));
    const { origin, size } = atlas.filtered.boxOf(slot);
    // The ranges of the brick and of its only cell also cover the texels around them.
    let [least, greatest] = [Infinity, -Infinity];
    const wrong: string[] = [];
    const numbers: number[] = [];
    for (let z = -2; z < size[2] - 2; z++)
      for (let y = -2; y < size[1] - 2; y++)
        for (let x = -2; x < size[0] - 2; x++) {
          const expected = texelOf(source, [x, y, z].map((by, axis) => (first[axis] as number) + by), lowest); // biome-ignore format: one line
          const found = texels(origin[0] + x + 2, origin[1] + y + 2, origin[2] + z + 2);
          if (found !== expected) wrong.push(`${[x, y, z]}: ${found} instead of ${expected}`);
          if (Math.min(x, y, z) >= -1 && Math.max(x, y, z) <= 8) {
            least = Math.min(least, expected);
            greatest = Math.max(greatest, expected);
          }
          if (expected !== missing) numbers.push(expected);
        }
    expect(wrong.slice(0, 3), `brick ${number}`).toEqual([]);
    expect(new Float32Array((await gpu.read(atlas.filtered.cells, 8 * slot, 8)).buffer)).toEqual(
      Float32Array.of(least, greatest),
    );
    const [low, high, hasMissing, hasNumbers] = await gpu.readWords(atlas.ranges, 16 * slot, 16);
    expect(hasNumbers).toBe(Number(numbers.length > 0));
    expect(hasMissing).toBe(Number(numbers.length < size[0] * size[1] * size[2]));
    const bitsOf = (value: number) => (source.info.type.startsWith('f') ? floatBits(value) : value >>> 0);
    if (numbers.length > 0) expect([low, high]).toEqual([bitsOf(Math.min(...numbers)), bitsOf(Math.max(...numbers))]);
  }
  return count;
}

/** Values that vary, with a block of the same value and, in floats, missing voxels and a marker of missing data. */
function voxelsOf(type: ElementType): TestVoxel {
  return (x, y, z) => {
    if (x < 8 && y < 8 && z < 8) return 5;
    if (type === 'f32' && (x + y + z) % 11 === 0) return x % 2 === 0 ? Number.NaN : -9999;
    const value = 1000 * Math.sin(x / 3) + 17 * y - 3 * z;
    return type === 'u32' ? Math.round(Math.abs(value)) : type === 'i32' ? Math.round(value) : value / 7;
  };
}

test.each(['u32', 'i32', 'f32', 'f64'] as const)(
  'bricks of %s are in the texture as floats, with voxels of their neighbours and ranges',
  async (type) => {
    const source = await testBricks(dims, type, type === 'f64' ? [16, 8, 8] : chunk, voxelsOf(type), {
      codecs: ['rice', 'raw'],
      levelCount: 1,
    });
    const host = new HostBricks(source, { bytes: 2 ** 18 });
    const limits = {
      payloadBytes: 2 ** 18,
      atlasBytes: 20 * 512 * elementBytes(type),
      textureBytes: 2 ** 18,
      bricksPerUpdate: 5,
    };
    const bricks = new GpuBricks(gpu, host, limits);
    expect(bricks.atlas.filtered.isUsed).toBe(true);
    bricks.want(
      Array.from({ length: (source.levels[0] as BrickLevel).grid.count }, (_, number) => brickKey({ level: 0, number })),
    );
    await load(bricks);
    expect(await compare(source, bricks, -Infinity)).toBeGreaterThan(15);
    if (type === 'f32') {
      // Once the marker is known, bricks are copied again, and drawn from the atlas until then.
      expect(bricks.isFiltered([0, 1000], [-5000, 5000])).toBe(false);
      await load(bricks);
      expect(bricks.isFiltered([0, 1000], [-5000, 5000])).toBe(true);
      await compare(source, bricks, -5000);
    }
    bricks.close();
    host.close();
  },
);
