import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LabelPlane } from '../../../core/draw/label-plane.ts';
import { LayerSlab } from '../../../core/draw/layer-slab.ts';
import { SlabPlane, type ThickSlice } from '../../../core/draw/slab-plane.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { type Dims4, type ElementType, elementBytes, typedVoxels, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeLevel } from '../../../core/shared/volume-level.ts';
import { leveledFile } from '../../../core/volume/levels/leveled-file.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testInfo, testVoxels } from '../../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import type { DetailFault } from '../model/detail-faults.ts';
import { placeLayer } from '../model/layer-place.ts';
import { testLook, testMotion } from '../model/layer-testing.ts';
import { baseId, type LayerLook } from '../model/layers.ts';
import { placeOblique } from '../model/oblique-geometry.ts';
import { sliceFrame } from '../model/orientation.ts';
import { placeSlice, type Voxel } from '../model/slice-geometry.ts';
import { LayerDetail } from './layer-detail.ts';
import { LayerDetails } from './layer-details.ts';
import { type PlacedSlice, planePart } from './layer-plane.ts';
import type { LayerDrawing, SliceDrawing } from './slice-contents.ts';
import { SliceRenderer } from './slice-renderer.ts';
import { drawnPixels, largestDifference } from './slice-testing.ts';

const gpu = await openTestGpu();
const [width, height] = [64, 48];
// Odd lengths, so that the last voxels of levels extend beyond the end.
const dims: Dims4 = [75, 91, 41, 2];
const base = testInfo([...dims.slice(0, 3), 1] as unknown as Dims4, 'u8');
const levels: readonly VolumeLevel[] = [1, 2, 4].map((factor) => ({
  dims: dims.map((length, axis) => (axis === 3 ? length : Math.ceil(length / factor))) as unknown as Dims4,
  factors: [factor, factor, factor],
}));

let renderer: SliceRenderer;
let baseVolume: ResidentVolume;
beforeEach(async () => {
  renderer = new SliceRenderer(gpu, 'rgba8unorm');
  baseVolume = await ResidentVolume.create(gpu, base, { chunkShape: [32, 32, 32] });
  baseVolume.append(testVoxels(base));
});
afterEach(() => {
  renderer.destroy();
  baseVolume.destroy();
});

/** A layer that is wholly in GPU memory, and the same one with only its coarsest level there. */
async function layerOf(type: ElementType, bytes: (info: VolumeInfo) => Uint8Array<ArrayBuffer>) {
  const info = testInfo(dims, type);
  const stored = bytes(info);
  const fill = vi.fn(async (target: Uint8Array, at: number) => target.set(stored.subarray(at, at + target.length)));
  const file = leveledFile({ info, fill } as never, levels);
  if (!file) throw new Error('the file has random access');
  const whole = await ResidentVolume.create(gpu, info, { chunkShape: [32, 32, 32] });
  whole.append(stored);
  const level = levels.at(-1) as VolumeLevel;
  const coarse = await ResidentVolume.create(gpu, info, { chunkShape: [32, 32, 32], level });
  const [x, y, z, times] = level.dims;
  for (let timePoint = 0; timePoint < times; timePoint++)
    coarse.append(await file.read({ level: 2, first: [0, 0, 0], size: [x, y, z], timePoint }));
  coarse.file = file;
  const destroy = () => {
    whole.destroy();
    coarse.destroy();
  };
  return { info, stored, whole, coarse, fill, destroy };
}

function straight(axis: 'x' | 'y' | 'z', index: number, zoom: number, thick?: ThickSlice): PlacedSlice {
  const size: Voxel = [base.dims[0], base.dims[1], base.dims[2]];
  const frame = sliceFrame(base, axis);
  const camera = { zoom, center: [base.dims[frame.right.axis] * 0.53, base.dims[frame.down.axis] * 0.47] as const };
  const map = placeSlice({ frame, dims: size, spacing: [1, 1, 1], width, height, index, camera, margin: 3 });
  return { volume: baseVolume, axis: frame.across, index, map, slab: thick };
}

function oblique(zoom: number): PlacedSlice {
  const tilt = { turn: 25, tilt: -35 };
  const camera = { zoom, center: undefined };
  const { map } = placeOblique({ info: base, tilt, crosshair: [36, 60, 20], camera, width, height, margin: 3 });
  return { volume: baseVolume, axis: undefined, index: 0, map };
}

/** @param change changes how the open volume is drawn */
async function drawn(
  slice: PlacedSlice,
  layer: Pick<LayerDrawing, 'look' | 'volume' | 'map' | 'timePoint' | 'finer'>,
  change: Partial<SliceDrawing> = {},
) {
  const plane = new SlabPlane(gpu);
  const slab = new LayerSlab(gpu);
  const labelPlane = new LabelPlane(gpu);
  const state = { window: [0, 255], colormap: 'gray', outside: ['clamp', 'clamp'], missing: 'hide', timePoint: 0 } as const;
  const pixels = await drawnPixels(
    gpu,
    renderer,
    {
      ...slice,
      volume: baseVolume,
      slab: slice.slab && { ...slice.slab, plane },
      state: { ...state, inverted: false, smooth: slice.axis === undefined },
      layers: [{ ...layer, slab, labelPlane }],
      ...change,
    },
    [width, height],
  );
  for (const each of [plane, slab, labelPlane]) each.destroy();
  return pixels;
}

/** The largest difference from the layer that is wholly in GPU memory, before and after its finer voxels have arrived. */
async function differences(
  layer: Awaited<ReturnType<typeof layerOf>>,
  slice: PlacedSlice,
  look: LayerLook,
  mostBoxBytes?: number,
): Promise<{ readonly before: number; readonly after: number; readonly boxes: number }> {
  const { map } = placeLayer(base, layer.info, look.motion);
  const shown = { look, map, timePoint: 1 };
  const detail = new LayerDetail(gpu, () => {}, undefined, mostBoxBytes === undefined ? {} : { mostBoxBytes });
  const expected = await drawn(slice, { ...shown, volume: layer.whole });
  const coarse = await drawn(slice, { ...shown, volume: layer.coarse });
  const plane = planePart(slice, { look, map, volume: layer.coarse }, width, height);
  const finer = await detail.loaded({ volume: layer.coarse, timePoint: 1, plane });
  expect(finer?.factors).toEqual([1, 1, 1]);
  const fine = await drawn(slice, { ...shown, volume: layer.coarse, finer });
  let boxes = 0;
  finer?.recordPlane(gpu.commands('test'), plane, 1, (all) => {
    boxes = all.length;
  });
  detail.destroy();
  return { before: largestDifference(coarse, expected), after: largestDifference(fine, expected), boxes };
}

function windowOf({ stored, info: { type } }: { readonly stored: Uint8Array; readonly info: VolumeInfo }) {
  const sorted = [...typedVoxels(type, stored)].map(Number).sort((a, b) => a - b);
  return [sorted[sorted.length >> 2] as number, sorted[(sorted.length * 3) >> 2] as number] as const;
}

/** Labels in blocks that do not fit the levels. */
function labelsOf({ dims: [x, y, z, t], type }: VolumeInfo): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(x * y * z * t * elementBytes(type));
  const values = typedVoxels(type, bytes);
  for (let at = 0; at < values.length; at++) {
    const [i, j, k] = [at % x, Math.floor(at / x) % y, Math.floor(at / (x * y))];
    values[at] = (Math.floor(i / 7) + Math.floor(j / 5) + Math.floor(k / 3)) % 6;
  }
  return bytes;
}

describe.each(['i16', 'f32'] as const)('a layer of %s of which the GPU holds a coarse level', (type) => {
  test('is drawn from its file as if it were wholly in GPU memory', async () => {
    const layer = await layerOf(type, testVoxels);
    const window = windowOf(layer);
    for (const [axis, index, zoom, smooth, isMoved] of [
      ['z', 20, 1.3, false, false],
      ['z', 3, 2.7, true, false],
      ['y', 40, 1.3, true, false],
      ['x', 61, 3.1, false, true],
      ['y', 12, 2, true, true],
    ] as const) {
      const look = testLook({ id: 'layer', window, smooth, opacity: 0.7, ...(isMoved ? { motion: testMotion } : {}) });
      const { before, after } = await differences(layer, straight(axis, index, zoom), look);
      expect([axis, index, after]).toEqual([axis, index, 0]);
      expect(before).toBeGreaterThan(20);
    }
    layer.destroy();
  });

  test('is drawn on oblique planes and in slabs within 1/255', async () => {
    const layer = await layerOf(type, testVoxels);
    const look = testLook({ id: 'layer', window: windowOf(layer), motion: testMotion });
    for (const slice of [oblique(1.5), straight('z', 17, 1.4, { kind: 'mean', slices: 5 })]) {
      const { before, after } = await differences(layer, slice, look);
      expect(after).toBeLessThanOrEqual(1);
      expect(before).toBeGreaterThan(20);
    }
    layer.destroy();
  });
});

test('boxes along a plane replace one that would be too large, without seams', async () => {
  const layer = await layerOf('u8', testVoxels);
  const look = testLook({ id: 'layer', window: [40, 200], motion: testMotion });
  for (const slice of [oblique(1.5), straight('y', 60, 1, { kind: 'maximum', slices: 6 })]) {
    const { after, boxes } = await differences(layer, slice, look, 1000);
    expect(boxes).toBeGreaterThan(1);
    expect(after).toBeLessThanOrEqual(1);
  }
  layer.destroy();
});

test.each(['u8', 'u16'] as const)(
  'labels of %s are drawn from the file, filled and outlined, from one box or several',
  async (type) => {
    const layer = await layerOf(type, labelsOf);
    for (const [outline, mostBoxBytes, slice] of [
      [false, undefined, straight('z', 20, 1.3)],
      [true, undefined, straight('x', 33, 2.3)],
      [true, 1000, straight('y', 60, 1)],
      [true, 1000, oblique(1.5)],
    ] as const) {
      const look = testLook({ id: 'labels', colormap: 'labels', outline, smooth: false, window: [0, 5], motion: testMotion });
      const { before, after } = await differences(layer, slice, look, mostBoxBytes);
      expect([outline, mostBoxBytes, after]).toEqual([outline, mostBoxBytes, 0]);
      expect(before).toBeGreaterThan(20);
    }
    layer.destroy();
  },
);

test('until its voxels arrive, a slab of a coarse layer lies in the right place', async () => {
  // Equal in blocks of four voxels, so that the coarsest level holds all there is.
  const blocks = ({ dims: [x, y, z, t] }: VolumeInfo) =>
    Uint8Array.from({ length: x * y * z * t }, (_, at) => {
      const [i, j, k] = [at % x, Math.floor(at / x) % y, Math.floor(at / (x * y)) % z].map((place) => place >> 2);
      return ((i as number) * 67 + (j as number) * 131 + (k as number) * 29) % 256;
    });
  const layer = await layerOf('u8', blocks);
  const look = testLook({ id: 'layer', window: [0, 255], smooth: false });
  const slice = straight('z', 18, 1.2, { kind: 'mean', slices: 7 });
  const shown = { look, map: placeLayer(base, layer.info).map, timePoint: 0 };
  const coarse = await drawn(slice, { ...shown, volume: layer.coarse });
  expect(largestDifference(coarse, await drawn(slice, { ...shown, volume: layer.whole }))).toBeLessThanOrEqual(1);
  layer.destroy();
});

test('a slab of a layer has all slices of the open volume, also if the GPU holds only some of these', async () => {
  const layer = await layerOf('u8', testVoxels);
  const level: VolumeLevel = { dims: [19, 23, 11, 1], factors: [4, 4, 4] };
  const coarseBase = await ResidentVolume.create(gpu, base, { chunkShape: [32, 32, 32], level });
  const slice = straight('z', 18, 1.2, { kind: 'mean', slices: 7 });
  const shown = { look: testLook({ id: 'layer', window: [0, 255] }), map: placeLayer(base, layer.info).map, timePoint: 0 };
  const pixels = (volume: ResidentVolume) => drawn(slice, { ...shown, volume: layer.whole }, { volume, opacity: 0 });
  expect(largestDifference(await pixels(coarseBase), await pixels(baseVolume))).toBe(0);
  coarseBase.destroy();
  layer.destroy();
});

test('a pan within the voxels that are there reads nothing, and one beyond them shows the coarse layer until they arrive', async () => {
  const layer = await layerOf('u8', testVoxels);
  const look = testLook({ id: 'layer', window: [0, 255] });
  const { map } = placeLayer(base, layer.info);
  let arrived = 0;
  const detail = new LayerDetail(gpu, () => arrived++);
  const wishAt = (slice: PlacedSlice, volume: VolumeSource = layer.coarse) => {
    const plane = planePart(slice, { look, map, volume }, width, height);
    return { volume, timePoint: 1, plane };
  };
  expect(detail.drawing(wishAt(straight('z', 20, 4)))).toBeUndefined();
  expect(detail.isPending).toBe(true);
  expect(await detail.loaded(wishAt(straight('z', 20, 4)))).toBeDefined();
  expect([arrived, detail.isPending]).toEqual([1, false]);
  layer.fill.mockClear();
  expect(detail.drawing(wishAt(straight('z', 20, 4.3)))).toBeDefined();
  expect([layer.fill.mock.calls.length, detail.isPending]).toEqual([0, false]);
  expect(detail.drawing(wishAt(straight('z', 30, 4)))).toBeUndefined();
  expect(detail.isPending).toBe(true);
  // A layer without a coarse level needs nothing.
  expect(detail.drawing(wishAt(straight('z', 20, 4), layer.whole))).toBeUndefined();
  expect(detail.isPending).toBe(false);
  detail.destroy();
  layer.destroy();
});

test('a canvas says which of its layers cannot be read, and frees the voxels of layers that are gone', async () => {
  const layer = await layerOf('u8', testVoxels);
  const look = testLook({ id: 'layer', name: 'Scan', window: [0, 255] });
  const shown = { look, map: placeLayer(base, layer.info).map, volume: layer.coarse, timePoint: 1 };
  const faults: (DetailFault | undefined)[] = [];
  const details = new LayerDetails(
    gpu,
    () => {},
    (fault) => faults.push(fault),
  );
  const slice = straight('z', 20, 2);
  layer.fill.mockRejectedValueOnce(new StriaError('corrupt', 'the chunk is damaged'));
  await details.load(slice, [shown], { width, height });
  expect(faults.at(-1)).toEqual({
    message: 'the chunk is damaged',
    isTooMuch: false,
    layer: { name: 'Scan', decimation: 4 },
  });
  expect(details.drawings(slice, [shown], { width, height })[0]?.finer).toBeUndefined();
  await details.load(straight('z', 21, 2), [shown], { width, height });
  expect(faults.at(-1)).toBeUndefined();
  expect(gpu.memory.liveBytes('layer.detail')).toBeGreaterThan(0);
  // The layer was renamed.
  layer.fill.mockRejectedValueOnce(new StriaError('corrupt', 'the chunk is damaged'));
  await details.load(straight('z', 22, 2), [{ ...shown, look: { ...look, name: 'CT' } }], { width, height });
  expect(faults.at(-1)?.layer?.name).toBe('CT');
  // Only channels of the open volume that are shown as images are drawn like that volume.
  const channels = ['gray', 'labels'].map((colormap, channel) => ({
    ...shown,
    look: testLook({ id: colormap, of: baseId, channel, colormap }),
  }));
  await details.load(slice, channels, { width, height });
  expect(details.drawings(slice, channels, { width, height }).map(({ finer }) => finer !== undefined)).toEqual([false, true]);
  expect(details.drawings(slice, [], { width, height })).toEqual([]);
  expect(gpu.memory.liveBytes('layer.detail')).toBe(0);
  details.destroy();
  layer.destroy();
});

test.each([
  ['reading', () => new Promise<never>(() => {})],
  ['pausing before it reads again', () => Promise.reject(new StriaError('not-readable', 'the drive is gone'))],
])('a cancelled picture does not wait for a layer that is %s', async (_, fill) => {
  const layer = await layerOf('u8', testVoxels);
  const shown = { look: testLook({ id: 'layer' }), map: placeLayer(base, layer.info).map, volume: layer.coarse, timePoint: 1 };
  const details = new LayerDetails(
    gpu,
    () => {},
    () => {},
  );
  layer.fill.mockClear().mockImplementation(fill);
  const controller = new AbortController();
  const loading = details.load(straight('z', 20, 2), [shown], { width, height }, controller.signal);
  await expect.poll(() => layer.fill.mock.calls.length).toBeGreaterThan(0);
  controller.abort();
  await expect(loading).rejects.toMatchObject({ tag: 'aborted' });
  expect(details.isPending).toBe(false);
  await expect(details.load(straight('z', 20, 2), [shown], { width, height }, controller.signal)).rejects.toMatchObject({
    tag: 'aborted',
  });
  details.destroy();
  layer.destroy();
});

test('a coarse layer ends where the layer does, although its last voxels would extend further', async () => {
  const layer = await layerOf('u8', ({ dims: [x, y, z, t] }) => new Uint8Array(x * y * z * t).fill(200));
  const thick: ThickSlice = { kind: 'mean', slices: 5 };
  const at = (look: LayerLook) => ({ look, map: placeLayer(base, layer.info, look.motion).map, timePoint: 1 });
  for (const look of [
    testLook({ id: 'layer', window: [0, 255], motion: testMotion }),
    testLook({ id: 'layer', window: [0, 255], motion: testMotion, smooth: true }),
    testLook({ id: 'layer', window: [0, 255], colormap: 'labels', outline: true, motion: testMotion }),
  ]) {
    for (const slice of [straight('z', 20, 0.6), straight('x', 30, 0.6, thick), oblique(0.5)]) {
      const whole = await drawn(slice, { ...at(look), volume: layer.whole });
      const coarse = await drawn(slice, { ...at(look), volume: layer.coarse });
      expect(largestDifference(coarse, whole)).toBeLessThanOrEqual(1);
    }
  }
  layer.destroy();
});
