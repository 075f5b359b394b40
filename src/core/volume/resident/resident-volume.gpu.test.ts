import { describe, expect, test, vi } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { rowBytes } from '../../codec/codec.ts';
import { ChunkGrid, codecElementDims } from '../../format/chunk-grid.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { StriaError } from '../../shared/errors.ts';
import { elementBytes, elementTypes, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import { testInfo, testVoxels, withBindingLimit } from '../resident-testing.ts';
import { type DisplayFormat, texelBytes } from '../texel-kind.ts';
import { layOut } from './resident-layout.ts';
import { ResidentVolume } from './resident-volume.ts';

const gpu = await openTestGpu();

function appendInPieces(volume: ResidentVolume, bytes: Uint8Array): void {
  const sizes = [1, 7, 64, 333, 5000];
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const end = Math.min(bytes.length, start + (sizes[turn % sizes.length] as number));
    volume.append(bytes.subarray(start, end));
    start = end;
  }
}

/** Gathers the volume's bytes from the chunks of its boxes. */
async function bytesOfChunks(volume: ResidentVolume, info: VolumeInfo, chunkShape: readonly [number, number, number]) {
  const grid = new ChunkGrid(codecElementDims(info), chunkShape);
  const [gridX, gridY, gridZ] = grid.dims;
  const result = new Uint8Array(grid.dims.reduce((a, b) => a * b) * Math.min(4, elementBytes(info.type)));
  const seen = new Set<number>();
  for (const { voxels, chunks, chunkNumbers } of volume.boxes) {
    const bytes = await gpu.read(voxels.buffer);
    const pitch = rowBytes(voxels.dims[0], voxels.elementBytes);
    for (const [index, { origin, shape }] of chunks.entries()) {
      const number = chunkNumbers[index] as number;
      seen.add(number);
      const place = grid.box(number);
      expect(shape).toEqual(place.shape);
      for (let z = 0; z < shape[2]; z++) {
        for (let y = 0; y < shape[1]; y++) {
          const from = ((origin[2] + z) * voxels.dims[1] + origin[1] + y) * pitch + origin[0] * voxels.elementBytes;
          const row = ((place.t * gridZ + place.origin[2] + z) * gridY + place.origin[1] + y) * gridX + place.origin[0];
          result.set(bytes.subarray(from, from + shape[0] * voxels.elementBytes), row * voxels.elementBytes);
        }
      }
    }
  }
  expect(seen.size).toBe(grid.count);
  return result;
}

describe.each(elementTypes)('%s', (type) => {
  test.each([
    ['one box', 2 ** 20, [13, 17, 23, 2]],
    ['boxes of layers', 5000, [13, 17, 23, 2]],
    ['strips', 2500, [13, 37, 9, 2]],
    ['rows of whole words', 2 ** 20, [16, 9, 10, 1]],
    ['one voxel', 2 ** 20, [1, 1, 1, 1]],
    ['a long axis', 2 ** 20, [1001, 1, 1, 3]],
  ] as const)('%s: the chunks hold the bytes that came, and voxels read back exactly', async (_name, limitPerByte, dims) => {
    const limit = limitPerByte * elementBytes(type);
    const info = testInfo(dims, type);
    const bytes = testVoxels(info);
    const volume = await ResidentVolume.create(withBindingLimit(gpu, limit), info, {
      chunkShape: [8, 8, 8],
      budgetBytes: 2 ** 24,
    });
    appendInPieces(volume, bytes);
    expect(volume.isComplete).toBe(true);
    expect(await bytesOfChunks(volume, info, [8, 8, 8])).toEqual(bytes);
    for (const { voxels } of volume.boxes) expect(voxels.buffer.size).toBeLessThanOrEqual(limit);
    const values = typedVoxels(type, bytes);
    for (const part of [0, 0.37, 0.71, 0.999]) {
      const [x, y, z, t] = dims.map((length) => Math.floor(length * part)) as [number, number, number, number];
      const index = ((t * dims[2] + z) * dims[1] + y) * dims[0] + x;
      expect(await volume.voxel(x, y, z, t)).toBe(values[index]);
    }
    volume.destroy();
  });

  test('if the budget is exceeded, only every n-th voxel is kept, and the boxes cannot be encoded', async () => {
    const info = testInfo([29, 17, 13, 2], type);
    const bytes = testVoxels(info);
    const budgetBytes = 400 * elementBytes(type);
    const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8], budgetBytes });
    appendInPieces(volume, bytes);
    expect(volume.decimation).toBeGreaterThan(1);
    expect(volume.boxes).toEqual([]);
    const values = typedVoxels(type, bytes);
    const kept = (at: number): number => at - (at % volume.decimation);
    for (const [x, y, z, t] of [
      [0, 0, 0, 0],
      [28, 16, 12, 1],
      [11, 7, 5, 1],
    ] as const) {
      const index = ((t * 13 + kept(z)) * 17 + kept(y)) * 29 + kept(x);
      expect(await volume.voxel(x, y, z, t)).toBe(values[index]);
    }
    volume.destroy();
  });
});

async function readTexture(texture: GPUTexture): Promise<{ bytes: Uint8Array; pitch: number }> {
  using scope = gpu.scope('test');
  const { width, height, depthOrArrayLayers: depth } = texture;
  const pitch = Math.ceil((width * texelBytes[texture.format as DisplayFormat]) / 256) * 256;
  const buffer = scope.buffer('texture', pitch * height * depth, GPUBufferUsage.COPY_SRC);
  await gpu
    .commands('test')
    .record((encoder) =>
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: pitch, rowsPerImage: height }, [width, height, depth]),
    )
    .submit();
  return { bytes: await gpu.read(buffer), pitch };
}

test.each(['u8', 'i8'] as const)('%s: the display texture holds each voxel exactly, from several boxes', async (type) => {
  const info = testInfo([13, 17, 23, 2], type);
  const bytes = testVoxels(info);
  const volume = await ResidentVolume.create(withBindingLimit(gpu, 4096), info, { chunkShape: [8, 8, 8], budgetBytes: 2 ** 24 });
  volume.append(bytes);
  const first = await volume.displayTexture(0);
  const display = await volume.displayTexture(1);
  expect(display.texture).toBe(first.texture);
  expect([display.low, display.high]).toEqual(type === 'u8' ? [0, 255] : [-128, 127]);
  const texels = await readTexture(display.texture);
  const offset = type === 'i8' ? 0x80 : 0;
  for (let z = 0; z < 23; z++) {
    for (let y = 0; y < 17; y++) {
      const from = ((23 + z) * 17 + y) * 13;
      const row = (z * 17 + y) * texels.pitch;
      expect(texels.bytes.subarray(row, row + 13)).toEqual(bytes.slice(from, from + 13).map((byte) => byte ^ offset));
    }
  }
  volume.destroy();
});

/** The same device without any optional feature. */
function withoutFeatures(): Gpu {
  const device = overriding(gpu.device, 'features', new Set<string>());
  return overriding(gpu, 'device', device);
}

function overriding<Target extends object>(target: Target, name: keyof Target, replacement: unknown): Target {
  return new Proxy(target, {
    get: (_, key) => {
      if (key === name) return replacement;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A texel's value: see `DisplayTexture`. */
function texelValue(format: GPUTextureFormat, bytes: DataView, at: number): number {
  if (format === 'r32float') return bytes.getFloat32(at, true);
  if (format === 'rg8unorm') return bytes.getUint8(at) / 255 + bytes.getUint8(at + 1) / 255 / 256;
  const half = bytes.getUint16(at, true);
  const exponent = half >> 10;
  return exponent === 0 ? (half & 1023) * 2 ** -24 : (1 + (half & 1023) / 1024) * 2 ** (exponent - 15);
}

describe.each(['u16', 'i16', 'u32', 'i32', 'f32', 'f64'] as const)('%s: the display texture is normalised', (type) => {
  const is16 = type === 'u16' || type === 'i16';
  test.each([
    [is16 ? 'rg8unorm' : 'r32float', 1e-6, () => gpu],
    [is16 ? 'rg8unorm' : 'r16float', 0.001, withoutFeatures],
  ] as const)('as %s', async (format, tolerance, device) => {
    const info = testInfo([13, 5, 4, 1], type);
    const bytes = testVoxels(info);
    const volume = await ResidentVolume.create(device(), info, { chunkShape: [8, 8, 8] });
    volume.append(bytes);
    const { texture, low, high } = await volume.displayTexture(0);
    expect(texture.format).toBe(format);
    const { bytes: texels, pitch } = await readTexture(texture);
    const view = new DataView(texels.buffer, texels.byteOffset, texels.byteLength);
    for (const [index, voxel] of typedVoxels(type, bytes).entries()) {
      const value = texelValue(format, view, Math.floor(index / 13) * pitch + (index % 13) * texelBytes[format]);
      expect(Math.abs(value - (voxel - low) / (high - low))).toBeLessThan(tolerance);
      // This format is exact: the value can be recovered from its texel.
      if (format === 'rg8unorm') expect(Math.round(low + value * (high - low))).toBe(voxel);
    }
    volume.destroy();
  });
});

test('wide integers with a small range are exact in the display texture', async () => {
  const info = testInfo([16, 4, 4, 1], 'u32');
  const values = Uint32Array.from({ length: 256 }, (_, index) => 4_000_000_000 + index * 257);
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(new Uint8Array(values.buffer));
  const { texture, low, high } = await volume.displayTexture(0);
  expect([texture.format, low]).toEqual(['rg8unorm', 4_000_000_000]);
  const { bytes, pitch } = await readTexture(texture);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const [index, value] of values.entries()) {
    const texel = texelValue('rg8unorm', view, Math.floor(index / 16) * pitch + (index % 16) * 2);
    expect(Math.round(low + texel * (high - low))).toBe(value);
  }
  volume.destroy();
});

test('more bytes than the volume has are refused', async () => {
  const volume = await ResidentVolume.create(gpu, testInfo([4, 4, 4, 1], 'u8'), { chunkShape: [8, 8, 8] });
  volume.append(new Uint8Array(60));
  expect(volume.isComplete).toBe(false);
  expect(() => volume.append(new Uint8Array(5))).toThrow(/has 64 bytes, but 65 were appended/);
  await expect(volume.voxel(4, 0, 0, 0)).rejects.toMatchObject({ tag: 'invalid-input' });
  volume.destroy();
});

test('a layout of absurd dims decimates or reports why it cannot', () => {
  const chunkShape = [64, 64, 64] as const;
  const huge = layOut({ dims: [2048, 2048, 2048, 1], type: 'u8' }, chunkShape, 2 ** 27, 2 ** 29);
  expect(huge.decimation).toBe(3);
  const row = layOut({ dims: [2 ** 30, 1, 1, 1], type: 'u8' }, chunkShape, 2 ** 27, 2 ** 31);
  expect(row.decimation).toBeGreaterThanOrEqual(8);
  expect(() => layOut({ dims: [1, 1, 1, 2 ** 30], type: 'u8' }, chunkShape, 2 ** 27, 2 ** 20)).toThrow(/time points do not fit/);
});

test('a display texture that did not fit is tried again', async () => {
  const info = testInfo([8, 8, 8, 1], 'u8');
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(testVoxels(info));
  const allocate = vi.spyOn(gpu, 'allocate').mockImplementationOnce(async (_purpose, create, free) => {
    free?.(create());
    throw new StriaError('out-of-memory', 'full');
  });
  await expect(volume.displayTexture(0)).rejects.toMatchObject({ tag: 'out-of-memory' });
  expect((await volume.displayTexture(0)).dims).toEqual([8, 8, 8]);
  allocate.mockRestore();
  volume.destroy();
});
