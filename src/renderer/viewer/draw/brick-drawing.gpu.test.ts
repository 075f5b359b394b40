import { Matrix4 } from 'three';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BrickSource } from '../../../core/bricks/brick-source.ts';
import { ballVoxel, type TestBricks, testBricks } from '../../../core/bricks/bricks-testing.ts';
import type { GpuBrickLimits } from '../../../core/bricks/gpu-bricks.ts';
import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { type Strip, trialOf, wholeOf } from '../../../core/draw/ray-pass.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { Dims4, VolumeInfo } from '../../../core/shared/volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import type { VolumeLevel } from '../../../core/volume/volume-level.ts';
import { openNodeGpu } from '../../../node/node-gpu.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { pictureGrounds } from '../colors/grounds.ts';
import { firstView } from '../model/auto-view.ts';
import { placeLayer } from '../model/layer-place.ts';
import { testLook } from '../model/layer-testing.ts';
import { noLayers } from '../model/layers.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { BrickSpace } from './brick-space.ts';
import { testCamera } from './camera-testing.ts';
import { RayDrawing, type RayMarch } from './ray-drawing.ts';
import { rayPicture } from './ray-picture.ts';
import { rayViewOf } from './ray-view.ts';
import { sceneCube } from './scene-cube.ts';

const gpu = await openTestGpu();
const dims: Dims4 = [40, 33, 26, 1];
/** A canvas whose pixels are smaller than voxels. */
const size = { width: 96, height: 80 };
const request = { ...size, background: 'transparent' } as const;
const ground = pictureGrounds.transparent;
const source = testBricks(dims, 'u8', [8, 8, 8], ballVoxel(dims, 'u8'), { codecs: ['rice', 'raw', 'rle'] });
const budgets = { payloadBytes: 2 ** 16, atlasBytes: 150 * 512, bricksPerUpdate: 16 };

const { camera, eye } = testCamera(size.width / size.height);

let whole: ResidentVolume;
let coarse: ResidentVolume;
let bricks: TestBricks;
let state: ViewState;
let hosts: HostBricks[] = [];
let spaces: BrickSpace[] = [];

beforeEach(async () => {
  bricks = await source;
  whole = await residentOf(bricks.info, bricks.voxels[0] as Uint8Array);
  coarse = await ResidentVolume.create(gpu, bricks.info, { chunkShape: [8, 8, 8], level: levelOf(2) });
  coarse.append(bricks.voxels[2] as Uint8Array);
  state = { ...firstView(bricks.info, await whole.statistics()), projection: 'mip' };
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const space of spaces) space.close();
  for (const host of hosts) host.close();
  [hosts, spaces] = [[], []];
  whole.destroy();
  coarse.destroy();
  await gpu.device.queue.onSubmittedWorkDone();
  await new Promise((resolve) => setTimeout(resolve, 20));
});

function levelOf(level: number): VolumeLevel {
  const factor = 2 ** level;
  return { dims: (bricks.infos[level] as VolumeInfo).dims, factors: [factor, factor, factor] };
}

async function residentOf(info: VolumeInfo, voxels: Uint8Array): Promise<ResidentVolume> {
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  volume.append(voxels);
  return volume;
}

function open(from: BrickSource, arrived = () => {}, limits: Partial<GpuBrickLimits> = budgets): BrickSpace {
  const host = new HostBricks(from, { bytes: 2 ** 16, retryMs: 1 });
  const space = new BrickSpace(gpu, host, limits, () => [-Infinity, Infinity], { arrived, changed: () => {} });
  hosts.push(host);
  spaces.push(space);
  return space;
}

async function picture(volume: ResidentVolume, space?: BrickSpace, change: Partial<ViewState> = {}, rows = 100) {
  const display = await volume.displayTexture(0);
  const scene = { info: bricks.info, display, state: { ...state, ...change }, camera, eye, step: 1, ground, bricks: space };
  return (await rayPicture(gpu, scene, request, rows)).rgba;
}

function mostDifferent(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] as number))), 0);
}

test.each(['mip', 'composite'] as const)(
  'a picture of a volume that is too large for the GPU is that of the whole volume: %s',
  async (projection) => {
    const clip = {
      projection,
      clip: [
        [0.1, 1],
        [0, 1],
        [0, 0.9],
      ],
    } as const;
    const expected = await picture(whole, undefined, clip);
    expect(mostDifferent(await picture(coarse, undefined, clip), expected)).toBeGreaterThan(20);
    const space = open(bricks);
    expect(mostDifferent(await picture(coarse, space, clip, 32), expected)).toBeLessThanOrEqual(1);
    expect(space.unread).toBeUndefined();
  },
);

test('frames show the coarse volume until bricks have arrived, and then only bricks', async () => {
  let frames = 0;
  const space = open(bricks, () => frames++);
  const rays = new RayDrawing(gpu, bricks.info, await coarse.displayTexture(0));
  const { lengths, cube } = sceneCube(bricks.info);
  const view = rayViewOf(camera, eye, new Matrix4().copy(cube).invert(), lengths);
  const strip = wholeOf(size);
  const labels: string[] = [];
  for (let drawn = -1; drawn !== frames || space.isBusy; ) {
    drawn = frames;
    await rays.march(state, [], { view, step: 1, plane: undefined, strip, bricks: space });
    labels.push(rays.isOfBricks ? 'bricks' : 'coarse');
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  expect(labels[0]).toBe('coarse');
  expect(labels.at(-1)).toBe('bricks');
  expect(labels.lastIndexOf('coarse')).toBeLessThan(labels.indexOf('bricks'));
  rays.destroy();
});

test('while the kernel for bricks is compiled, frames show the coarse volume and request no bricks', async () => {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const compiles: string[] = [];
  vi.spyOn(gpu, 'isSoftware', 'get').mockReturnValue(false);
  vi.spyOn(gpu, 'hasKernel').mockReturnValue(false);
  vi.spyOn(gpu, 'prepareKernels').mockImplementation((kernels) => {
    compiles.push(...kernels.map(({ label }) => label));
    return promise;
  });
  let changes = 0;
  const space = open(bricks, () => changes++);
  const rays = new RayDrawing(gpu, bricks.info, await coarse.displayTexture(0));
  const { lengths, cube } = sceneCube(bricks.info);
  const view = rayViewOf(camera, eye, new Matrix4().copy(cube).invert(), lengths);
  const march = () => rays.march(state, [], { view, step: 1, plane: undefined, strip: wholeOf(size), bricks: space });
  const reads = bricks.reads.count;
  for (let frame = 0; frame < 3; frame++) await march();
  await new Promise((passed) => setTimeout(passed, 40));
  const brickKernels = () => compiles.filter((label) => label === 'view.brick-rays').length;
  expect([rays.isOfBricks, brickKernels(), bricks.reads.count - reads, changes]).toEqual([false, 1, 0, 0]);
  expect(space.isBusy).toBe(true);
  resolve();
  await expect.poll(() => changes).toBeGreaterThan(0);
  await march();
  await expect.poll(() => bricks.reads.count - reads).toBeGreaterThan(0);
  expect(brickKernels()).toBe(1);
  rays.destroy();
});

test('a picture waits for its kernel and for its bricks', async () => {
  vi.spyOn(gpu, 'isSoftware', 'get').mockReturnValue(false);
  vi.spyOn(gpu, 'hasKernel').mockReturnValue(false);
  const prepare = vi.spyOn(gpu, 'prepareKernels').mockImplementation(() => new Promise((passed) => setTimeout(passed, 100)));
  expect(mostDifferent(await picture(coarse, open(bricks)), await picture(whole))).toBeLessThanOrEqual(1);
  expect(prepare).toHaveBeenCalled();
});

test('a picture that needs another kernel once its bricks are there waits for that one, too', async () => {
  const space = open(bricks, undefined, { ...budgets, textureBytes: 2 ** 22 });
  await picture(coarse, space);
  // As for floats, whose bricks cannot be filtered until all of them were copied again.
  let isFiltered = false;
  vi.spyOn(space.bricks, 'isFiltered').mockImplementation(() => isFiltered);
  vi.spyOn(space.bricks, 'isSettled', 'get').mockImplementation(() => isFiltered);
  vi.spyOn(gpu, 'isSoftware', 'get').mockReturnValue(false);
  vi.spyOn(gpu, 'hasKernel').mockReturnValue(false);
  vi.spyOn(gpu, 'prepareKernels').mockImplementation(() => new Promise((passed) => setTimeout(passed, 100)));
  setTimeout(() => {
    isFiltered = true;
  }, 600);
  expect(mostDifferent(await picture(coarse, space), await picture(whole))).toBeLessThanOrEqual(1);
});

test('a trial of another view requests no bricks, and the frame after it does, with the bricks of the trial', async () => {
  const space = open(bricks);
  const rays = new RayDrawing(gpu, bricks.info, await coarse.displayTexture(0));
  const { lengths, cube } = sceneCube(bricks.info);
  const view = rayViewOf(camera, eye, new Matrix4().copy(cube).invert(), lengths);
  const march = async (strip: Strip, seen = view, isTried = false) => {
    await rays.march(state, [], { view: seen, step: 1, plane: undefined, strip, bricks: space, restWidth: size.width, isTried });
    await new Promise((resolve) => setTimeout(resolve, 40));
  };
  do await march(wholeOf(size));
  while (!rays.isOfBricks || space.isBusy);
  const want = vi.spyOn(space.bricks, 'want');
  const moved = { ...view, toCube: view.toCube.map((value, at) => (at === 0 ? 0.9 * value : value)) };
  const decode = vi.spyOn(space, 'decode');
  await march(trialOf(size, 1 / 8), moved);
  expect([want.mock.calls.length, decode.mock.calls.length]).toEqual([0, 1]);
  await march(wholeOf(size), moved, true);
  expect(want).toHaveBeenCalled();
  expect(decode).toHaveBeenCalledTimes(1);
  await march(wholeOf(size), moved);
  expect(decode).toHaveBeenCalledTimes(2);
  rays.destroy();
});

test('between a trial and its frame no bricks are decoded, though the frame ahead gives its feedback', async () => {
  const space = open(bricks);
  const rays = new RayDrawing(gpu, bricks.info, await coarse.displayTexture(0));
  const { lengths, cube } = sceneCube(bricks.info);
  const view = rayViewOf(camera, eye, new Matrix4().copy(cube).invert(), lengths);
  const march = (strip: Strip, change: Partial<RayMarch> = {}) =>
    rays.march(state, [], { view, step: 1, plane: undefined, strip, bricks: space, restWidth: size.width, ...change });
  do {
    await march(wholeOf(size));
    await new Promise((resolve) => setTimeout(resolve, 40));
  } while (!rays.isOfBricks || space.isBusy);
  const ahead = march(wholeOf(size));
  const trial = march(trialOf(size, 1 / 8), { isTrial: true });
  const update = vi.spyOn(space.bricks, 'update');
  const want = vi.spyOn(space.bricks, 'want');
  await Promise.all([ahead, trial]);
  const frame = march(wholeOf(size), { isTried: true });
  expect([want.mock.calls.length, update.mock.calls.length]).toEqual([1, 0]);
  await frame;
  await expect.poll(() => update.mock.calls.length).toBeGreaterThan(0);
  rays.destroy();
});

test('when a view decodes bricks, the other views are drawn, too', async () => {
  let arrived = 0;
  const space = open(bricks, () => arrived++);
  const decoded = [3];
  space.bricks.update = () => decoded.shift() ?? 0;
  space.decode();
  expect([arrived, space.isBusy]).toEqual([0, true]);
  await expect.poll(() => arrived).toBe(1);
  expect(space.isBusy).toBe(false);
  space.decode();
  expect(space.isBusy).toBe(false);
});

test('without the volume itself, its layers are drawn and no bricks are read', async () => {
  const display = await coarse.displayTexture(0);
  const look = testLook({ id: 'layer', window: [0, 255], colormap: 'viridis' });
  const layers = [{ look, info: bricks.info, map: placeLayer(bricks.info, bricks.info).map, display }];
  const hidden = { ...state, layers: { ...noLayers, base: { ...noLayers.base, opacity: 0 } } };
  const scene = { info: bricks.info, display, state: hidden, camera, eye, step: 1, ground, layers };
  const without = await rayPicture(gpu, scene, request, 100);
  const reads = bricks.reads.count;
  const withBricks = await rayPicture(gpu, { ...scene, bricks: open(bricks) }, request, 100);
  expect(withBricks.rgba).toEqual(without.rgba);
  expect(bricks.reads.count).toBe(reads);
});

test('a reader that fails at random delays the picture, but does not change it', async () => {
  let seed = 7;
  const failing: BrickSource = {
    ...bricks,
    read: async (wanted, options) => {
      seed = (seed * 48_271) % 2_147_483_647;
      // One read in ten fails.
      if (seed % 10 === 0) throw new StriaError('not-readable', 'the disk is away');
      return bricks.read(wanted, options);
    },
  };
  expect(mostDifferent(await picture(coarse, open(failing)), await picture(whole))).toBeLessThanOrEqual(1);
});

test('bricks that can never be read are shown coarsely, with the reason', async () => {
  const failing: BrickSource = {
    ...bricks,
    read: async (wanted, options) => {
      const found = await bricks.read(wanted, options);
      return wanted.map(({ level, number }, at) =>
        level === 0 && number % 3 === 0 ? new StriaError('corrupt', 'damaged') : (found[at] as (typeof found)[number]),
      );
    },
  };
  const space = open(failing);
  const shown = await picture(coarse, space);
  expect(space.unread).toMatchObject({ tag: 'corrupt' });
  const [expected, before] = [await picture(whole), await picture(coarse)];
  const away = (a: Uint8Array, b: Uint8Array): number =>
    a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] as number)), 0);
  expect(away(shown, expected)).toBeGreaterThan(0);
  expect(away(shown, expected)).toBeLessThan(away(before, expected));
});

/** Bricks whose reads wait until the functions in `pending` are called. */
function slowBricks(): { readonly slow: BrickSource; readonly pending: (() => void)[] } {
  const pending: (() => void)[] = [];
  const slow: BrickSource = {
    ...bricks,
    read: async (wanted, options) => {
      await new Promise<void>((resolve) => pending.push(resolve));
      return bricks.read(wanted, options);
    },
  };
  return { slow, pending };
}

test('closing during loading frees everything', async () => {
  await coarse.displayTexture(0);
  gpu.spare.free();
  const held = () => JSON.stringify([...gpu.memory.entries()].filter(([label]) => !label.startsWith('spare')));
  const before = held();
  const { slow, pending } = slowBricks();
  const space = open(slow);
  const drawing = picture(coarse, space);
  await expect.poll(() => pending.length).toBeGreaterThan(0);
  space.close();
  hosts[0]?.close();
  for (const resolve of pending) resolve();
  await drawing;
  await expect.poll(held).toBe(before);
  expect(hosts[0]?.use.keptBytes).toBe(0);
});

test('a view that is closed while its picture waits for bricks requests no more', async () => {
  const { slow, pending } = slowBricks();
  const space = open(slow);
  const rays = new RayDrawing(gpu, bricks.info, await coarse.displayTexture(0));
  const { lengths, cube } = sceneCube(bricks.info);
  const view = rayViewOf(camera, eye, new Matrix4().copy(cube).invert(), lengths);
  const march = { view, step: 1, plane: undefined, strip: wholeOf(size), bricks: space };
  const loading = rays.load(state, [], march, undefined);
  await expect.poll(() => pending.length).toBeGreaterThan(0);
  rays.destroy();
  for (const resolve of pending) resolve();
  await loading;
  expect([space.bricks.isSettled, space.bricks.use.loading]).toEqual([true, 0]);
});

test('a device loss ends the picture, and the next device continues with the bricks in host memory', async () => {
  const lost = await openNodeGpu({ software: true, limits: 'default' });
  const there = await ResidentVolume.create(lost, bricks.info, { chunkShape: [8, 8, 8], level: levelOf(2) });
  there.append(bricks.voxels[2] as Uint8Array);
  await there.statistics();
  let read = 0;
  const watched: BrickSource = {
    ...bricks,
    read: async (wanted, options) => {
      if (read < 20 && read + wanted.length >= 20) lost.device.destroy();
      read += wanted.length;
      return bricks.read(wanted, options);
    },
  };
  const host = new HostBricks(watched, { bytes: 2 ** 20 });
  hosts.push(host);
  const silent = { arrived: () => {}, changed: () => {} };
  const first = new BrickSpace(lost, host, budgets, () => [-Infinity, Infinity], silent);
  const display = await there.displayTexture(0);
  const scene = { info: bricks.info, display, state, camera, eye, step: 1, ground, bricks: first };
  await expect(rayPicture(lost, scene, request, 100)).rejects.toMatchObject({ tag: 'device-lost' });
  first.close();
  there.destroy();
  expect(lost.memory.liveBytes()).toBe(0);
  const before = host.use.kept;
  expect(before).toBeGreaterThan(0);
  const second = new BrickSpace(gpu, host, budgets, () => [-Infinity, Infinity], silent);
  spaces.push(second);
  expect(mostDifferent(await picture(coarse, second), await picture(whole))).toBeLessThanOrEqual(1);
  expect(host.use.bricksRead).toBe(host.use.kept);
});

/** Draws from bricks until all have arrived, and then submits two frames at once. @returns both */
async function twoAtOnce(rays: RayDrawing, space: BrickSpace): Promise<readonly Promise<number | undefined>[]> {
  const { lengths, cube } = sceneCube(bricks.info);
  const view = rayViewOf(camera, eye, new Matrix4().copy(cube).invert(), lengths);
  const march = { view, step: 1, plane: undefined, strip: wholeOf(size), bricks: space };
  await rays.load(state, [], march, undefined);
  return [rays.march(state, [], march), rays.march(state, [], march)];
}

test('closing while two frames are in flight frees everything, and bricks are asked for no more', async () => {
  const display = await coarse.displayTexture(0);
  gpu.spare.free();
  const held = () => JSON.stringify([...gpu.memory.entries()].filter(([label]) => !label.startsWith('spare')));
  const before = held();
  const space = open(bricks);
  const rays = new RayDrawing(gpu, bricks.info, display);
  const frames = await twoAtOnce(rays, space);
  const { count } = bricks.reads;
  rays.destroy();
  space.close();
  await Promise.all(frames);
  await expect.poll(held).toBe(before);
  expect(bricks.reads.count).toBe(count);
});

test('a device loss ends two frames in flight', async () => {
  const lost = await openNodeGpu({ software: true, limits: 'default' });
  const there = await ResidentVolume.create(lost, bricks.info, { chunkShape: [8, 8, 8], level: levelOf(2) });
  there.append(bricks.voxels[2] as Uint8Array);
  await there.statistics();
  const host = new HostBricks(bricks, { bytes: 2 ** 20 });
  hosts.push(host);
  const space = new BrickSpace(lost, host, budgets, () => [-Infinity, Infinity], { arrived: () => {}, changed: () => {} });
  const rays = new RayDrawing(lost, bricks.info, await there.displayTexture(0));
  const frames = await twoAtOnce(rays, space);
  lost.device.destroy();
  expect(await Promise.all(frames)).toEqual([undefined, undefined]);
  expect(space.isBusy).toBe(false);
  rays.destroy();
  space.close();
  there.destroy();
  expect(lost.memory.liveBytes()).toBe(0);
});
