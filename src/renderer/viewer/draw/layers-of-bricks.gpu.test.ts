import { afterEach, describe, expect, test } from 'vitest';
import { ballVoxel, finished, type TestBricks, type TestVoxel, testBricks } from '../../../core/bricks/bricks-testing.ts';
import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { type Dims4, type ElementType, elementBytes, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeLevel } from '../../../core/shared/volume-level.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { firstView } from '../model/auto-view.ts';
import { placeLayer } from '../model/layer-place.ts';
import { testLook } from '../model/layer-testing.ts';
import { baseId, type LayerLook, noLayers, volumeIdOf } from '../model/layers.ts';
import type { LayerIn3d } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { BrickSpace } from './brick-space.ts';
import { testCamera } from './camera-testing.ts';
import { rayPicture } from './ray-picture.ts';

const usual = await openTestGpu();
/** Many laptops have none that filters 32-bit floats. */
const unfiltering = await openTestGpu(['float32-filterable']);
let gpu = usual;
/** Drawn on black. */
const request = { width: 72, height: 60, background: 'screen' } as const;

const { camera, eye } = testCamera(1.2);

const kept: { destroy(): void }[] = [];
const keep = <Kept extends { destroy(): void }>(one: Kept): Kept => {
  kept.push(one);
  return one;
};
afterEach(async () => {
  for (const one of kept.splice(0).reverse()) one.destroy();
  await finished(usual);
  if (gpu !== usual) await finished(gpu);
  gpu = usual;
});

async function residentOf(info: VolumeInfo, voxels: Uint8Array, level?: VolumeLevel): Promise<ResidentVolume> {
  const volume = keep(await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8], level }));
  volume.append(voxels);
  await volume.statistics();
  return volume;
}

function spaceOf(bricks: TestBricks, numbers: () => ResidentVolume['numbers'], slots: number): BrickSpace {
  const host = new HostBricks(bricks, { bytes: 2 ** 20, attempts: 1 });
  const slotBytes = 512 * elementBytes(bricks.info.type);
  const limits = { payloadBytes: 2 ** 20, atlasBytes: slots * slotBytes, textureBytes: 2 ** 24, bricksPerUpdate: 64 };
  const space = new BrickSpace(gpu, host, limits, numbers, { arrived: () => {}, changed: () => {} });
  keep({
    destroy: () => {
      space.close();
      host.close();
    },
  });
  return space;
}

const dims: Dims4 = [30, 26, 22, 1];
const layerDims: Dims4 = [34, 29, 31, 1];
/** Extends beyond the open volume, on a turned grid. */
const affine = [0.9, 0.1, 0, 3, -0.1, 0.9, 0, 1, 0, 0.1, 0.8, 2];

async function layerBricks(type: ElementType, voxel: TestVoxel, codecs: readonly string[]): Promise<TestBricks> {
  const bricks = await testBricks(layerDims, type, [8, 8, 8], voxel, { codecs });
  return { ...bricks, info: { ...bricks.info, affine } as VolumeInfo };
}

interface Scene {
  readonly change?: Partial<ViewState>;
  readonly isBaseOfBricks?: boolean;
  /** How many decoded bricks of a layer fit; default: all. */
  readonly slots?: number;
  /** The open volume; default: a ball. */
  readonly base?: TestBricks;
  /** Whether a layer's texture has every second voxel, and thus reaches beyond the layer, as that of a compressed volume may. */
  readonly isOfSteps?: boolean;
}

type Pictures = Readonly<Record<'expected' | 'coarse' | 'bricks', Uint8Array>>;

/** Draws a layer wholly from GPU memory, from its coarse level, and from bricks over that level. */
async function drawn(layers: Parameters<typeof arranged>[0], scene: Scene) {
  const { expected, coarse, bricks, spaces } = await arranged(layers, scene);
  return { expected: await expected(), coarse: await coarse(), bricks: await bricks(), spaces };
}

/** The same by a device that cannot filter 32-bit floats. The expected picture is that of a device that can. */
async function drawnUnfiltered(...args: Parameters<typeof drawn>): Promise<Pictures> {
  const expected = await (await arranged(...args)).expected();
  gpu = unfiltering;
  const { coarse, bricks } = await arranged(...args);
  return { expected, coarse: await coarse(), bricks: await bricks() };
}

/** Loads layers. The pictures are drawn when asked for, because each compiles kernels of its own. */
async function arranged(
  layers: readonly (readonly [TestBricks, Partial<LayerLook>])[],
  { change, isBaseOfBricks, slots = 400, base: given, isOfSteps }: Scene,
) {
  const base = given ?? (await testBricks(dims, 'u8', [8, 8, 8], ballVoxel(dims, 'u8'), { codecs: ['rice'] }));
  const whole = await residentOf(base.info, base.voxels[0] as Uint8Array);
  const level: VolumeLevel = { dims: (base.infos[2] as VolumeInfo).dims, factors: [4, 4, 4] };
  const coarse = isBaseOfBricks ? await residentOf(base.info, base.voxels[2] as Uint8Array, level) : whole;
  const space = isBaseOfBricks ? spaceOf(base, () => whole.numbers, 200) : undefined;
  const state: ViewState = { ...firstView(base.info, await whole.statistics()), ...change };
  const spaces = new Map<string, BrickSpace>();
  const all = { whole: [] as LayerIn3d[], coarse: [] as LayerIn3d[] };
  for (const [at, [bricks, of]] of layers.entries()) {
    const { info, voxels, infos } = bricks;
    const look = testLook({ id: `layer-${at}`, window: [0, 200], ...of });
    const { map } = placeLayer(base.info, info);
    const fine = await residentOf(info, voxels[0] as Uint8Array);
    const quarter = await residentOf(info, voxels[2] as Uint8Array, {
      dims: (infos[2] as VolumeInfo).dims,
      factors: [4, 4, 4],
    });
    const shown = (volume: ResidentVolume) => keep(volume.newDisplay('layer')).show(look.channel);
    all.whole.push({ look, info, map, display: await shown(fine) });
    const display = isOfSteps
      ? { ...(await shown(await residentOf(infos[1] as VolumeInfo, voxels[1] as Uint8Array))), step: 2 }
      : await shown(quarter);
    all.coarse.push({ look, info, map, display });
    spaces.set(volumeIdOf(look), look.of === baseId && space ? space : spaceOf(bricks, () => fine.numbers, slots));
  }
  const picture = async (volume: ResidentVolume, of: readonly LayerIn3d[], bricks?: BrickSpace, layerBricks?: typeof spaces) => {
    const display = await volume.displayTexture(0);
    const scene = { info: base.info, display, state, camera, eye, step: 1, ground: { r: 0, g: 0, b: 0, a: 1 } };
    return (await rayPicture(gpu, { ...scene, layers: of, bricks, layerBricks }, request, 100)).rgba;
  };
  return {
    expected: () => picture(whole, all.whole),
    coarse: () => picture(coarse, all.coarse, space),
    bricks: () => picture(coarse, all.coarse, space, spaces),
    spaces: [...spaces.values()],
  };
}

function differences(a: Uint8Array, b: Uint8Array): readonly number[] {
  return [...a].map((value, at) => Math.abs(value - (b[at] as number)));
}

function expectAlike({ expected, coarse, bricks }: Pictures): void {
  expect(Math.max(...differences(coarse, expected))).toBeGreaterThan(20);
  expect(Math.max(...differences(bricks, expected))).toBeLessThanOrEqual(1);
}

const clip = [[0.1, 1], [0, 1], [0, 0.9]] as const; // biome-ignore format: three ranges
/** Fine structure and empty space. */
const grain: TestVoxel = (x, y, z) =>
  z > 20 ? 0 : Math.max(0, 150 - 9 * Math.hypot(x - 17, y - 14, z - 12)) + 6 * ((x ^ y ^ z) & 7);
const unseen = { layers: { ...noLayers, base: { ...noLayers.base, isVisible: false } } };
const veil = { layers: { ...noLayers, base: { ...noLayers.base, opacity: 0.5 } } };

const u8 = layerBricks('u8', grain, ['rice', 'raw']);
/** Blocks of labels with empty space between them, and single voxels that coarse levels lack. */
const blocks: TestVoxel = (x, y, z) =>
  x % 9 === 4 && y % 9 === 4 && z % 5 === 2 ? 3000 : x % 12 < 6 && z < 22 ? 20 * (1 + ((x >> 3) ^ (y >> 3) ^ (z >> 4))) : 0;
const u16 = layerBricks('u16', blocks, ['rle']);
/** With missing voxels. */
const holes: TestVoxel = (x, y, z) => ((x ^ y) % 7 === 0 && z % 3 === 0 ? Number.NaN : grain(x, y, z, 0) / 3);

const asImage = { opacity: 0.8, colormap: 'inferno' } as const;
const asComposite = { change: { projection: 'composite', clip } } as const;

describe('a layer larger than memory is drawn from bricks as if it were whole', () => {
  test('as an image that hides the volume and is hidden by it', async () => {
    for (const change of [{ clip }, { ...veil, lighting: false }])
      expectAlike(await drawn([[await u8, asImage]], { change: { ...change, projection: 'composite' } }));
  });

  test('as an image without interpolation, lit by the differences of its voxels', async () => {
    expectAlike(await drawn([[await u8, { ...asImage, smooth: false }]], asComposite));
  });

  test('as an image whose texture reaches beyond it', async () => {
    expectAlike(await drawn([[await u8, asImage]], { ...asComposite, isOfSteps: true }));
  });

  test('as labels, some of which the coarse level lacks, over a volume that comes from bricks, too', async () => {
    const look = { colormap: 'labels', window: [0, 3000] } as const;
    expectAlike(await drawn([[await u16, look]], { change: { projection: 'composite', clip }, isBaseOfBricks: true }));
  });

  test('as an image with missing voxels, in a maximum projection', async () => {
    const layer = await layerBricks('f32', holes, ['raw']);
    expectAlike(await drawn([[layer, { window: [0, 60], blending: 'add' }]], { change: { projection: 'mip' } }));
  });

  test('as a channel of that volume, which hides the lowest one by depth', async () => {
    const of = await testBricks([...dims.slice(0, 3), 2] as unknown as Dims4, 'u8', [8, 8, 8], (x, y, z, t) =>
      Math.max(0, 230 - 14 * Math.hypot(x - 11 - 9 * t, y - 13, z - 9 - 3 * t) + ((x ^ y ^ z) & 7)),
    );
    const bricks = { ...of, info: { ...of.info, channels: [{ name: 'a' }, { name: 'b' }] } };
    const look = { id: 'b', of: baseId, channel: 1, window: [30, 220], colormap: '#00ff80' } as const;
    const change = { projection: 'composite', colormap: '#4080ff' } as const;
    expectAlike(await drawn([[bricks, look]], { change, base: bricks, isBaseOfBricks: true }));
  });

  test('as an isosurface, without the volume, beside another layer', async () => {
    const look = { colormap: 'inferno', opacity: 0.7 } as const;
    const change = { ...unseen, projection: 'isosurface', level: 90 } as const;
    const labels = { colormap: 'labels', window: [0, 3000] } as const;
    expectAlike(
      await drawn(
        [
          [await u8, look],
          [await u16, labels],
        ],
        { change },
      ),
    );
  });
});

describe('a layer of 32-bit floats is drawn from bricks by a device that cannot filter them', () => {
  // A whole layer's texture has half floats there, so the expected picture is that of a device that filters.
  test('beside another layer, with missing voxels, in a maximum projection', async () => {
    expect(unfiltering.device.features.has('float32-filterable')).toBe(false);
    const floats = await layerBricks('f32', holes, ['raw']);
    const layers = [[floats, { window: [0, 60], blending: 'add' }] as const, [await u8, asImage] as const];
    const scene = { change: { projection: 'mip', clip } } as const;
    expectAlike(await drawnUnfiltered(layers, scene));
  });

  test('over a volume of 32-bit floats that comes from bricks, too', async () => {
    const base = await testBricks(dims, 'f32', [8, 8, 8], ballVoxel(dims, 'f32'), { codecs: ['raw'] });
    const floats = await layerBricks('f32', grain, ['raw']);
    const change = { projection: 'composite', clip } as const;
    const scene = { change, base, isBaseOfBricks: true };
    expectAlike(await drawnUnfiltered([[floats, asImage]], scene));
  });
});

test('coarser bricks are drawn if the finest ones do not fit, within the budget', async () => {
  const { expected, coarse, bricks, spaces } = await drawn([[await u8, asImage]], { ...asComposite, slots: 16 });
  const sum = (of: Uint8Array) => differences(of, expected).reduce((total, value) => total + value, 0);
  expect(sum(bricks)).toBeLessThan(0.8 * sum(coarse));
  expect(spaces[0]?.bricks.use).toMatchObject({ slots: 16 });
});

test("a layer's own texture is drawn where bricks cannot be read, and the reason is told", async () => {
  const fault = new StriaError('not-readable', 'the disk is away');
  const broken: TestBricks = { ...(await u8), read: async (bricks) => bricks.map(() => fault) };
  const { coarse, bricks, spaces } = await drawn([[broken, asImage]], asComposite);
  expect(Math.max(...differences(bricks, coarse))).toBeLessThanOrEqual(1);
  expect(spaces[0]?.unread?.message).toContain('the disk is away');
});
