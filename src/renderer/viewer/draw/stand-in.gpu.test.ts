import { Matrix4 } from 'three';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ballVoxel, finished, testBricks } from '../../../core/bricks/bricks-testing.ts';
import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { wholeOf } from '../../../core/draw/ray-pass.ts';
import type { KernelDescriptor } from '../../../core/gpu/kernel.ts';
import type { Dims4, VolumeInfo } from '../../../core/shared/volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { firstView } from '../model/auto-view.ts';
import { placeLayer } from '../model/layer-place.ts';
import { testLook } from '../model/layer-testing.ts';
import { volumeIdOf } from '../model/layers.ts';
import type { LayerIn3d } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { BrickSpace } from './brick-space.ts';
import { testCamera } from './camera-testing.ts';
import { RayDrawing, type RayMarch } from './ray-drawing.ts';
import { rayViewOf } from './ray-view.ts';
import { sceneCube } from './scene-cube.ts';

const gpu = await openTestGpu();
const dims: Dims4 = [24, 20, 16, 1];
const size = { width: 48, height: 40 };
const { camera, eye } = testCamera(1.2);
const source = testBricks(dims, 'u8', [8, 8, 8], ballVoxel(dims, 'u8'), { codecs: ['raw'] });

/** The kernels of rays that were asked for to be compiled, each with a function that ends it; and those that were used. */
let compiling: { readonly key: string; end(): void }[];
let used: string[];
/** Kernels that another drawing has compiled. */
let known: string[];
let kept: { destroy(): void }[];

const keyOf = ({ label, variant, constants }: KernelDescriptor) => JSON.stringify([label, variant, constants]);
const isOfRays = ({ label }: KernelDescriptor) => label === 'view.brick-rays' || label === 'view.ray-stack';

beforeEach(() => {
  [compiling, used, known, kept] = [[], [], [], []];
  vi.spyOn(gpu, 'isSoftware', 'get').mockReturnValue(false);
  vi.spyOn(gpu, 'prepareKernels').mockImplementation(async (kernels) => {
    for (const kernel of kernels.filter(isOfRays)) {
      await new Promise<void>((end) => compiling.push({ key: keyOf(kernel), end }));
    }
  });
  // All tests share a GPU.
  vi.spyOn(gpu, 'hasKernel').mockImplementation((descriptor) => known.includes(keyOf(descriptor)));
  const kernelOf = gpu.kernel.bind(gpu);
  vi.spyOn(gpu, 'kernel').mockImplementation((descriptor) => {
    if (isOfRays(descriptor)) used.push(keyOf(descriptor));
    return kernelOf(descriptor);
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of kept.reverse()) one.destroy();
  await finished(gpu);
});

function keep<Kept extends { destroy(): void }>(one: Kept): Kept {
  kept.push(one);
  return one;
}

async function setUp(isOfBricks: boolean) {
  const bricks = await source;
  const resident = async (level?: number) => {
    const factor = 2 ** (level ?? 0);
    const of =
      level === undefined
        ? undefined
        : { dims: (bricks.infos[level] as VolumeInfo).dims, factors: [factor, factor, factor] as const };
    const volume = keep(await ResidentVolume.create(gpu, bricks.info, { chunkShape: [8, 8, 8], level: of }));
    volume.append(bricks.voxels[level ?? 0] as Uint8Array);
    await volume.statistics();
    return volume;
  };
  const whole = await resident();
  const volume = isOfBricks ? await resident(2) : whole;
  const state: ViewState = { ...firstView(bricks.info, await whole.statistics()), projection: 'mip' };
  const look = testLook({ id: 'layer', window: [0, 200] });
  const display = await keep(volume.newDisplay('layer')).show(0);
  const layer: LayerIn3d = { look, info: bricks.info, map: placeLayer(bricks.info, bricks.info).map, display };
  const open = () => {
    const host = new HostBricks(bricks, { bytes: 2 ** 20 });
    const limits = { payloadBytes: 2 ** 20, atlasBytes: 200 * 512, textureBytes: 2 ** 24, bricksPerUpdate: 64 };
    const space = new BrickSpace(gpu, host, limits, () => whole.numbers, { arrived: () => {}, changed: () => {} });
    keep({
      destroy: () => {
        space.close();
        host.close();
      },
    });
    return space;
  };
  const rays = keep(new RayDrawing(gpu, bricks.info, await volume.displayTexture(0)));
  const { lengths, cube } = sceneCube(bricks.info);
  const view = rayViewOf(camera, eye, new Matrix4().copy(cube).invert(), lengths);
  let compiled = 0;
  const usual: RayMarch = { view, step: 1, plane: undefined, strip: wholeOf(size), onCompiled: () => compiled++ };
  /** @returns the kernels of several volumes, or of bricks, that the frame used */
  const march = async (layers: readonly LayerIn3d[], change: Partial<RayMarch> = {}, opacity = 1): Promise<readonly string[]> => {
    used = [];
    const { base } = state.layers;
    await rays.march({ ...state, layers: { ...state.layers, base: { ...base, opacity } } }, layers, { ...usual, ...change });
    return used;
  };
  return { rays, layer, open, march, id: volumeIdOf(look), compiled: () => compiled };
}

/** Ends all compilations that have begun. @returns their kernels */
async function endCompiling(): Promise<readonly string[]> {
  const ended = compiling.splice(0);
  for (const { end } of ended) end();
  await new Promise((resolve) => setTimeout(resolve, 5));
  return ended.map(({ key }) => key);
}

test('while the kernel for a new layer is compiled, frames show the volume without it', async () => {
  const { rays, layer, march, compiled } = await setUp(false);
  expect(await march([layer])).toEqual([]);
  expect(await march([layer])).toEqual([]);
  expect([rays.isCompiling, compiling.length, compiled()]).toEqual([true, 1, 0]);
  const [kernel] = await endCompiling();
  expect(compiled()).toBe(1);
  expect(await march([layer])).toEqual([kernel]);
  expect(rays.isCompiling).toBe(false);
});

test('the first frame of another drawing shows everything, if its kernel has been compiled', async () => {
  const { layer, march } = await setUp(false);
  await march([layer]);
  known = [...(await endCompiling())];
  const other = await setUp(false);
  expect(await other.march([layer])).toEqual(known);
  expect([other.rays.isCompiling, compiling]).toEqual([false, []]);
});

test('a frame that began without layers ends without them', async () => {
  const { layer, march } = await setUp(false);
  const strip = { ...size, from: 0, count: 20 };
  await march([layer], { strip });
  await endCompiling();
  expect(await march([layer], { strip: { ...strip, from: 20 } })).toEqual([]);
  expect(await march([layer], { strip })).toHaveLength(1);
});

test('while the kernel for a transparent volume is compiled, frames show it opaque, with or without its layers', async () => {
  const { layer, march, compiled } = await setUp(false);
  expect(await march([], {}, 0.5)).toEqual([]);
  expect(await march([layer], {}, 0.5)).toEqual([]);
  const [alone, withLayer] = await endCompiling();
  expect(compiled()).toBe(2);
  expect([await march([], {}, 0.5), await march([layer], {}, 0.5)]).toEqual([[alone], [withLayer]]);
});

test('once a kernel has been compiled, frames wait for nothing, even if nothing is visible meanwhile', async () => {
  const { rays, layer, march, compiled } = await setUp(false);
  await march([layer]);
  await march([], {}, 0);
  await endCompiling();
  expect([rays.isCompiling, compiled()]).toEqual([false, 1]);
});

test('pictures, which show everything, compile at once', async () => {
  const { layer, march } = await setUp(false);
  expect(await march([layer], { onCompiled: undefined })).toHaveLength(1);
  expect(compiling).toEqual([]);
});

test('nothing is told once the drawing is destroyed', async () => {
  const { rays, layer, march, compiled } = await setUp(false);
  await march([layer]);
  kept.splice(kept.indexOf(rays), 1);
  rays.destroy();
  await endCompiling();
  expect(compiled()).toBe(0);
});

test('no frame of bricks with a layer waits for a kernel, while the layer comes and then its bricks', async () => {
  const { rays, layer, open, march, id } = await setUp(true);
  const bricks = open();
  const ready = new Set<string>();
  const draw = async (layers: readonly LayerIn3d[], layerBricks?: ReadonlyMap<string, BrickSpace>) => {
    const kernels = await march(layers, { bricks, layerBricks });
    expect(kernels.filter((kernel) => !ready.has(kernel))).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return kernels;
  };
  const settle = async (...args: Parameters<typeof draw>) => {
    for (let idle = 0; idle < 3; ) {
      const ended = await endCompiling();
      for (const kernel of ended) ready.add(kernel);
      idle = ended.length > 0 || bricks.isBusy ? 0 : idle + 1;
      await draw(...args);
    }
  };
  expect(await draw([])).toEqual([]);
  await settle([]);
  const alone = await draw([]);
  expect([rays.isOfBricks, alone.length]).toEqual([true, 1]);
  // The layer is new.
  expect(await draw([layer])).toEqual(alone);
  await settle([layer]);
  const withLayer = await draw([layer]);
  expect(withLayer).toHaveLength(1);
  expect(withLayer).not.toEqual(alone);
  // Its bricks are new.
  const layerBricks = new Map([[id, open()]]);
  expect(await draw([layer], layerBricks)).toEqual(withLayer);
  await settle([layer], layerBricks);
  const all = await draw([layer], layerBricks);
  expect([rays.isOfBricks, all.length]).toEqual([true, 1]);
  expect([alone, withLayer]).not.toContainEqual(all);
});
