import { describe, expect, test } from 'vitest';
import { chainByName } from '../../../core/codecs/registry.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { createGpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import { channelLayout, type Dims4, typedVoxels, type VolumeInfo } from '../../../core/shared/volume.ts';
import { channelStatistics } from '../../../core/volume/channel-statistics.ts';
import { CompressedVolume } from '../../../core/volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testInfo, testVoxels } from '../../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { firstView } from '../model/auto-view.ts';
import { channelLooks, withChannels } from '../model/channel-group.ts';
import { shownLayers } from '../model/layer-place.ts';
import { baseId, baseOpacity, changedLayer, isLayerShown, layersIn3d, layerTime } from '../model/layers.ts';
import { OrbitCamera } from '../model/orbit-camera.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { LayerDisplays } from './layer-displays.ts';
import { rayPicture } from './ray-picture.ts';
import { sceneCube } from './scene-cube.ts';
import { slicePicture } from './slice-picture.ts';
import { SliceRenderer } from './slice-renderer.ts';

// All channels of a volume at once, from voxels and from compressed memory, against a reference in TypeScript.

const gpu = await openTestGpu();
const dims: Dims4 = [13, 11, 9, 6];
const channels = [
  { name: 'DAPI', color: '#2040ff', window: [10, 200] as const },
  { name: 'GFP', color: '#00c000', window: [0, 255] as const },
  { name: 'RFP', color: '#ff3000', window: [40, 120] as const },
];
const info: VolumeInfo = { ...testInfo(dims, 'u8'), channels };
const bytes = testVoxels(info);
const voxels = typedVoxels('u8', bytes);
const { timePoints } = channelLayout(info);

const shape = [8, 8, 4] as const;

async function resident(): Promise<ResidentVolume> {
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [...shape] });
  volume.append(bytes);
  return volume;
}

async function compressed(): Promise<CompressedVolume> {
  const volume = await resident();
  const chunks: EncodedChunk[] = [];
  await volume.forEachBox(async (box) => {
    const coded = await createGpuBackend(gpu).encodeResident(box, { codec: chainByName('raw'), options: { axis: 'auto' } });
    for (const [at, number] of box.chunkNumbers.entries()) chunks[number] = coded.chunks[at] as EncodedChunk;
  });
  volume.destroy();
  return CompressedVolume.create(gpu, { info, chunkShape: [...shape], chunks }, { verify: true });
}

/** The first view of the volume, with the windows of its file. */
async function viewOf(volume: VolumeSource): Promise<ViewState> {
  const statistics = await volume.statistics();
  const channelLook = channelLooks(info, statistics);
  const windows = channelLook.map(({ window }) => window ?? ([0, 1] as const));
  return withChannels(firstView(info, statistics), info, channelLook, windows);
}

const [width, height] = [48, 40];
const request = { width, height, pixelRatio: 1, background: 'screen' } as const;
const ground = { r: 0, g: 0, b: 0, a: 1 };

const stored = (x: number, y: number, z: number, t: number): number =>
  voxels[((t * dims[2] + z) * dims[1] + y) * dims[0] + x] as number;

/** The light that a channel adds for a value: its colour at the value's place in its window, times its opacity. */
function light(state: ViewState, channel: number, value: number): readonly number[] {
  const layer = state.layers.layers.find((look) => look.channel === channel);
  const opacity = channel === 0 ? baseOpacity(state.layers) : layer && isLayerShown(state.layers, layer) ? layer.opacity : 0;
  const [low, high] = channel === 0 ? state.window : (layer?.window ?? [0, 1]);
  const name = channel === 0 ? state.colormap : (layer?.colormap ?? '#000000');
  const part = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return [1, 3, 5].map((at) => opacity * part * Number.parseInt(name.slice(at, at + 2), 16));
}

function sumOf(state: ViewState, valueAt: (channel: number) => number): readonly number[] {
  const parts = channels.map((_, channel) => light(state, channel, valueAt(channel)));
  return [0, 1, 2].map((at) =>
    Math.min(
      255,
      parts.reduce((sum, part) => sum + (part[at] as number), 0),
    ),
  );
}

const looks: readonly (readonly [string, (state: ViewState) => ViewState])[] = [
  ['all', (state) => state],
  ['at another time', (state) => ({ ...state, timePoint: 1 })],
  ['the first hidden', (state) => ({ ...state, layers: { ...state.layers, base: { ...state.layers.base, isVisible: false } } })],
  ['one alone', (state) => ({ ...state, layers: { ...state.layers, solo: 'channel-3' } })],
  [
    'recoloured, another window, fainter',
    (state) => ({
      ...state,
      layers: changedLayer(state.layers, 'channel-2', { colormap: '#ffff80', window: [60, 90], opacity: 0.5 }),
    }),
  ],
];

describe.each([
  ['voxels', resident],
  ['compressed', compressed],
] as const)('channels from %s', (_kind, make) => {
  test.each(looks)('a slice adds their colours: %s', async (_, change) => {
    const volume = await make();
    const state = { ...change(await viewOf(volume)), crosshair: [6, 5, 4] as const };
    for (const thick of [false, true]) {
      const shown: ViewState = thick ? { ...state, slab: { kind: 'maximum', thickness: 3 } } : state;
      const renderer = new SliceRenderer(gpu, 'rgba8unorm');
      const layers = shownLayers(info, shown.layers, (id) => (id === baseId ? volume : undefined));
      const camera = { zoom: 1, center: undefined };
      const { rgba } = await slicePicture(gpu, renderer, { volume, axis: 'z', state: shown, camera, layers, ground }, request);
      renderer.destroy();
      // Voxels are squares of the same size; the slice is centred.
      const scale = pixelsPerVoxel(rgba);
      let [compared, wrong] = [0, 0];
      for (let y = 0; y < dims[1]; y++) {
        for (let x = 0; x < dims[0]; x++) {
          const column = Math.floor(width / 2 + scale * (x + 0.5 - dims[0] / 2));
          const row = Math.floor(height / 2 + scale * (y + 0.5 - dims[1] / 2));
          const valueAt = (channel: number): number => {
            const t = channel * timePoints + shown.timePoint;
            return Math.max(...(thick ? [3, 4, 5] : [4]).map((z) => stored(x, y, z, t)));
          };
          const expected = sumOf(shown, valueAt);
          compared++;
          if (expected.some((value, at) => Math.abs(value - (rgba[4 * (row * width + column) + at] as number)) > 3)) wrong++;
        }
      }
      expect([compared, wrong]).toEqual([dims[0] * dims[1], 0]);
    }
    volume.destroy();
  });

  test.each(looks)('in 3D, each is projected separately and added: %s', async (_, change) => {
    const volume = await make();
    const first = await viewOf(volume);
    const state: ViewState = { ...change(first), projection: 'mip', camera: 'orthographic', quality: 'fine' };
    const displays = new LayerDisplays(() => {});
    const shown = layersIn3d(
      state.layers,
      shownLayers(info, state.layers, (id) => (id === baseId ? volume : undefined)),
    );
    displays.show(
      shown.map(({ look, volume: source }) => ({
        id: look.id,
        volume: source,
        timePoint: layerTime(info, state.timePoint, info, look.channel),
      })),
    );
    const display = await volume.displayTexture(state.timePoint);
    await displays.settled();
    const layers = shown.map(({ look, map }) => ({ look, info, map, display: displays.displayOf(look.id) ?? display }));
    expect(layers.map(({ look }) => displays.displayOf(look.id) !== undefined)).not.toContain(false);
    const orbit = new OrbitCamera(null, () => {});
    orbit.resize(1);
    orbit.reset(sceneCube(info).corners);
    orbit.use('orthographic');
    orbit.lookFrom([0, 0, 1], 0);
    const { camera, eye } = orbit.posed(1, undefined);
    orbit.dispose();
    const pictureOf = async (changed: ViewState) => {
      const visible = layers.filter(({ look }) => isLayerShown(changed.layers, look));
      const scene = { info, display, layers: visible, state: changed, camera, eye, step: 0.25, ground };
      return (await rayPicture(gpu, scene, { width: 32, height: 32, background: 'screen' }, 32)).rgba;
    };
    const together = await pictureOf(state);
    // A single channel is the result of its ray; several channels are their sum.
    const alone: Uint8ClampedArray[] | Uint8Array[] = [];
    for (const id of [baseId, ...state.layers.layers.map((look) => look.id)]) {
      const isShown = state.layers.solo === undefined || state.layers.solo === id;
      if (isShown) alone.push((await pictureOf({ ...state, layers: { ...state.layers, solo: id } })) as Uint8Array);
    }
    const isVisible = [baseOpacity(state.layers) > 0, ...state.layers.layers.map((look) => isLayerShown(state.layers, look))];
    const counted = state.layers.solo === undefined ? alone.filter((_, at) => isVisible[at]) : alone;
    let wrong = 0;
    let brightest = 0;
    for (let at = 0; at < together.length; at++) {
      if (at % 4 === 3) continue;
      const sum = Math.min(
        255,
        counted.reduce((total, picture) => total + (picture[at] as number), 0),
      );
      brightest = Math.max(brightest, sum);
      if (Math.abs(sum - (together[at] as number)) > 4) wrong++;
    }
    displays.keep(new Map());
    volume.destroy();
    expect([wrong, brightest > 60]).toEqual([0, true]);
  });

  test('each channel has its own statistics', async () => {
    const volume = await make();
    for (const channel of [0, 1, 2]) {
      const size = dims[0] * dims[1] * dims[2] * timePoints;
      const own = [...voxels.subarray(channel * size, (channel + 1) * size)] as number[];
      const { count, min, max, histogram } = await channelStatistics(gpu, volume, channel);
      expect([count, min, max]).toEqual([size, Math.min(...own), Math.max(...own)]);
      expect(histogram.counts[7]).toBe(own.filter((value) => value === 7).length);
    }
    volume.destroy();
  });
});

/** Measured in the picture itself: the columns of the middle row that are not background. */
function pixelsPerVoxel(rgba: Uint8Array): number {
  let [first, last] = [width, -1];
  for (let pixel = 0; pixel < width * height; pixel++) {
    if (rgba[4 * pixel] === 0 && rgba[4 * pixel + 1] === 0 && rgba[4 * pixel + 2] === 0) continue;
    first = Math.min(first, pixel % width);
    last = Math.max(last, pixel % width);
  }
  return (last - first + 1) / dims[0];
}
