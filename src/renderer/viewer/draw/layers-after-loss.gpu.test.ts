import { Matrix4, PerspectiveCamera, Vector4 } from 'three';
import { expect, test } from 'vitest';
import type { BrickSource } from '../../../core/bricks/brick-source.ts';
import { ballVoxel, finished, type TestBricks, type TestVoxel, testBricks } from '../../../core/bricks/bricks-testing.ts';
import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { wholeOf } from '../../../core/draw/ray-pass.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { type Dims4, type ElementType, elementBytes, type VolumeInfo } from '../../../core/shared/volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { openNodeGpu } from '../../../node/node-gpu.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { LayerFeeds } from '../layer-feeds.ts';
import { firstView } from '../model/auto-view.ts';
import { placeLayer } from '../model/layer-place.ts';
import { testLook } from '../model/layer-testing.ts';
import { type LayerLook, volumeIdOf } from '../model/layers.ts';
import type { LayerIn3d } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import type { BrickFile } from './brick-space.ts';
import { RayDrawing } from './ray-drawing.ts';
import { rayPicture } from './ray-picture.ts';
import { rayViewOf } from './ray-view.ts';
import { sceneCube } from './scene-cube.ts';

const gpu = await openTestGpu();
const size = { width: 48, height: 40 };
const dims: Dims4 = [30, 26, 22, 1];
const layerDims: Dims4 = [34, 29, 31, 1];
const base = testBricks(dims, 'u8', [8, 8, 8], ballVoxel(dims, 'u8'), { codecs: ['rice'] });
/** The longest flight until the device must be lost. */
const mostFrames = 60;
/** After how many bricks the first device is lost. */
const readBefore = 20;

/** A camera on a circle around the volume, looking at its centre. */
function cameraAt(frame: number): { readonly camera: PerspectiveCamera; readonly eye: Vector4 } {
  const camera = new PerspectiveCamera(26, size.width / size.height, 0.01, 50);
  camera.position.set(2.2 * Math.sin(frame / 8), 0.6, 2.2 * Math.cos(frame / 8));
  camera.lookAt(0, 0, 0);
  camera.updateMatrixWorld();
  return { camera, eye: new Vector4(...camera.position, 1) };
}

/** A volume and a layer over it on one device. The layer comes from the bricks of `host`, or wholly from GPU memory. */
async function sceneOn(device: Gpu, bricks: TestBricks, look: LayerLook, host: HostBricks | undefined) {
  const open = await base;
  const volumes: ResidentVolume[] = [];
  const residentOf = async ({ infos, voxels }: TestBricks, level: number) => {
    const found = { dims: (infos[level] as VolumeInfo).dims, factors: [2 ** level, 2 ** level, 2 ** level] } as const;
    const made = await ResidentVolume.create(device, infos[0] as VolumeInfo, {
      chunkShape: [8, 8, 8],
      level: level === 0 ? undefined : found,
    });
    volumes.push(made);
    made.append(voxels[level] as Uint8Array);
    return made;
  };
  const volume = await residentOf(open, 0);
  const coarse = await residentOf(bricks, host ? 2 : 0);
  const state: ViewState = { ...firstView(open.info, await volume.statistics()), projection: 'composite' };
  const shown = coarse.newDisplay('layer');
  const { map } = placeLayer(open.info, bricks.info);
  const layers: LayerIn3d[] = [{ look, info: bricks.info, map, display: await shown.show(look.channel) }];
  const listener = { arrived: () => {}, changed: () => {}, levelsMade: () => {} };
  const feeds = new LayerFeeds(device, () => [-Infinity, Infinity], listener);
  const id = volumeIdOf(look);
  if (host) {
    const limits = { payloadBytes: 2 ** 20, atlasBytes: 400 * 512 * elementBytes(bricks.info.type), textureBytes: 2 ** 24 };
    const file: BrickFile = { limits, hostBytes: 2 ** 20, open: async () => host };
    feeds.set(new Map([[id, file]]));
    feeds.follow(new Set([id]), 1);
    await feeds.opened();
  }
  const display = await volume.displayTexture(0);
  const rays = new RayDrawing(device, open.info, display);
  const { lengths, cube } = sceneCube(open.info);
  return {
    /** Draws a frame with the bricks that are there, and requests others. */
    async fly(frame: number): Promise<void> {
      const { camera, eye } = cameraAt(frame);
      const view = rayViewOf(camera, eye, new Matrix4().copy(cube).invert(), lengths);
      await rays.march(state, layers, { view, step: 1, plane: undefined, strip: wholeOf(size), layerBricks: feeds.spaces });
    },
    async picture(frame: number): Promise<Uint8Array> {
      const ground = { r: 0, g: 0, b: 0, a: 1 };
      const scene = { info: open.info, display, state, layers, layerBricks: feeds.spaces, ...cameraAt(frame), step: 1, ground };
      return (await rayPicture(device, scene, { ...size, background: 'screen' }, 100)).rgba;
    },
    close() {
      rays.destroy();
      feeds.close();
      shown.destroy();
      for (const made of volumes) made.destroy();
    },
  };
}

async function bricksOf(type: ElementType, voxel: TestVoxel): Promise<TestBricks> {
  return testBricks(layerDims, type, [8, 8, 8], voxel, { codecs: ['rice', 'raw'] });
}

const grain: TestVoxel = (x, y, z) => Math.max(0, 150 - 9 * Math.hypot(x - 17, y - 14, z - 12)) + 6 * ((x ^ y ^ z) & 7);
const blocks: TestVoxel = (x, y, z) => (x % 12 < 6 && z < 22 ? 20 * (1 + ((x >> 3) ^ (y >> 3) ^ (z >> 4))) : 0);

test.each([
  { kind: 'an image', type: 'u8', voxel: grain, look: { window: [0, 200], colormap: 'inferno', opacity: 0.8 } },
  { kind: 'labels', type: 'u16', voxel: blocks, look: { window: [0, 3000], colormap: 'labels' } },
] as const)('$kind drawn from bricks comes back after the device was lost in mid-flight', async ({ type, voxel, look: of }) => {
  const bricks = await bricksOf(type, voxel);
  const look = testLook({ id: 'layer', ...of });
  const lost = await openNodeGpu({ software: true, limits: 'default' });
  let read = 0;
  const watched: BrickSource = {
    ...bricks,
    read: async (wanted, options) => {
      if (read < readBefore && read + wanted.length >= readBefore) lost.device.destroy();
      read += wanted.length;
      return bricks.read(wanted, options);
    },
  };
  const host = new HostBricks(watched, { bytes: 2 ** 20 });
  const first = await sceneOn(lost, bricks, look, host);
  let frames = 0;
  while (!lost.isLost && frames < mostFrames) await first.fly(frames++);
  expect(lost.isLost).toBe(true);
  // A frame on a lost device draws nothing and does not fail.
  await first.fly(frames);
  first.close();
  expect(lost.memory.liveBytes()).toBe(0);
  const before = host.use.kept;
  expect(before).toBeGreaterThan(0);

  const second = await sceneOn(gpu, bricks, look, host);
  for (let more = 0; more < 3; more++) await second.fly(++frames);
  const found = await second.picture(frames);
  const whole = await sceneOn(gpu, bricks, look, undefined);
  const expected = await whole.picture(frames);
  expect(Math.max(...found.map((value, at) => Math.abs(value - (expected[at] as number))))).toBeLessThanOrEqual(1);
  // Bricks that the first device had requested were not read again.
  expect(host.use.bricksRead).toBe(host.use.kept);
  whole.close();
  second.close();
  host.close();
  await finished(gpu);
});
