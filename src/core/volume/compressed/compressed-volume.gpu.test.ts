import { describe, expect, test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { rowBytes } from '../../codec/codec.ts';
import { chainByName } from '../../codecs/registry.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import { joinBytes } from '../../io/common/byte-stream.ts';
import { type Dims3, type Dims4, elementBytes, elementTypes, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import { ResidentVolume } from '../resident/resident-volume.ts';
import { testInfo, testVoxels, withBindingLimit } from '../resident-testing.ts';
import { type DisplayFormat, texelBytes } from '../texel-kind.ts';
import type { AxisIndex } from '../volume-source.ts';
import { CompressedVolume } from './compressed-volume.ts';

const gpu = await openTestGpu();
/** Produces the same bytes as the GPU, whose encoders take long to compile. */
const cpu = createCpuBackend(inlinePool());

const options = { axis: 'auto' } as const;

/** The volume's chunks, encoded by several codecs in turn. One of them is constant. */
async function encode(info: VolumeInfo, bytes: Uint8Array, chunkShape: ChunkShape): Promise<EncodedChunk[]> {
  const resident = await ResidentVolume.create(gpu, info, { chunkShape });
  resident.append(bytes);
  const chunks: EncodedChunk[] = [];
  await resident.forEachBox(async (box) => {
    const { buffer, dims, elementBytes } = box.voxels;
    // Rows in GPU memory begin at multiples of four bytes.
    const padded = [rowBytes(dims[0], elementBytes) / elementBytes, dims[1], dims[2]] as const;
    const onCpu = { bytes: await gpu.read(buffer), dims: padded, elementBytes };
    const coded = await Promise.all(
      ['rice', 'rle', 'raw', 'rice+huffman'].map((name) => cpu.encode(onCpu, box.chunks, { codec: chainByName(name), options })),
    );
    box.chunkNumbers.forEach((number, index) => {
      chunks[number] = coded[number % 4]?.[index] as EncodedChunk;
    });
  });
  resident.destroy();
  return chunks;
}

/** Voxels whose first chunk is constant. */
function withFlatChunk(info: VolumeInfo, [x, y, z]: ChunkShape): Uint8Array {
  const bytes = testVoxels(info);
  const voxels = typedVoxels(info.type, bytes);
  for (let at = 0; at < x * y * z; at++) {
    const [atX, atY, atZ] = [at % x, Math.floor(at / x) % y, Math.floor(at / (x * y))];
    if (atX < info.dims[0] && atY < info.dims[1] && atZ < info.dims[2]) {
      voxels[(atZ * info.dims[1] + atY) * info.dims[0] + atX] = 0;
    }
  }
  return bytes;
}

/** A slice's values, in the order of the voxels in the volume, read from the boxes that `recordSlice` gives. */
async function sliceValues(volume: CompressedVolume, axis: AxisIndex, index: number, timePoint: number): Promise<number[]> {
  const commands = gpu.commands('test');
  const boxes = volume.recordSlice(commands, axis, index, timePoint);
  await commands.submit();
  const [width, height, depth] = volume.info.dims;
  const values = new Array<number>((width * height * depth) / (volume.info.dims[axis] as number));
  const perVoxel = volume.info.type === 'f64' ? 2 : 1;
  const firstPlane = (timePoint % (volume.chunkShape[3] ?? 1)) * depth;
  let seen = 0;
  for (const { voxels, origin } of boxes) {
    const bytes = await gpu.read(voxels.buffer);
    const [elementsX, sizeY, sizeZ] = voxels.dims;
    const sizeX = elementsX / perVoxel;
    const voxelBytes = voxels.elementBytes * perVoxel;
    for (let at = 0; at < sizeX * sizeY * sizeZ; at++) {
      const inBox = [at % sizeX, Math.floor(at / sizeX) % sizeY, Math.floor(at / (sizeX * sizeY))] as const;
      // If chunks hold several time points, boxes also hold the planes of time points before this one.
      const z = inBox[2] + origin[2] - firstPlane;
      if (z < 0 || z >= depth) continue;
      const voxel = [inBox[0] + origin[0] / perVoxel, inBox[1] + origin[1], z] as const;
      if (voxel[axis] !== index) continue;
      const from = (inBox[2] * sizeY + inBox[1]) * rowBytes(elementsX, voxels.elementBytes) + inBox[0] * voxelBytes;
      const value = typedVoxels(volume.info.type, bytes.slice(from, from + voxelBytes))[0] as number;
      const [a, b] = ([0, 1, 2] as const).filter((one) => one !== axis) as [AxisIndex, AxisIndex];
      values[voxel[b] * (volume.info.dims[a] as number) + voxel[a]] = value;
      seen++;
    }
  }
  expect(seen).toBe(values.length);
  return values;
}

function expectedSlice(info: VolumeInfo, bytes: Uint8Array, axis: AxisIndex, index: number, t: number): number[] {
  const voxels = typedVoxels(info.type, bytes);
  const [width, height, depth] = info.dims;
  const values: number[] = [];
  for (let z = 0; z < depth; z++) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if ([x, y, z][axis] === index) values.push(voxels[((t * depth + z) * height + y) * width + x] as number);
      }
    }
  }
  return values;
}

test('frames that are prepared share the memory in which entropy codes are decoded', async () => {
  const info = testInfo([64, 64, 256, 1], 'u8');
  const bytes = Uint8Array.from({ length: 2 ** 20 }, (_, i) => 100 + 50 * Math.sin(i / 9) + ((i * i) % 13));
  const boxes = Array.from({ length: 4 }, (_, i) => ({ origin: [0, 0, 64 * i], shape: [64, 64, 64] }) as const);
  const choice = { codec: chainByName('huffman'), options };
  const chunks = await cpu.encode({ bytes, dims: [64, 64, 256], elementBytes: 1 }, boxes, choice);
  const volume = await CompressedVolume.create(gpu, { info, chunkShape: [64, 64, 64, 1], chunks }, { verify: false });
  expect(volume.shares.map(({ codec }) => codec)).toEqual(['huffman']);
  const before = gpu.memory.liveBytes();
  volume.prepareFrames(2, [0, 0, 0, 0]);
  const grown = gpu.memory.liveBytes() - before;
  volume.destroy();
  // A layer, and what decoding one takes; not what all four take.
  expect(grown).toBeLessThan(0.75 * volume.voxelBytes);
});

// Codecs depend on the width of elements, not on their sign, so one type of each width suffices.
describe.each(['u8', 'i16', 'f32', 'f64'] as const)('%s', (type) => {
  test.each<[string, Dims4, number, ChunkShape]>([
    ['a volume', [21, 17, 19, 1], 2 ** 17, [8, 8, 8]],
    ['a volume of several boxes a layer', [21, 17, 19, 1], 1600, [8, 8, 8]],
    ['a short series', [13, 9, 7, 3], 2 ** 17, [8, 8, 8]],
    ['a long series', [13, 9, 7, 9], 2 ** 17, [8, 8, 8]],
    ['a series with two time points in a chunk', [13, 9, 7, 7], 2 ** 17, [64, 9, 7, 2]],
    ['a series of interleaved time points', [13, 9, 7, 7], 2 ** 17, [8, 8, 3, 3, 'interleaved']],
    ['a series of interleaved time points in several boxes', [13, 19, 5, 7], 2000, [8, 8, 2, 3, 'interleaved']],
    ['a series of interleaved whole time points', [13, 9, 7, 7], 2 ** 17, [64, 9, 7, 2, 'interleaved']],
  ])('%s: slices and voxels are those of the source', async (_name, dims, limitPerByte, chunkShape) => {
    const limit = limitPerByte * elementBytes(type);
    const info = testInfo(dims, type);
    const bytes = withFlatChunk(info, chunkShape);
    const chunks = await encode(info, bytes, chunkShape);
    expect(new Set(chunks.map((chunk) => (chunk.kind === 'coded' ? chunk.stages[0]?.codecId : 0))).size).toBeGreaterThan(1);
    const volume = await CompressedVolume.create(withBindingLimit(gpu, limit), { info, chunkShape, chunks }, { verify: true });
    expect(volume.payloadBytes).toBe(chunks.reduce((sum, chunk) => sum + (chunk.kind === 'coded' ? chunk.payload.length : 0), 0));
    const values = typedVoxels(type, bytes);
    const t = dims[3] - 1;
    // Reads the corner before anything is decoded, and again afterwards.
    const corner = values[values.length - 1];
    expect(await volume.voxel(dims[0] - 1, dims[1] - 1, dims[2] - 1, t)).toBe(corner);
    for (const axis of [0, 1, 2] as const) {
      for (const index of [0, 7, Math.min(8, dims[axis] - 1), dims[axis] - 1].filter((at) => at < dims[axis])) {
        for (const timePoint of new Set([0, Math.min(1, t), t])) {
          const slice = await sliceValues(volume, axis, index, timePoint);
          expect(slice).toEqual(expectedSlice(info, bytes, axis, index, timePoint));
        }
      }
    }
    expect(await volume.voxel(dims[0] - 1, dims[1] - 1, dims[2] - 1, t)).toBe(corner);
    const plane = dims[0] * dims[1] * dims[2];
    const before = Math.max(0, t - 1);
    // Reads a time point that is not decoded, or only together with others, both as a voxel and as a box.
    expect(await volume.voxel(2, 3, 4, before)).toBe(values[before * plane + (4 * dims[1] + 3) * dims[0] + 2]);
    const box = { first: [0, 0, 0], size: [dims[0], dims[1], dims[2]], timePoint: before } as const;
    let count = 0;
    await volume.readBox(box, ({ first, size, values: piece, rowLength }) => {
      for (let at = 0; at < size[0] * size[1] * size[2]; at++) {
        const [x, y, z] = [at % size[0], Math.floor(at / size[0]) % size[1], Math.floor(at / (size[0] * size[1]))];
        const place = ((first[2] + z) * dims[1] + first[1] + y) * dims[0] + first[0] + x;
        if (piece[(z * size[1] + y) * rowLength + x] === values[before * plane + place]) count++;
      }
    });
    expect(count).toBe(plane);
    volume.destroy();
  });
});

describe.each(elementTypes)('%s', (type) => {
  test.each<[string, ChunkShape]>([
    ['small chunks', [8, 8, 8]],
    ['chunks of both time points', [64, 17, 19, 2]],
    ['chunks that interleave the time points', [8, 8, 8, 2, 'interleaved']],
  ])('statistics and display texture are those of the uncompressed volume: %s', async (_name, chunkShape) => {
    const info = testInfo([21, 17, 19, 2], type);
    const bytes = testVoxels(info);
    const resident = await ResidentVolume.create(gpu, info, { chunkShape });
    resident.append(bytes);
    const volume = await CompressedVolume.create(
      gpu,
      { info, chunkShape, chunks: await encode(info, bytes, chunkShape) },
      { verify: false },
    );
    const [a, b] = [await resident.statistics(), await volume.statistics()];
    expect({ ...b, flatness: 0 }).toEqual({ ...a, flatness: 0 });
    for (const timePoint of [0, 1, 0]) {
      const textures = [await resident.displayTexture(timePoint), await volume.displayTexture(timePoint)] as const;
      const [expected, actual] = await Promise.all(textures.map(({ texture }) => texels(texture)));
      expect(actual).toEqual(expected);
      for (const level of ['texture', 'blocks'] as const) {
        const [expectedRanges, ranges] = await Promise.all(textures.map(({ bricks }) => texels(bricks[level])));
        expect(ranges).toEqual(expectedRanges);
      }
    }
    resident.destroy();
    volume.releaseDisplay();
    expect(gpu.memory.liveBytes('display')).toBe(0);
    volume.destroy();
  });
});

async function texels(texture: GPUTexture): Promise<Uint8Array> {
  using scope = gpu.scope('test');
  const { width, height, depthOrArrayLayers: depth } = texture;
  const bytesOf = { ...texelBytes, rgba16float: 8 }[texture.format as DisplayFormat | 'rgba16float'];
  const pitch = Math.ceil((width * bytesOf) / 256) * 256;
  const buffer = scope.buffer('texture', pitch * height * depth, GPUBufferUsage.COPY_SRC);
  await gpu
    .commands('test')
    .record((encoder) =>
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: pitch, rowsPerImage: height }, [width, height, depth]),
    )
    .submit();
  const bytes = await gpu.read(buffer);
  const rows = Array.from({ length: height * depth }, (_, row) => bytes.subarray(row * pitch, row * pitch + width * bytesOf));
  return joinBytes(rows);
}

test('after prepareFrames, frames upload nothing and create no buffers', async () => {
  const small: ChunkShape = [8, 8, 8];
  for (const [dims, axis, chunkShape] of [
    [[21, 17, 19, 1], 2, small],
    [[21, 17, 19, 1], 0, small],
    [[13, 9, 7, 3], 3, small],
    [[13, 9, 7, 9], 3, small],
    [[13, 9, 7, 9], 3, [13, 9, 7, 4] as ChunkShape],
    [[13, 9, 7, 9], 3, [8, 8, 3, 4, 'interleaved'] as ChunkShape],
  ] as const) {
    const info = testInfo(dims as unknown as Dims4, 'u8');
    const chunks = await encode(info, testVoxels(info), chunkShape);
    const volume = await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: false });
    await volume.displayTexture(0);
    // As in the app, the views are drawn before playback begins.
    const first = gpu.commands('test');
    for (const across of [0, 1, 2] as const) volume.recordSlice(first, across, [5, 4, 3][across] as number, 0);
    await first.submit();
    volume.prepareFrames(axis, [5, 4, 3, 0]);
    const live = gpu.memory.liveBytes();
    const { queue } = gpu.device;
    const { writeBuffer } = queue;
    let writes = 0;
    queue.writeBuffer = (...given: Parameters<GPUQueue['writeBuffer']>) => {
      writes++;
      return writeBuffer.apply(queue, given);
    };
    try {
      for (let frame = 0; frame < dims[axis]; frame++) {
        const commands = gpu.commands('test');
        const at = [5, 4, 3, 0].with(axis, frame);
        if (axis === 3) volume.recordDisplay(commands, frame);
        for (const across of [0, 1, 2] as const) volume.recordSlice(commands, across, at[across] as number, at[3] as number);
        await commands.submit();
      }
    } finally {
      queue.writeBuffer = writeBuffer;
    }
    expect(writes).toBe(0);
    expect(gpu.memory.liveBytes()).toBe(live);
    volume.destroy();
  }
});

test('a slice in the layer that was decoded last is not decoded again', async () => {
  const info = testInfo([16, 16, 24, 1], 'u16');
  const chunkShape: Dims3 = [8, 8, 8];
  const chunks = await encode(info, testVoxels(info), chunkShape);
  const volume = await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: false });
  const stages: number[] = [];
  for (const index of [0, 7, 8, 9, 3]) {
    const commands = gpu.commands('test');
    volume.recordSlice(commands, 2, index, 0);
    stages.push((await commands.submit()).stages.length);
  }
  expect(stages.map((count) => count > 0)).toEqual([true, false, true, false, true]);
  volume.destroy();
});

test('a damaged payload is found, and all memory is freed', async () => {
  const info = testInfo([16, 16, 16, 1], 'u8');
  const chunkShape: Dims3 = [8, 8, 8];
  const chunks = await encode(info, testVoxels(info), chunkShape);
  const broken = chunks.map((chunk, number) => {
    if (number !== 5 || chunk.kind !== 'coded') return chunk;
    const payload = chunk.payload.slice();
    payload[payload.length >> 1] = (payload[payload.length >> 1] as number) ^ 0x10;
    return { ...chunk, payload };
  });
  const creating = CompressedVolume.create(gpu, { info, chunkShape, chunks: broken }, { verify: true });
  await expect(creating).rejects.toMatchObject({ tag: 'corrupt', context: ['chunk 6'] });
  const aborted = CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: true, signal: AbortSignal.abort() });
  await expect(aborted).rejects.toMatchObject({ tag: 'aborted' });
  await expect(
    CompressedVolume.create(gpu, { info, chunkShape, chunks: chunks.slice(1) }, { verify: true }),
  ).rejects.toMatchObject({
    tag: 'internal',
  });
});
