import { afterEach, describe, expect, test } from 'vitest';
import { ballVoxel, finished, type TestBricks, type TestVoxel, testBricks } from '../../../core/bricks/bricks-testing.ts';
import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { GpuMesh } from '../../../core/draw/gpu-mesh.ts';
import { ballMesh } from '../../../core/mesh/mesh-testing.ts';
import type { Dims4, VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeLevel } from '../../../core/shared/volume-level.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { firstView } from '../model/auto-view.ts';
import type { ShownLabels } from '../model/label-look.ts';
import { placeLayer } from '../model/layer-place.ts';
import { testLook } from '../model/layer-testing.ts';
import { baseId, type LayerLook, noLayers } from '../model/layers.ts';
import type { LayerIn3d, ShownMesh } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { identityMap, worldToVoxels } from '../model/voxel-map.ts';
import { BrickSpace } from './brick-space.ts';
import { testCamera } from './camera-testing.ts';
import { rayPicture } from './ray-picture.ts';

const gpu = await openTestGpu();
const dims: Dims4 = [40, 33, 26, 1];
/** Drawn on black. */
const request = { width: 72, height: 60, background: 'screen' } as const;

const { camera, eye } = testCamera(1.2);

/** What is drawn with the volume, and how. */
interface Scene {
  readonly layers?: readonly LayerIn3d[];
  readonly meshes?: readonly ShownMesh[];
  readonly labels?: ShownLabels;
  /** Further channels of the volume. */
  readonly channels?: readonly LayerLook[];
  readonly change?: Partial<ViewState>;
}

const kept: { destroy(): void }[] = [];
const keep = <Kept extends { destroy(): void }>(one: Kept): Kept => {
  kept.push(one);
  return one;
};
afterEach(async () => {
  for (const one of kept.splice(0)) one.destroy();
  await finished(gpu);
});

async function residentOf(info: VolumeInfo, voxels: Uint8Array, level?: VolumeLevel): Promise<ResidentVolume> {
  const volume = keep(await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8], level }));
  volume.append(voxels);
  return volume;
}

/** A layer on a turned grid with larger voxels, which extends beyond the volume. */
async function layerOn(base: VolumeInfo, look: Partial<LayerLook>, voxel: TestVoxel): Promise<LayerIn3d> {
  const [x, y, z] = [22, 20, 18];
  const info: VolumeInfo = { ...testInfo([x, y, z, 1], 'u8'), affine: [1.5, 0.1, 0, 6, -0.1, 1.4, 0, 3, 0, 0.1, 1.3, 8] };
  const voxels = Uint8Array.from({ length: x * y * z }, (_, at) =>
    voxel(at % x, Math.floor(at / x) % y, Math.floor(at / x / y), 0),
  );
  const display = await (await residentOf(info, voxels)).displayTexture(0);
  return { look: testLook({ id: 'layer', window: [0, 255], ...look }), info, map: placeLayer(base, info).map, display };
}

function ballOf(base: VolumeInfo, radius: number, opacity: number, color: string): ShownMesh {
  const mesh = keep(new GpuMesh(gpu, ballMesh([24, 16, 18], radius)));
  return { look: { id: color, name: color, isVisible: true, opacity, color }, mesh, map: worldToVoxels(base) };
}

/** Draws a scene from the whole volume, and from bricks over a coarse level. */
async function drawn(bricks: TestBricks, slotBytes: number, { layers = [], meshes = [], labels, channels = [], change }: Scene) {
  const whole = await residentOf(bricks.info, bricks.voxels[0] as Uint8Array);
  const level: VolumeLevel = { dims: (bricks.infos[2] as VolumeInfo).dims, factors: [4, 4, 4] };
  const coarse = await residentOf(bricks.info, bricks.voxels[2] as Uint8Array, level);
  const host = new HostBricks(bricks, { bytes: 2 ** 18 });
  const limits = {
    payloadBytes: 2 ** 18,
    atlasBytes: 150 * (1 + channels.length) * slotBytes,
    textureBytes: 2 ** 20,
    bricksPerUpdate: 32,
  };
  const space = new BrickSpace(gpu, host, limits, () => whole.numbers, { arrived: () => {}, changed: () => {} });
  const state: ViewState = { ...firstView(bricks.info, await whole.statistics()), ...change };
  const picture = async (volume: ResidentVolume, from?: BrickSpace) => {
    const display = await volume.displayTexture(0);
    const scene = { info: bricks.info, display, state, camera, eye, step: 1, ground: { r: 0, g: 0, b: 0, a: 1 } };
    const own: LayerIn3d[] = [];
    for (const look of channels) {
      const feed = keep(volume.newDisplay('channel'));
      own.push({ look, info: bricks.info, map: identityMap, display: await feed.show(look.channel) });
    }
    return (await rayPicture(gpu, { ...scene, layers: [...own, ...layers], meshes, labels, bricks: from }, request, 100)).rgba;
  };
  try {
    return { expected: await picture(whole), coarse: await picture(coarse), bricks: await picture(coarse, space) };
  } finally {
    space.close();
    host.close();
  }
}

function mostDifferent(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] as number))), 0);
}

function expectAlike({ expected, coarse, bricks }: Awaited<ReturnType<typeof drawn>>): void {
  expect(mostDifferent(coarse, expected)).toBeGreaterThan(20);
  expect(mostDifferent(bricks, expected)).toBeLessThanOrEqual(1);
}

const u8 = testBricks(dims, 'u8', [8, 8, 8], ballVoxel(dims, 'u8'), { codecs: ['rice', 'raw', 'rle'] });

const clip = [[0.1, 1], [0, 1], [0, 0.9]] as const; // biome-ignore format: three ranges
const veiled = (opacity: number) => ({ layers: { ...noLayers, base: { ...noLayers.base, opacity } } });

describe('a volume larger than memory is drawn from bricks as if it were whole', () => {
  test('with surfaces, opaque and translucent, and with labels that extend beyond it', async () => {
    const bricks = await u8;
    const meshes = [ballOf(bricks.info, 7, 1, '#30a0ff'), ballOf(bricks.info, 10, 0.5, '#ffb020')];
    const look = { colormap: 'labels', window: [0, 3] } as const;
    const layers = [await layerOn(bricks.info, look, (x, y, z) => (z < 6 ? 1 + (((x >> 2) ^ (y >> 2)) % 3) : 0))];
    for (const change of [{ clip }, { ...veiled(0.5), lighting: false }])
      expectAlike(await drawn(bricks, 512, { layers, meshes, change: { ...change, projection: 'composite' } }));
  });

  test('with an image over it, in a maximum projection', async () => {
    const bricks = await u8;
    const layer = await layerOn(bricks.info, { opacity: 0.5, colormap: 'inferno' }, (x, y, z) => 8 * ((x + y + z) % 20));
    expectAlike(await drawn(bricks, 512, { layers: [layer], change: { projection: 'mip', clip } }));
  });

  test('with another channel', async () => {
    const of = await testBricks([...dims.slice(0, 3), 2] as unknown as Dims4, 'u8', [8, 8, 8], (x, y, z, t) =>
      Math.max(0, 230 - 14 * Math.hypot(x - 14 - 9 * t, y - 16, z - 9 - 5 * t) + ((x ^ y ^ z) & 7)),
    );
    const bricks = { ...of, info: { ...of.info, channels: [{ name: 'a' }, { name: 'b' }] } };
    const look = testLook({ id: 'b', of: baseId, channel: 1, blending: 'add', window: [30, 220], colormap: '#00ff80' });
    expectAlike(await drawn(bricks, 512, { channels: [look], change: { projection: 'composite', colormap: '#4080ff' } }));
  });

  test('as a transparent isosurface', async () => {
    const bricks = await u8;
    expectAlike(await drawn(bricks, 512, { change: { ...veiled(0.6), projection: 'isosurface', level: 90 } }));
  });

  test('as labels with colours of their own, some of which the coarse level lacks', async () => {
    // Single voxels of label 3000 vanish in coarse levels.
    const number: TestVoxel = (x, y, z) =>
      x % 9 === 4 && y % 9 === 4 && z % 5 === 2 ? 3000 : 20 * ((x >> 3) ^ (y >> 3) ^ (z >> 4));
    const bricks = await testBricks(dims, 'u16', [8, 8, 8], number, { codecs: ['rle'] });
    const table = [
      { number: 3000, color: '#ff4030' },
      { number: 40, color: '#30ff80' },
    ];
    const labels: ShownLabels = { table, shows: 'all', except: [20] };
    const change = { colormap: 'labels', window: [0, 3000], projection: 'composite' } as const;
    expectAlike(await drawn(bricks, 1024, { labels, change }));
  });
});
