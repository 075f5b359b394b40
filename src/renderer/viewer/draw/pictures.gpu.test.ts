import { PerspectiveCamera, Vector4 } from 'three';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Dims4 } from '../../../core/shared/volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { grounds, pictureGrounds } from '../colors/grounds.ts';
import { firstView } from '../model/auto-view.ts';
import { placeLayer } from '../model/layer-place.ts';
import { testLook } from '../model/layer-testing.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { testCamera } from './camera-testing.ts';
import { rayPicture } from './ray-picture.ts';
import { slicePicture } from './slice-picture.ts';
import { SliceRenderer } from './slice-renderer.ts';

const gpu = await openTestGpu();
const dims: Dims4 = [20, 16, 12, 1];
const info = testInfo(dims, 'u8');
const size = { width: 45, height: 30 };
let volume: ResidentVolume;
let state: ViewState;

/** A volume that is brighter towards the middle. */
beforeEach(async () => {
  volume = await ResidentVolume.create(gpu, info, { chunkShape: [64, 64, 64] });
  const voxels = Uint8Array.from({ length: dims[0] * dims[1] * dims[2] }, (_, at) => {
    const place = [at % dims[0], Math.floor(at / dims[0]) % dims[1], Math.floor(at / (dims[0] * dims[1]))];
    const away = Math.hypot(...place.map((along, axis) => along / (dims[axis] as number) - 0.5));
    return Math.round(255 * Math.max(0, 1 - 2 * away));
  });
  volume.append(voxels);
  state = firstView(info, await volume.statistics());
});
afterEach(() => volume.destroy());

async function rays(background: 'screen' | 'white' | 'transparent', rows = 100, check?: () => void): Promise<Uint8Array> {
  const { camera, eye } = testCamera(size.width / size.height);
  const ground = background === 'screen' ? grounds.gray : pictureGrounds[background];
  const display = await volume.displayTexture(0);
  const scene = { info, display, state, camera, eye, step: 1, ground };
  return (await rayPicture(gpu, scene, { ...size, background }, rows, check)).rgba;
}

test('rays drawn in strips equal rays drawn at once', async () => {
  const whole = await rays('screen');
  const count = new Set(new Uint32Array(whole.buffer)).size;
  expect(count).toBeGreaterThan(20);
  // 30 rows: the last strip is shorter than the others.
  expect(await rays('screen', 8)).toEqual(whole);
});

test('a picture of rays includes the layers', async () => {
  const camera = new PerspectiveCamera(26, size.width / size.height, 0.01, 50);
  camera.position.set(0, 0, 2.2);
  camera.updateMatrixWorld();
  const display = await volume.displayTexture(0);
  const scene = { info, display, state, camera, eye: new Vector4(0, 0, 2.2, 1), step: 1, ground: grounds.gray };
  const look = testLook({ id: 'layer', window: [0, 255], colormap: 'viridis' });
  const layers = [{ look, info, map: placeLayer(info, info).map, display }];
  const request = { ...size, background: 'screen' } as const;
  const [alone, together] = [await rayPicture(gpu, scene, request, 100), await rayPicture(gpu, { ...scene, layers }, request, 8)];
  const colored = ({ rgba }: typeof alone): number =>
    rgba.filter((value, at) => at % 4 === 1 && Math.abs(value - (rgba[at + 1] as number)) > 20).length;
  expect(colored(alone)).toBe(0);
  expect(colored(together)).toBeGreaterThan(50);
});

test('rays are drawn over a background, or over none', async () => {
  const [clear, white, gray] = [await rays('transparent'), await rays('white'), await rays('screen')];
  expect(clear.some((value, at) => at % 4 === 3 && value > 0 && value < 255)).toBe(true);
  expect([...white.subarray(0, 4), ...gray.subarray(0, 4), ...clear.subarray(0, 4)]).toEqual([
    ...[255, 255, 255, 255],
    ...[51, 51, 51, 255],
    ...[0, 0, 0, 0],
  ]);
  for (let at = 0; at < clear.length; at += 4) {
    const alpha = (clear[at + 3] as number) / 255;
    const expected = (clear[at] as number) * alpha + 255 * (1 - alpha);
    if (Math.abs((white[at] as number) - expected) > 1.5) expect({ at, value: white[at] }).toEqual({ at, value: expected });
  }
});

test('drawing of rays can be cancelled between strips', async () => {
  let strips = 0;
  const stop = () => {
    if (++strips > 2) throw new Error('closed');
  };
  await expect(rays('screen', 8, stop)).rejects.toThrow('closed');
});

test('a picture of a slice has the right values, background and resolution', async () => {
  const renderer = new SliceRenderer(gpu, 'rgba8unorm');
  try {
    const scene = {
      volume,
      axis: 'z',
      camera: { zoom: 1, center: undefined },
      layers: [],
      ground: pictureGrounds.white,
    } as const;
    const shown = { ...state, window: [0, 255], colormap: 'gray' } as const;
    const request = { ...size, pixelRatio: 1, background: 'white' } as const;
    const picture = await slicePicture(gpu, renderer, { ...scene, state: shown }, request);
    expect(picture).toMatchObject({ ...size, pixelsPerMetre: expect.any(Number) });
    expect([...picture.rgba.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
    const middle = 4 * (15 * size.width + 22);
    const [x, y, z] = shown.crosshair;
    const value = await volume.voxel(x, y, z, 0);
    // The picture's middle is on the edge of a voxel.
    expect(Math.abs((picture.rgba[middle] as number) - value)).toBeLessThan(30);
    const dark = await slicePicture(gpu, renderer, { ...scene, state: { ...shown, window: [255, 256] } }, request);
    expect([...dark.rgba.subarray(middle, middle + 4)]).toEqual([0, 0, 0, 255]);
  } finally {
    renderer.destroy();
  }
});
