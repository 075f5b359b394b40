import { describe, expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { Dims3, Dims4 } from '../shared/volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { testInfo } from '../volume/resident-testing.ts';
import { markedColors } from './outside.ts';
import { type RayLook, RayPass, type RayView, rayFrame, rayFrameBytes, rayParameters, wholeOf } from './ray-pass.ts';

const gpu = await openTestGpu();

const pass = new RayPass(gpu);

/** The number of pixels along each edge of the target. */
const side = 64;

/** A view along z from the front (voxel 0), a little wider than the cube: pixel p's ray has x = (p + 0.5) / 64 × 1.25 − 0.125. */
const wide = 1.25;
const front: RayView = {
  toCube: [wide / 2, 0, 0, 0, 0, -wide / 2, 0, 0, 0, 0, 1, 0, 0.5, 0.5, 0, 1],
  eye: [0, 0, -1, 0],
  edges: [1, 1, 1],
};

/** A view from a point in front of the cube's middle, in which the plane z = 1 fills the target. */
function perspective(distance: number): RayView {
  return { ...front, toCube: front.toCube.with(14, 1).with(10, 0), eye: [0.5, 0.5, -distance, 1] };
}

const plain: RayLook = {
  projection: 'mip',
  window: [0, 255],
  level: 128,
  attenuation: 8,
  lighting: true,
  outside: ['clamp', 'clamp'],
  clip: [
    [0, 1],
    [0, 1],
    [0, 1],
  ],
};

const voxelArrays = { u8: Uint8Array, u16: Uint16Array, i32: Int32Array, f32: Float32Array } as const;

interface Drawing {
  readonly dims?: Dims3;
  readonly value: (x: number, y: number, z: number) => number;
  readonly look: Partial<RayLook>;
  readonly view?: RayView;
  readonly step?: number;
  readonly isCategorical?: boolean;
  readonly type?: 'u8' | 'u16' | 'i32' | 'f32';
  /** The number of rows that are drawn at once. */
  readonly rows?: number;
  /** The opacity of visible values, 0…255. */
  readonly opacity?: number;
  /** See `rayParameters`. */
  readonly isDraft?: boolean;
}

/** Draws a gray picture on a black background. @returns the red of each pixel, row by row */
async function drawn({
  dims = [32, 32, 32],
  value,
  look,
  view = front,
  step = 2,
  isCategorical = false,
  type = 'u8',
  rows = side,
  opacity = 255,
  isDraft = false,
}: Drawing): Promise<Uint8Array> {
  using scope = gpu.scope('test');
  const [width, height, depth] = dims;
  const info = testInfo([...dims, 1] as Dims4, type);
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [8, 8, 8] });
  const place = (at: number): [number, number, number] => [
    at % width,
    Math.floor(at / width) % height,
    Math.floor(at / width / height),
  ];
  const voxels = new voxelArrays[type](width * height * depth).map((_, at) => value(...place(at)));
  volume.append(new Uint8Array(voxels.buffer));
  const display = await volume.displayTexture(0);
  const parameters = rayParameters(display, { ...plain, ...look }, { isCategorical, isFloorOpaque: true }, step, isDraft);
  const frame = scope.buffer('frame', rayFrameBytes, GPUBufferUsage.UNIFORM);
  const transfer = scope.texture('transfer', 2048, {
    size: [256, 2],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  // Gray values. The upper half is opaque; of labels, all but 0. The second row says that all ranges may be visible.
  const texels = Uint8Array.from({ length: 2048 }, (_, at) =>
    at >= 1024 ? 255 : at % 4 < 3 ? at >> 2 : at < (isCategorical ? 4 : 512) ? 0 : opacity,
  );
  gpu.device.queue.writeTexture({ texture: transfer }, texels, { bytesPerRow: 1024 }, [256, 2]);
  const target = scope.texture('target', side * side * 4, {
    size: [side, side],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
  });
  const pixels = scope.buffer('pixels', side * side * 4, GPUBufferUsage.COPY_SRC);
  const { projection } = { ...plain, ...look };
  for (let from = 0; from < side; from += rows) {
    const strip = { ...wholeOf(target), from, count: Math.min(rows, side - from) };
    gpu.device.queue.writeBuffer(frame, 0, rayFrame(display, view, parameters, strip));
    const commands = gpu.commands('test');
    pass.record(commands, { projection, display, frame, transfer }, target, strip);
    const place = { buffer: pixels, offset: from * side * 4, bytesPerRow: side * 4 };
    await commands.record((encoder) => encoder.copyTextureToBuffer({ texture: target }, place, [side, strip.count])).submit();
  }
  const bytes = await gpu.read(pixels);
  volume.destroy();
  return bytes.filter((_, at) => at % 4 === 0);
}

/** The pixel, along an edge of the target, whose ray is nearest to a position in the cube. */
const pixelOf = (place: number): number => Math.floor(((place + (wide - 1) / 2) / wide) * side);
const at = (pixels: Uint8Array, x: number, y: number): number => pixels[pixelOf(y) * side + pixelOf(x)] as number;

/** The only bright voxel of 32³, and the position of its middle in the cube. */
const voxel = [7, 20, 13] as const;
const [voxelX, voxelY] = [7.5 / 32, 20.5 / 32];
const isVoxel = (x: number, y: number, z: number): boolean => x === voxel[0] && y === voxel[1] && z === voxel[2];
const oneBright = (x: number, y: number, z: number): number => (isVoxel(x, y, z) ? 240 : 0);

/** The number of pixels brighter than `value`. */
const over = (pixels: Uint8Array, value: number): number => pixels.filter((pixel) => pixel > value).length;

const ball =
  (middle: readonly [number, number, number], radius: number) =>
  (x: number, y: number, z: number): number =>
    Math.round(
      Math.min(255, Math.max(0, 128 + 40 * (radius - Math.hypot(x + 0.5 - middle[0], y + 0.5 - middle[1], z + 0.5 - middle[2])))),
    );

describe('projections of one voxel', () => {
  test('the maximum is bright at the voxel’s pixel, and nowhere else', async () => {
    const pixels = await drawn({ value: oneBright, look: {}, step: 1 });
    expect(at(pixels, voxelX, voxelY)).toBeGreaterThan(170);
    expect(at(pixels, voxelX + 2 / 32, voxelY)).toBe(0);
    expect(at(pixels, voxelY, voxelX)).toBe(0);
    // Interpolation spreads the voxel over twice its width, and a voxel is 1.6 pixels wide.
    expect(over(pixels, 0)).toBeLessThanOrEqual(16);
  });

  test('the minimum of inverted values is the inverted maximum', async () => {
    const pixels = await drawn({ value: (x, y, z) => 255 - oneBright(x, y, z), look: { projection: 'minip' }, step: 1 });
    expect(at(pixels, voxelX, voxelY)).toBeLessThan(85);
    expect(at(pixels, voxelX + 2 / 32, voxelY)).toBe(255);
    expect(over(pixels, 254)).toBeGreaterThan(50 * 50);
  });

  test('the mean spreads a layer over its column', async () => {
    // The layer fills x and y, so that values are interpolated only along z. It is one of 32 layers.
    const layer = (_x: number, _y: number, z: number): number => (z === 13 ? 240 : 16);
    const pixels = await drawn({ value: layer, look: { projection: 'mean' }, step: 1 });
    for (const place of [0.2, 0.5, 0.8]) expect(Math.abs(at(pixels, place, place) - (16 + 224 / 32))).toBeLessThan(1.5);
    const even = await drawn({ value: () => 100, look: { projection: 'mean' } });
    expect(at(even, 0.5, 0.5)).toBe(100);
    // A window above the background still shows the values in it. Interpolation spreads the layer over a voxel on each side;
    // only the part above 140 counts.
    const narrow = await drawn({ value: layer, look: { projection: 'mean', window: [140, 240] }, step: 1 });
    expect(Math.abs(at(narrow, 0.5, 0.5) - ((100 / 224) * 255) / 32)).toBeLessThan(1.5);
  });

  test.each(['mip', 'composite', 'mean', 'isosurface', 'attenuated-mip'] as const)(
    '%s: a clipped voxel is not drawn',
    async (projection) => {
      const value = (x: number, y: number, z: number) => (Math.hypot(x - 7, y - 20, z - 13) < 3 ? 250 : 0);
      const shown = (clip: RayLook['clip']) => drawn({ value, look: { projection, clip } });
      const all = [0, 1] as const;
      expect(over(await shown([all, all, all]), 10)).toBeGreaterThan(20);
      for (const clip of [
        [[0.4, 1], all, all],
        [[0, 0.1], all, all],
        [all, [0, 0.5], all],
        [all, [0.8, 1], all],
        [all, all, [0.55, 1]],
        [all, all, [0, 0.3]],
      ] as const)
        expect(over(await shown(clip), 0)).toBe(0);
      expect(
        over(
          await shown([
            [0.1, 0.4],
            [0.5, 0.8],
            [0.3, 0.55],
          ]),
          10,
        ),
      ).toBeGreaterThan(20);
    },
  );
});

test.each(['u16', 'i32', 'f32'] as const)(
  '%s: a narrow window shows each of its values, however large the range of the volume',
  async (type) => {
    const value = (x: number, y: number): number => (y === 0 ? 0 : y === 31 ? 65_535 : 60_000 + x);
    const pixels = await drawn({ value, type, look: { window: [60_000, 60_031] }, step: 1 });
    // All voxels along z are alike: the maximum is the value of the voxel under the pixel's middle, interpolated along x.
    const row = Array.from({ length: 32 }, (_, x) => at(pixels, (x + 0.5) / 32, 0.5));
    for (const [x, gray] of row.entries()) expect(Math.abs(gray - (255 * x) / 31)).toBeLessThan(8);
    expect(new Set(row).size).toBe(32);
  },
);

describe('values outside the window', () => {
  // A bright ball in a grey one, on black.
  const value = (x: number, y: number, z: number): number => {
    const radius = Math.hypot(x - 15.5, y - 15.5, z - 15.5);
    return radius < 4 ? 250 : radius < 12 ? 120 : 0;
  };
  const window = [50, 200] as const;
  const middle = (pixels: Uint8Array): number => at(pixels, 0.5, 0.5);

  test.each(['mip', 'composite', 'mean', 'attenuated-mip'] as const)('%s: hidden values are not drawn', async (projection) => {
    const look = { projection, window, lighting: false } as const;
    if (projection === 'mip' || projection === 'mean') {
      const shown = await drawn({ value, look });
      const without = await drawn({ value, look: { ...look, outside: ['clamp', 'hide'] } });
      expect(middle(without)).toBeLessThan(middle(shown));
    }
    // If all values are hidden, nothing is drawn, not even the lowest colour.
    const nothing = await drawn({ value, look: { ...look, window: [251, 255], outside: ['hide', 'clamp'] } });
    expect(over(nothing, 0)).toBe(0);
  });

  test('if values below the window are hidden, the minimum is that of the other values', async () => {
    const look = { projection: 'minip', window } as const;
    expect(middle(await drawn({ value, look }))).toBe(0);
    expect(middle(await drawn({ value, look: { ...look, outside: ['hide', 'clamp'] } }))).toBeGreaterThan(0);
  });

  test('marked values have the marking colour, and values in the window their own', async () => {
    const look = { projection: 'mip', window } as const;
    const marked = await drawn({ value, look: { ...look, outside: ['mark', 'mark'] } });
    expect([middle(marked), at(marked, 0.02, 0.02)]).toEqual(markedColors.map(([red]) => Math.round(255 * red)).reverse());
    expect(at(marked, 0.5, 0.5 + 9 / 32)).toBe(middle(await drawn({ value: () => 120, look })));
    const full = await drawn({ value, look: { ...look, window: [0, 250], outside: ['mark', 'mark'] } });
    expect([middle(full), at(full, 0.02, 0.02)]).toEqual([255, 0]);
  });
});

describe('values that are hard to show', () => {
  // A bright ball in a grey one, whose values vary so that no brick is constant.
  const ballValue = (x: number, y: number, z: number): number => {
    const radius = Math.hypot(x - 15.5, y - 15.5, z - 15.5);
    return radius < 5 ? 250 : radius < 12 ? 100 + ((x + 2 * y + 3 * z) % 40) : 0;
  };
  const largest = 3.4028234663852886e38;
  const ways = ['mip', 'composite', 'minip', 'mean', 'isosurface', 'attenuated-mip'] as const;
  const differing = (a: Uint8Array, b: Uint8Array): number =>
    a.filter((gray, index) => Math.abs(gray - (b[index] as number)) > 3).length;

  test.each(ways)('%s: the picture does not depend on how values are scaled', async (projection) => {
    const look = { projection, window: [0, 250], level: 90 } as const;
    // The minimum along a ray shows something only if the background is bright.
    const plainValue = projection === 'minip' ? (...place: Dims3) => 250 - ballValue(...place) : ballValue;
    const wanted = await drawn({ value: plainValue, look, type: 'f32' });
    expect(new Set(wanted).size).toBeGreaterThan(3);
    for (const [factor, shift] of [
      [6e38 / 250, -3e38],
      [6.2e-13 / 250, 0],
      [2 ** -140, 0],
      [1 / 4, 1000000.25],
      // Real values fall as stored values rise: the window runs downwards.
      [-1, 250],
      [-6e38 / 250, 3e38],
    ] as const) {
      const scaled = (value: number): number => factor * value + shift;
      const value = (x: number, y: number, z: number): number => scaled(plainValue(x, y, z));
      const found = await drawn({ value, look: { projection, window: [shift, scaled(250)], level: scaled(90) }, type: 'f32' });
      expect([factor, differing(found, wanted)]).toEqual([factor, 0]);
    }
  });

  test.each(ways)('%s: missing voxels are not drawn', async (projection) => {
    // The missing voxels form a slab behind the ball and one above it.
    const isMissing = (y: number, z: number): boolean => z > 28 || y < 3;
    const look = { projection, window: [20, 250], level: 90, lighting: false } as const;
    const pictures: Uint8Array[] = [];
    for (const mark of [Number.NaN, -largest, largest, 1e30]) {
      const value = (x: number, y: number, z: number): number => (isMissing(y, z) ? mark : 30 + ballValue(x, y, z) / 2);
      pictures.push(await drawn({ value, look, type: 'f32' }));
    }
    const [first = new Uint8Array()] = pictures;
    for (const picture of pictures) expect(differing(picture, first)).toBe(0);
    // Minimum and mean count only numbers, so no ray through the volume shows the floor.
    if (projection === 'minip' || projection === 'mean') expect(at(first, 0.5, 0.6)).toBeGreaterThan(5);
    // Where a ray meets only missing voxels, nothing is drawn.
    expect(at(first, 0.5, 0.05)).toBe(0);
  });
});

test('labels have the colour and the opacity of their number, however many there are', async () => {
  const palette = (label: number): number => 1 + ((label - 1) % 255);
  const value = (x: number): number => (x < 16 ? 3 : 200);
  const look = { projection: 'composite', lighting: false } as const;
  for (const window of [
    [0, 255],
    [2, 201],
    [0, 60_000],
  ] as const) {
    const pixels = await drawn({ value, look: { ...look, window }, isCategorical: true });
    expect([at(pixels, 0.2, 0.5), at(pixels, 0.8, 0.5)]).toEqual([palette(3), palette(200)]);
  }
  // Neighbouring numbers of 65,536: each has its own colour, and none are interpolated.
  const many = (x: number, y: number): number => (y === 0 ? 0 : y === 31 ? 65_535 : x < 16 ? 40_000 : 40_001);
  for (const type of ['u16', 'i32'] as const) {
    const pixels = await drawn({ value: many, type, look: { ...look, window: [0, 65_535] }, isCategorical: true });
    const shown = new Set([0.2, 0.48, 0.52, 0.8].map((x) => at(pixels, x, 0.5)));
    expect(shown).toEqual(new Set([palette(40_000), palette(40_001)]));
  }
  const empty = await drawn({ value: () => 0, look: { ...look, window: [0, 255] }, isCategorical: true });
  expect(over(empty, 0)).toBe(0);
});

describe('an oblique clip plane', () => {
  /** Shows the part where x + y is at least 1, whatever z is. */
  const diagonal = [1, 1, 0, -1] as const;
  const isShown = (x: number, y: number): boolean => x + y >= 1;
  const places = [0.1, 0.35, 0.6, 0.85].flatMap((x) => [0.1, 0.35, 0.6, 0.85].map((y) => [x, y] as const));

  test.each(['mip', 'composite', 'mean', 'isosurface', 'attenuated-mip'] as const)(
    '%s: only one side is drawn',
    async (projection) => {
      const pixels = await drawn({ value: () => 200, look: { projection, plane: diagonal } });
      const flipped = await drawn({ value: () => 200, look: { projection, plane: [-1, -1, 0, 1] } });
      for (const [x, y] of places) {
        if (Math.abs(x + y - 1) < 0.08) continue;
        expect(at(pixels, x, y) > 100, `${x}, ${y}`).toBe(isShown(x, y));
        expect(at(flipped, x, y) > 100, `${x}, ${y}, flipped`).toBe(!isShown(x, y));
      }
    },
  );

  test('cuts rays at its position, and shows the part behind it, from either side', async () => {
    // z and the values grow away from the eye.
    const value = (_x: number, _y: number, z: number): number => 8 * z;
    // Shows the part where z is at least 0.25 + x / 2, so that values at the cut grow with x.
    const cut = [-0.5, 0, 1, -0.25] as const;
    const nearest = await drawn({ value, look: { projection: 'minip', plane: cut }, step: 1 });
    const farthest = await drawn({ value, look: { projection: 'mip', plane: [0.5, 0, -1, 0.25] }, step: 1 });
    for (const x of [0.2, 0.5, 0.8]) {
      const expected = 8 * (32 * (0.25 + x / 2) - 0.5);
      expect(Math.abs(at(nearest, x, 0.5) - expected)).toBeLessThan(9);
      expect(Math.abs(at(farthest, x, 0.5) - expected)).toBeLessThan(9);
    }
  });

  test('shows values where it cuts an isosurface, and nothing if it hides everything', async () => {
    const value = (x: number): number => 130 + 2 * x;
    const look = { projection: 'isosurface', plane: [0, 0, 1, -0.5] } as const;
    const pixels = await drawn({ value, look });
    for (const place of [0.25, 0.5, 0.75])
      expect(Math.abs(at(pixels, place, 0.5) - (130 + 2 * (32 * place - 0.5)))).toBeLessThan(3);
    // These rays run parallel to the plane, on the hidden side and on the shown side.
    expect(over(await drawn({ value, look: { ...look, plane: [0, 1, 0, -1.1] } }), 0)).toBe(0);
    expect(over(await drawn({ value, look: { ...look, plane: [0, 1, 0, 0.1] } }), 100)).toBeGreaterThan(2000);
  });

  test('works together with the six clip planes, and in perspective', async () => {
    const clip = [[0.5, 1], [0, 1], [0, 1]] as const; // biome-ignore format: a box
    const pixels = await drawn({ value: () => 200, look: { clip, plane: diagonal } });
    expect([at(pixels, 0.6, 0.6), at(pixels, 0.4, 0.8), at(pixels, 0.6, 0.2)]).toEqual([200, 0, 0]);
    const look = { projection: 'mip', plane: [0, 0, 1, -0.5] } as const;
    const value = (_x: number, _y: number, z: number): number => (z < 10 ? 250 : 90);
    expect(at(await drawn({ value, look, view: perspective(1) }), 0.5, 0.5)).toBe(90);
  });
});

describe('an isosurface', () => {
  test('of a ball has its radius, at any step', async () => {
    for (const step of [1, 6]) {
      const pixels = await drawn({ value: ball([16, 16, 16], 10), look: { projection: 'isosurface' }, step });
      const radius = Math.sqrt(over(pixels, 40) / Math.PI);
      expect(radius).toBeGreaterThan((10 / 32 / wide) * side - 0.4);
      expect(radius).toBeLessThan((10 / 32 / wide) * side + 0.4);
      // The ball is lit from the eye, so it is brightest in the middle.
      expect(at(pixels, 0.5, 0.5)).toBeGreaterThan(at(pixels, 0.5 + 9 / 32, 0.5) + 40);
    }
  });

  test('shrinks as its level rises', async () => {
    const sizes = [48, 128, 208].map(async (level) =>
      over(await drawn({ value: ball([16, 16, 16], 8), look: { projection: 'isosurface', level } }), 40),
    );
    const [low = 0, middle = 0, high = 0] = await Promise.all(sizes);
    // Values fall by 40 per voxel at the ball's border.
    for (const [size, radius] of [
      [low, 10],
      [middle, 8],
      [high, 6],
    ] as const)
      expect(Math.abs(Math.sqrt(size / Math.PI) - (radius / 32 / wide) * side)).toBeLessThan(0.6);
  });

  test('shows values at cuts', async () => {
    const value = (x: number) => 130 + 2 * x;
    const pixels = await drawn({
      value,
      look: {
        projection: 'isosurface',
        clip: [
          [0, 1],
          [0, 1],
          [0.5, 1],
        ],
      },
    });
    for (const place of [0.25, 0.5, 0.75])
      expect(Math.abs(at(pixels, place, 0.5) - (130 + 2 * (32 * place - 0.5)))).toBeLessThan(3);
  });
});

test('attenuation dims values that lie behind others, and without it the picture is a maximum', async () => {
  const walls = (_x: number, _y: number, z: number): number => (z < 10 ? 100 : z > 20 ? 200 : 0);
  const look = { projection: 'attenuated-mip', window: [0, 200] } as const;
  expect(at(await drawn({ value: walls, look: { ...look, attenuation: 0 } }), 0.5, 0.5)).toBe(255);
  const dimmed = at(await drawn({ value: walls, look: { ...look, attenuation: 8 } }), 0.5, 0.5);
  // Behind 10 of 32 texels of half brightness, the second wall is 255 × e^(−8 × 0.5 × 10 / 32). The first wall itself is 127.
  expect(Math.abs(dimmed - Math.max(127, 255 * Math.exp((-8 * 0.5 * 10) / 32)))).toBeLessThan(8);
});

test('compositing is lit by the gradient, and flat without light', async () => {
  const value = ball([16, 16, 16], 10);
  const lit = await drawn({ value, look: { projection: 'composite' }, step: 1 });
  const flat = await drawn({ value, look: { projection: 'composite', lighting: false }, step: 1 });
  const fall = (pixels: Uint8Array): number => at(pixels, 0.5, 0.5) - at(pixels, 0.5 + 9 / 32, 0.5);
  expect(fall(lit)).toBeGreaterThan(fall(flat) + 25);
});

test('in drafts, thin samples share their light, with little difference; others keep their own', async () => {
  const value = ball([16, 16, 16], 10);
  const difference = async (opacity: number): Promise<number> => {
    const drawing: Drawing = { value, look: { projection: 'composite' }, step: 1, opacity };
    const [sharp, draft] = [await drawn(drawing), await drawn({ ...drawing, isDraft: true })];
    return sharp.reduce((most, pixel, at) => Math.max(most, Math.abs(pixel - (draft[at] as number))), 0);
  };
  expect(await difference(255)).toBe(0);
  const thin = await difference(2);
  expect(thin).toBeGreaterThan(0);
  expect(thin).toBeLessThan(12);
});

test('the picture is the same each time, because the shift of a ray’s start depends on the pixel alone', async () => {
  const drawing: Drawing = { value: ball([16, 16, 16], 12), look: { projection: 'composite' }, step: 4 };
  expect(await drawn(drawing)).toEqual(await drawn(drawing));
});

test('the picture is the same in strips of any height', async () => {
  const drawing: Drawing = { value: ball([16, 12, 16], 9), look: { projection: 'composite' }, view: perspective(1) };
  const whole = await drawn(drawing);
  for (const rows of [9, 23]) expect(await drawn({ ...drawing, rows })).toEqual(whole);
});

test('balls at different depths are equally large in an orthographic view; in perspective the nearer one is larger', async () => {
  const look = { projection: 'isosurface' } as const;
  const sizes = async (view: RayView): Promise<number[]> =>
    [5, 27].reduce(
      async (known, z) => [...(await known), over(await drawn({ value: ball([16, 16, z], 4), look, view }), 40)],
      Promise.resolve([] as number[]),
    );
  const [near = 0, far = 1] = await sizes(front);
  expect(Math.abs(near - far)).toBeLessThanOrEqual(2);
  const [nearer = 0, farther = 1] = await sizes(perspective(1));
  // The areas are in the ratio of (1 + 27/32)² to (1 + 5/32)².
  expect(nearer / farther).toBeGreaterThan(2);
  expect(nearer / farther).toBeLessThan(3.1);
});
