import { describe, expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { spreadDispatches } from '../gpu/spread-testing.ts';
import { cpuDepositDevice } from './cpu-deposit.ts';
import { boxEdges, type DepositKernel, depositKernels } from './deposit-choice.ts';
import type { DepositGrid } from './deposit-grid.ts';
import { type DepositSettings, sumParticles } from './deposit-particles.ts';
import type { DepositDevice } from './depositor.ts';
import { gpuDepositDevice } from './gpu-deposit.ts';
import { chooseMassUnit } from './mass-unit.ts';
import { countUnit } from './particle-placer.ts';
import type { ParticleGroup } from './particles.ts';
import { madeParticles, memoryGroup } from './particles-testing.ts';
import { plainDeposit } from './plain-deposit-testing.ts';

const gpu = await openTestGpu();
const dims = [11, 7, 9] as const;
const lengths = [5.5, 3.5, 9] as const;

async function sumsOf(
  groups: readonly ParticleGroup[],
  more: Partial<DepositSettings>,
  device: DepositDevice,
): Promise<Float64Array> {
  const grid: DepositGrid = { dims, box: { origin: [0, 0, 0], lengths }, edges: 'periodic' };
  const unit = await chooseMassUnit(groups, {});
  const volume = sumParticles(groups, { grid, kernel: 'cic', quantity: 'mass', unit, ...more }, device);
  const pieces: Uint8Array[] = [];
  for await (const piece of volume.voxels()) pieces.push(piece);
  return new Float64Array(new Uint8Array(Buffer.concat(pieces)).buffer);
}

async function expectSame(groups: readonly ParticleGroup[], more: Partial<DepositSettings>, device = gpuDepositDevice(gpu)) {
  const sums = await sumsOf(groups, more, device);
  // Sums of more than one word.
  expect(sums.some((sum) => sum > 2 ** 34)).toBe(true);
  expect(sums).toEqual(await sumsOf(groups, more, cpuDepositDevice()));
}

const particlesFor = (kernel: DepositKernel, seed: number) =>
  memoryGroup(madeParticles(kernel === 'sph' ? 150 : 700, lengths, seed));

describe.each(boxEdges)('%s box', (edges) => {
  const grid: DepositGrid = { dims, box: { origin: [0, 0, 0], lengths }, edges };

  test.each(depositKernels)('%s: the GPU’s sums equal the CPU’s and those of the plain definition', async (kernel) => {
    const particles = madeParticles(kernel === 'sph' ? 150 : 700, lengths, 1);
    const groups = [memoryGroup(particles)];
    await expectSame(groups, { kernel, grid });
    const massUnit = await chooseMassUnit(groups, {});
    const halfUp = (mass: number) => BigInt(Math.floor(mass / massUnit + 0.5));
    for (const [quantity, unit, unitsOf] of [
      ['mass', massUnit, halfUp],
      ['count', countUnit, () => BigInt(1 / countUnit)],
    ] as const) {
      const plain = plainDeposit(
        [...particles.masses].map((mass, at) => ({
          position: [...particles.positions.slice(3 * at, 3 * at + 3)],
          units: unitsOf(mass),
          radius: particles.radii[at] as number,
        })),
        { dims, origin: [0, 0, 0], lengths, edges },
        kernel,
      );
      for (const device of [gpuDepositDevice(gpu), cpuDepositDevice()]) {
        expect([...(await sumsOf(groups, { kernel, grid, quantity, unit }, device))].map(BigInt), quantity).toEqual(plain);
      }
    }
  });

  test.each(['tsc', 'sph'] as const)('%s: in slabs', async (kernel) => {
    await expectSame([particlesFor(kernel, 2)], { kernel, grid }, gpuDepositDevice(gpu, { maxVoxels: 2 * 11 * 7 }));
  });
});

describe('dispatches in two dimensions', () => {
  spreadDispatches(gpu);
  test('of several pieces and groups', async () => {
    await expectSame([memoryGroup(madeParticles(70_000, lengths)), particlesFor('cic', 3)], { kernel: 'cic' });
  });
});

test('many particles in one voxel carry into the high word', async () => {
  const count = 5000;
  const group = memoryGroup({
    positions: new Float64Array(3 * count).fill(0.25),
    masses: Float64Array.from({ length: count }, (_, at) => 1 + at / 7),
    radii: new Float64Array(count).fill(1),
  });
  await expectSame([group], { kernel: 'ngp' });
  await expectSame([group], { kernel: 'tsc' });
});

test('large spheres are divided into several dispatches', async () => {
  const group = memoryGroup({ ...madeParticles(6, [1, 1, 1]), radii: new Float64Array(6).fill(100) });
  const grid: DepositGrid = { dims: [96, 10, 9], box: { origin: [0, 0, 0], lengths: [1, 1, 1] }, edges: 'clip' };
  await expectSame([group], { kernel: 'sph', grid }, gpuDepositDevice(gpu, { visitsTogether: 2 ** 19 }));
});

test('a cancelled deposit frees its memory', async () => {
  const cancel = new AbortController();
  const grid: DepositGrid = { dims, box: { origin: [0, 0, 0], lengths }, edges: 'clip' };
  const job = { signal: cancel.signal, onProgress: () => cancel.abort() };
  const groups = [memoryGroup(madeParticles(70_000, lengths))];
  const volume = sumParticles(groups, { grid, kernel: 'tsc', quantity: 'count', unit: 1 }, gpuDepositDevice(gpu), job);
  await expect(volume.voxels()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ tag: 'aborted' });
});
