import { expect, test } from 'vitest';
import { openNodeGpu } from '../../../node/node-gpu.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { chainByName } from '../../codecs/registry.ts';
import { createGpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { type Dims4, type ElementType, elementTypes, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import { memoryVolume } from '../../stream/memory-volume.ts';
import { CompressedVolume } from '../../volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../../volume/resident/resident-volume.ts';
import { testInfo, testVoxels, withBindingLimit } from '../../volume/resident-testing.ts';
import { expectClosed, randomNumbers } from '../mesh-testing.ts';
import { extractSurfaces, finishSurface, type SurfaceSettings } from '../surfaces.ts';
import { extractOnGpu, type GpuPlanes, type GpuSurfaceJob } from './gpu-surfaces.ts';
import { uploadedPlanes } from './uploaded-planes.ts';

const gpu = await openTestGpu();
const chunkShape = [8, 4, 4] as const;

type Wanted = Omit<SurfaceSettings, 'smoothing'>;

async function expectSame(volume: GpuPlanes, bytes: Uint8Array, wanted: Wanted, limits: GpuSurfaceJob['limits'] = {}) {
  const { info } = volume;
  const expected = await extractSurfaces(memoryVolume(info, bytes), { ...wanted, smoothing: 2 });
  const found = await extractOnGpu(gpu, volume, wanted, { limits });
  expect(found?.map((surface) => finishSurface(surface, info, 2))).toEqual(expected);
  return expected;
}

async function resident(info: VolumeInfo, bytes: Uint8Array, device = gpu): Promise<ResidentVolume> {
  const volume = await ResidentVolume.create(device, info, { chunkShape, budgetBytes: 2 ** 22 });
  volume.append(bytes);
  return volume;
}

async function compressed(info: VolumeInfo, bytes: Uint8Array, shape: readonly number[] = chunkShape): Promise<CompressedVolume> {
  const whole = await ResidentVolume.create(gpu, info, { chunkShape: shape as typeof chunkShape });
  whole.append(bytes);
  const chunks = [];
  const backend = createGpuBackend(gpu);
  for (const box of whole.boxes)
    chunks.push(...(await backend.encodeResident(box, { codec: chainByName('raw'), options: { axis: 'auto' } })).chunks);
  whole.destroy();
  return CompressedVolume.create(gpu, { info, chunkShape: shape as typeof chunkShape, chunks }, { verify: false });
}

const dims = [13, 11, 9, 2] as const;
const levels: Readonly<Record<ElementType, number>> = {
  u8: 128,
  i8: -3.25,
  u16: 30_000.5,
  i16: 12,
  u32: 3e9,
  i32: -7e8,
  f32: 1000.1,
  f64: 1000.1,
};

test.each(elementTypes)(
  '%s: the mesh is that of the processor, corner by corner, at seams of slabs and at the ends',
  async (type) => {
    const affine = [-2, 0.1, 0, 90, 0, 1, 0.3, -20, 0, 0, 3, 5];
    const info = { ...testInfo(dims, type), affine, slope: -0.37, intercept: 1.7 };
    const bytes = testVoxels(info);
    const special = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e-320, 1e-40, Number.NaN];
    if (type === 'f32' || type === 'f64') typedVoxels(type, bytes).set(special, 13 * 11 * 9 + 40);
    const surfaces = [{ level: -0.37 * levels[type] + 1.7 }];
    const volume = await resident(info, bytes);
    const [whole] = await expectSame(volume, bytes, { surfaces, t: 1 });
    expect(whole?.mesh.triangles.length).toBeGreaterThan(3000);
    await expectSame(volume, bytes, { surfaces, t: 0 }, { planes: 2, atOnce: 100 });
    volume.destroy();
    const payloads = await compressed(info, bytes);
    await expectSame(payloads, bytes, { surfaces, t: 1 }, { planes: 3, atOnce: 1000 });
    payloads.destroy();
  },
);

test('random volumes of odd sizes, also of single voxels, give closed surfaces, those of the processor', async () => {
  const random = randomNumbers(3);
  const sizes: Dims4[] = [
    [1, 1, 1, 1],
    [1, 9, 2, 1],
    [31, 1, 1, 1],
    [2, 1, 40, 1],
    [5, 6, 7, 1],
    [33, 3, 5, 1],
  ];
  for (const [at, size] of sizes.entries()) {
    const share = at === 0 ? 1 : 0.2 + 0.6 * random();
    const info = testInfo(size, 'u8');
    const bytes = Uint8Array.from({ length: size[0] * size[1] * size[2] }, () => (random() < share ? 3 : 0));
    const volume = await resident(info, bytes);
    const [surface] = await expectSame(volume, bytes, { surfaces: [{ level: 1 }], t: 0 }, { planes: 1 + (at % 3) });
    if (surface) expectClosed(surface.mesh);
    volume.destroy();
  }
});

test('labels alone, several and all of them, mixed with a level, from voxels in several boxes and from what is compressed', async () => {
  const random = randomNumbers(7);
  for (const type of ['u8', 'i16', 'i32', 'f32', 'f64'] as const) {
    const info = testInfo(dims, type);
    const bytes = new Uint8Array(13 * 11 * 9 * 2 * { u8: 1, i16: 2, i32: 4, f32: 4, f64: 8 }[type]);
    const voxels = typedVoxels(type, bytes);
    const known = type === 'u8' ? [0, 1, 2, 200] : [0, 1, -2, type === 'i16' ? 32_767 : 16_777_216];
    for (let at = 0; at < voxels.length; at++)
      voxels[at] = random() < 0.5 && at > 0 ? (voxels[at - 1] as number) : (known[Math.floor(random() * 4)] as number);
    // Labels end and begin again.
    voxels.fill(0, 13 * 11 * 4, 13 * 11 * 6);
    const some = [{ label: known[2] as number }, { label: 77 }, { level: 1 }, { label: 0 }, { label: known[2] as number }];
    const volume = await resident(info, bytes, withBindingLimit(gpu, 4096));
    await expectSame(volume, bytes, { surfaces: [{ label: known[3] as number }], t: 1 });
    await expectSame(volume, bytes, { surfaces: some, t: 0 }, { planes: 2 });
    const all = await expectSame(volume, bytes, { surfaces: 'labels', t: 0 }, { planes: 2, atOnce: 64 });
    expect(all).toHaveLength(3);
    volume.destroy();
    // Also where a chunk holds both time points.
    const payloads = await compressed(info, bytes, type === 'u8' ? [16, 16, 9, 2] : chunkShape);
    await expectSame(payloads, bytes, { surfaces: 'labels', t: 1 });
    payloads.destroy();
  }
});

test('constants, volumes without a surface, scaled labels and the largest label', async () => {
  const size = [5, 4, 3, 1] as const;
  const full = new Uint8Array(60).fill(9);
  const volume = await resident(testInfo(size, 'u8'), full);
  await expectSame(volume, full, { surfaces: [{ level: 9 }], t: 0 });
  await expectSame(volume, full, { surfaces: [{ level: 9.5 }, { label: 4 }], t: 0 });
  await expectSame(volume, full, { surfaces: 'labels', t: 0 });
  volume.destroy();
  const numbers = new Uint32Array(60).map((_, at) => (at % 7 === 0 ? 4_294_967_295 : (at % 3) * 2));
  const large = await resident(testInfo(size, 'u32'), new Uint8Array(numbers.buffer));
  expect(await expectSame(large, new Uint8Array(numbers.buffer), { surfaces: 'labels', t: 0 })).toHaveLength(3);
  large.destroy();
  const halves = new Uint8Array(60).map((_, at) => (at % 3) * 2);
  const scaled = await resident({ ...testInfo(size, 'u8'), slope: 0.5, intercept: 1 }, halves);
  expect(await expectSame(scaled, halves, { surfaces: 'labels', t: 0 })).toHaveLength(3);
  scaled.destroy();
});

test('what only the processor can tell is left to it: voxels that are no labels, too many numbers, planes too large to bind', async () => {
  const size = [40, 30, 10, 1] as const;
  const none = new Float32Array(12_000).fill(0.5);
  const fractions = await resident(testInfo(size, 'f32'), new Uint8Array(none.buffer));
  expect(await extractOnGpu(gpu, fractions, { surfaces: 'labels', t: 0 })).toBeUndefined();
  const small = withBindingLimit(gpu, 8000);
  expect(await extractOnGpu(small, fractions, { surfaces: [{ level: 1 }], t: 0 })).toBeUndefined();
  const part = { info: fractions.info, decimation: 2, planeReader: () => fractions.planeReader() };
  expect(await extractOnGpu(gpu, part, { surfaces: [{ level: 1 }], t: 0 })).toBeUndefined();
  await expect(extractOnGpu(gpu, fractions, { surfaces: [{ level: 1 }], t: 1 })).rejects.toMatchObject({ tag: 'invalid-input' });
  fractions.destroy();
  const many = Uint16Array.from({ length: 12_000 }, (_, at) => at);
  const image = await resident(testInfo(size, 'u16'), new Uint8Array(many.buffer));
  expect(await extractOnGpu(gpu, image, { surfaces: 'labels', t: 0 })).toBeUndefined();
  image.destroy();
  const over = await resident(testInfo(size, 'u16'), new Uint8Array(many.map((at) => at % 1100).buffer));
  await expect(extractOnGpu(gpu, over, { surfaces: 'labels', t: 0 })).rejects.toMatchObject({ tag: 'unsupported' });
  over.destroy();
});

test('a volume in a file is uploaded some planes at a time, also where rows need padding', async () => {
  for (const [size, type] of [
    [[13, 11, 9, 2], 'u8'],
    [[5, 4, 6, 3], 'u16'],
    [[5, 4, 6, 1], 'f64'],
  ] as const) {
    const info = testInfo(size, type);
    const bytes = testVoxels(info);
    const surfaces = [{ level: levels[type] }];
    const planes = uploadedPlanes(gpu, memoryVolume(info, bytes), size[3] - 1, undefined, 2 * size[0] * size[1] * 8);
    if (!planes) throw new Error('the planes are too large');
    await expectSame(planes, bytes, { surfaces, t: size[3] - 1 });
  }
  const info = testInfo([40, 30, 1, 1], 'u8');
  expect(uploadedPlanes(withBindingLimit(gpu, 1024), memoryVolume(info, testVoxels(info)), 0, undefined)).toBeUndefined();
});

test('the source of uploaded planes is closed before the extraction ends', async () => {
  const info = testInfo([4, 3, 2, 1], 'u8');
  let isClosed = false;
  async function* voxels() {
    try {
      yield testVoxels(info);
    } finally {
      await new Promise((resolve) => setTimeout(resolve, 20));
      isClosed = true;
    }
  }
  const planes = uploadedPlanes(gpu, { info, voxels }, 0, undefined);
  if (!planes) throw new Error('the planes are too large');
  await extractOnGpu(gpu, planes, { surfaces: [{ level: 1 }], t: 0 });
  expect(isClosed).toBe(true);
});

test('progress comes slab by slab, and a cancel ends between slabs', async () => {
  const info = testInfo([6, 5, 9, 1], 'u8');
  const volume = await resident(info, testVoxels(info));
  const controller = new AbortController();
  const seen: number[] = [];
  const onProgress = ({ done }: { done: number }) => {
    seen.push(done);
    if (seen.length === 2) controller.abort();
  };
  const job = { signal: controller.signal, onProgress, limits: { planes: 3 } };
  const extraction = extractOnGpu(gpu, volume, { surfaces: [{ level: 99 }], t: 0 }, job);
  await expect(extraction).rejects.toMatchObject({ tag: 'aborted' });
  expect(seen).toEqual([90, 180]);
  volume.destroy();
});

test('a device that is lost between slabs ends the extraction, and its memory is given back', async () => {
  const other = await openNodeGpu({ software: true, limits: 'default' });
  const info = testInfo([6, 5, 9, 1], 'u8');
  const volume = await resident(info, testVoxels(info), other);
  const before = other.memory.liveBytes('mesh');
  const onProgress = () => other.device.destroy();
  const extraction = extractOnGpu(other, volume, { surfaces: [{ level: 99 }], t: 0 }, { onProgress, limits: { planes: 3 } });
  await expect(extraction).rejects.toMatchObject({ tag: 'device-lost' });
  await expect(extractOnGpu(other, volume, { surfaces: 'labels', t: 0 })).rejects.toMatchObject({ tag: 'device-lost' });
  expect(other.memory.liveBytes('mesh')).toBe(before);
  volume.destroy();
});

test('a sphere is closed, and within half a voxel of it', async () => {
  const info = testInfo([21, 22, 23, 1], 'i16');
  const distance = (x: number, y: number, z: number) => Math.hypot(x - 10.3, y - 11.1, z - 9.6);
  const voxels = Int16Array.from({ length: 21 * 22 * 23 }, (_, at) =>
    Math.round(-100 * distance(at % 21, Math.floor(at / 21) % 22, Math.floor(at / 462))),
  );
  const volume = await resident(info, new Uint8Array(voxels.buffer));
  const [sphere] = (await extractOnGpu(gpu, volume, { surfaces: [{ level: -740 }], t: 0 }, { limits: { planes: 4 } })) ?? [];
  volume.destroy();
  if (!sphere) throw new Error('there is no surface');
  const { positions } = sphere.mesh;
  expect(positions.length).toBeGreaterThan(1000);
  expectClosed(sphere.mesh);
  let farthest = 0;
  for (let at = 0; at < positions.length; at += 3) {
    const [x, y, z] = positions.subarray(at, at + 3);
    farthest = Math.max(farthest, Math.abs(distance(x as number, y as number, z as number) - 7.4));
  }
  expect(farthest).toBeLessThan(0.1);
});
