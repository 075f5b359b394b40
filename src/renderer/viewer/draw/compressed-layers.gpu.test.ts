import { describe, expect, test } from 'vitest';
import { chainByName } from '../../../core/codecs/registry.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { createGpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import type { ElementType } from '../../../core/shared/volume.ts';
import { CompressedVolume } from '../../../core/volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testVoxels } from '../../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { firstView } from '../model/auto-view.ts';
import { shownLayers } from '../model/layer-place.ts';
import { base as baseInfo, layerInfo, testLook } from '../model/layer-testing.ts';
import { layersIn3d, layerTime, noLayers } from '../model/layers.ts';
import { OrbitCamera } from '../model/orbit-camera.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { LayerDisplays } from './layer-displays.ts';
import { rayPicture } from './ray-picture.ts';
import { sceneCube } from './scene-cube.ts';
import { slicePicture, texturePicture } from './slice-picture.ts';
import { SliceRenderer } from './slice-renderer.ts';
import { largestDifference } from './slice-testing.ts';

// Compares a layer in compressed memory with one as voxels. Other tests compare voxels with a reference in TypeScript.

const gpu = await openTestGpu();
const shape = [8, 4, 4] as const;
const layer = layerInfo('u8');
const ground = { r: 0, g: 0, b: 0, a: 1 };
const size = { width: 40, height: 36, background: 'screen' } as const;

async function volumes(type: ElementType = 'u8', voxels = testVoxels(layerInfo(type))) {
  const info = layerInfo(type);
  const base = await ResidentVolume.create(gpu, baseInfo, { chunkShape: [...shape] });
  base.append(testVoxels(baseInfo));
  const raw = await ResidentVolume.create(gpu, info, { chunkShape: [...shape] });
  raw.append(voxels);
  const chunks: EncodedChunk[] = [];
  await raw.forEachBox(async (box) => {
    const coded = await createGpuBackend(gpu).encodeResident(box, { codec: chainByName('rle'), options: { axis: 'auto' } });
    for (const [at, number] of box.chunkNumbers.entries()) chunks[number] = coded.chunks[at] as EncodedChunk;
  });
  const packed = await CompressedVolume.create(gpu, { info, chunkShape: [...shape], chunks }, { verify: true });
  for (const each of [base, raw, packed]) await each.statistics();
  const view = { ...firstView(baseInfo, await base.statistics()), crosshair: [9, 8, 6] as const };
  const destroy = () => {
    for (const each of [base, raw, packed]) each.destroy();
  };
  return { base, raw, packed, view, destroy };
}

const looks = [
  ['an image', testLook({ id: 'layer', window: [0, 255], smooth: false, opacity: 0.7 })],
  ['an image that is blended', testLook({ id: 'layer', window: [0, 255], smooth: true, opacity: 0.7 })],
  ['labels', testLook({ id: 'layer', colormap: 'labels', outline: false })],
  ['outlines of labels', testLook({ id: 'layer', colormap: 'labels', outline: true })],
] as const;

const lit = (rgba: Uint8Array): number => rgba.reduce((sum, value, at) => sum + (at % 4 < 3 && value > 50 ? 1 : 0), 0);

describe.each(looks)('%s in compressed memory', (_name, look) => {
  const stack = { ...noLayers, layers: [look], base: { ...noLayers.base, opacity: 0.5 } };

  test('is drawn like its voxels in slices, thick ones and oblique ones', async () => {
    const { base, raw, packed, view, destroy } = await volumes();
    const renderer = new SliceRenderer(gpu, 'rgba8unorm');
    const pictures = async (volume: VolumeSource): Promise<Uint8Array[]> => {
      const made: Uint8Array[] = [];
      const layers = shownLayers(baseInfo, stack, () => volume);
      for (const slab of [view.slab, { kind: 'mean', thickness: 12 }, { kind: 'maximum', thickness: 12 }] as const) {
        for (const axis of ['x', 'z'] as const) {
          const state: ViewState = { ...view, slab, timePoint: 0, layers: stack };
          const scene = { volume: base, axis, state, camera: { zoom: 1, center: undefined }, layers, ground };
          made.push((await slicePicture(gpu, renderer, scene, { ...size, pixelRatio: 1 })).rgba as Uint8Array);
        }
      }
      const oblique = await texturePicture(gpu, 'rgba8unorm', size, (commands, target, { slabs }) => {
        const map = { origin: [1, 0, 3], right: [0.4, 0.2, 0], down: [0, 0.4, 0.15] } as const;
        const drawn = slabs.drawings({ volume: base, layersIn: () => layers }, view);
        renderer.record(commands, target, { volume: base, axis: undefined, index: 0, map, state: view, layers: drawn, ground });
      });
      return [...made, oblique.rgba as Uint8Array];
    };
    const [expected, found] = [await pictures(raw), await pictures(packed)];
    expect(expected.map((picture) => lit(picture) > 100)).not.toContain(false);
    // Sums of interpolated voxels are rounded in a different order.
    const most = look.smooth && look.colormap !== 'labels' ? 1 : 0;
    for (const [at, picture] of found.entries())
      expect(largestDifference(picture, expected[at] as Uint8Array)).toBeLessThanOrEqual(most);
    renderer.destroy();
    destroy();
  });

  test('is drawn like its voxels in 3D, and probed', async () => {
    const { base, raw, packed, view, destroy } = await volumes();
    const state: ViewState = { ...view, layers: stack, projection: 'mip', camera: 'orthographic', quality: 'fine' };
    const orbit = new OrbitCamera(null, () => {});
    orbit.resize(1);
    orbit.reset(sceneCube(baseInfo).corners);
    orbit.use('orthographic');
    const { camera, eye } = orbit.posed(1, undefined);
    orbit.dispose();
    const display = await base.displayTexture(0);
    const pictures: Uint8Array[] = [];
    for (const volume of [raw, packed]) {
      const displays = new LayerDisplays(() => {});
      const shown = layersIn3d(
        stack,
        shownLayers(baseInfo, stack, () => volume),
      );
      displays.show([{ id: look.id, volume, timePoint: layerTime(baseInfo, 0, layer, 0) }]);
      await displays.settled();
      const layers = shown.map(({ map }) => ({ look, info: layer, map, display: displays.displayOf(look.id) ?? display }));
      expect(displays.displayOf(look.id)).toBeDefined();
      const scene = { info: baseInfo, display, layers, state, camera, eye, step: 0.25, ground };
      pictures.push((await rayPicture(gpu, scene, size, 32)).rgba as Uint8Array);
      displays.keep(new Map());
    }
    expect(lit(pictures[0] as Uint8Array)).toBeGreaterThan(100);
    expect(pictures[1]).toEqual(pictures[0]);
    for (const at of [
      [3, 5, 7, 0],
      [10, 13, 15, 1],
    ] as const)
      expect(await packed.voxel(...at)).toBe(await raw.voxel(...at));
    destroy();
  });
});

test.each(['i16', 'f64'] as const)('outlines of %s labels, three pixels wide, are those of resident voxels', async (type) => {
  const { base, raw, packed, view, destroy } = await volumes(type);
  const renderer = new SliceRenderer(gpu, 'rgba8unorm');
  const stack = { ...noLayers, layers: [testLook({ id: 'layer', colormap: 'labels', outline: true })] };
  const pictures: Uint8Array[] = [];
  for (const volume of [raw, packed]) {
    const layers = shownLayers(baseInfo, stack, () => volume);
    const scene = { volume: base, axis: 'z', state: { ...view, layers: stack }, camera: { zoom: 1, center: undefined } } as const;
    const picture = await slicePicture(
      gpu,
      renderer,
      { ...scene, layers, ground },
      { ...size, width: 200, height: 180, pixelRatio: 3 },
    );
    pictures.push(picture.rgba as Uint8Array);
  }
  expect(lit(pictures[0] as Uint8Array)).toBeGreaterThan(100);
  expect(pictures[1]).toEqual(pictures[0]);
  renderer.destroy();
  destroy();
});

test('32-bit integers that 32-bit floats would round are drawn exactly, box by box', async () => {
  const { dims } = layerInfo('u32');
  const voxels = Uint32Array.from({ length: dims.reduce((product, length) => product * length, 1) }, (_, at) => {
    const [x, y, z] = [at % dims[0], Math.floor(at / dims[0]) % dims[1], Math.floor(at / (dims[0] * dims[1])) % dims[2]];
    return 2 ** 30 + 4 * (x + y + z);
  });
  const { base, raw, packed, view, destroy } = await volumes('u32', new Uint8Array(voxels.buffer));
  const renderer = new SliceRenderer(gpu, 'rgba8unorm');
  const look = testLook({ id: 'layer', window: [2 ** 30, 2 ** 30 + 160], smooth: true });
  const state = { ...view, layers: { ...noLayers, base: { ...noLayers.base, opacity: 0 }, layers: [look] } };
  const [expected, found] = await Promise.all(
    [raw, packed].map(async (volume) => {
      const layers = shownLayers(baseInfo, state.layers, () => volume);
      const scene = { volume: base, axis: 'z', state, camera: { zoom: 1, center: undefined }, layers, ground } as const;
      return (await slicePicture(gpu, renderer, scene, { ...size, pixelRatio: 1 })).rgba as Uint8Array;
    }),
  );
  expect(lit(expected as Uint8Array)).toBeGreaterThan(100);
  // Beside a seam a sample has no neighbour to blend with, and is off by at most half a step along each axis.
  expect(largestDifference(found as Uint8Array, expected as Uint8Array)).toBeLessThanOrEqual(Math.ceil((3 * 2 * 255) / 160));
  renderer.destroy();
  destroy();
});

test('closing a layer frees all of its GPU memory', async () => {
  const before = gpu.memory.liveBytes();
  for (let turn = 0; turn < 2; turn++) {
    const { packed, destroy } = await volumes();
    const displays = new LayerDisplays(() => {});
    displays.show([{ id: 'layer', volume: packed, timePoint: 1 }]);
    await displays.settled();
    expect(gpu.memory.liveBytes()).toBeGreaterThan(before);
    displays.keep(new Map());
    destroy();
    gpu.spare.free();
    expect(gpu.memory.liveBytes()).toBe(before);
  }
});
