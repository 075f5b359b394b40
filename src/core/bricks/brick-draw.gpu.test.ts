import { afterEach, describe, expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { type RayLook, RayPass, type RayView, rayFrame, rayFrameBytes, rayParameters, wholeOf } from '../draw/ray-pass.ts';
import { rayTransfer, rayTransferBytes, rayTransferSize } from '../draw/ray-transfer.ts';
import { type SliceLook, SlicePass, type SlicePlane, sliceUniform, sliceUniformBytes } from '../draw/slice-pass.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3, Dims4, ElementType } from '../shared/volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { brickOf } from './brick.ts';
import { BrickRays } from './brick-rays.ts';
import { BrickSlices } from './brick-slices.ts';
import { BrickView } from './brick-view.ts';
import { ballVoxel, finished, type TestBricks, type TestVoxel, testBricks } from './bricks-testing.ts';
import { GpuBricks } from './gpu-bricks.ts';
import { HostBricks } from './host-bricks.ts';
import { detailOf, type PagedLook } from './paged-uniform.ts';

const gpu = await openTestGpu();
afterEach(() => finished(gpu));
const side = 64;
const rayPass = new RayPass(gpu);
const slicePass = new SlicePass(gpu, 'rgba8unorm');
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

const dims: Dims4 = [40, 33, 26, 2];

/** A view from an oblique direction, a little wider than the cube. */
function viewFrom(distance: number, zoom = 1): RayView {
  const [cos, sin] = [Math.cos(0.5), Math.sin(0.5)];
  const toEye = [sin, -0.3, -cos].map((part) => part / Math.hypot(1, 0.3)) as unknown as Dims3;
  const right: Dims3 = [cos, 0, sin];
  const down: Dims3 = [
    right[1] * toEye[2] - right[2] * toEye[1],
    right[2] * toEye[0] - right[0] * toEye[2],
    right[0] * toEye[1] - right[1] * toEye[0],
  ];
  const eye = toEye.map((part) => 0.5 + distance * part) as unknown as Dims3;
  const half = (0.9 * distance) / (distance + 0.9) / zoom;
  const ahead = eye.map((part, axis) => part - (toEye[axis] as number));
  return {
    toCube: [...right.map((part) => part * half), 0, ...down.map((part) => part * half), 0, 0, 0, 0, 0, ...ahead, 1],
    eye: [...eye, 1],
    edges: [1, 33 / 40, 26 / 40],
  };
}

const plain: RayLook = {
  projection: 'mip',
  window: [0, 200],
  level: 90,
  attenuation: 8,
  lighting: true,
  outside: ['clamp', 'clamp'],
  clip: [
    [0, 1],
    [0, 1],
    [0, 1],
  ],
};

function targetIn(scope: GpuScope): GPUTexture {
  return scope.texture('target', 4 * side * side, {
    size: [side, side],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
  });
}

async function pixelsOf(scope: GpuScope, texture: GPUTexture): Promise<Uint8Array> {
  const buffer = scope.buffer('pixels', 4 * side * side, GPUBufferUsage.COPY_SRC);
  const commands = gpu.commands('pixels');
  await commands
    .record((encoder) => encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 4 * side }, [side, side]))
    .submit();
  return gpu.read(buffer);
}

function transferIn(scope: GpuScope): GPUTexture {
  const texture = scope.texture('transfer', rayTransferBytes, {
    size: [...rayTransferSize],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  const colors = Uint8Array.from({ length: 768 }, (_, at) => (at % 3 === 1 ? 255 - Math.floor(at / 3) : Math.floor(at / 3)));
  const texels = rayTransfer(colors, (place) => (place < 0.2 ? 0 : place * 0.5));
  gpu.device.queue.writeTexture({ texture }, texels, { bytesPerRow: 1024 }, [...rayTransferSize]);
  return texture;
}

interface Scene {
  readonly type: ElementType;
  readonly look: RayLook;
  readonly view: RayView;
  readonly timePoint?: number;
  readonly isCategorical?: boolean;
  readonly hasMissing?: boolean;
}

const numbers = [-3.4028234663852886e38, 3.4028234663852886e38] as const;
const colorsOf = (isCategorical: boolean) => ({ isCategorical, isFloorOpaque: true });

async function residentOf(source: TestBricks, level = 0): Promise<ResidentVolume> {
  const volume = await ResidentVolume.create(gpu, source.infos[level] as TestBricks['info'], { chunkShape: [8, 8, 8] });
  volume.append(source.voxels[level] as Uint8Array);
  await volume.statistics();
  return volume;
}

async function residentRays(
  source: TestBricks,
  { look, view, timePoint = 0, isCategorical = false }: Scene,
): Promise<Uint8Array> {
  using scope = gpu.scope('resident');
  const volume = await residentOf(source);
  const display = await volume.displayTexture(timePoint);
  const target = targetIn(scope);
  const frame = scope.buffer('frame', rayFrameBytes, GPUBufferUsage.UNIFORM);
  const parameters = rayParameters(display, look, colorsOf(isCategorical), 1);
  gpu.device.queue.writeBuffer(frame, 0, rayFrame(display, view, parameters, wholeOf(target)));
  const commands = gpu.commands('resident');
  rayPass.record(commands, { projection: look.projection, display, frame, transfer: transferIn(scope) }, target, wholeOf(target));
  await commands.submit();
  const pixels = await pixelsOf(scope, target);
  volume.destroy();
  return pixels;
}

/** Draws until no brick is missing. @returns the last picture, the number of frames, and the bias of the view at the end */
async function brickRays(
  bricks: GpuBricks,
  { type, look, view, timePoint = 0, isCategorical = false }: Scene,
  detail: number | undefined,
  onFrame: () => void = () => {},
): Promise<{ readonly pixels: Uint8Array; readonly frames: number; readonly bias: number }> {
  using scope = gpu.scope('bricks-test');
  const rays = new BrickRays(gpu, bricks);
  const demand = new BrickView(bricks);
  const target = targetIn(scope);
  const volume = { dims: dims.slice(0, 3) as unknown as Dims3, bricks: { size: 8 } };
  const frame = scope.buffer('frame', rayFrameBytes, GPUBufferUsage.UNIFORM);
  const parameters = rayParameters({ ...volume, low: 0, high: 1 }, look, colorsOf(isCategorical), 1);
  gpu.device.queue.writeBuffer(frame, 0, rayFrame(volume, view, parameters, wholeOf(target)));
  const range = type.startsWith('f') ? numbers : ([0, 65_535] as const);
  const paged: PagedLook = { timePoint, window: look.window, isCategorical, numbers: range };
  const transfer = transferIn(scope);
  demand.begin([timePoint]);
  let frames = 0;
  for (; frames < 300; frames++) {
    bricks.update();
    const commands = gpu.commands('frame');
    const wanted = detail ?? detailOf(view, target);
    rays.begin(commands, [paged], { edges: view.edges, detail: wanted * demand.bias });
    rays.record(commands, { projection: look.projection, frame, transfer }, target, wholeOf(target));
    const feedback = rays.end(commands);
    await commands.submit();
    demand.take(feedback(), [timePoint]);
    onFrame();
    await settle();
    if (demand.isComplete && bricks.isSettled) break;
  }
  const pixels = await pixelsOf(scope, target);
  rays.destroy();
  return { pixels, frames, bias: demand.bias };
}

/** The levels of all bricks that have a slot and belong to a frame. */
const levelsOf = (bricks: GpuBricks) => new Set([...bricks.atlas.slots.oldest()].map(([key]) => brickOf(key).level));

function mostDifferent(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] as number))), 0);
}

const shown = (pixels: Uint8Array): number => pixels.filter((value, at) => at % 4 === 3 && value > 0).length;

function open(source: TestBricks, slots: number, chunk: Dims3, bytes: number, textureBytes = 2 ** 20) {
  const host = new HostBricks(source, { bytes: 2 ** 16 });
  const bricks = new GpuBricks(gpu, host, {
    payloadBytes: 2 ** 16,
    atlasBytes: slots * chunk[0] * chunk[1] * chunk[2] * bytes,
    textureBytes,
    bricksPerUpdate: 16,
  });
  const close = async () => {
    bricks.close();
    host.close();
    await settle();
  };
  return { bricks, host, close };
}

describe('rays', () => {
  const u8 = testBricks(dims, 'u8', [8, 8, 8], ballVoxel(dims, 'u8'), { codecs: ['rice', 'raw', 'rle'] });

  // The other projections differ in little of the shader, and each takes long to compile on a software GPU.
  test.each([
    ['mip', 'the atlas', 0],
    ['mip', 'a texture', 2 ** 18],
    ['composite', 'the atlas', 0],
    ['composite', 'a texture', 2 ** 18],
    ['isosurface', 'a texture', 2 ** 18],
  ] as const)(
    'when all bricks are there, %s from %s is the picture of the resident volume',
    async (projection, _from, textureBytes) => {
      const source = await u8;
      const scene: Scene = { type: 'u8', look: { ...plain, projection, plane: [0.3, 0.2, 1, -0.35] }, view: viewFrom(2) };
      // 120 slots of 512 bytes take 60 KiB, for the 100 bricks of a time point and coarser bricks.
      const { bricks, close } = open(source, 120, [8, 8, 8], 1, textureBytes);
      expect(bricks.atlas.filtered.isUsed).toBe(textureBytes > 0);
      const { pixels } = await brickRays(bricks, scene, 1e-9);
      const expected = await residentRays(source, scene);
      expect(shown(expected)).toBeGreaterThan(150);
      expect(mostDifferent(pixels, expected)).toBeLessThanOrEqual(1);
      await close();
    },
  );

  test.each([true, false])('constant bricks do not change the picture (light: %s)', async (lighting) => {
    // Two kinds of constant bricks of low opacity, and bricks whose values vary.
    const source = await testBricks(dims, 'u8', [8, 8, 8], (x, y, z) => {
      const kind = ((x >> 3) + (y >> 3) + (z >> 3)) % 3;
      return kind === 0 ? 44 : kind === 1 ? 52 : 42 + ((x ^ y ^ z) & 7);
    });
    const look: RayLook = { ...plain, projection: 'composite', lighting };
    for (const view of [viewFrom(2), viewFrom(0.2, 0.6)]) {
      const { bricks, close } = open(source, 150, [8, 8, 8], 1);
      const { pixels } = await brickRays(bricks, { type: 'u8', look, view }, 1e-9);
      expect(mostDifferent(pixels, await residentRays(source, { type: 'u8', look, view }))).toBeLessThanOrEqual(1);
      await close();
    }
  });

  test.each(['composite', 'isosurface'] as const)(
    'constant bricks beside each other, along faces, edges and corners, look as in the volume: %s',
    async (projection) => {
      const source = await testBricks(dims, 'u8', [8, 8, 8], (x, y, z) => {
        const [i, j, k] = [x >> 3, y >> 3, z >> 3];
        // A few bricks vary, far from most of the others.
        return (i + 2 * j + 3 * k) % 7 === 0 ? 60 + ((x ^ y ^ z) & 7) : 40 + 12 * ((3 * i + 5 * j + 7 * k + i * j) % 4);
      });
      const look: RayLook = { ...plain, projection, level: 66 };
      for (const view of [viewFrom(2), viewFrom(0.2, 0.6)]) {
        const { bricks, close } = open(source, 150, [8, 8, 8], 1);
        const { pixels } = await brickRays(bricks, { type: 'u8', look, view }, 1e-9);
        const expected = await residentRays(source, { type: 'u8', look, view });
        expect(shown(expected)).toBeGreaterThan(150);
        expect(mostDifferent(pixels, expected)).toBeLessThanOrEqual(1);
        await close();
      }
    },
  );

  test('a mean through bricks of different levels is that of the volume', async () => {
    const source = await testBricks(dims, 'u8', [8, 8, 8], (x, y, z) => (z < 13 ? 40 : 180) + ((x ^ y) & 7));
    const scene: Scene = { type: 'u8', look: { ...plain, projection: 'mean' }, view: viewFrom(2) };
    const { bricks, close } = open(source, 150, [8, 8, 8], 1);
    // Bricks behind the middle appear small enough for level 1, whose steps are twice as long.
    const { pixels } = await brickRays(bricks, scene, 0.034);
    expect([...levelsOf(bricks)]).toEqual(expect.arrayContaining([0, 1]));
    expect(mostDifferent(pixels, await residentRays(source, scene))).toBeLessThanOrEqual(6);
    await close();
  });

  test('the picture is the same from inside, at another time point, and for signed integers of 8 and 16 bits, floats and labels', async () => {
    const inside: RayView = viewFrom(0.2, 0.6);
    const composite: RayLook = { ...plain, projection: 'composite' };
    const scenes: readonly Scene[] = [
      { type: 'u8', look: composite, view: inside, timePoint: 1 },
      { type: 'i8', look: { ...composite, window: [-100, 100] }, view: viewFrom(2) },
      { type: 'i16', look: { ...composite, window: [-9000, 9000] }, view: viewFrom(0.2, 0.6) },
      { type: 'f32', look: { ...composite, window: [10, 6500], outside: ['hide', 'mark'] }, view: viewFrom(2) },
      { type: 'f32', look: { ...composite, window: [10, 6500] }, view: viewFrom(2), hasMissing: true },
      { type: 'u8', look: { ...composite, window: [0, 200], lighting: false }, view: viewFrom(2), isCategorical: true },
    ];
    for (const scene of scenes) {
      const { type } = scene;
      const ball = ballVoxel(dims, type);
      const holed: TestVoxel = (x, y, z, t) => ((x >> 1) % 5 === 3 && y > 14 ? Number.NaN : ball(x, y, z, t));
      const source = await testBricks(dims, type, [8, 8, 8], scene.hasMissing ? holed : ball, { codecs: ['rice', 'raw'] });
      const { bricks, close } = open(source, 150, [8, 8, 8], type.endsWith('8') ? 1 : type === 'f32' ? 4 : 2);
      expect(bricks.atlas.filtered.isUsed).toBe(true);
      const { pixels } = await brickRays(bricks, scene, 1e-9);
      const expected = await residentRays(source, scene);
      expect(shown(expected), type).toBeGreaterThan(150);
      expect(mostDifferent(pixels, expected), JSON.stringify(scene.look)).toBeLessThanOrEqual(1);
      await close();
    }
  });

  test('distant views request only coarse bricks, and near views finer ones', async () => {
    const source = await u8;
    const scene: Scene = { type: 'u8', look: { ...plain, projection: 'composite' }, view: viewFrom(2) };
    const far = open(source, 150, [8, 8, 8], 1);
    await brickRays(far.bricks, { ...scene, view: viewFrom(60, 0.05) }, undefined);
    expect([...levelsOf(far.bricks)]).toEqual([2]);
    const near = open(source, 150, [8, 8, 8], 1);
    await brickRays(near.bricks, { ...scene, view: viewFrom(0.75, 4) }, undefined);
    expect(levelsOf(near.bricks)).toContain(0);
    await far.close();
    await near.close();
  });

  test('the coarse volume is decoded within three frames, and finer bricks follow', async () => {
    const source = await u8;
    const { bricks, close } = open(source, 150, [8, 8, 8], 1);
    const scene: Scene = { type: 'u8', look: plain, view: viewFrom(2) };
    let [frames, whole] = [0, 0];
    const { pixels } = await brickRays(bricks, scene, 1e-9, () => {
      frames++;
      if (whole === 0 && [...bricks.atlas.slots.oldest()].some(([key]) => brickOf(key).level === 2)) whole = frames;
    });
    expect(whole).toBeLessThanOrEqual(3);
    expect(frames).toBeGreaterThan(whole);
    expect(shown(pixels)).toBeGreaterThan(150);
    await close();
  });

  test.each([
    ['mip', true, 1, false],
    ['composite', false, 0.1, true],
  ] as const)('%s with light %s requests no brick that no sample needs', async (projection, lighting, inset, isCategorical) => {
    const source = await testBricks(dims, 'u8', [8, 8, 8], (x, y, z) => 60 + ((x ^ y ^ z) & 7));
    const { bricks, close } = open(source, 150, [8, 8, 8], 1);
    expect(bricks.atlas.filtered.isUsed).toBe(true);
    // The shown part lies within the brick [1, 1, 1].
    const clip = [40, 33, 26].map((edge) => [(8 + inset) / edge, (16 - inset) / edge] as const) as unknown as RayLook['clip'];
    const scene: Scene = { type: 'u8', look: { ...plain, projection, lighting, clip }, view: viewFrom(2), isCategorical };
    const { pixels } = await brickRays(bricks, scene, 1e-9);
    expect(shown(pixels)).toBeGreaterThan(10);
    expect([...bricks.atlas.slots.oldest()].filter(([key]) => brickOf(key).level === 0)).toHaveLength(1);
    await close();
  });

  // With 40 or 50 slots, there is room for the bricks that rays enter, but not for all those beside them.
  test.each([40, 50])('an atlas of %i slots, without a texture, settles', async (slots) => {
    const source = await testBricks(dims, 'u8', [8, 8, 8], ballVoxel(dims, 'u8'), { levelCount: 2 });
    const { bricks, close } = open(source, slots, [8, 8, 8], 1, 0);
    const { frames } = await brickRays(bricks, { type: 'u8', look: plain, view: viewFrom(2) }, 0.01);
    expect(frames).toBeLessThan(60);
    await close();
  });

  test('an atlas too small for the view gets coarser bricks, and settles', async () => {
    const source = await u8;
    const { bricks, close } = open(source, 24, [8, 8, 8], 1);
    const { pixels, frames, bias } = await brickRays(bricks, { type: 'u8', look: plain, view: viewFrom(2) }, 0.01);
    expect(bias).toBeGreaterThan(1);
    expect(frames).toBeLessThan(200);
    expect(shown(pixels)).toBeGreaterThan(150);
    expect(bricks.use.usedSlots).toBeLessThanOrEqual(24);
    await close();
  });
});

describe('slices', () => {
  const sliceLook: SliceLook = {
    window: [0, 180],
    smooth: false,
    isCategorical: false,
    outside: ['clamp', 'mark'],
    missing: 'mark',
  };
  const straight = (axis: 0 | 1 | 2, scale: number): SlicePlane => {
    const [right, down] = axis === 0 ? [1, 2] : axis === 1 ? [0, 2] : [0, 1];
    return {
      axis,
      origin: [-1, -1, -1],
      right: [0, 0, 0].with(right as number, scale) as unknown as Dims3,
      down: [0, 0, 0].with(down as number, scale) as unknown as Dims3,
    };
  };

  async function drawSlice(
    source: TestBricks,
    bricks: GpuBricks | undefined,
    plane: SlicePlane,
    index: number,
    look: SliceLook,
    timePoint: number,
  ): Promise<Uint8Array> {
    using scope = gpu.scope('slice');
    const volume = await residentOf(source);
    const target = targetIn(scope);
    const uniform = scope.buffer('slice', sliceUniformBytes, GPUBufferUsage.UNIFORM);
    gpu.device.queue.writeBuffer(uniform, 0, sliceUniform(volume, plane, look));
    const colors = transferIn(scope);
    const attachment = { view: target.createView(), loadOp: 'clear', storeOp: 'store' } as const;
    const drawing = bricks && new BrickSlices(gpu, bricks, 'rgba8unorm');
    const slice = { plane, index, width: side, height: side };
    if (bricks && drawing) {
      drawing.want(slice, [timePoint], 'z');
      for (const end = performance.now() + 30_000; !bricks.isSettled && performance.now() < end; ) {
        bricks.update();
        await settle();
      }
    }
    const commands = gpu.commands('slice');
    const boxes = drawing ? [] : volume.recordSlice(commands, plane.axis ?? 2, index, timePoint);
    commands.render('slice', { colorAttachments: [attachment] }, (pass) => {
      const paged = { timePoint, window: look.window, isCategorical: look.isCategorical, numbers: volume.numbers };
      if (drawing) drawing.draw(pass, { slice, look: paged, uniform, colors });
      else slicePass.draw(pass, { type: source.info.type, boxes, uniform, colors, index, timePoint });
    });
    await commands.submit();
    const pixels = await pixelsOf(scope, target);
    drawing?.destroy();
    volume.destroy();
    return pixels;
  }

  test.each(['u8', 'u16', 'f32', 'f64'] as const)('of %s are exactly those of the resident volume', async (type) => {
    const source = await testBricks(dims, type, [8, 8, 8], ballVoxel(dims, type), {
      codecs: ['rice', 'rle', 'raw'],
      levelCount: 2,
    });
    // The atlas is smaller than the slices of all axes together, so bricks are evicted.
    const width = type === 'u8' ? 1 : type === 'u16' ? 2 : 4;
    const { bricks, close } = open(source, type === 'f64' ? 60 : 32, [8, 8, 8], width);
    const window = type === 'u8' ? ([0, 180] as const) : ([100, 6000] as const);
    const cases = [
      { plane: straight(2, 0.7), index: 13, look: { ...sliceLook, window }, timePoint: 0 },
      { plane: straight(0, 0.5), index: 21, look: { ...sliceLook, window }, timePoint: 1 },
      { plane: straight(1, 0.41), index: 8, look: { ...sliceLook, window, smooth: true }, timePoint: 0 },
      { plane: straight(2, 0.66), index: 25, look: { ...sliceLook, window, smooth: true, opacity: 0.6 }, timePoint: 1 },
    ];
    for (const { plane, index, look, timePoint } of cases) {
      const expected = await drawSlice(source, undefined, plane, index, look, timePoint);
      expect(shown(expected)).toBeGreaterThan(600);
      expect(mostDifferent(await drawSlice(source, bricks, plane, index, look, timePoint), expected)).toBe(0);
    }
    expect(bricks.use.evicted).toBeGreaterThan(0);
    await close();
  });

  test('of labels have the same outlines', async () => {
    const source = await testBricks(dims, 'u16', [8, 8, 8], (x, y, z) => ((x >> 3) ^ (y >> 2)) + (z >> 4), { codecs: ['rle'] });
    const { bricks, close } = open(source, 40, [8, 8, 8], 2);
    const look: SliceLook = { ...sliceLook, window: [0, 10], isCategorical: true, outline: 1.5, hidesZero: true };
    const expected = await drawSlice(source, undefined, straight(2, 0.3), 13, look, 0);
    expect(mostDifferent(await drawSlice(source, bricks, straight(2, 0.3), 13, look, 0), expected)).toBe(0);
    await close();
  });

  test('that are zoomed out are drawn from a coarser level, with fewer bricks', async () => {
    const source = await testBricks(dims, 'u8', [8, 8, 8], ballVoxel(dims, 'u8'));
    const { bricks, close } = open(source, 40, [8, 8, 8], 1);
    const pixels = await drawSlice(source, bricks, straight(2, 2.1), 13, sliceLook, 0);
    expect(new Set([...bricks.atlas.slots.oldest()].map(([key]) => brickOf(key).level))).toEqual(new Set([1]));
    expect(shown(pixels)).toBeGreaterThan(200);
    await close();
  });
});
