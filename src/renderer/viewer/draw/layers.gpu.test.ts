import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LabelPlane } from '../../../core/draw/label-plane.ts';
import { LayerSlab } from '../../../core/draw/layer-slab.ts';
import { SlabPlane, slabRange, type ThickSlice } from '../../../core/draw/slab-plane.ts';
import { typedVoxels, type VolumeInfo } from '../../../core/shared/volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testVoxels, withBindingLimit } from '../../../core/volume/resident-testing.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { colorsOf, labelColorIndex } from '../colors/colormaps.ts';
import { grounds } from '../colors/grounds.ts';
import type { ShownLabels } from '../model/label-look.ts';
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
import type { LayerLook } from '../model/layers.ts';
import { placeOblique } from '../model/oblique-geometry.ts';
import { type AxisNumber, sliceFrame } from '../model/orientation.ts';
import { type CanvasToVoxel, placeSlice, positionAt, type Voxel } from '../model/slice-geometry.ts';
import type { SliceDrawing } from './slice-contents.ts';
import { SliceRenderer } from './slice-renderer.ts';
import { drawnPixels } from './slice-testing.ts';

const gpu = await openTestGpu();
const [width, height] = [64, 48];

const look = testLook({ id: 'layer', window: [0, 255], smooth: false });
const ground = Object.values(grounds['near-black']).map((value) => Math.round(value * 255));

interface Shown {
  readonly axis: AxisNumber | undefined;
  readonly index: number;
  readonly map: CanvasToVoxel;
}

function slice(axis: 'x' | 'y' | 'z', index: number): Shown {
  const frame = sliceFrame(base, axis);
  const camera = { zoom: 1.137, center: undefined };
  const dims: Voxel = [baseDims[0], baseDims[1], baseDims[2]];
  const map = placeSlice({ frame, dims, spacing: [1.1, 1.3, 2], width, height, index, camera, margin: 3 });
  return { axis: frame.across, index, map };
}

function oblique(): Shown {
  const placed = placeOblique({
    info: base,
    tilt: { turn: 25, tilt: -35 },
    crosshair: [9, 8, 6],
    camera: { zoom: 1, center: undefined },
    width,
    height,
    margin: 3,
  });
  return { axis: undefined, index: 0, map: placed.map };
}

let renderer: SliceRenderer;
beforeEach(() => {
  renderer = new SliceRenderer(gpu, 'rgba8unorm');
});
afterEach(() => renderer.destroy());

interface Drawn extends Shown {
  readonly layers: readonly {
    readonly volume: ResidentVolume;
    readonly look: LayerLook;
    readonly timePoint?: number;
    readonly labels?: ShownLabels;
  }[];
  readonly baseVolume: ResidentVolume;
  readonly opacity: number;
  readonly thick?: ThickSlice;
}

async function drawn({ layers, baseVolume, opacity, thick, ...shown }: Drawn): Promise<Uint8Array> {
  const plane = new SlabPlane(gpu);
  const slabs = layers.map(() => new LayerSlab(gpu));
  const labelPlane = new LabelPlane(gpu);
  const drawing: SliceDrawing = {
    volume: baseVolume,
    ...shown,
    state: {
      window: [0, 255],
      colormap: 'gray',
      inverted: false,
      outside: ['clamp', 'clamp'],
      missing: 'hide',
      timePoint: 0,
      smooth: false,
    },
    opacity,
    slab: thick && { ...thick, plane },
    layers: layers.map(({ volume, look, labels, timePoint = 0 }, at) => ({
      volume,
      labels,
      look,
      timePoint,
      map: placeLayer(base, volume.info, look.motion).map,
      slab: slabs[at] as LayerSlab,
      labelPlane,
    })),
  };
  const pixels = await drawnPixels(gpu, renderer, drawing, [width, height]);
  plane.destroy();
  for (const slab of [...slabs, labelPlane]) slab.destroy();
  return pixels;
}

/** Compares each pixel with the reference. @returns how many were compared inside the layer, and how many of them differ */
function compared(
  pixels: Uint8Array,
  map: CanvasToVoxel,
  reference: (position: Voxel) => readonly number[] | undefined | 'unsure',
): { readonly inside: number; readonly differing: number; readonly unsure: number } {
  let [inside, differing, unsure] = [0, 0, 0];
  for (let pixel = 0; pixel < width * height; pixel++) {
    const color = reference(positionAt(map, [(pixel % width) + 0.5, Math.floor(pixel / width) + 0.5]));
    if (color === 'unsure') {
      unsure++;
      continue;
    }
    if (color) inside++;
    const isSame = (color ?? ground).every((value, at) => Math.abs(value - (pixels[4 * pixel + at] as number)) <= 1);
    if (!isSame) differing++;
  }
  return { inside, differing, unsure };
}

async function resident(info: VolumeInfo, bytes: Uint8Array, limit?: number): Promise<ResidentVolume> {
  const on = limit === undefined ? gpu : withBindingLimit(gpu, limit);
  const volume = await ResidentVolume.create(on, info, { chunkShape: [8, 8, 8], budgetBytes: 2 ** 24 });
  volume.append(bytes);
  return volume;
}

const gray = (value: number): readonly number[] => [value, value, value, 255];

describe('a layer with another affine, grid and type', () => {
  const cases: readonly (readonly [name: string, shown: Shown])[] = [
    ['x', slice('x', 8)],
    ['y', slice('y', 9)],
    ['z', slice('z', 5)],
    ['oblique', oblique()],
  ];
  test.each(cases)('is sampled at each pixel of the slice across %s, from one box and from many', async (_, shown) => {
    const info = layerInfo('u8');
    const bytes = testVoxels(info);
    const baseVolume = await resident(base, testVoxels(base));
    for (const [smooth, limit, motion] of [
      [false, undefined],
      [false, 1500],
      [true, undefined],
      [true, undefined, testMotion],
    ] as const) {
      const volume = await resident(info, bytes, limit);
      if (limit) expect(volume.placedBoxes.length).toBeGreaterThan(1);
      const timePoint = limit ? 1 : 0;
      const pixels = await drawn({
        ...shown,
        baseVolume,
        opacity: 0,
        layers: [{ volume, look: { ...look, smooth, motion }, timePoint }],
      });
      const result = compared(pixels, shown.map, (position) => {
        const value = sampled(bytes, layerDims, inLayer(position, movedInfo(info, motion)), smooth, timePoint);
        return typeof value === 'number' ? gray(value) : value;
      });
      expect(result.differing).toBe(0);
      expect(result.inside).toBeGreaterThan(400);
      expect(result.unsure).toBeLessThan(60);
      volume.destroy();
    }
    baseVolume.destroy();
  });

  test.each(['mean', 'maximum', 'minimum'] as const)('is projected through the slices of a slab: %s', async (kind) => {
    const info = layerInfo('i16');
    const voxels = Int16Array.from({ length: 11 * 14 * 16 * 2 }, (_, at) => ((at * 7919) % 1000) - 300);
    const baseVolume = await resident(base, testVoxels(base));
    const shown = slice('y', 9);
    const thick: ThickSlice = { kind, slices: 6 };
    const [first, last] = slabRange(shown.index, thick.slices, baseDims[1]);
    for (const [smooth, limit, motion] of [
      [true, undefined, testMotion],
      [false, 3000],
    ] as const) {
      const volume = await resident(info, new Uint8Array(voxels.buffer), limit);
      const window = [-300, 699] as const;
      const pixels = await drawn({
        ...shown,
        baseVolume,
        opacity: 0,
        thick,
        layers: [{ volume, look: { ...look, smooth, window, motion } }],
      });
      const result = compared(pixels, shown.map, (position) => {
        const values: number[] = [];
        for (let at = first; at <= last; at++) {
          const value = sampled(
            voxels,
            layerDims,
            inLayer([position[0], at + 0.5, position[2]], movedInfo(info, motion)),
            smooth,
          );
          if (value === 'unsure') return 'unsure';
          if (value !== undefined) values.push(value);
        }
        if (values.length === 0) return undefined;
        const mean = values.reduce((sum, value) => sum + value) / values.length;
        const value = kind === 'mean' ? mean : kind === 'maximum' ? Math.max(...values) : Math.min(...values);
        return gray(Math.round(((value + 300) / 999) * 255));
      });
      expect(result.differing).toBe(0);
      expect(result.inside).toBeGreaterThan(400);
      volume.destroy();
    }
    baseVolume.destroy();
  });

  test.each(['over', 'add', 'maximum'] as const)('is combined with the volume below it: %s', async (blending) => {
    const info = layerInfo('u8');
    const bytes = testVoxels(info);
    const below = testVoxels(base);
    const [volume, baseVolume] = [await resident(info, bytes), await resident(base, below)];
    const shown = slice('z', 5);
    const opacity = 0.4;
    const pixels = await drawn({ ...shown, baseVolume, opacity: 1, layers: [{ volume, look: { ...look, opacity, blending } }] });
    const result = compared(pixels, shown.map, (position) => {
      const [value, under] = [
        sampled(bytes, layerDims, inLayer(position, info), false),
        sampled(below, baseDims, position, false),
      ];
      if (value === 'unsure' || under === 'unsure') return 'unsure';
      if (value === undefined && under === undefined) return undefined;
      return [0, 1, 2].map((channel) => {
        const lower = under ?? (ground[channel] as number);
        if (value === undefined) return lower;
        if (blending === 'over') return Math.round(opacity * value + (1 - opacity) * lower);
        return blending === 'add'
          ? Math.min(255, Math.round(lower + opacity * value))
          : Math.max(lower, Math.round(opacity * value));
      });
    });
    expect(result.differing).toBe(0);
    expect(result.inside).toBeGreaterThan(400);
    for (const each of [volume, baseVolume]) each.destroy();
  });
});

describe('a layer of labels', () => {
  const info = layerInfo('u16');
  // Blocks of 4³ voxels. Every third has no label.
  const voxels = Uint16Array.from({ length: 11 * 14 * 16 * 2 }, (_, at) => {
    const [x, y, z] = [at % 11, Math.floor(at / 11) % 14, Math.floor(at / 154) % 16];
    const block = (x >> 2) + 3 * (y >> 2) + 12 * (z >> 2);
    return block % 3 === 0 ? 0 : block + 300;
  });
  const labels: LayerLook = { ...look, colormap: 'labels', window: [0, 400] };
  const palette = colorsOf(labels);
  const colorOf = (label: number): number[] => [
    ...palette.subarray(3 * labelColorIndex(label), 3 * labelColorIndex(label) + 3),
    255,
  ];

  test('has a colour for each number, and none for 0, even in a thick slice', async () => {
    const [volume, baseVolume] = [await resident(info, new Uint8Array(voxels.buffer)), await resident(base, testVoxels(base))];
    const shown = slice('z', 5);
    for (const thick of [undefined, { kind: 'maximum', slices: 5 } as const]) {
      const pixels = await drawn({
        ...shown,
        baseVolume,
        opacity: 0,
        ...(thick && { thick }),
        layers: [{ volume, look: { ...labels, smooth: true } }],
      });
      const result = compared(pixels, shown.map, (position) => {
        const label = sampled(voxels, layerDims, inLayer(position, info), false);
        return typeof label === 'number' ? (label === 0 ? undefined : colorOf(label)) : label;
      });
      expect(result.differing).toBe(0);
      expect(result.inside).toBeGreaterThan(250);
    }
    for (const each of [volume, baseVolume]) each.destroy();
  });

  test.each(['all', 'none'] as const)('shows %s of them with exceptions, and uses the colours of a table', async (shows) => {
    const [volume, baseVolume] = [await resident(info, new Uint8Array(voxels.buffer)), await resident(base, testVoxels(base))];
    const shown = slice('z', 5);
    // So many other labels that rows of the table wrap around.
    const others = Array.from({ length: 500 }, (_, number) => ({ number: 1000 + 7919 * number, color: '#123456' }));
    const table = [
      ...others,
      { number: 326, color: '#ff8000' },
      { number: 329, color: '#0000ff' },
      { number: 332, name: 'in no colour' },
    ];
    const except = [329, 335, 326, 4_000_000_000];
    const pixels = await drawn({
      ...shown,
      baseVolume,
      opacity: 0,
      layers: [{ volume, look: labels, labels: { table, shows, except } }],
    });
    const found = new Set<number>();
    const result = compared(pixels, shown.map, (position) => {
      const label = sampled(voxels, layerDims, inLayer(position, info), false);
      if (typeof label !== 'number') return label;
      found.add(label);
      if (label === 0 || except.includes(label) === (shows === 'all')) return undefined;
      return label === 326 ? [255, 128, 0, 255] : label === 329 ? [0, 0, 255, 255] : colorOf(label);
    });
    expect(result.differing).toBe(0);
    for (const label of [326, 329, 332, 335]) expect(found).toContain(label);
    for (const each of [volume, baseVolume]) each.destroy();
  });

  test('has outlines only at pixels beside another number or at the end of the layer', async () => {
    const [volume, baseVolume] = [await resident(info, new Uint8Array(voxels.buffer)), await resident(base, testVoxels(base))];
    const shown = slice('z', 5);
    const pixels = await drawn({ ...shown, baseVolume, opacity: 0, layers: [{ volume, look: { ...labels, outline: true } }] });
    const labelAt = (position: Voxel) => sampled(voxels, layerDims, inLayer(position, info), false);
    const moved = ([x, y, z]: Voxel, [a, b, c]: Voxel, by: number): Voxel => [x + by * a, y + by * b, z + by * c];
    const { right, down } = shown.map;
    let hidden = 0;
    const result = compared(pixels, shown.map, (position) => {
      const label = labelAt(position);
      const around = [moved(position, right, 1), moved(position, right, -1), moved(position, down, 1), moved(position, down, -1)];
      const others = around.map(labelAt);
      if (label === 'unsure' || others.includes('unsure')) return 'unsure';
      if (label === undefined || label === 0) return undefined;
      if (others.some((other) => other !== label)) return colorOf(label);
      hidden++;
      return undefined;
    });
    expect(result.differing).toBe(0);
    expect(result.inside).toBeGreaterThan(50);
    expect(hidden).toBeGreaterThan(50);
    for (const each of [volume, baseVolume]) each.destroy();
  });
});

test('values below the window are left out if the layer says so', async () => {
  const info = layerInfo('f32');
  const bytes = testVoxels(info);
  const voxels = typedVoxels('f32', bytes);
  const [volume, baseVolume] = [await resident(info, bytes), await resident(base, testVoxels(base))];
  const shown = slice('x', 8);
  const window = [0, 1.5e6] as const;
  const pixels = await drawn({
    ...shown,
    baseVolume,
    opacity: 0,
    layers: [{ volume, look: { ...look, window, hidesBelow: true } }],
  });
  const result = compared(pixels, shown.map, (position) => {
    const value = sampled(voxels, layerDims, inLayer(position, info), false);
    if (typeof value !== 'number') return value;
    return value < 0 ? undefined : gray(Math.round(Math.min(1, value / 1.5e6) * 255));
  });
  expect(result.differing).toBe(0);
  expect(result.inside).toBeGreaterThan(200);
  for (const each of [volume, baseVolume]) each.destroy();
});
