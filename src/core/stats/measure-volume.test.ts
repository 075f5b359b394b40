import { expect, test } from 'vitest';
import { type ElementType, elementTypes, typedVoxels, type VolumeInfo } from '../shared/volume.ts';
import { infoOf, voxelsOf } from '../stream/engine-testing.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { measureVolume, type RegionRow } from './measure-volume.ts';

const dims = [13, 9, 5, 3] as const;
const perTime = 13 * 9 * 5;

/** The definition: two passes over a list of values. */
function expected(values: readonly number[]) {
  const finite = values.filter(Number.isFinite);
  const mean = finite.reduce((sum, value) => sum + value, 0) / finite.length;
  const squares = finite.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    count: finite.length,
    notFinite: values.length - finite.length,
    mean,
    deviation: finite.length > 1 ? Math.sqrt(squares / (finite.length - 1)) : Number.NaN,
    min: finite.length > 0 ? Math.min(...finite) : Number.NaN,
    max: finite.length > 0 ? Math.max(...finite) : Number.NaN,
  };
}

function expectRow(row: RegionRow | undefined, values: readonly number[]): void {
  const { mean, deviation, ...exact } = expected(values);
  expect(row).toMatchObject(exact);
  for (const [found, wanted] of [
    [row?.mean, mean],
    [row?.deviation, deviation],
  ] as const) {
    if (Number.isNaN(wanted)) expect(found).toBeNaN();
    else expect(Math.abs((found as number) - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(wanted)));
  }
}

/** Labels 0 to 3, in blocks. */
const labelInfo = infoOf([13, 9, 5, 1], 'u16');
const marks = Uint16Array.from({ length: perTime }, (_, at) => Math.floor((at % 13) / 4) * (at < 200 ? 1 : 0));
const labels = memoryVolume(labelInfo, new Uint8Array(marks.buffer));

test.each(elementTypes)('each label of each time point of %s is measured as its list of values is', async (type: ElementType) => {
  const info = { ...infoOf(dims, type), slope: 0.5, intercept: -3 };
  const bytes = voxelsOf(info, 'blobs');
  const voxels = typedVoxels(type, bytes);
  const rows = await measureVolume(memoryVolume(info, bytes), { labels });
  expect(rows.map(({ label, t }) => [t, label])).toEqual([0, 1, 2].flatMap((t) => [0, 1, 2, 3].map((label) => [t, label])));
  for (const row of rows) {
    const values = Array.from({ length: perTime }, (_, at) => at)
      .filter((at) => marks[at] === row.label)
      .map((at) => 0.5 * (voxels[row.t * perTime + at] as number) - 3);
    // Sums of squares of values up to 1e300 overflow: what the definition makes of noise in floats says nothing.
    if (type.startsWith('f') && values.some((value) => Math.abs(value) > 1e100)) continue;
    expectRow(row, values);
  }
});

test('values far from 0 lose no precision, and NaN and infinity are counted apart', async () => {
  const info = infoOf([6, 1, 1, 1], 'f64');
  const values = [1e9 + 1, 1e9 + 2, Number.NaN, 1e9 + 3, Number.POSITIVE_INFINITY, 1e9 + 6];
  const [row] = await measureVolume(memoryVolume(info, new Uint8Array(Float64Array.from(values).buffer)), {});
  expect(row).toMatchObject({ t: 0, count: 4, notFinite: 2, mean: 1e9 + 3, min: 1e9 + 1, max: 1e9 + 6 });
  expect(row?.deviation).toBeCloseTo(Math.sqrt(14 / 3), 12);
  expect(row).not.toHaveProperty('label');
});

test('a box measures its own voxels, and volumes are in mm³', async () => {
  const info: VolumeInfo = { ...infoOf(dims, 'u8'), affine: [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 0.5, 0], spatialUnit: 'um' };
  const bytes = voxelsOf(info, 'noise');
  const box = { origin: [2, 3, 1], dims: [10, 5, 2] } as const;
  const rows = await measureVolume(memoryVolume(info, bytes), { box });
  expect(rows).toHaveLength(3);
  for (const row of rows) {
    const values: number[] = [];
    for (let z = 1; z < 3; z++) {
      for (let y = 3; y < 8; y++) for (let x = 2; x < 12; x++) values.push(bytes[((row.t * 5 + z) * 9 + y) * 13 + x] as number);
    }
    expectRow(row, values);
    expect(row.volumeMm3).toBeCloseTo(100 * 3e-9, 20);
  }
  const unknown = { ...info, spatialUnit: 'unknown' } as const;
  expect((await measureVolume(memoryVolume(unknown, bytes), {}))[0]).not.toHaveProperty('volumeMm3');
});

test('labels may give their position in another unit of length, as those that ITK writes for a scan in micrometres', async () => {
  const inUnit = (info: VolumeInfo, spatialUnit: VolumeInfo['spatialUnit'], step: number): VolumeInfo => {
    return { ...info, spatialUnit, affine: [step, 0, 0, 100 * step, 0, step, 0, 0, 0, 0, step, 0] };
  };
  const volume = memoryVolume(inUnit(infoOf(dims, 'u8'), 'um', 5), voxelsOf(infoOf(dims, 'u8'), 'noise'));
  const measured = (spatialUnit: VolumeInfo['spatialUnit'], step: number) =>
    measureVolume(volume, { labels: memoryVolume(inUnit(labelInfo, spatialUnit, step), new Uint8Array(marks.buffer)) });
  const rows = await measured('mm', 0.005);
  expect(rows[0]?.volumeMm3).toBeCloseTo((rows[0]?.count ?? 0) * 125e-9, 15);
  expect(await measured('unknown', 5)).toEqual(rows);
  await expect(measured('mm', 5)).rejects.toMatchObject({ message: expect.stringMatching('their affine differs') });
});

test('anything but a segmentation of the volume is refused', async () => {
  const volume = memoryVolume(infoOf(dims, 'u8'), voxelsOf(infoOf(dims, 'u8'), 'noise'));
  const measured = (info: VolumeInfo) => measureVolume(volume, { labels: memoryVolume(info, voxelsOf(info, 'constant')) });
  await expect(measured(infoOf([13, 9, 5, 1], 'f32'))).rejects.toMatchObject({
    tag: 'invalid-input',
    message: expect.stringMatching('integers'),
  });
  await expect(measured(infoOf([13, 9, 4, 1], 'u8'))).rejects.toMatchObject({
    message: expect.stringMatching('the labels have 13×9×4×1 voxels'),
  });
  await expect(measured(infoOf([13, 9, 5, 2], 'u8'))).rejects.toMatchObject({ tag: 'invalid-input' });
  const moved = { ...labelInfo, affine: [1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0] };
  await expect(measured(moved)).rejects.toMatchObject({ message: expect.stringMatching('their affine differs') });
  // Far from the origin, as positions of a microscope's stage are.
  const farAt = (x: number, step = 0.5) => [step, 0, 0, x, 0, 0.5, 0, 8000, 0, 0, 0.5, 0];
  const far = { ...infoOf(dims, 'u8'), affine: farAt(15_000) };
  const measuredFar = (affine: VolumeInfo['affine']) =>
    measureVolume(memoryVolume(far, voxelsOf(far, 'noise')), {
      labels: memoryVolume({ ...labelInfo, affine }, voxelsOf(labelInfo, 'constant')),
    });
  const refusal = { message: expect.stringMatching('their affine differs') };
  await expect(measuredFar(farAt(15_001))).rejects.toMatchObject(refusal);
  await expect(measuredFar(farAt(15_000, 0.52))).rejects.toMatchObject(refusal);
  expect((await measuredFar(farAt(15_000.001))).length).toBeGreaterThan(0);
  await expect(measureVolume(volume, { box: { origin: [4, 0, 0], dims: [10, 1, 1] } })).rejects.toMatchObject({
    message: 'the box ends at x = 14, but the volume at 13',
  });
  const large = infoOf([70_000, 1, 1, 1], 'u32');
  const many = memoryVolume(large, new Uint8Array(Uint32Array.from({ length: 70_000 }, (_, at) => at).buffer));
  await expect(measureVolume(many, { labels: many })).rejects.toMatchObject({
    message: expect.stringMatching('they look like an image'),
  });
});
