import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RayPass, type RayView, rayFrame, rayFrameBytes, rayParameters, wholeOf } from '../../../core/draw/ray-pass.ts';
import { RayStackPass, type RayVolume, rayStackBytes, rayStackFrame, rayStackRows } from '../../../core/draw/ray-stack.ts';
import type { Commands } from '../../../core/gpu/commands.ts';
import { typedVoxels, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testVoxels } from '../../../core/volume/resident-testing.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { colorsOf, labelColorIndex } from '../colors/colormaps.ts';
import { transferTexels } from '../colors/transfer-function.ts';
import { default3d, defaultColors } from '../model/auto-view.ts';
import { placeLayer } from '../model/layer-place.ts';
import {
  base,
  baseDims,
  inLayer,
  layerDims,
  layerInfo,
  movedInfo,
  sampled,
  testLook,
  testMotion,
} from '../model/layer-testing.ts';
import { type LayerLook, layersIn3d, noLayers } from '../model/layers.ts';
import type { Voxel } from '../model/slice-geometry.ts';
import type { LayerIn3d } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { LayerDisplays } from './layer-displays.ts';
import { baseIn3d, layerIn3d, stackTransfer } from './ray-volumes.ts';

const gpu = await openTestGpu();
const pass = new RayStackPass(gpu);
const [width, height] = [64, 48];

/** The view along z from the front (voxel 0), wider than the cube, so that a layer outside of it is visible. */
const wide = 1.7;
const front: RayView = {
  toCube: [wide / 2, 0, 0, 0, 0, -wide / 2, 0, 0, 0, 0, 1, 0, 0.5, 0.5, 0, 1],
  eye: [0, 0, -1, 0],
  edges: [1, 0.9, 0.8],
};

/** The positions of pixel centres in the cube, along x and y. */
const acrossOf = (pixel: number): number => 0.5 + wide * (((pixel % width) + 0.5) / width - 0.5);
const downOf = (pixel: number): number => 0.5 + wide * ((Math.floor(pixel / width) + 0.5) / height - 0.5);

const state: ViewState = {
  ...default3d,
  ...defaultColors,
  projection: 'mip',
  window: [0, 255],
  level: 100,
  colormap: 'gray',
  opacity: [
    [0, 0],
    [1, 1],
  ],
  crosshair: [0, 0, 0],
  timePoint: 0,
  smooth: false,
  slab: { kind: 'none', thickness: 5 },
  sliceSlabs: undefined,
  oblique: { turn: 0, tilt: 0 },
  layers: noLayers,
};
const hidden: ViewState['layers'] = { ...noLayers, base: { ...noLayers.base, isVisible: false } };

interface Layer extends Pick<LayerIn3d, 'labels'> {
  readonly look: LayerLook;
  readonly info: VolumeInfo;
  readonly display: DisplayTexture;
}

interface Drawing {
  readonly view: Partial<ViewState>;
  readonly display: DisplayTexture;
  readonly layers: readonly Layer[];
  readonly plane?: readonly [number, number, number, number];
  readonly isDraft?: boolean;
}

/** Draws with the shader for several volumes, even one. */
function drawn({ view, display, layers, plane, isDraft }: Drawing): Promise<Uint8Array> {
  const shown = { ...state, ...view };
  const isBaseShown = shown.layers.base.isVisible;
  const placed = layers.map((layer) =>
    layerIn3d(base, shown, { ...layer, map: placeLayer(base, layer.info, layer.look.motion).map }),
  );
  const volumes: RayVolume[] = [...(isBaseShown ? [baseIn3d(shown, display)] : []), ...placed];
  const looks = [...(isBaseShown ? [{ look: shown, display }] : []), ...layers];
  return pixelsOf((commands, target, scope) => {
    const frame = scope.buffer('frame', rayStackBytes(volumes.length), GPUBufferUsage.UNIFORM);
    const texels = new Uint8Array(looks.flatMap((look) => [...stackTransfer(shown, look)]));
    const size: [number, number] = [256, volumes.map(rayStackRows).reduce((sum, rows) => sum + rows)];
    const transfer = scope.texture('transfer', texels.length, {
      size,
      format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    gpu.device.queue.writeTexture({ texture: transfer }, texels, { bytesPerRow: 1024 }, size);
    const strip = wholeOf({ width, height });
    gpu.device.queue.writeBuffer(frame, 0, rayStackFrame(volumes, front, { ...shown, plane }, 0.5, strip, isDraft));
    const displays = volumes.map((volume) => volume.display);
    pass.record(commands, { projection: shown.projection, displays, frame, transfer }, target, strip);
  });
}

/** Draws with the shader for one volume. */
function drawnAlone(display: DisplayTexture, view: Partial<ViewState>, isDraft = false): Promise<Uint8Array> {
  const shown = { ...state, ...view };
  return pixelsOf((commands, target, scope) => {
    const frame = scope.buffer('frame', rayFrameBytes, GPUBufferUsage.UNIFORM);
    const transfer = scope.texture('transfer', 2048, {
      size: [256, 2],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    gpu.device.queue.writeTexture({ texture: transfer }, transferTexels(shown), { bytesPerRow: 1024 }, [256, 2]);
    const strip = wholeOf({ width, height });
    const parameters = rayParameters(
      display,
      { ...shown, plane: undefined },
      { isCategorical: false, isFloorOpaque: false },
      0.5,
      isDraft,
    );
    gpu.device.queue.writeBuffer(frame, 0, rayFrame(display, front, parameters, strip));
    new RayPass(gpu).record(commands, { projection: shown.projection, display, frame, transfer }, target, strip);
  });
}

type Record = (commands: Commands, target: GPUTexture, scope: ReturnType<typeof gpu.scope>) => void;

async function pixelsOf(record: Record): Promise<Uint8Array> {
  using scope = gpu.scope('test');
  const target = scope.texture('target', width * height * 4, {
    size: [width, height],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
  });
  const buffer = scope.buffer('pixels', width * height * 4, GPUBufferUsage.COPY_SRC);
  const commands = gpu.commands('test');
  record(commands, target, scope);
  await commands
    .record((encoder) => encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: width * 4 }, [width, height]))
    .submit();
  return gpu.read(buffer);
}

async function resident(info: VolumeInfo, bytes: Uint8Array): Promise<ResidentVolume> {
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8], budgetBytes: 2 ** 24 });
  volume.append(bytes);
  return volume;
}

const rgba = (pixels: Uint8Array, pixel: number): number[] => [...pixels.subarray(4 * pixel, 4 * pixel + 4)];
const differs = (a: readonly number[], b: readonly number[], by: number): boolean =>
  a.some((value, at) => Math.abs(value - (b[at] as number)) > by);

const image = layerInfo('u8');
const imageBytes = testVoxels(image);
const baseBytes = testVoxels(base);
const numbers = layerInfo('u16');
/** Blocks of 4³ voxels; every third has no label. */
const labels = Uint16Array.from({ length: 11 * 14 * 16 * 2 }, (_, at) => {
  const [x, y, z] = [at % 11, Math.floor(at / 11) % 14, Math.floor(at / 154) % 16];
  const block = (x >> 2) + 3 * (y >> 2) + 12 * (z >> 2);
  return block % 3 === 0 ? 0 : block + 300;
});
const gray = testLook({ id: 'image', window: [0, 255], smooth: false });
const numbered = testLook({ id: 'numbers', colormap: 'labels', window: [0, 400] });

let volumes: ResidentVolume[] = [];
let display: DisplayTexture;
let imageDisplay: DisplayTexture;
let numberDisplay: DisplayTexture;
beforeAll(async () => {
  volumes = [
    await resident(base, baseBytes),
    await resident(image, imageBytes),
    await resident(numbers, new Uint8Array(labels.buffer)),
  ];
  [display, imageDisplay, numberDisplay] = (await Promise.all(volumes.map((volume) => volume.displayTexture(0)))) as [
    DisplayTexture,
    DisplayTexture,
    DisplayTexture,
  ];
});
afterAll(() => {
  for (const volume of volumes) volume.destroy();
});

/** Clips the volume so that a ray takes a single sample in it, in the middle of a plane of voxels. */
const thinAt = (plane: number): Pick<ViewState, 'clip'> => {
  const z = (plane + 0.5) / baseDims[2];
  return {
    clip: [
      [0, 1],
      [0, 1],
      [z, z + 1e-4],
    ],
  };
};
const positionOf = (pixel: number, plane: number): Voxel => [
  baseDims[0] * acrossOf(pixel),
  baseDims[1] * downOf(pixel),
  plane + 0.5,
];

test.each([
  ['', false, undefined],
  [', interpolated', true, undefined],
  [', moved and turned', true, testMotion],
] as const)(
  'a layer with another affine and grid is sampled where it lies, also outside of the volume%s',
  async (_, smooth, motion) => {
    let outside = 0;
    for (const plane of [2, 6]) {
      const layers = [{ look: { ...gray, smooth, motion }, info: image, display: imageDisplay }];
      const pixels = await drawn({ view: { ...thinAt(plane), layers: hidden }, display, layers });
      let [inside, differing] = [0, 0];
      for (let pixel = 0; pixel < width * height; pixel++) {
        const position = positionOf(pixel, plane);
        const value = sampled(imageBytes, layerDims, inLayer(position, movedInfo(image, motion)), smooth);
        if (value === 'unsure') continue;
        if (value !== undefined) inside++;
        if (value !== undefined && position.some((at, axis) => at < 0 || at > (baseDims[axis] as number))) outside++;
        const place = (value ?? 0) / 255;
        const part = Math.min(1, place / 0.12);
        const alpha = value === undefined ? 0 : part * part * (3 - 2 * part);
        const expected = [...[0, 0, 0].fill(255 * place * alpha), 255 * alpha];
        if (differs(rgba(pixels, pixel), expected, smooth ? 6 : 1)) differing++;
      }
      expect(differing).toBe(0);
      expect(inside).toBeGreaterThan(300);
    }
    expect(outside).toBeGreaterThan(20);
  },
);

test('labels show only colours of existing numbers, and never a blend', async () => {
  const plane = 5;
  const layers = [{ look: { ...numbered, smooth: true }, info: numbers, display: numberDisplay }];
  const view = { ...thinAt(plane), layers: hidden, projection: 'composite', lighting: false } as const;
  const pixels = await drawn({ view, display, layers });
  const palette = colorsOf(numbered);
  let [inside, differing] = [0, 0];
  for (let pixel = 0; pixel < width * height; pixel++) {
    const label = sampled(labels, layerDims, inLayer(positionOf(pixel, plane), numbers), false);
    if (label === 'unsure') continue;
    const color = 3 * labelColorIndex(label ?? 0);
    const expected = label ? [...palette.subarray(color, color + 3), 255] : [0, 0, 0, 0];
    if (label) inside++;
    if (differs(rgba(pixels, pixel), expected, 1)) differing++;
  }
  expect(differing).toBe(0);
  expect(inside).toBeGreaterThan(200);
});

test('labels have the colours of their table, and hidden ones are not drawn', async () => {
  const plane = 5;
  const table = { table: [{ number: 326, color: '#0a64c8' }, { number: 325, color: '#ffffff' }], shows: 'all', except: [325] } as const; // biome-ignore format: a table
  const layers = [{ look: numbered, info: numbers, display: numberDisplay, labels: table }];
  const view = { ...thinAt(plane), layers: hidden, projection: 'composite', lighting: false } as const;
  const pixels = await drawn({ view, display, layers });
  const seen = { own: 0, hidden: 0, palette: 0 };
  let differing = 0;
  for (let pixel = 0; pixel < width * height; pixel++) {
    const label = sampled(labels, layerDims, inLayer(positionOf(pixel, plane), numbers), false);
    if (label === 'unsure' || !label) continue;
    const color = 3 * labelColorIndex(label);
    const known = label === 326 ? 'own' : label === 325 ? 'hidden' : 'palette';
    const expected = {
      own: [10, 100, 200, 255],
      hidden: [0, 0, 0, 0],
      palette: [...colorsOf(numbered).subarray(color, color + 3), 255],
    }[known];
    seen[known]++;
    if (differs(rgba(pixels, pixel), expected, 1)) differing++;
  }
  expect(differing).toBe(0);
  expect(seen.palette).toBeGreaterThan(20);
  expect(Math.min(seen.own, seen.hidden)).toBeGreaterThan(5);
});

describe('several volumes in one pass', () => {
  const both = (): Layer[] => [
    { look: { ...gray, smooth: true }, info: image, display: imageDisplay },
    { look: numbered, info: numbers, display: numberDisplay },
  ];

  test.each(['mip', 'composite', 'minip', 'mean', 'isosurface', 'attenuated-mip'] as const)(
    'the open volume alone looks as with the shader for one: %s',
    async (projection) => {
      const [one, other] = [
        await drawnAlone(display, { projection }),
        await drawn({ view: { projection }, display, layers: [] }),
      ];
      let [shown, differing] = [0, 0];
      for (let pixel = 0; pixel < width * height; pixel++) {
        if ((one[4 * pixel + 3] as number) > 60) shown++;
        if (differs(rgba(one, pixel), rgba(other, pixel), 8)) differing++;
      }
      expect(shown).toBeGreaterThan(500);
      expect(differing).toBeLessThan(15);
    },
  );

  test('a draft of it also looks as with the shader for one, and differs a little from the sharp picture', async () => {
    const view = { projection: 'composite' } as const;
    const sharp = await drawn({ view, display, layers: [] });
    const draft = await drawn({ view, display, layers: [], isDraft: true });
    const alone = await drawnAlone(display, view, true);
    let [differing, most] = [0, 0];
    for (let pixel = 0; pixel < width * height; pixel++) {
      if (differs(rgba(draft, pixel), rgba(alone, pixel), 8)) differing++;
      most = Math.max(most, ...rgba(draft, pixel).map((value, at) => Math.abs(value - (rgba(sharp, pixel)[at] as number))));
    }
    expect(differing).toBeLessThan(15);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(30);
  });

  test.each(['composite', 'mip', 'isosurface'] as const)(
    'skipping empty bricks does not change the picture: %s',
    async (projection) => {
      using scope = gpu.scope('test');
      const texture = scope.texture('one brick', 8, {
        size: [1, 1, 1],
        dimension: '3d',
        format: 'rgba16float',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
      });
      gpu.device.queue.writeTexture({ texture }, new Uint16Array([0, 0x3c00, 0, 0]), { bytesPerRow: 8 }, [1, 1, 1]);
      const unskipped = (each: DisplayTexture): DisplayTexture => ({
        ...each,
        bricks: { ...each.bricks, texture, blocks: texture, size: Math.max(...each.dims) },
      });
      const view = { projection, opacity: [[0, 0], [0.6, 0], [1, 0.8]] } as const; // biome-ignore format: points
      const one = await drawn({ view, display, layers: both() });
      const other = await drawn({
        view,
        display: unskipped(display),
        layers: both().map((layer) => ({ ...layer, display: unskipped(layer.display) })),
      });
      let differing = 0;
      for (let pixel = 0; pixel < width * height; pixel++) if (differs(rgba(one, pixel), rgba(other, pixel), 8)) differing++;
      expect(differing).toBeLessThan(10);
    },
  );

  test('clip planes cut layers, but an open end does not cut layers that extend beyond the volume', async () => {
    const shownOf = async (view: Partial<ViewState>, plane?: Drawing['plane']): Promise<[left: number, right: number]> => {
      const pixels = await drawn({ view: { ...view, layers: hidden }, display, layers: both(), ...(plane && { plane }) });
      const counts: [number, number] = [0, 0];
      for (let pixel = 0; pixel < width * height; pixel++)
        if ((pixels[4 * pixel + 3] as number) > 0) counts[acrossOf(pixel) < 0.6 ? 0 : 1]++;
      return counts;
    };
    const [left, right] = await shownOf({});
    expect(Math.min(left, right)).toBeGreaterThan(100);
    // biome-ignore format: three ranges
    const clip = [[0.6, 1], [0, 1], [0, 1]] as const;
    expect(await shownOf({ clip })).toEqual([0, right]);
    // The visible side is 0.6 − x ≥ 0.
    expect(await shownOf({}, [-1, 0, 0, 0.6])).toEqual([left, 0]);
  });

  test('the volume in front hides the one behind, whatever the order of the list', async () => {
    /** The open volume's grid, moved along its z by as many voxels. */
    const movedBy = (voxels: number): VolumeInfo => ({
      ...base,
      affine: base.affine.map((value, at) => (at % 4 === 3 ? value + voxels * (base.affine[at - 1] as number) : value)),
    });
    const layer = (id: string, colors: string, info: VolumeInfo): Layer => ({
      look: testLook({ id, colormap: colors, window: [0, 255] }),
      info,
      display,
    });
    const [before, behind] = [layer('before', 'hot', movedBy(-14)), layer('behind', 'viridis', movedBy(14))];
    const opaque = [[0, 1], [1, 1]] as const; // biome-ignore format: points
    const view = { layers: hidden, projection: 'composite', opacity: opaque, lighting: false } as const;
    const alone = await drawn({ view, display, layers: [before] });
    const orders = [
      [before, behind],
      [behind, before],
    ];
    for (const layers of orders) {
      const pixels = await drawn({ view, display, layers });
      let [shown, differing] = [0, 0];
      for (let pixel = 0; pixel < width * height; pixel++) {
        if ((alone[4 * pixel + 3] as number) > 0) shown++;
        if (differs(rgba(pixels, pixel), rgba(alone, pixel), 8)) differing++;
      }
      expect(shown).toBeGreaterThan(500);
      expect(differing).toBe(0);
    }
  });

  test.each(['over', 'add', 'maximum'] as const)('projections are blended: %s', async (blending) => {
    const opacity = 0.4;
    const layer = { look: { ...gray, smooth: true, blending, opacity }, info: image, display: imageDisplay };
    // The layer stays with an opacity of 0, since it also determines how fine the steps are.
    const faint = { ...layer, look: { ...layer.look, opacity: 0, blending: 'over' as const } };
    const [under, over, together] = [
      await drawn({ view: {}, display, layers: [faint] }),
      await drawn({ view: { layers: { ...noLayers, base: { isVisible: true, opacity: 0 } } }, display, layers: [layer] }),
      await drawn({ view: {}, display, layers: [layer] }),
    ];
    let [inside, differing] = [0, 0];
    for (let pixel = 0; pixel < width * height; pixel++) {
      const [a, b] = [rgba(under, pixel), rgba(over, pixel)] as [number[], number[]];
      const covered = (at: number): number => (b[at] as number) + (1 - (b[3] as number) / 255) * (a[at] as number);
      const expected = [0, 1, 2, 3].map((at) =>
        blending === 'maximum'
          ? Math.max(a[at] as number, b[at] as number)
          : blending === 'over' || at === 3
            ? covered(at)
            : Math.min(255, (a[at] as number) + (b[at] as number)),
      );
      if ((a[3] as number) > 0 && (b[3] as number) > 0) inside++;
      if (differs(rgba(together, pixel), expected, 2)) differing++;
    }
    expect(inside).toBeGreaterThan(300);
    expect(differing).toBe(0);
  });
});

test('textures of layers follow time points, and are freed with the layer', async () => {
  const displays = new LayerDisplays(() => {});
  const [, volume] = volumes as [ResidentVolume, ResidentVolume];
  const before = gpu.memory.liveBytes('layer');
  displays.show([{ id: 'a', volume, timePoint: 0 }, { id: 'b', volume, timePoint: 1 }]); // biome-ignore format: two layers
  expect(displays.displayOf('a')).toBeUndefined();
  await displays.settled();
  const [a, b] = [displays.displayOf('a'), displays.displayOf('b')] as [DisplayTexture, DisplayTexture];
  const firstTexel = async ({ texture }: DisplayTexture): Promise<number> => {
    using scope = gpu.scope('test');
    const buffer = scope.buffer('texel', 256, GPUBufferUsage.COPY_SRC);
    await gpu
      .commands('test')
      .record((encoder) => encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [1, 1, 1]))
      .submit();
    return (await gpu.read(buffer))[0] as number;
  };
  const voxels = typedVoxels('u8', imageBytes);
  const later = 11 * 14 * 16;
  expect([await firstTexel(a), await firstTexel(b)]).toEqual([voxels[0], voxels[later]]);
  displays.show([{ id: 'a', volume, timePoint: 1 }]);
  await displays.settled();
  expect(await firstTexel(displays.displayOf('a') as DisplayTexture)).toBe(voxels[later]);
  expect(gpu.memory.liveBytes('layer')).toBeGreaterThan(before + 2 * later);
  displays.keep(new Map([['a', volume]]));
  expect(displays.displayOf('b')).toBeUndefined();
  displays.keep(new Map());
  expect(gpu.memory.liveBytes('layer')).toBe(before);
});

test('the top layers are drawn if there are more than rays can cross', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  expect(layersIn3d(noLayers, ids)).toEqual(['c', 'd', 'e', 'f']);
  expect(layersIn3d(hidden, ids)).toEqual(['b', 'c', 'd', 'e', 'f']);
  expect(layersIn3d(noLayers, ids.slice(0, 2))).toEqual(['a', 'b']);
});
