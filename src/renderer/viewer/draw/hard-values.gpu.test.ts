import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingColor } from '../../../core/draw/outside.ts';
import { SlabPlane, type ThickSlice } from '../../../core/draw/slab-plane.ts';
import type { ElementType } from '../../../core/shared/volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { autoView } from '../model/auto-view.ts';
import type { SliceDrawing } from './slice-contents.ts';
import { SliceRenderer } from './slice-renderer.ts';
import { drawnPixels } from './slice-testing.ts';

// Values that are hard to show: at the limits of floats, close together, missing, or with a negative slope. One pixel shows
// one voxel.

const gpu = await openTestGpu();
let renderer: SliceRenderer;
beforeEach(() => {
  renderer = new SliceRenderer(gpu, 'rgba8unorm');
});
afterEach(() => renderer.destroy());

const [width, height, depth] = [64, 4, 5];
const largest = 3.4028234663852886e38;
const arrays = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, i16: Int16Array, u8: Uint8Array } as const;

interface Case {
  readonly type?: keyof typeof arrays;
  readonly slope?: number;
  /** The drawn slice is z = 2. */
  readonly value: (x: number, y: number, z: number) => number;
  /** Default: the automatic window. */
  readonly window?: readonly [number, number];
  readonly look?: Partial<SliceDrawing['state']>;
  readonly slab?: ThickSlice;
  /** Whether to draw it as an oblique plane at the same position. */
  readonly isOblique?: boolean;
}

/** The pixels of the first row, as r, g and b. */
async function rowOf({ type = 'f32', slope = 1, value, window, look, slab, isOblique }: Case): Promise<number[][]> {
  const info = { ...testInfo([width, height, depth, 1], type satisfies ElementType), slope };
  const voxels = new arrays[type](width * height * depth);
  for (const at of voxels.keys()) {
    voxels[at] = value(at % width, Math.floor(at / width) % height, Math.floor(at / width / height));
  }
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [16, 16, 16] });
  volume.append(new Uint8Array(voxels.buffer));
  const first = autoView(info, await volume.statistics());
  const plane = slab && new SlabPlane(gpu);
  const drawing: SliceDrawing = {
    volume,
    axis: isOblique ? undefined : 2,
    index: 2,
    map: { origin: [0, 0, 2.5], right: [1, 0, 0], down: [0, 1, 0], pixelsPerUnit: 1 },
    state: { ...first, colormap: 'gray', ...(window && { window }), ...look },
    ...(slab && plane && { slab: { ...slab, plane } }),
    ground: { r: 1, g: 0, b: 0, a: 1 },
  };
  const pixels = await drawnPixels(gpu, renderer, drawing, [width, height]);
  plane?.destroy();
  volume.destroy();
  return Array.from({ length: width }, (_, x) => [...pixels.subarray(4 * x, 4 * x + 3)]);
}

const grays = (row: number[][]): number[] => row.map(([r = 0]) => r);
const ramp = (part: (x: number) => number): number[] => Array.from({ length: width }, (_, x) => Math.round(255 * part(x)));

function expectLike(found: readonly number[], wanted: readonly number[]): void {
  expect(found.map((gray, x) => Math.abs(gray - (wanted[x] as number))).filter((off) => off > 1)).toEqual([]);
}

const last = width - 1;

describe.each([
  ['−3e38 to 3e38', 'f32', -3e38, 3e38],
  // The largest float itself marks missing data.
  ['nearly all floats', 'f32', -0.9999 * largest, 0.9999 * largest],
  ['the largest floats', 'f32', 0.99 * largest, 0.9999 * largest],
  ['0 to 6.2e-13', 'f32', 0, 6.2e-13],
  ['the least normal floats', 'f32', 1.2e-38, 4.8e-38],
  ['subnormal floats', 'f32', 0, 63 * 2 ** -149],
  ['values that differ in their eighth digit', 'f32', 1000000.25, 1000000.25 + last / 4],
  ['large doubles', 'f64', -3e38, 3e38],
  ['integers near 2^32', 'u32', 2 ** 32 - 1 - last, 2 ** 32 - 1],
] as const)('a ramp from %s', (_, type, from, to) => {
  const [low, high] = type === 'u32' ? [from, to] : [Math.fround(from), Math.fround(to)];
  const value = (x: number): number => {
    const exact = low * (1 - x / last) + high * (x / last);
    return type === 'u32' && Number.isInteger(x) ? Math.round(exact) : exact;
  };
  const window = [low, high] as const;

  test('is black to white, in a slice, a slab and an oblique slice', async () => {
    for (const slab of [
      undefined,
      { kind: 'mean', slices: 4 },
      { kind: 'maximum', slices: 3 },
      { kind: 'minimum', slices: 3 },
    ] as const) {
      // Slabs hold floats, which cannot distinguish those integers, and GPUs may flush subnormals to 0.
      if (slab && (type === 'u32' || high < 1e-38)) continue;
      expectLike(
        grays(await rowOf({ type, value, window, ...(slab && { slab }) })),
        ramp((x) => x / last),
      );
    }
    const smooth = { smooth: true };
    expectLike(
      grays(await rowOf({ type, value, window, look: smooth })),
      ramp((x) => x / last),
    );
    expectLike(
      grays(await rowOf({ type, value, window, isOblique: true, look: smooth })),
      ramp((x) => x / last),
    );
  });

  test('includes the ends of the window, and treats everything beyond as outside', async () => {
    const outside = ['mark', 'mark'] as const;
    const isGray = ([r, g, b]: number[]): boolean => r === g && g === b;
    expect((await rowOf({ type, value, window, look: { outside } })).every(isGray)).toBe(true);
    // A window of the middle half starts and ends between two voxels.
    const [first, end] = [value(16.5), value(46.5)];
    const found = await rowOf({ type, value, window: [first, end], look: { outside } });
    expect(found.map(isGray)).toEqual(Array.from({ length: width }, (__, x) => x > 16 && x < 47));
  });

  test('is white to black if the slope is negative', async () => {
    expectLike(
      grays(await rowOf({ type, slope: -2.5, value, window: [high, low] })),
      ramp((x) => 1 - x / last),
    );
  });
});

test('the automatic window with a negative slope shows the lowest physical value black', async () => {
  const found = grays(await rowOf({ type: 'i16', slope: -2.5, value: (x, y) => x + 2 * y }));
  expect(found[0]).toBeGreaterThan(230);
  expect(found[last]).toBeLessThan(25);
  expect(found).toEqual([...found].sort((a, b) => b - a));
});

test('maximum and minimum of a slab refer to physical values', async () => {
  const value = (_x: number, _y: number, z: number): number => 50 * z;
  const gray = async (slope: number, kind: ThickSlice['kind']): Promise<number | undefined> => {
    const window = slope < 0 ? ([250, 0] as const) : ([0, 250] as const);
    return grays(await rowOf({ type: 'u8', slope, value, window, slab: { kind, slices: 5 } }))[0];
  };
  // Stored values 0 to 200 are 0 to −200 with a slope of −1, and −250 is black.
  expect(await gray(1, 'maximum')).toBe(Math.round((255 * 200) / 250));
  expect(await gray(-1, 'maximum')).toBe(255);
  expect(await gray(1, 'minimum')).toBe(0);
  expect(await gray(-1, 'minimum')).toBe(Math.round((255 * 50) / 250));
});

describe.each([
  ['the largest float, negative', -largest],
  ['the largest float', largest],
  ['a number far below all others', -1e30],
  ['NaN', Number.NaN],
  ['an infinity', Infinity],
])('voxels of %s', (_, mark) => {
  const value = (x: number, y: number): number => (x < 8 ? mark : (100 * x) / last + y / 100);

  test('do not affect the automatic window, and show nothing or their own colour', async () => {
    const shown = await rowOf({ value });
    expect(shown.slice(0, 8)).toEqual(new Array(8).fill([255, 0, 0]));
    expect(shown[8]?.[0]).toBeLessThan(15);
    expect(shown[last]?.[0]).toBeGreaterThan(245);
    const marked = await rowOf({ value, look: { missing: 'mark' } });
    expect(marked.slice(0, 8)).toEqual(new Array(8).fill(missingColor.map((channel) => Math.round(255 * channel))));
    expect(marked.slice(8)).toEqual(shown.slice(8));
  });

  test('are ignored in slabs and in interpolation', async () => {
    // Of the five slices, the first three are missing.
    const some = (x: number, y: number, z: number): number => (z < 3 ? mark : value(Math.max(8, x), y));
    for (const kind of ['mean', 'maximum', 'minimum'] as const) {
      expect((await rowOf({ value: some, slab: { kind, slices: 5 } }))[last]?.[0]).toBeGreaterThan(245);
    }
    const smooth = await rowOf({ value, look: { smooth: true, missing: 'mark' } });
    expect(smooth[7]?.[1]).toBe(Math.round(255 * missingColor[1]));
    expect(smooth[8]?.[0]).toBeLessThan(15);
  });
});
