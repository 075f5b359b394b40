import { expect, test } from 'vitest';
import { infoOf } from '../stream/engine-testing.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { LabelBuilders } from './label-builders.ts';
import { expectClosed, randomNumbers, volumeInside } from './mesh-testing.ts';
import { type ExtractedSurface, extractSurfaces } from './surfaces.ts';

const dims = [24, 22, 20, 2] as const;
const perTime = 24 * 22 * 20;
/** A ball of 8 voxels at time point 2, nothing at 1; stored as 1000 less twenty times the distance. */
const voxels = Int16Array.from({ length: 2 * perTime }, (_, at) => {
  const [x, y, z] = [at % 24, Math.floor(at / 24) % 22, Math.floor((at % perTime) / 528)];
  return at < perTime ? -9 : Math.round(1000 - 20 * Math.hypot(x - 11, y - 10, z - 9));
});
// Mirrored along x, voxels of 2 × 1 × 3.
const affine = [-2, 0, 0, 90, 0, 1, 0, -20, 0, 0, 3, 5];
const info = { ...infoOf(dims, 'i16'), affine, slope: 0.5, intercept: -100 };
const volume = memoryVolume(info, new Uint8Array(voxels.buffer));
const none: ExtractedSurface = {
  choice: { label: 0 },
  mesh: { positions: new Float32Array(), triangles: new Uint32Array() },
};
/** Stored 840: 8 voxels from the middle. */
const level = 0.5 * 840 - 100;

test('a surface at a physical value lies in world coordinates, with its outside outwards', async () => {
  const [{ mesh } = none] = await extractSurfaces(volume, { surfaces: [{ level }], t: 1, smoothing: 0 });
  const { positions, triangles } = mesh;
  for (let at = 0; at < positions.length; at += 3) {
    const [x, y, z] = [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number];
    expect(Math.abs(Math.hypot((90 - x) / 2 - 11, y + 20 - 10, (z - 5) / 3 - 9) - 8)).toBeLessThan(0.1);
  }
  expect(volumeInside({ positions, triangles }) / (((4 * Math.PI) / 3) * 8 ** 3 * 6)).toBeCloseTo(1, 1.5);
});

test('a slope below zero turns inside and outside', async () => {
  const down = memoryVolume({ ...info, slope: -0.5 }, new Uint8Array(voxels.buffer));
  const [{ mesh } = none] = await extractSurfaces(down, { surfaces: [{ level: -0.5 * 840 - 100 }], t: 1, smoothing: 0 });
  const whole = 24 * 22 * 20 * 6;
  expect(volumeInside(mesh)).toBeCloseTo(whole - ((4 * Math.PI) / 3) * 8 ** 3 * 6, -3);
});

test('labels have a surface each, and smoothing keeps their size', async () => {
  const marks = voxels.slice(perTime).map((value) => (value > 900 ? 7 : value > 840 ? -3 : 0));
  const labels = memoryVolume({ ...infoOf([24, 22, 20, 1], 'i16') }, new Uint8Array(marks.buffer));
  const surfaces = [{ label: 7 }, { label: -3 }, { label: 99 }];
  const [{ mesh: rough } = none, { mesh: shell } = none, absent] = await extractSurfaces(labels, {
    surfaces,
    t: 0,
    smoothing: 0,
  });
  const [{ mesh: even } = none] = await extractSurfaces(labels, { surfaces, t: 0, smoothing: 20 });
  const count = (label: number) => marks.filter((mark) => mark === label).length;
  expect(absent?.mesh.triangles).toHaveLength(0);
  for (const [mesh, label] of [
    [rough, 7],
    [shell, -3],
    [even, 7],
  ] as const)
    expect(Math.abs(volumeInside(mesh) / count(label) - 1)).toBeLessThan(0.12);
  /** How far the corners are from a ball. */
  const spread = ({ positions }: { readonly positions: Float32Array }) => {
    const radii = Array.from({ length: positions.length / 3 }, (_, at) =>
      Math.hypot(
        (positions[3 * at] as number) - 11,
        (positions[3 * at + 1] as number) - 10,
        (positions[3 * at + 2] as number) - 9,
      ),
    );
    const mean = radii.reduce((sum, radius) => sum + radius, 0) / radii.length;
    return Math.sqrt(radii.reduce((sum, radius) => sum + (radius - mean) ** 2, 0) / radii.length);
  };
  expect(spread(even)).toBeLessThan(0.7 * spread(rough));
});

test('all labels are found, and each has the closed surface that it has alone', async () => {
  const random = randomNumbers(7);
  const size = [13, 11, 9, 1] as const;
  // Blocks, so that labels come, go and come back along z.
  const marks = Int16Array.from({ length: 13 * 11 * 9 }, () => (random() < 0.6 ? 0 : Math.floor(random() * 5) - 2));
  marks.fill(0, 13 * 11 * 4, 13 * 11 * 6);
  const labels = memoryVolume(infoOf(size, 'i16'), new Uint8Array(marks.buffer));
  const all = await extractSurfaces(labels, { surfaces: 'labels', t: 0, smoothing: 0 });
  expect(all.map(({ choice }) => choice)).toEqual([{ label: -2 }, { label: -1 }, { label: 1 }, { label: 2 }]);
  for (const { choice, mesh } of all) {
    expectClosed(mesh);
    const number = 'label' in choice ? choice.label : 0;
    const alone = Uint8Array.from(marks, (mark) => (mark === number ? 1 : 0));
    const one = memoryVolume(infoOf(size, 'u8'), alone);
    const [expected] = await extractSurfaces(one, { surfaces: [{ level: 0.5 }], t: 0, smoothing: 0 });
    expect(mesh).toEqual(expected?.mesh);
  }
  const values = memoryVolume({ ...infoOf(size, 'i16'), slope: 0.5 }, new Uint8Array(marks.buffer));
  const refused = extractSurfaces(values, { surfaces: 'labels', t: 0, smoothing: 0 });
  await expect(refused).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('label 0 has the surface of all that is no label, also where rows begin with it', async () => {
  const marks = Uint8Array.of(0, 0, 5, 0, 0, 0, 0, 0);
  const labels = memoryVolume(infoOf([4, 2, 1, 1], 'u8'), marks);
  const inverse = memoryVolume(
    infoOf([4, 2, 1, 1], 'u8'),
    marks.map((mark) => (mark === 0 ? 1 : 0)),
  );
  const [zero = none] = await extractSurfaces(labels, { surfaces: [{ label: 0 }], t: 0, smoothing: 0 });
  const [one = none] = await extractSurfaces(inverse, { surfaces: [{ label: 1 }], t: 0, smoothing: 0 });
  expect(zero.mesh).toEqual(one.mesh);
  expect(zero.mesh.triangles.length / 3).toBeGreaterThan(20);
});

test('more labels in large planes than fit into memory are refused', () => {
  const builders = new LabelBuilders(infoOf([8192, 4096, 1, 1], 'u8'), 'all');
  const plane = new Float64Array(8192 * 4096);
  plane.set([1, 2], 8192);
  expect(() => builders.add(plane, 0)).toThrow('a plane has 2 labels');
});

test('a time point that the volume lacks, and a cancel, end in named errors', async () => {
  const settings = { surfaces: [{ level }], t: 2, smoothing: 0 };
  await expect(extractSurfaces(volume, settings)).rejects.toMatchObject({ tag: 'invalid-input' });
  await expect(extractSurfaces(volume, { ...settings, t: 0 }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    tag: 'aborted',
  });
});
