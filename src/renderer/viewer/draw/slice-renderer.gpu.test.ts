import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NumberedBox } from '../../../core/chunks/backend.ts';
import { type CodecChain, chainByName } from '../../../core/codecs/registry.ts';
import { LayerSlab } from '../../../core/draw/layer-slab.ts';
import { markedColors } from '../../../core/draw/outside.ts';
import { SlabPlane } from '../../../core/draw/slab-plane.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import type { ChunkShape } from '../../../core/format/chunk-grid.ts';
import { createGpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import { type Dims4, elementTypes, typedVoxels, type VolumeInfo, type VoxelArray } from '../../../core/shared/volume.ts';
import { CompressedVolume } from '../../../core/volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testInfo, testVoxels, withBindingLimit } from '../../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { colorsOf, labelColorIndex } from '../colors/colormaps.ts';
import { grounds } from '../colors/grounds.ts';
import { placeOblique } from '../model/oblique-geometry.ts';
import { type AxisNumber, sliceFrame } from '../model/orientation.ts';
import { type CanvasToVoxel, placeSlice, positionAt, type Voxel, voxelAt } from '../model/slice-geometry.ts';
import type { SliceAxis } from '../model/viewer-api.ts';
import type { SliceDrawing } from './slice-contents.ts';
import { SliceRenderer } from './slice-renderer.ts';
import { drawnPixels, largestDifference } from './slice-testing.ts';

const gpu = await openTestGpu();

const width = 64;
const height = 48;
const dims: Dims4 = [13, 11, 9, 2];
const plain = { inverted: false, outside: ['clamp', 'clamp'] } as const;

interface Case {
  readonly volume: VolumeSource;
  readonly axis: AxisNumber | undefined;
  readonly index: number;
  readonly map: CanvasToVoxel;
  readonly state: SliceDrawing['state'];
  readonly slab?: SliceDrawing['slab'];
  readonly blended?: LayerSlab;
  readonly opacity?: number;
  readonly overlay?: SliceDrawing['overlay'];
}

// One renderer for all pictures of a test, since it compiles its shaders on first use.
let renderer: SliceRenderer;
beforeEach(() => {
  renderer = new SliceRenderer(gpu, 'rgba8unorm');
});
afterEach(() => renderer.destroy());

function drawn(drawing: Case): Promise<Uint8Array> {
  return drawnPixels(gpu, renderer, drawing, [width, height]);
}

/** The axis, index and canvas mapping of a slice. */
function place(axis: SliceAxis, index: number): Pick<Case, 'axis' | 'index' | 'map'> {
  const frame = sliceFrame(testInfo(dims, 'u8'), axis);
  const size: Voxel = [dims[0], dims[1], dims[2]];
  // An odd zoom and centre, so that no pixel centre is on a voxel edge and some pixels are outside the volume.
  const camera = { zoom: 1.137, center: [5.0313, 4.0177] as const };
  const map = placeSlice({ frame, dims: size, spacing: [1, 1.3, 2.1], width, height, index, camera, margin: 3 });
  return { axis: frame.across, index, map };
}

/** The pixels as computed on the CPU: the voxel under each pixel's centre, windowed in double precision. */
function expected({ map, state }: Case, voxels: VoxelArray, index: (place: number, value: number) => number): Uint8Array {
  const pixels = new Uint8Array(width * height * 4);
  const colors = colorsOf(state);
  const size: Voxel = [dims[0], dims[1], dims[2]];
  for (let pixel = 0; pixel < width * height; pixel++) {
    const voxel = voxelAt(positionAt(map, [(pixel % width) + 0.5, Math.floor(pixel / width) + 0.5]), size);
    if (!voxel) {
      pixels.set(
        Object.values(grounds['near-black']).map((value) => Math.round(value * 255)),
        pixel * 4,
      );
      continue;
    }
    const at = ((state.timePoint * dims[2] + voxel[2]) * dims[1] + voxel[1]) * dims[0] + voxel[0];
    const value = voxels[at] as number;
    const place = (value - state.window[0]) / (state.window[1] - state.window[0]);
    const color = index(place, value) * 3;
    pixels.set([...colors.subarray(color, color + 3), 255], pixel * 4);
  }
  return pixels;
}

async function encoded(
  info: VolumeInfo,
  bytes: Uint8Array,
  codec: CodecChain | 'auto' = 'auto',
  chunkShape: ChunkShape = [4, 4, 4],
): Promise<EncodedChunk[]> {
  const volume = await ResidentVolume.create(gpu, info, { chunkShape });
  volume.append(bytes);
  const [box] = volume.boxes;
  const backend = createGpuBackend(gpu);
  const { chunks } = await backend.encodeResident(box as NumberedBox, { codec, options: { axis: 'auto' } });
  volume.destroy();
  return chunks;
}

const byPlace = (place: number): number => Math.round(Math.min(1, Math.max(0, place)) * 255);

/** The number of pixels that differ by more than one of 256 grey levels. */
function differing(a: Uint8Array, b: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < a.length; at += 4) if (Math.abs((a[at] as number) - (b[at] as number)) > 1) count++;
  return count;
}

const axes = ['x', 'y', 'z'] as const;

describe.each(elementTypes.map((type, index) => ({ type, index })))('$type', ({ type, index }) => {
  // Axes and types are independent, so one type is tested along all axes and every other type along one.
  test.each(axes.filter((_, axis) => index === 0 || axis === index % 3))(
    'the slice across %s shows the stored values, from one box and from many',
    async (axis) => {
      const info = testInfo(dims, type);
      const bytes = testVoxels(info);
      const voxels = typedVoxels(type, bytes);
      const sorted = [...voxels].sort((a, b) => a - b);
      const quantile = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] as number;
      const state = {
        ...plain,
        window: [quantile(0.1) + 0.25, quantile(0.8)] as const,
        colormap: 'gray',
        timePoint: 1,
        smooth: false,
      };
      for (const limit of [2 ** 20, 3000]) {
        const wrapped = withBindingLimit(gpu, limit);
        const volume = await ResidentVolume.create(wrapped, info, { chunkShape: [4, 4, 4], budgetBytes: 2 ** 24 });
        volume.append(bytes);
        const drawing = { volume, ...place(axis, 4), state };
        const pixels = await drawn(drawing);
        expect(differing(pixels, expected(drawing, voxels, byPlace))).toBe(0);
        expect(new Set(pixels).size).toBeGreaterThan(20);
        volume.destroy();
        if (limit > 3000) continue;
        // The same volume compressed, drawn twice: once decoded, then from the decoded slice.
        const chunks = await encoded(info, bytes);
        const compressed = await CompressedVolume.create(wrapped, { info, chunkShape: [4, 4, 4], chunks }, { verify: true });
        for (let time = 0; time < 2; time++) expect(await drawn({ ...drawing, volume: compressed })).toEqual(pixels);
        expect(await drawn({ ...drawing, volume: compressed, state: { ...state, smooth: true } })).not.toEqual(pixels);
        compressed.destroy();
        // The same, with chunks that contain both time points.
        const both: ChunkShape = [type === 'f64' ? 26 : 13, 11, 9, 2];
        const stacked = { info, chunkShape: both, chunks: await encoded(info, bytes, 'auto', both) };
        const series = await CompressedVolume.create(gpu, stacked, { verify: true });
        for (let time = 0; time < 2; time++) expect(await drawn({ ...drawing, volume: series })).toEqual(pixels);
        series.destroy();
      }
    },
  );
});

test('large integers keep their differences', async () => {
  const info = testInfo(dims, 'u32');
  const voxels = Uint32Array.from({ length: 13 * 11 * 9 * 2 }, (_, index) => 4_000_000_000 + (index % 16));
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(new Uint8Array(voxels.buffer));
  const state = { ...plain, window: [4_000_000_000, 4_000_000_015] as const, colormap: 'gray', timePoint: 0, smooth: false };
  const drawing = { volume, ...place('z', 0), state };
  expect(differing(await drawn(drawing), expected(drawing, voxels, byPlace))).toBe(0);
  volume.destroy();
});

test('a narrow window of 16-bit values shows more than 256 levels', async () => {
  using scope = gpu.scope('test');
  const info = testInfo([64, 32, 1, 1], 'u16');
  const voxels = Uint16Array.from({ length: 2048 }, (_, index) => 30_000 + index);
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(new Uint8Array(voxels.buffer));
  const renderer = new SliceRenderer(gpu, 'rgba16float');
  const target = scope.texture('target', 64 * 32 * 8, {
    size: [64, 32],
    format: 'rgba16float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const buffer = scope.buffer('pixels', 64 * 32 * 8, GPUBufferUsage.COPY_SRC);
  const commands = gpu.commands('test');
  // One pixel per voxel.
  const map: CanvasToVoxel = { origin: [0, 0, 0], right: [1, 0, 0], down: [0, 1, 0], pixelsPerUnit: 1 };
  const state = { ...plain, window: [30_000, 32_047] as const, colormap: 'gray', timePoint: 0, smooth: false };
  renderer.record(commands, target, { volume, axis: 2, index: 0, map, state });
  await commands
    .record((encoder) => encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: 512 }, [64, 32]))
    .submit();
  const halves = new Uint16Array((await gpu.read(buffer)).slice().buffer);
  const levels = Array.from({ length: 2048 }, (_, pixel) => halves[4 * pixel] as number);
  // 16-bit floats have 11 bits of precision.
  expect(new Set(levels).size).toBeGreaterThan(1500);
  expect(levels).toEqual(levels.toSorted((a, b) => a - b));
  renderer.destroy();
  volume.destroy();
});

test('labels cycle through the colours of their palette', async () => {
  const info = testInfo(dims, 'u16');
  const voxels = Uint16Array.from({ length: 13 * 11 * 9 * 2 }, (_, index) => (index * 7) % 1000);
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(new Uint8Array(voxels.buffer));
  const state = { ...plain, window: [0, 999] as const, colormap: 'labels', timePoint: 1, smooth: true };
  const drawing = { volume, ...place('y', 3), state };
  const palette = expected(drawing, voxels, (_, value) => labelColorIndex(value));
  expect(await drawn(drawing)).toEqual(palette);
  volume.destroy();
});

test('labels have the colour of their number, whatever the window and the sign', async () => {
  const info = testInfo(dims, 'i32');
  const voxels = Int32Array.from(
    { length: 13 * 11 * 9 * 2 },
    (_, index) => [7, 614_454_277, -1, 0, 65_536, -300][index % 6] as number,
  );
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(new Uint8Array(voxels.buffer));
  const state = { ...plain, window: [-300, 614_454_277] as const, colormap: 'labels', timePoint: 0, smooth: true };
  const drawing = { volume, ...place('z', 3), state };
  expect(await drawn(drawing)).toEqual(expected(drawing, voxels, (_, value) => labelColorIndex(value)));
  volume.destroy();
});

test.each(['u16', 'f32'] as const)(
  '%s: values outside the window are hidden or marked, those on its edges are not',
  async (type) => {
    const info = testInfo(dims, type);
    const values = Array.from({ length: 13 * 11 * 9 * 2 }, (_, index) => [99, 100, 150, 200, 201][index % 5] as number);
    const voxels = type === 'u16' ? Uint16Array.from(values) : Float32Array.from(values);
    const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
    volume.append(new Uint8Array(voxels.buffer));
    const state = { ...plain, window: [100, 200] as const, colormap: 'gray', timePoint: 0, smooth: false };
    const drawing = { volume, ...place('z', 0), state };
    const colors = async (outside: SliceDrawing['state']['outside']): Promise<Set<string>> => {
      const pixels = await drawn({ ...drawing, state: { ...state, outside } });
      return new Set(Array.from({ length: width * height }, (_, pixel) => pixels.slice(4 * pixel, 4 * pixel + 3).join()));
    };
    const inside = ['8,9,11', '0,0,0', '128,128,128', '255,255,255'];
    expect(await colors(['clamp', 'clamp'])).toEqual(new Set(inside));
    expect(await colors(['hide', 'hide'])).toEqual(new Set(inside));
    const marks = markedColors.map((color) => color.map((channel) => Math.round(255 * channel)).join());
    expect(await colors(['mark', 'hide'])).toEqual(new Set([...inside, marks[0]]));
    expect(await colors(['clamp', 'mark'])).toEqual(new Set([...inside, marks[1]]));
    // The background shows through hidden voxels: one in five on each side.
    const seen = async (outside: SliceDrawing['state']['outside']): Promise<number> => {
      const pixels = await drawn({ ...drawing, state: { ...state, outside } });
      return pixels.filter((value, at) => at % 4 === 0 && value === 8).length;
    };
    const [none, one, both] = [await seen(['clamp', 'clamp']), await seen(['hide', 'clamp']), await seen(['hide', 'hide'])];
    expect(one - none).toBeGreaterThan(0.1 * (width * height - none));
    expect(both - one).toBeGreaterThan(0.1 * (width * height - none));
    volume.destroy();
  },
);

test('an inverted colormap is reversed', async () => {
  const info = testInfo(dims, 'u8');
  const bytes = testVoxels(info);
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(bytes);
  const state = { ...plain, inverted: true, window: [0, 255] as const, colormap: 'batlow', timePoint: 0, smooth: false };
  const drawing = { volume, ...place('z', 2), state };
  expect(differing(await drawn(drawing), expected(drawing, typedVoxels('u8', bytes), byPlace))).toBe(0);
  volume.destroy();
});

test('NaN and infinities show the background', async () => {
  const info = testInfo(dims, 'f32');
  const voxels = new Float32Array(13 * 11 * 9 * 2).map((_, index) => [Number.NaN, Infinity, -Infinity][index % 3] as number);
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(new Uint8Array(voxels.buffer));
  const state = { ...plain, window: [0, 1] as const, colormap: 'viridis', timePoint: 0, smooth: false };
  const pixels = await drawn({ volume, ...place('z', 0), state });
  expect(new Set(pixels)).toEqual(new Set([8, 9, 11, 255]));
  volume.destroy();
});

test('interpolated slices are linear between voxel centres', async () => {
  const info = testInfo(dims, 'u8');
  const voxels = Uint8Array.from({ length: 13 * 11 * 9 * 2 }, (_, index) => (index % 13) * 20);
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(voxels);
  const state = { ...plain, window: [0, 255] as const, colormap: 'gray', timePoint: 0, smooth: true };
  const placed = place('z', 4);
  const pixels = await drawn({ volume, ...placed, state });
  for (let x = 0; x < width; x++) {
    const [position] = positionAt(placed.map, [x + 0.5, 24.5]);
    if (position < 0.5 || position > 12.5) continue;
    expect(Math.abs((pixels[(24 * width + x) * 4] as number) - (position - 0.5) * 20)).toBeLessThan(1.1);
  }
  volume.destroy();
});

describe('an oblique slice', () => {
  const info = { ...testInfo(dims, 'u8'), affine: [1, 0, 0, 3, 0, 1.3, 0, -4, 0, 0, 1.7, 2] };
  // Values that rise linearly along all three axes also rise linearly along any interpolated plane.
  const ramp = (x: number, y: number, z: number): number => 6 * x + 7 * y + 10 * z;
  const voxels = Uint8Array.from({ length: 13 * 11 * 9 * 2 }, (_, at) =>
    ramp(at % 13, Math.floor(at / 13) % 11, Math.floor(at / (13 * 11)) % 9),
  );
  const { map } = placeOblique({
    info,
    tilt: { turn: 37, tilt: -28 },
    crosshair: [6, 4, 5],
    camera: { zoom: 1, center: undefined },
    width,
    height,
    margin: 2,
  });
  const state = { ...plain, missing: 'hide', window: [0, 255], colormap: 'gray', timePoint: 1, smooth: true } as const;

  test('shows at each pixel the value interpolated between voxels, and nothing outside', async () => {
    const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
    volume.append(voxels);
    const pixels = await drawn({ volume, axis: undefined, index: 0, map, state });
    let inside = 0;
    for (let pixel = 0; pixel < width * height; pixel++) {
      const position = positionAt(map, [(pixel % width) + 0.5, Math.floor(pixel / width) + 0.5]);
      const [x, y, z] = position.map((place) => place - 0.5) as [number, number, number];
      const gray = pixels[pixel * 4] as number;
      const isOutside = position.some((place, axis) => place < -0.01 || place > (dims[axis] as number) + 0.01);
      if (isOutside) expect(gray).toBe(Math.round(grounds['near-black'].r * 255));
      if (x < 0 || y < 0 || z < 0 || x > 12 || y > 10 || z > 8) continue;
      inside++;
      expect(Math.abs(gray - ramp(x, y, z))).toBeLessThan(1.1);
    }
    expect(inside).toBeGreaterThan(500);
    volume.destroy();
  });

  test('is the same for volumes in several boxes', async () => {
    const chunkShape = [4, 4, 4] as const;
    const compressed = await CompressedVolume.create(
      gpu,
      { info, chunkShape, chunks: await encoded(info, voxels, chainByName('rle')) },
      { verify: false },
    );
    const resident = await ResidentVolume.create(gpu, info, { chunkShape: [16, 16, 16] });
    const inBoxes = await ResidentVolume.create(withBindingLimit(gpu, 1024), info, { chunkShape, budgetBytes: 2 ** 20 });
    for (const volume of [resident, inBoxes]) volume.append(voxels);
    expect([compressed, resident, inBoxes].map(({ isSplit }) => isSplit)).toEqual([true, false, true]);
    expect(inBoxes.placedBoxes.length).toBeGreaterThan(4);
    const straight = { ...place('z', 4), state, volume: compressed };
    const before = await drawn(straight);
    // Drawn in one band, and in bands of 16 rows.
    const [blended, inBands] = [new LayerSlab(gpu), new LayerSlab(gpu, 2 ** 20, 16 * width * 8)];
    // The whole plane is visible, and a part of it.
    for (const zoom of [1, 3]) {
      const placement = { info, tilt: { turn: 37, tilt: -28 }, crosshair: [6, 4, 5] as const, width, height, margin: 2 };
      const { map } = placeOblique({ ...placement, camera: { zoom, center: undefined } });
      const drawing = { axis: undefined, index: 0, map, state };
      const wanted = await drawn({ ...drawing, volume: resident });
      expect(wanted.filter((value, at) => at % 4 === 0 && value > 20).length).toBeGreaterThan(400);
      for (const volume of [compressed, inBoxes]) {
        // Sums of interpolated voxels are rounded in a different order.
        const found = await drawn({ ...drawing, volume, blended });
        expect(largestDifference(found, wanted)).toBeLessThanOrEqual(1);
        expect(await drawn({ ...drawing, volume, blended: inBands })).toEqual(found);
      }
      const colored = {
        ...state,
        window: [180, 60] as const,
        colormap: 'viridis',
        inverted: true,
        outside: ['mark', 'hide'] as const,
      };
      const marked = await drawn({ ...drawing, state: colored, volume: resident, opacity: 0.6 });
      const split = await drawn({ ...drawing, state: colored, volume: compressed, opacity: 0.6, blended });
      expect(differing(split, marked)).toBeLessThan(0.02 * width * height);
    }
    // Axis-aligned slices share its scratch memory.
    expect(await drawn(straight)).toEqual(before);
    for (const scratch of [blended, inBands]) scratch.destroy();
    for (const volume of [compressed, resident, inBoxes]) volume.destroy();
  });

  test('does not interpolate across the seams of boxes if missing voxels are marked: boxes are then drawn separately', async () => {
    const compressed = await CompressedVolume.create(
      gpu,
      { info, chunkShape: [4, 4, 4], chunks: await encoded(info, voxels, chainByName('rle')) },
      { verify: false },
    );
    const resident = await ResidentVolume.create(gpu, info, { chunkShape: [16, 16, 16] });
    resident.append(voxels);
    const blended = new LayerSlab(gpu);
    const drawing = { axis: undefined, index: 0, map, state: { ...state, missing: 'mark' as const } };
    const pixels = await drawn({ ...drawing, volume: compressed, blended });
    const wanted = await drawn({ ...drawing, volume: resident });
    let same = 0;
    for (let pixel = 0; pixel < width * height; pixel++) {
      const position = positionAt(map, [(pixel % width) + 0.5, Math.floor(pixel / width) + 0.5]);
      const isBySeam = position.some((place) => Math.abs(place / 4 - Math.round(place / 4)) < 0.51 / 4);
      const difference = Math.abs((pixels[pixel * 4] as number) - (wanted[pixel * 4] as number));
      // Without a neighbour to interpolate with, the error is at most half a step along an axis.
      expect(difference).toBeLessThanOrEqual(isBySeam ? 6 : 0);
      if (!isBySeam && (wanted[pixel * 4] as number) > 20) same++;
    }
    expect(same).toBeGreaterThan(150);
    for (const volume of [compressed, resident]) volume.destroy();
  });

  test('keeps no interpolated voxels while the volume is hidden', async () => {
    const chunks = await encoded(info, voxels, chainByName('rle'));
    const compressed = await CompressedVolume.create(gpu, { info, chunkShape: [4, 4, 4], chunks }, { verify: false });
    const blended = new LayerSlab(gpu);
    const drawing = { axis: undefined, index: 0, map, state, volume: compressed };
    const kept = () => gpu.memory.entries().get('layer-slab.sums') ?? 0;
    await drawn({ ...drawing, blended });
    expect(kept()).toBe(width * height * 8);
    await drawn({ ...drawing, blended, opacity: 0 });
    expect(kept()).toBe(0);
    compressed.destroy();
  });

  test('is the same for a series of small time points, each decoded as a whole', async () => {
    const long = { ...info, dims: [13, 11, 9, 8] as const };
    const eight = new Uint8Array(13 * 11 * 9 * 8);
    for (let t = 0; t < 4; t++) eight.set(voxels, t * voxels.length);
    const series = await CompressedVolume.create(
      gpu,
      { info: long, chunkShape: [4, 4, 4], chunks: await encoded(long, eight) },
      { verify: false },
    );
    const resident = await ResidentVolume.create(gpu, long, { chunkShape: [8, 8, 8] });
    resident.append(eight);
    expect(series.holdsTimePoints).toBe(true);
    const drawing = { axis: undefined, index: 0, map, state: { ...state, timePoint: 5 } };
    const wanted = await drawn({ ...drawing, volume: resident });
    expect(await drawn({ ...drawing, volume: series })).toEqual(wanted);
    // There is no interpolation between neighbouring time points in the same chunk.
    const chunkShape: ChunkShape = [13, 11, 9, 3];
    const chunks = await encoded(long, eight, 'auto', chunkShape);
    const stacked = await CompressedVolume.create(gpu, { info: long, chunkShape, chunks }, { verify: false });
    expect(stacked.holdsTimePoints).toBe(true);
    expect(await drawn({ ...drawing, volume: stacked })).toEqual(wanted);
    stacked.destroy();
    series.destroy();
    resident.destroy();
  });
});

test('a slab is drawn with its computed values, across each axis', async () => {
  const info = testInfo(dims, 'i16');
  const bytes = testVoxels(info);
  const voxels = typedVoxels('i16', bytes);
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(bytes);
  const plane = new SlabPlane(gpu);
  const state = { ...plain, window: [-30_000, 31_000] as const, colormap: 'gray', timePoint: 1, smooth: false };
  for (const [axis, number] of [
    ['x', 0],
    ['y', 1],
    ['z', 2],
  ] as const) {
    const drawing = { volume, ...place(axis, 4), state };
    // The slab's maximum, written to each of its slices.
    const thick = Int16Array.from(voxels, (_, at) => {
      const stride = [1, 13, 13 * 11][number] as number;
      const here = Math.floor(at / stride) % (dims[number] as number);
      return Math.max(...[3, 4, 5].map((slice) => voxels[at + (slice - here) * stride] as number));
    });
    const pixels = await drawn({ ...drawing, slab: { kind: 'maximum', slices: 3, plane } });
    expect(differing(pixels, expected(drawing, thick, byPlace))).toBe(0);
    expect(differing(pixels, await drawn(drawing))).toBeGreaterThan(100);
  }
  plane.destroy();
  volume.destroy();
});

test('the crosshair has the same thickness wherever its centre is, even between two pixels', async () => {
  const info = testInfo(dims, 'u8');
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(new Uint8Array(13 * 11 * 9 * 2));
  using scope = gpu.scope('test');
  const picture = scope.texture('nothing', width * height * 4, {
    size: [width, height],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING,
  });
  const state = { ...plain, window: [0, 255] as const, colormap: 'gray', timePoint: 0, smooth: false };
  const drawing = { volume, ...place('z', 4), state };
  const bare = await drawn(drawing);
  for (const center of [
    [32, 24],
    [32.5, 24.5],
    [31.9, 23.2],
  ] as const) {
    const common = { picture, voxel: [0, 0], center, step: [1, 1], gap: [4, 4] } as const;
    for (const thickness of [1, 2]) {
      const pixels = await drawn({ ...drawing, overlay: { ...common, thickness } });
      const isDrawn = (x: number, y: number) => pixels[(y * width + x) * 4 + 2] !== bare[(y * width + x) * 4 + 2];
      const columns = Array.from({ length: width }, (_, x) => isDrawn(x, 5));
      const rows = Array.from({ length: height }, (_, y) => isDrawn(5, y));
      expect([columns, rows].map((line) => line.filter(Boolean).length)).toEqual([thickness, thickness]);
      expect(columns.indexOf(true)).toBeCloseTo(center[0] - thickness / 2, -0.5);
      expect(isDrawn(Math.floor(center[0]), Math.floor(center[1]))).toBe(false);
    }
  }
  volume.destroy();
});

test('a decimated volume is drawn at its true size', async () => {
  const info = testInfo(dims, 'u8');
  const bytes = new Uint8Array(13 * 11 * 9 * 2).fill(255);
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8], budgetBytes: 800 });
  volume.append(bytes);
  expect(volume.decimation).toBe(2);
  const state = { ...plain, window: [0, 255] as const, colormap: 'gray', timePoint: 0, smooth: false };
  const pixels = await drawn({ volume, ...place('z', 4), state });
  const { map } = place('z', 4);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const voxel = voxelAt(positionAt(map, [(pixel % width) + 0.5, Math.floor(pixel / width) + 0.5]), [13, 11, 9]);
    if (voxel) expect(pixels[pixel * 4]).toBe(255);
  }
  volume.destroy();
});
