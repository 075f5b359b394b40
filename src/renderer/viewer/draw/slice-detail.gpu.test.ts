import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createCpuBackend } from '../../../core/cpu/cpu-backend.ts';
import { inlinePool } from '../../../core/cpu/inline-pool.ts';
import { SlabPlane, slabKinds } from '../../../core/draw/slab-plane.ts';
import { ContainerReader } from '../../../core/format/container-reader.ts';
import { planAxes } from '../../../core/io/common/array-axes.ts';
import { type GridLevel, griddedLevels } from '../../../core/io/common/gridded-levels.ts';
import { memorySource } from '../../../core/shared/bytes.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { type Dims4, type ElementType, typedVoxels, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { LeveledVoxels, StreamedLevels, VolumeLevel } from '../../../core/shared/volume-level.ts';
import { compressBytes } from '../../../core/stream/engine-testing.ts';
import { allLevels } from '../../../core/stream/levels/leveled-writer.ts';
import { leveledContainer } from '../../../core/volume/levels/leveled-container.ts';
import { leveledFile } from '../../../core/volume/levels/leveled-file.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testInfo, testVoxels } from '../../../core/volume/resident-testing.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { testLook } from '../model/layer-testing.ts';
import { baseId } from '../model/layers.ts';
import { type AxisNumber, sliceFrame } from '../model/orientation.ts';
import { placeSlice, type Voxel } from '../model/slice-geometry.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { identityMap } from '../model/voxel-map.ts';
import { LayerSlabs } from './layer-slabs.ts';
import type { SliceDrawing } from './slice-contents.ts';
import { type DetailWish, SliceDetail } from './slice-detail.ts';
import { SliceRenderer } from './slice-renderer.ts';
import { drawnPixels } from './slice-testing.ts';

const gpu = await openTestGpu();
const [width, height] = [64, 48];
// Odd lengths, so that the last voxel of each level extends beyond the end.
const dims: Dims4 = [267, 75, 41, 2];
const spacing: Voxel = [1, 1, 1];

let renderer: SliceRenderer;
beforeEach(() => {
  renderer = new SliceRenderer(gpu, 'rgba8unorm');
});
afterEach(() => renderer.destroy());

interface Scene {
  readonly info: VolumeInfo;
  readonly bytes: Uint8Array;
  /** The whole volume in GPU memory. */
  readonly whole: ResidentVolume;
  /** The volume with its last level in GPU memory, and its file. */
  readonly coarse: ResidentVolume;
}

async function sceneOf(type: ElementType, wrap = (file: LeveledVoxels) => file): Promise<Scene> {
  const info = testInfo(dims, type);
  const bytes = testVoxels(info);
  if (type === 'f64') typedVoxels(type, bytes).fill(Number.NaN, 5000, 90_000);
  const settings = { chunkShape: [32, 16, 8], levels: 'mean', levelLimits: allLevels } as const;
  const container = await compressBytes(createCpuBackend(inlinePool()), info, bytes, settings);
  const reader = await ContainerReader.open(memorySource('a.stria', container.bytes));
  const levels = await reader.levels();
  const file = leveledContainer(reader, levels);
  const last = file.levels.at(-1) as VolumeLevel;
  const whole = await ResidentVolume.create(gpu, info, { chunkShape: [32, 16, 8] });
  whole.append(bytes);
  const coarse = await ResidentVolume.create(gpu, info, { chunkShape: [32, 16, 8], level: last });
  const [x, y, z, t] = last.dims;
  for (let timePoint = 0; timePoint < t; timePoint++) {
    coarse.append(await file.read({ level: levels.length, first: [0, 0, 0], size: [x, y, z], timePoint }));
  }
  coarse.file = wrap(file);
  return { info, bytes, whole, coarse };
}

/** Numbered random places: the zoom in pixels per voxel, from `least` on, and the position of the canvas's centre. */
function placesOf(count: number, least: number, range = 5.37) {
  let state = 99;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, (_, number) => {
    const axis = (number % 3) as AxisNumber;
    const frame = sliceFrame(testInfo(dims, 'u8'), 'xyz'[axis] as 'x' | 'y' | 'z');
    const index = Math.floor(next() * dims[axis]);
    const size: Voxel = [dims[0], dims[1], dims[2]];
    const at = (along: AxisNumber): number => dims[along] * next() + 0.0317;
    const center = [at(frame.right.axis), at(frame.down.axis)] as const;
    const fitted = placeSlice({ frame, dims: size, spacing, width, height, index, camera: { zoom: 1, center }, margin: 3 });
    const zoom = (least + next() * range) / fitted.pixelsPerUnit;
    const map = placeSlice({ frame, dims: size, spacing, width, height, index, camera: { zoom, center }, margin: 3 });
    return { axis, index, map };
  });
}

const state = {
  inverted: false,
  outside: ['clamp', 'clamp'],
  colormap: 'viridis',
  timePoint: 1,
} as const;

describe.each(['u8', 'i16', 'f64'] as const)('a slice of %s', (type) => {
  test('is drawn from the file, if the GPU holds only a level, as if the whole volume were in GPU memory', async () => {
    const close = vi.fn();
    const { info, bytes, whole, coarse } = await sceneOf(type, (file) => ({ ...file, close }));
    expect(coarse.decimation).toBeGreaterThanOrEqual(4);
    const values = typedVoxels(type, bytes);
    const sorted = [...values.filter((value) => !Number.isNaN(Number(value)))].sort((a, b) => Number(a) - Number(b));
    const window = [Number(sorted[sorted.length >> 2]), Number(sorted[(sorted.length * 3) >> 2])] as const;
    const detail = new SliceDetail(gpu, () => {});
    let wasCoarse = 0;
    for (const [number, place] of placesOf(12, 1).entries()) {
      const look = { ...state, window, smooth: number % 2 === 0, missing: 'hide' } as unknown as SliceDrawing['state'];
      const opacity = number % 4 === 3 ? 0.6 : 1;
      const wish: DetailWish = { volume: coarse, ...place, timePoints: [1], width, height };
      const draw = (drawing: Pick<SliceDrawing, 'volume' | 'detail'>) =>
        drawnPixels(gpu, renderer, { ...place, ...drawing, state: look, opacity }, [width, height]);
      const expected = await draw({ volume: whole });
      if (Buffer.compare(await draw({ volume: coarse }), expected) !== 0) wasCoarse++;
      const finer = await detail.loaded(wish);
      expect(finer?.region.level).toBe(0);
      if (Buffer.compare(await draw({ volume: coarse, detail: finer }), expected) !== 0) expect(place).toBe('drawn alike');
      const voxel = dims.map((length, axis) => Math.floor(((number * 7919 + axis * 131) % 997) * (length / 997)));
      const [x, y, z] = voxel as [number, number, number];
      const stored = values[((dims[2] + z) * dims[1] + y) * dims[0] + x];
      expect(await coarse.voxel(x, y, z, 1)).toEqual(Number(stored));
    }
    expect(wasCoarse).toBeGreaterThan(6);
    expect(info.dims).toEqual(coarse.info.dims);
    detail.destroy();
    coarse.destroy();
    whole.destroy();
    expect(close).toHaveBeenCalledTimes(1);
  });
});

test.each([undefined, { kind: 'maximum', slices: 9 }] as const)(
  'a zoomed-out slice of a plain file shows its made levels as one of a .stria shows its own (slab: %o)',
  async (slab) => {
    const { info, bytes, whole, coarse } = await sceneOf('i16');
    const { levels, read } = coarse.file as LeveledVoxels;
    const skipping = leveledFile(
      { info, fill: async (target, at) => target.set(bytes.subarray(at, at + target.length)) },
      levels,
    );
    let made = Number.POSITIVE_INFINITY;
    const skipped: number[] = [];
    const plain = await ResidentVolume.create(gpu, info, { chunkShape: [32, 16, 8], level: levels.at(-1) });
    for await (const piece of (skipping as StreamedLevels).voxels(levels.length - 1)) plain.append(piece);
    plain.file = {
      levels,
      making: { canSkip: true, isMade: (level, timePoint) => level >= made && timePoint === 1 },
      read: (box) => {
        if (box.level === 0 || box.level >= made) return read(box);
        skipped.push(box.level);
        return (skipping as StreamedLevels).read(box);
      },
      close() {},
    };
    const [ofPlain, ofStria] = [new SliceDetail(gpu, () => {}), new SliceDetail(gpu, () => {})];
    const planes = [new SlabPlane(gpu), new SlabPlane(gpu)] as const;
    const draw = async (volume: ResidentVolume, detail: SliceDetail, place: ReturnType<typeof placesOf>[number], at: 0 | 1) => {
      const finer = await detail.loaded({ volume, ...place, timePoints: [1], width, height, slab });
      const look = { ...state, window: [-9000, 9000], smooth: at === 0, missing: 'hide' } as unknown as SliceDrawing['state'];
      const thick = slab && { ...slab, plane: planes[at] };
      const pixels = await drawnPixels(gpu, renderer, { ...place, volume, slab: thick, detail: finer, state: look, opacity: 1 }, [
        width,
        height,
      ]);
      return { pixels, finer };
    };
    const drawBoth = async (place: ReturnType<typeof placesOf>[number]) =>
      [(await draw(plain, ofPlain, place, 0)).pixels, (await draw(coarse, ofStria, place, 0)).pixels] as const;
    const places = placesOf(6, 0.12, 0.8);
    let wasOther = 0;
    for (const place of places) if (Buffer.compare(...(await drawBoth(place))) !== 0) wasOther++;
    expect(wasOther).toBeGreaterThan(3);
    made = 1;
    skipped.length = 0;
    for (const place of places) if (Buffer.compare(...(await drawBoth(place))) !== 0) expect(place).toBe('drawn alike');
    expect(skipped).toEqual([]);
    // Where a voxel covers a pixel, it is exact.
    for (const place of placesOf(3, 1)) expect((await draw(plain, ofPlain, place, 1)).finer?.region.level).toBe(0);
    for (const each of [ofPlain, ofStria, ...planes, plain, coarse, whole]) each.destroy();
  },
);

test('a slice that is shown when its level is made is read again', async () => {
  const { info, bytes, whole, coarse } = await sceneOf('u8');
  const { levels } = coarse.file as LeveledVoxels;
  let isMade = false;
  const reads: (readonly [level: number, isMade: boolean])[] = [];
  const [file] = [leveledFile({ info, fill: async (target, at) => target.set(bytes.subarray(at, at + target.length)) }, levels)];
  coarse.file = {
    levels,
    making: { canSkip: true, isMade: (level) => isMade && level > 0 },
    read: (box) => {
      reads.push([box.level, isMade]);
      return (file as StreamedLevels).read(box);
    },
    close() {},
  };
  const detail = new SliceDetail(gpu, () => {});
  const [place] = placesOf(1, 0.4, 0) as [ReturnType<typeof placesOf>[number]];
  const wish: DetailWish = { volume: coarse, ...place, timePoints: [1], width, height };
  const before = await detail.loaded(wish);
  isMade = true;
  // The old voxels are drawn until the new ones are there.
  expect(detail.drawing(wish)).toBe(before);
  expect(await detail.loaded(wish)).not.toBe(before);
  await detail.loaded(wish);
  expect(reads).toEqual([
    [1, false],
    [1, true],
  ]);
  for (const each of [detail, coarse, whole]) each.destroy();
});

test('a slice of an OME-Zarr, whose levels have lengths rounded down, is drawn from the file like the whole volume', async () => {
  const info = testInfo(dims, 'u16');
  const bytes = testVoxels(info);
  const file = griddedLevels([gridOf(dims, bytes), gridOf([66, 18, 10, 2], bytes)]);
  expect(file.levels.map(({ factors }) => factors)).toEqual([
    [1, 1, 1],
    [4, 4, 4],
  ]);
  const whole = await ResidentVolume.create(gpu, info, { chunkShape: [32, 16, 8] });
  whole.append(bytes);
  const coarse = await ResidentVolume.create(gpu, info, { chunkShape: [32, 16, 8], level: file.levels[1] });
  for await (const piece of file.voxels(1)) coarse.append(piece);
  expect(coarse.isComplete).toBe(true);
  coarse.file = file;
  const detail = new SliceDetail(gpu, () => {});
  const look = { ...state, window: [0, 65_535], smooth: true, missing: 'hide' } as unknown as SliceDrawing['state'];
  for (const place of placesOf(6, 1)) {
    const draw = (drawing: Pick<SliceDrawing, 'volume' | 'detail'>) =>
      drawnPixels(gpu, renderer, { ...place, ...drawing, state: look, opacity: 1 }, [width, height]);
    const finer = await detail.loaded({ volume: coarse, ...place, timePoints: [1], width, height });
    expect(finer?.region.level).toBe(0);
    const drawn = await draw({ volume: coarse, detail: finer });
    if (Buffer.compare(drawn, await draw({ volume: whole })) !== 0) expect(place).toBe('drawn alike');
  }
  const values = typedVoxels('u16', bytes);
  for (const [x, y, z] of [
    [266, 74, 40],
    [0, 73, 39],
    [131, 2, 17],
  ] as const) {
    expect(await coarse.voxel(x, y, z, 1)).toBe(values[((41 + z) * 75 + y) * 267 + x]);
  }
  detail.destroy();
  coarse.destroy();
  whole.destroy();
});

/** A chunked array with the first of these voxels. */
function gridOf(size: Dims4, bytes: Uint8Array): GridLevel {
  const [nx, ny, nz, nt] = size;
  const values = typedVoxels('u16', bytes.slice(0, 2 * nx * ny * nz * nt));
  const shape = [nt, nz, ny, nx];
  const chunks = [1, 8, 16, 32];
  const grid: GridLevel['grid'] = {
    shape,
    chunks,
    type: 'u16',
    async read([t = 0, z = 0, y = 0, x = 0]) {
      const data = new Uint16Array(8 * 16 * 32);
      for (let at = 0; at < data.length; at++) {
        const [column, row, plane] = [x * 32 + (at % 32), y * 16 + (Math.floor(at / 32) % 16), z * 8 + Math.floor(at / 512)];
        data[at] = Number(values[((t * nz + plane) * ny + row) * nx + column] ?? 0);
      }
      return { data, stride: [0, 512, 32, 1] };
    },
  };
  return { grid, plan: planAxes(['t', 'z', 'y', 'x'], shape) };
}

test.each(['u8', 'f64'] as const)(
  'a thick slice of %s of which the GPU has a level is drawn as of the whole volume',
  async (type) => {
    const { whole, coarse, bytes } = await sceneOf(type);
    const detail = new SliceDetail(gpu, () => {});
    const [kept, full] = [new SlabPlane(gpu), new SlabPlane(gpu)];
    const sorted = [...typedVoxels(type, bytes)]
      .map(Number)
      .filter(Number.isFinite)
      .sort((a, b) => a - b);
    const window = [sorted[sorted.length >> 3], sorted[(sorted.length * 7) >> 3]] as const;
    const look = { ...state, window, smooth: true, missing: 'hide' } as unknown as SliceDrawing['state'];
    let wasCoarse = 0;
    for (const [number, place] of placesOf(6, 1).entries()) {
      const slab = { kind: slabKinds[number % 3] as (typeof slabKinds)[number], slices: [5, 12, 40][number % 3] as number };
      const draw = (volume: ResidentVolume, plane: SlabPlane, finer?: SliceDrawing['detail']) =>
        drawnPixels(gpu, renderer, { ...place, volume, slab: { ...slab, plane }, detail: finer, state: look, opacity: 1 }, [
          width,
          height,
        ]);
      const expected = await draw(whole, full);
      if (Buffer.compare(await draw(coarse, kept), expected) !== 0) wasCoarse++;
      const wish: DetailWish = { volume: coarse, ...place, timePoints: [1], width, height, slab };
      const finer = await detail.loaded(wish);
      expect(finer?.region.level).toBe(0);
      if (Buffer.compare(await draw(coarse, kept, finer), expected) !== 0) expect(place).toBe('drawn alike');
      // The single slice in its middle, and another slab, need other voxels.
      expect(detail.drawing({ ...wish, slab: undefined })).toBeUndefined();
    }
    expect(wasCoarse).toBeGreaterThan(3);
    for (const each of [detail, kept, full, coarse, whole]) each.destroy();
  },
);

test.each(['thin', 'thick'] as const)('channels of a %s slice are drawn from the file, all at once', async (kind) => {
  const { whole, coarse } = await sceneOf('u8');
  const detail = new SliceDetail(gpu, () => {});
  const slabs = [new LayerSlabs(gpu), new LayerSlabs(gpu)] as const;
  const planes = [new SlabPlane(gpu), new SlabPlane(gpu)] as const;
  const look = testLook({ id: 'second', of: baseId, channel: 1, blending: 'add', window: [40, 200], colormap: '#00ff80' });
  const slab = kind === 'thick' ? ({ kind: 'maximum', slices: 5 } as const) : undefined;
  let wasCoarse = 0;
  for (const place of placesOf(3, 1)) {
    const shown = { ...state, colormap: '#ff0080', timePoint: 0, window: [0, 255], smooth: true, missing: 'hide' };
    const draw = (volume: ResidentVolume, at: 0 | 1, finer?: SliceDrawing['detail']) => {
      const layers = slabs[at]
        .drawings({ volume, layersIn: () => [{ look, volume, map: identityMap }] }, { timePoint: 0 } as ViewState)
        .map((layer) => ({ ...layer, timePoint: 1 }));
      const thick = slab && { ...slab, plane: planes[at] };
      const drawing = { ...place, volume, layers, slab: thick, detail: finer, opacity: 1 };
      return drawnPixels(gpu, renderer, { ...drawing, state: shown as unknown as SliceDrawing['state'] }, [width, height]);
    };
    const expected = await draw(whole, 0);
    if (Buffer.compare(await draw(coarse, 1), expected) !== 0) wasCoarse++;
    const wish: DetailWish = { volume: coarse, ...place, timePoints: [0], width, height, slab };
    await detail.loaded(wish);
    // A channel that has not been read yet keeps the others coarse.
    expect(detail.drawing({ ...wish, timePoints: [0, 1] })).toBeUndefined();
    const finer = await detail.loaded({ ...wish, timePoints: [0, 1] });
    expect(finer?.region.level).toBe(0);
    if (Buffer.compare(await draw(coarse, 1, finer), expected) !== 0) expect(place).toBe('drawn alike');
    // Hiding a channel needs no other voxels.
    expect(detail.drawing({ ...wish, timePoints: [1] })).toBe(finer);
  }
  expect(wasCoarse).toBeGreaterThan(1);
  for (const each of [detail, ...slabs, ...planes, coarse, whole]) each.destroy();
});

test('the parts of a slice that detail does not cover stay coarse, and nothing is drawn outside the volume', async () => {
  const { coarse, whole } = await sceneOf('u8');
  const detail = new SliceDetail(gpu, () => {});
  const look = { ...state, window: [0, 255], smooth: false, missing: 'hide' } as unknown as SliceDrawing['state'];
  const [place] = placesOf(3, 2).slice(2) as [ReturnType<typeof placesOf>[number]];
  const finer = await detail.loaded({ volume: coarse, ...place, timePoints: [1], width, height });
  const zoomedOut = { ...place, map: { ...place.map } };
  const [cx, cy] = [width / 2, height / 2];
  const { origin, right, down } = place.map;
  // Four times as much is visible.
  const wide = (at: Voxel): Voxel => [at[0] * 4, at[1] * 4, at[2] * 4];
  const moved = origin.map(
    (at, axis) =>
      at +
      (right[axis] as number) * cx +
      (down[axis] as number) * cy -
      4 * ((right[axis] as number) * cx + (down[axis] as number) * cy),
  ) as unknown as Voxel;
  zoomedOut.map = { ...place.map, origin: moved, right: wide(right), down: wide(down) };
  const draw = (drawing: Pick<SliceDrawing, 'volume' | 'detail'>) =>
    drawnPixels(gpu, renderer, { ...zoomedOut, ...drawing, state: look, opacity: 0.5 }, [width, height]);
  const [fine, rough, mixed] = [
    await draw({ volume: whole }),
    await draw({ volume: coarse }),
    await draw({ volume: coarse, detail: finer }),
  ];
  let [asFine, asRough, asNeither] = [0, 0, 0];
  for (let at = 0; at < mixed.length; at += 4) {
    const same = (one: Uint8Array) => one[at] === mixed[at] && one[at + 1] === mixed[at + 1] && one[at + 2] === mixed[at + 2];
    if (same(fine)) asFine++;
    else if (same(rough)) asRough++;
    else asNeither++;
    // Outside the volume, both show the background.
  }
  expect(asNeither).toBe(0);
  expect(Math.min(asFine, asRough)).toBeGreaterThan(100);
  detail.destroy();
  coarse.destroy();
  whole.destroy();
});

test('while voxels are missing, the slice is drawn without them; only the latest request is read', async () => {
  const begun: number[] = [];
  const answers: (() => void)[] = [];
  const { coarse, whole } = await sceneOf('u8', (file) => ({
    ...file,
    read: (box, options) =>
      new Promise((resolve, reject) => {
        begun.push(box.first[2]);
        options?.signal?.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')));
        answers.push(() => void file.read(box).then(resolve, reject));
      }),
  }));
  const onArrived = vi.fn();
  const detail = new SliceDetail(gpu, onArrived);
  const [place] = placesOf(3, 2).slice(2) as [ReturnType<typeof placesOf>[number]];
  const wish = (index: number): DetailWish => ({ volume: coarse, ...place, index, timePoints: [0], width, height });
  expect(detail.drawing(wish(3))).toBeUndefined();
  expect(detail.drawing(wish(3))).toBeUndefined();
  expect(detail.drawing(wish(4))).toBeUndefined();
  expect([begun, detail.isPending]).toEqual([[3, 4], true]);
  answers[0]?.();
  answers[1]?.();
  await vi.waitFor(() => expect(onArrived).toHaveBeenCalledTimes(1));
  expect([detail.isPending, detail.drawing(wish(4))?.region.first[2]]).toEqual([false, 4]);
  // Another slice does not use this one's voxels, and without a slice nothing is pending.
  expect(detail.drawing(wish(5))).toBeUndefined();
  expect(detail.drawing(undefined)).toBeUndefined();
  expect(detail.isPending).toBe(false);
  detail.destroy();
  coarse.destroy();
  whole.destroy();
});

test('a failed read is repeated; if it fails for good, the slice stays coarse and says so until reading works again', async () => {
  let failures = 2;
  const { coarse, whole } = await sceneOf('u8', (file) => ({
    ...file,
    read: (box, options) =>
      failures-- > 0 ? Promise.reject(new StriaError('not-readable', 'the disk did not answer')) : file.read(box, options),
  }));
  const faults: (string | undefined)[] = [];
  const detail = new SliceDetail(
    gpu,
    () => {},
    (fault) => faults.push(fault?.message),
    1,
  );
  const [place] = placesOf(3, 2).slice(2) as [ReturnType<typeof placesOf>[number]];
  const wish = (index: number): DetailWish => ({ volume: coarse, ...place, index, timePoints: [0], width, height });
  const load = (index: number) => detail.loaded(wish(index));
  try {
    expect((await load(3))?.region.first[2]).toBe(3);
    expect(faults).toEqual([undefined]);
    failures = 99;
    expect(await load(4)).toBeUndefined();
    expect(faults).toEqual([undefined, 'the disk did not answer']);
    // The read is not tried again with each frame.
    const left = failures;
    detail.drawing(wish(4));
    expect(detail.isPending).toBe(false);
    expect(failures).toBe(left);
    failures = 0;
    expect((await load(5))?.region.first[2]).toBe(5);
    expect(faults.at(-1)).toBeUndefined();
  } finally {
    detail.destroy();
    coarse.destroy();
    whole.destroy();
  }
});
