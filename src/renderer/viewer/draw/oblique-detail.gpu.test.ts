import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BrickSource } from '../../../core/bricks/brick-source.ts';
import { finished, type TestBricks, testBricks } from '../../../core/bricks/bricks-testing.ts';
import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { Dims4, VolumeInfo } from '../../../core/shared/volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import type { DetailFault } from '../model/detail-faults.ts';
import { testLook } from '../model/layer-testing.ts';
import { baseId } from '../model/layers.ts';
import { placeOblique } from '../model/oblique-geometry.ts';
import type { Voxel } from '../model/slice-geometry.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { identityMap } from '../model/voxel-map.ts';
import { BrickSpace } from './brick-space.ts';
import { LayerSlabs } from './layer-slabs.ts';
import { ObliqueDetail } from './oblique-detail.ts';
import type { SliceDrawing } from './slice-contents.ts';
import { SliceRenderer } from './slice-renderer.ts';
import { drawnPixels, largestDifference } from './slice-testing.ts';

const gpu = await openTestGpu();
const [width, height] = [64, 48];
const dims: Dims4 = [75, 61, 41, 2];
const look = { inverted: false, outside: ['clamp', 'clamp'], colormap: 'viridis', missing: 'hide' } as const;

let renderer: SliceRenderer;
beforeEach(() => {
  renderer = new SliceRenderer(gpu, 'rgba8unorm');
});
afterEach(async () => {
  renderer.destroy();
  await finished(gpu);
});

/** A volume at full and at coarse resolution in GPU memory, and its bricks. @param wrap changes how bricks are read */
async function sceneOf(type: 'u8' | 'f32', wrap: (bricks: TestBricks) => BrickSource = (bricks) => bricks, atlasBytes = 2 ** 21) {
  const voxel = (x: number, y: number, z: number, t: number) => (7 * x + 5 * y + 11 * z + ((x * y) % 13) + 40 * t) % 251;
  const bricks = await testBricks(dims, type, [16, 16, 16], voxel, { codecs: ['rice', 'raw'] });
  const whole = await ResidentVolume.create(gpu, bricks.info, { chunkShape: [16, 16, 16] });
  whole.append(bricks.voxels[0] as Uint8Array);
  const level = { dims: (bricks.infos[2] as VolumeInfo).dims, factors: [4, 4, 4] } as const;
  const coarse = await ResidentVolume.create(gpu, bricks.info, { chunkShape: [16, 16, 16], level });
  coarse.append(bricks.voxels[2] as Uint8Array);
  const host = new HostBricks(wrap(bricks), { bytes: 2 ** 20, retryMs: 1 });
  const limits = { payloadBytes: 2 ** 20, atlasBytes, textureBytes: 0 };
  const space = new BrickSpace(gpu, host, limits, () => [-Infinity, Infinity], { arrived: () => {}, changed: () => {} });
  const close = () => {
    space.close();
    host.close();
    whole.destroy();
    coarse.destroy();
  };
  return { info: bricks.info, whole, coarse, space, close };
}

const places = [
  { tilt: { turn: 30, tilt: 20 }, crosshair: [31, 22, 17], zoom: 1 },
  { tilt: { turn: -61, tilt: 44 }, crosshair: [60, 50, 12], zoom: 3.2 },
] as const;

function mapOf(info: VolumeInfo, { tilt, crosshair, zoom }: (typeof places)[number]) {
  const camera = { zoom, center: undefined };
  return placeOblique({ info, tilt, crosshair: crosshair as Voxel, camera, width, height, margin: 3 }).map;
}

test.each(['u8', 'f32'] as const)('an oblique slice of %s from bricks equals that of the whole volume', async (type) => {
  const { info, whole, coarse, space, close } = await sceneOf(type);
  const detail = new ObliqueDetail(gpu, 'rgba8unorm', (fault) => expect(fault).toBeUndefined());
  for (const [number, place] of places.entries()) {
    const map = mapOf(info, place);
    const slice = { map, width, height, timePoints: [number % 2] };
    const state = { ...look, window: [0, 260], timePoint: number % 2, smooth: true } as unknown as SliceDrawing['state'];
    const draw = (drawing: Pick<SliceDrawing, 'volume' | 'bricks'>) =>
      drawnPixels(gpu, renderer, { axis: undefined, index: 0, map, state, opacity: 1 - 0.4 * number, ...drawing }, [
        width,
        height,
      ]);
    const expected = await draw({ volume: whole });
    expect(Buffer.compare(await draw({ volume: coarse }), expected)).not.toBe(0);
    await detail.load(space, slice, undefined);
    const bricks = detail.drawing(space, slice);
    expect(bricks?.isWhole).toBe(true);
    const drawn = await draw({ volume: coarse, bricks });
    const most = drawn.reduce((far, value, at) => Math.max(far, Math.abs(value - (expected[at] as number))), 0);
    expect(most, JSON.stringify(place)).toBe(0);
  }
  detail.destroy();
  close();
});

test('the channels of an oblique slice are drawn from bricks, all at once', async () => {
  const { info, whole, coarse, space, close } = await sceneOf('u8');
  const detail = new ObliqueDetail(gpu, 'rgba8unorm', (fault) => expect(fault).toBeUndefined());
  const slabs = [new LayerSlabs(gpu), new LayerSlabs(gpu)] as const;
  const second = testLook({ id: 'second', of: baseId, channel: 1, blending: 'add', window: [20, 200], colormap: '#00ff80' });
  const map = mapOf(info, places[1]);
  const slice = { map, width, height, timePoints: [0, 1] };
  const state = { ...look, colormap: '#ff0080', window: [0, 260], timePoint: 0, smooth: true };
  const draw = (volume: ResidentVolume, at: 0 | 1, bricks?: SliceDrawing['bricks']) => {
    const layers = slabs[at]
      .drawings({ volume, layersIn: () => [{ look: second, volume, map: identityMap }] }, { timePoint: 0 } as ViewState)
      .map((layer) => ({ ...layer, timePoint: 1 }));
    const drawing = { axis: undefined, index: 0, map, volume, layers, bricks, blended: slabs[at].volume };
    return drawnPixels(gpu, renderer, { ...drawing, state: state as unknown as SliceDrawing['state'] }, [width, height]);
  };
  const [expected, rough] = [await draw(whole, 0), await draw(coarse, 1)];
  expect(Buffer.compare(rough, expected)).not.toBe(0);
  // While a channel lacks bricks, all are coarse.
  await detail.load(space, { ...slice, timePoints: [0] }, undefined);
  const first = detail.drawing(space, slice);
  expect(first?.isWhole).toBe(false);
  expect(Buffer.compare(await draw(coarse, 1, first), rough)).toBe(0);
  await detail.load(space, slice, undefined);
  const bricks = detail.drawing(space, slice);
  expect(bricks?.isWhole).toBe(true);
  expect(largestDifference(await draw(coarse, 1, bricks), expected)).toBeLessThanOrEqual(1);
  for (const each of [detail, ...slabs]) each.destroy();
  close();
});

test('with too few slots, the slice is drawn from a coarser level, and leaves slots to others', async () => {
  const { info, space, close } = await sceneOf('u8', undefined, 20 * 4096);
  const detail = new ObliqueDetail(gpu, 'rgba8unorm', () => {});
  const slice = { map: mapOf(info, places[0]), width, height, timePoints: [0] };
  await detail.load(space, slice, undefined);
  expect(detail.drawing(space, slice)?.isWhole).toBe(true);
  expect(space.bricks.isSettled).toBe(true);
  expect(space.bricks.use.usedSlots).toBeLessThanOrEqual(15);
  expect(space.bricks.slotsFor('rays')).toBe(20 - space.bricks.use.usedSlots);
  expect(space.bricks.slotsFor('oblique')).toBe(20);
  detail.destroy();
  close();
});

test('bricks that cannot be read are replaced by coarse voxels, with the reason', async () => {
  const { info, coarse, space, close } = await sceneOf('u8', (bricks) => ({
    ...bricks,
    read: async () => {
      throw new StriaError('corrupt', 'damaged');
    },
  }));
  const faults: (DetailFault | undefined)[] = [];
  const detail = new ObliqueDetail(gpu, 'rgba8unorm', (fault) => faults.push(fault));
  const map = mapOf(info, places[0]);
  const slice = { map, width, height, timePoints: [0] };
  await detail.load(space, slice, undefined);
  const state = { ...look, window: [0, 260], timePoint: 0, smooth: true } as unknown as SliceDrawing['state'];
  const draw = (drawing: Pick<SliceDrawing, 'volume' | 'bricks'>) =>
    drawnPixels(gpu, renderer, { axis: undefined, index: 0, map, state, ...drawing }, [width, height]);
  const bricks = detail.drawing(space, slice);
  expect(bricks?.isWhole).toBe(false);
  expect(Buffer.compare(await draw({ volume: coarse, bricks }), await draw({ volume: coarse }))).toBe(0);
  expect(faults.at(-1)).toMatchObject({ message: expect.stringContaining('damaged'), isTooMuch: false });
  detail.destroy();
  close();
});
