import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VolumeInfo } from '../shared/volume.ts';
import { cpuDepositDevice } from './cpu-deposit.ts';
import { boxEdges, depositKernels } from './deposit-choice.ts';
import type { DepositGrid } from './deposit-grid.ts';
import { type DepositSettings, type SumsVolume, sumParticles } from './deposit-particles.ts';
import { fraction32, times16, times32 } from './fixed-point.ts';
import { chooseMassUnit } from './mass-unit.ts';
import type { ParticleGroup } from './particles.ts';
import { madeParticles, memoryGroup } from './particles-testing.ts';
import { plainDeposit } from './plain-deposit-testing.ts';
import { maxRadiusVoxels, smoothingWeights } from './smoothing-table.ts';

const device = cpuDepositDevice();
const dims = [11, 7, 9] as const;
const lengths = [5.5, 3.5, 9] as const;
const grid = (edges: DepositGrid['edges']): DepositGrid => ({ dims, box: { origin: [0, 0, 0], lengths }, edges });
const settings = (more: Partial<DepositSettings> = {}): DepositSettings => ({
  grid: grid('periodic'),
  kernel: 'cic',
  quantity: 'mass',
  unit: 2 ** -22,
  ...more,
});

async function sumsOf(volume: SumsVolume): Promise<Float64Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of volume.voxels()) pieces.push(piece);
  return new Float64Array(new Uint8Array(Buffer.concat(pieces)).buffer);
}

const deposit = (groups: readonly ParticleGroup[], more?: Partial<DepositSettings>, on = device) =>
  sumsOf(sumParticles(groups, settings(more), on));

describe('whole-number arithmetic', () => {
  test('products are exact', () => {
    const value = fc.oneof(fc.bigInt(0n, 2n ** 53n - 1n), fc.bigInt(2n ** 37n - 2n, 2n ** 37n + 2n));
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 65_536 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }), (m, w, f) => {
        expect(BigInt(times16(Number(m), w))).toBe((m * BigInt(w)) / 65_536n);
        expect(BigInt(times32(Number(m), f))).toBe((m * BigInt(f)) / 2n ** 32n);
      }),
    );
  });

  test('fractions are exact', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 24 }), fc.nat(), (whole, any) => {
        const part = any % whole;
        expect(BigInt(fraction32(part, whole))).toBe((BigInt(part) * 2n ** 32n) / BigInt(whole));
      }),
    );
  });

  test('the weights of the largest sphere add up to less than 2^24', () => {
    let sum = 0;
    for (let z = -maxRadiusVoxels; z <= maxRadiusVoxels; z++) {
      for (let y = -maxRadiusVoxels; y <= maxRadiusVoxels; y++) {
        for (let x = -maxRadiusVoxels; x <= maxRadiusVoxels; x++) {
          sum += smoothingWeights[Math.floor(((x * x + y * y + z * z) / maxRadiusVoxels ** 2) * 1024)] ?? 0;
        }
      }
    }
    expect(sum).toBeLessThan(2 ** 24 * 0.9);
  });
});

describe.each(boxEdges)('%s box', (edges) => {
  test.each(depositKernels)('%s: the sums equal those of the plain definition', async (kernel) => {
    const particles = madeParticles(kernel === 'sph' ? 150 : 600, lengths);
    const volume = sumParticles([memoryGroup(particles)], settings({ kernel, grid: grid(edges) }), device);
    const sums = await sumsOf(volume);
    const units = [...particles.masses].map((mass) => BigInt(Math.floor(mass * 2 ** 22 + 0.5)));
    const plain = plainDeposit(
      units.map((unit, at) => ({
        position: [...particles.positions.slice(3 * at, 3 * at + 3)],
        units: unit,
        radius: particles.radii[at] as number,
      })),
      { dims, origin: [0, 0, 0], lengths, edges },
      kernel,
    );
    expect([...sums].map(BigInt)).toEqual(plain);
    const report = volume.report();
    const total = units.reduce((sum, unit) => sum + unit, 0n);
    expect(BigInt(report.units)).toBe(total);
    expect(BigInt(report.depositedUnits)).toBe(plain.reduce((sum, unit) => sum + unit, 0n));
    expect(report.outside).toBeGreaterThan(0);
    // Mass is conserved to the last unit.
    if (edges === 'periodic') expect(BigInt(report.depositedUnits)).toBe(total);
    else expect(BigInt(report.depositedUnits)).toBeLessThan(total);
  });

  test.each(depositKernels)('%s: slabs and shares give the same sums', async (kernel) => {
    const groups = [memoryGroup(madeParticles(90, lengths, 2)), memoryGroup(madeParticles(47, lengths, 3), 'star')];
    const more = { kernel, grid: grid(edges) };
    const whole = await deposit(groups, more);
    expect(await deposit(groups, more, cpuDepositDevice(2 * 11 * 7))).toEqual(whole);
    const total = new Float64Array(whole.length);
    for (let number = 1; number <= 8; number++) {
      const part = await deposit(groups, { ...more, share: { number, of: 8 } });
      for (const [at, sum] of part.entries()) total[at] = (total[at] as number) + sum;
    }
    expect(total).toEqual(whole);
  });
});

test('a particle at a voxel’s centre fills only that voxel; between two centres it fills both equally', async () => {
  const at = (x: number) =>
    memoryGroup({ positions: Float64Array.of(x, 0.25, 0.5), masses: Float64Array.of(1), radii: Float64Array.of(0.3) });
  for (const kernel of ['ngp', 'cic', 'sph'] as const) {
    const sums = await deposit([at(0.75)], { kernel });
    expect(sums[1]).toBe(2 ** 22);
  }
  const sums = await deposit([at(1)], { kernel: 'cic' });
  expect([sums[1], sums[2]]).toEqual([2 ** 21, 2 ** 21]);
  const spread = await deposit([at(0.75)], { kernel: 'tsc', grid: { ...grid('clip'), dims: [11, 7, 9] } });
  expect(spread[1]).toBeCloseTo(2 ** 22 * 0.75 ** 3, -2);
});

test('a count has 2^20 units per particle, whatever the masses', async () => {
  const group = memoryGroup(madeParticles(30, lengths));
  const sums = await deposit([group], { quantity: 'count', unit: 2 ** -20 });
  expect(sums.reduce((sum, value) => sum + value)).toBe(30 * 2 ** 20);
});

test('smoothing radii are limited, and those particles counted', async () => {
  const volume = sumParticles(
    [memoryGroup({ ...madeParticles(2, lengths), radii: Float64Array.of(1000, 0.1) })],
    settings({ kernel: 'sph' }),
    device,
  );
  await sumsOf(volume);
  expect(volume.report().limited).toBe(1);
});

test('the chosen unit is a power of two, and the sums cannot overflow', async () => {
  const particles = madeParticles(50, lengths);
  const unit = await chooseMassUnit([memoryGroup(particles)], {});
  expect(Number.isInteger(Math.log2(unit))).toBe(true);
  const volume = sumParticles([memoryGroup(particles)], settings({ unit }), device);
  await sumsOf(volume);
  expect(volume.report().units).toBeGreaterThan(2 ** 51);
  expect(volume.report().units).toBeLessThan(2 ** 53);
  await expect(chooseMassUnit([memoryGroup({ ...particles, masses: new Float64Array(50) })], {})).rejects.toMatchObject({
    tag: 'invalid-input',
  });
});

describe('faults', () => {
  const one = (more: object) =>
    memoryGroup({ positions: Float64Array.of(1, 1, 1), masses: Float64Array.of(1), radii: Float64Array.of(1), ...more });

  test.each([
    [
      'a position that is not a number',
      { positions: Float64Array.of(1, Number.NaN, 1) },
      'particle 1 of gas has a position of NaN along y',
    ],
    ['an infinite position', { positions: Float64Array.of(1, 1, Number.POSITIVE_INFINITY) }, 'along z'],
    ['a position without digits', { positions: Float64Array.of(1e300, 1, 1) }, 'along x'],
    ['a mass that is not a number', { masses: Float64Array.of(Number.NaN) }, 'a mass of NaN'],
    ['a negative mass', { masses: Float64Array.of(-1) }, 'a mass of -1'],
    ['a smoothing length below 0', { radii: Float64Array.of(-1) }, 'a smoothing length of -1'],
  ])('%s', async (_what, more, message) => {
    await expect(deposit([one(more)], { kernel: 'sph' })).rejects.toMatchObject({
      tag: 'corrupt',
      message: expect.stringContaining(message),
    });
  });

  test('a small box cut out of a large simulation leaves out what is far away', async () => {
    const far = { positions: Float64Array.of(1, 1, 1, 1e8, 1, 1), masses: Float64Array.of(1, 1), radii: Float64Array.of(1, 1) };
    for (const kernel of ['cic', 'sph'] as const) {
      const alone = await deposit([one({})], { kernel, grid: grid('clip') });
      expect(await deposit([one(far)], { kernel, grid: grid('clip') })).toEqual(alone);
    }
  });

  test('sums that overflow', async () => {
    const group = one({ masses: Float64Array.of(2 ** 30) });
    await expect(deposit([group], { unit: 2 ** -22 })).resolves.toBeDefined();
    await expect(deposit([group, group], { unit: 2 ** -22 })).rejects.toMatchObject({
      tag: 'invalid-input',
      message: expect.stringContaining('--unit'),
    });
  });

  test('no particles, and particles without required data', () => {
    const make =
      (group: Partial<ParticleGroup>, more: Partial<DepositSettings> = {}) =>
      () =>
        sumParticles([{ ...one({}), ...group }], settings(more), device);
    expect(make({ count: 0 })).toThrow('no particles');
    expect(make({ lacksMasses: 'a column mass' })).toThrow('it lacks a column mass. --quantity count needs none');
    expect(make({ lacksRadii: 'the dataset h' }, { kernel: 'sph' })).toThrow('gas lacks the dataset h');
    expect(make({ lacksRadii: 'the dataset h' })).not.toThrow();
  });

  test('invalid boxes and volumes', () => {
    const make = (more: Partial<DepositGrid>) => () =>
      sumParticles([one({})], settings({ grid: { ...grid('clip'), ...more } }), device);
    expect(make({ dims: [0, 1, 1] })).toThrow('sides');
    expect(make({ dims: [20_000, 1, 1] })).toThrow('sides');
    expect(make({ box: { origin: [0, 0, 0], lengths: [1, 0, 1] } })).toThrow('box');
    expect(() => sumParticles([one({})], settings(), cpuDepositDevice(76))).toThrow('one slice of 11 × 7');
  });

  test('a cancelled deposit stops', async () => {
    const signal = AbortSignal.abort();
    const volume = sumParticles([one({})], settings(), device, { signal });
    await expect(sumsOf(volume)).rejects.toMatchObject({ tag: 'aborted' });
  });
});

test('the volume has the geometry and unit of its sums', () => {
  const box = { origin: [-2, 0, 4], lengths: [22, 7, 9] } as const;
  const { info } = sumParticles([memoryGroup(madeParticles(1, lengths))], settings({ grid: { ...grid('clip'), box } }), device);
  expect(info).toMatchObject({
    dims: [11, 7, 9, 1],
    type: 'f64',
    spacing: [2, 1, 1, 1],
    affine: [2, 0, 0, -1, 0, 1, 0, 0.5, 0, 0, 1, 4.5],
    slope: 2 ** -22,
  } satisfies Partial<VolumeInfo>);
});
