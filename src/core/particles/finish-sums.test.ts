import { expect, test } from 'vitest';
import type { OpenVolume } from '../io/common/volume-reader.ts';
import { typedVoxels, type VolumeInfo } from '../shared/volume.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { type DepositType, depositTypes } from './deposit-choice.ts';
import { sumsInfo } from './deposit-grid.ts';
import { finishSums } from './finish-sums.ts';

const unit = 2 ** -10;
const grid = { dims: [2, 2, 2], box: { origin: [0, 0, 0], lengths: [1, 1, 2] }, edges: 'clip' } as const;
/** Masses 0, 1, 2, 4, 10, 50, 100 and 1000. */
const masses = [0, 1, 2, 4, 10, 50, 100, 1000];

function volumeOf(values: readonly number[], more: Partial<VolumeInfo> = {}): OpenVolume {
  const sums = Float64Array.from(values, (value) => value / unit);
  return memoryVolume({ ...sumsInfo(grid, 'mass', unit), ...more }, new Uint8Array(sums.buffer));
}

async function valuesOf(volume: OpenVolume): Promise<{ stored: number[]; physical: number[] }> {
  const pieces: Uint8Array[] = [];
  for await (const piece of volume.voxels()) pieces.push(piece);
  const stored = [...typedVoxels(volume.info.type, new Uint8Array(Buffer.concat(pieces)))];
  return { stored, physical: stored.map((value) => volume.info.slope * value + volume.info.intercept) };
}

const finished = async (type: DepositType, scale: 'linear' | 'log', more: object = {}) =>
  valuesOf(await finishSums(volumeOf(masses), { type, scale, ...more }));

test('f32 holds the values themselves', async () => {
  expect((await finished('f32', 'linear')).stored).toEqual(masses);
  // A voxel is ½ × ½ × 1.
  expect((await finished('f32', 'linear', { quantity: 'density' })).stored).toEqual(masses.map((mass) => mass * 4));
});

test('f32 on a logarithmic scale: an empty voxel is a tenth of the smallest value', async () => {
  const { stored } = await finished('f32', 'log');
  expect(stored).toEqual([-1, ...masses.slice(1).map((mass) => Math.fround(Math.log10(mass)))]);
});

test.each([
  ['u8', 255, 254],
  ['u16', 65_535, 65_534],
] as const)('%s goes from 0 to the largest value, or from the smallest to the largest logarithm', async (type, levels, steps) => {
  const linear = await finished(type, 'linear');
  expect(linear.stored.at(-1)).toBe(levels);
  for (const [at, value] of linear.physical.entries()) {
    expect(Math.abs(value - (masses[at] as number))).toBeLessThanOrEqual((1000 / levels) * 0.51);
  }
  const log = await finished(type, 'log');
  expect(log.stored.slice(0, 2)).toEqual([0, 1]);
  expect(log.stored.at(-1)).toBe(levels);
  for (const [at, value] of log.physical.slice(1).entries()) {
    expect(Math.abs(value - Math.log10(masses[at + 1] as number))).toBeLessThanOrEqual((3 / steps) * 0.51);
  }
});

test.each(depositTypes)('%s of an empty volume, and of one value', async (type) => {
  for (const scale of ['linear', 'log'] as const) {
    const empty = await valuesOf(await finishSums(volumeOf(masses.map(() => 0)), { type, scale }));
    expect(new Set(empty.stored).size).toBe(1);
    const { physical } = await valuesOf(await finishSums(volumeOf(masses.map(() => 10)), { type, scale }));
    for (const value of physical) expect(value).toBeCloseTo(scale === 'log' ? 1 : 10, 9);
  }
});

test.each([
  ['a volume of something else', volumeOf(masses, { valueUnit: 'K' }), {}, 'invalid-input', 'does not hold sums'],
  ['a count of masses', volumeOf(masses), { quantity: 'count' }, 'invalid-input', '--quantity count cannot'],
  ['a sum that overflowed', volumeOf([...masses.slice(1), 2 ** 53 * unit]), {}, 'invalid-input', '--unit'],
  ['half a unit', volumeOf([...masses.slice(1), unit / 2]), {}, 'corrupt', '0.5'],
  ['a negative sum', volumeOf([...masses.slice(1), -1]), {}, 'corrupt', '-1024'],
  ['a sum that is not a number', volumeOf([...masses.slice(1), Number.NaN]), {}, 'corrupt', 'NaN'],
] as const)('refuses %s', async (_what, volume, more, tag, message) => {
  await expect(finishSums(volume, { type: 'u8', scale: 'linear', ...more })).rejects.toMatchObject({
    tag,
    message: expect.stringContaining(message),
  });
});
