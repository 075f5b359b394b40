import type { OpenVolume } from '../io/common/volume-reader.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { nextTurn } from '../shared/turn.ts';
import { rawSource } from '../stream/memory-volume.ts';
import type { DepositKernel, SummedQuantity } from './deposit-choice.ts';
import { checkGrid, type DepositGrid, sumsInfo } from './deposit-grid.ts';
import type { DepositDevice, SumSlab } from './depositor.ts';
import { ParticlePlacer, type PlacedCounts } from './particle-placer.ts';
import { type ParticleGroup, type ParticleShare, particleCount, particlePieces, shareRange } from './particles.ts';

export interface DepositSettings {
  readonly grid: DepositGrid;
  readonly kernel: DepositKernel;
  readonly quantity: SummedQuantity;
  /** Mass of one unit of the sums; for counts, the fraction of a particle. */
  readonly unit: number;
  /** Deposit only this share. */
  readonly share?: ParticleShare | undefined;
}

export interface DepositReport extends Readonly<PlacedCounts> {
  /** Units in the voxels: fewer than `units` if the box is clipped. */
  readonly depositedUnits: number;
  /** How often the particles were read, because the sums do not fit into memory at once. */
  readonly passes: number;
}

/** The fixed-point sums of particles. Its voxels may be read several times. */
export interface SumsVolume extends OpenVolume {
  /** The report of the first reading of the voxels, once that is complete. */
  report(): DepositReport;
}

const pieceBytes = 2 ** 22;

/**
 * The sums of particles as a volume: whole numbers of `unit`. Reading its voxels reads the particles, piece by piece, as often as
 * there are slabs that fit into the device's memory. The sums do not depend on the device or on the order of the particles.
 * @throws StriaError `invalid-input` for a bad grid, for no particles, and for particles without the required masses or radii
 */
export function sumParticles(
  groups: readonly ParticleGroup[],
  settings: DepositSettings,
  device: DepositDevice,
  job: JobOptions = {},
): SumsVolume {
  const { grid, quantity, unit, share } = settings;
  checkGrid(grid);
  checkGroups(groups, settings);
  const slabs = slabsOf(grid, device.maxVoxels);
  const [from, to] = shareRange(particleCount(groups), share);
  const total = (to - from) * slabs.length;
  let report: DepositReport | undefined;
  let kept: Float64Array<ArrayBuffer> | undefined;

  async function slabSums(slab: SumSlab, number: number): Promise<{ sums: Float64Array<ArrayBuffer>; counts: PlacedCounts }> {
    const placer = new ParticlePlacer(settings);
    const depositor = device.depositor(grid, settings.kernel, slab);
    try {
      const request = { masses: quantity === 'mass', radii: settings.kernel === 'sph' };
      for await (const piece of particlePieces(groups, request, share, job)) {
        throwIfAborted(job.signal);
        await depositor.add(placer.place(piece));
        // Signals from the terminal arrive only when the event loop runs.
        await nextTurn();
        const done = number * (to - from) + placer.counts.particles;
        job.onProgress?.({ stage: 'Depositing', done, total, counts: 'particles' });
      }
      return { sums: await depositor.sums(), counts: placer.counts };
    } finally {
      depositor.destroy();
    }
  }

  return {
    info: sumsInfo(grid, quantity, unit),
    format: 'raw',
    async *voxels({ signal } = {}) {
      let deposited = 0;
      for (const [number, slab] of slabs.entries()) {
        throwIfAborted(signal);
        let sums = kept;
        let counts: PlacedCounts | undefined = report;
        if (!sums || !counts) ({ sums, counts } = await slabSums(slab, number));
        for (let at = 0; at < sums.length; at++) deposited += sums[at] as number;
        if (slabs.length === 1) kept = sums;
        if (number === slabs.length - 1) report ??= { ...counts, depositedUnits: deposited, passes: slabs.length };
        const bytes = new Uint8Array(sums.buffer);
        for (let start = 0; start < bytes.length; start += pieceBytes) {
          throwIfAborted(signal);
          yield bytes.slice(start, start + pieceBytes);
        }
      }
    },
    source: async () => rawSource('volume.raw'),
    report() {
      if (!report) throw new StriaError('internal', 'the particles were not read');
      return report;
    },
  };
}

function checkGroups(groups: readonly ParticleGroup[], { kernel, quantity }: DepositSettings): void {
  if (particleCount(groups) === 0) throw new StriaError('invalid-input', 'there are no particles to deposit');
  for (const { lacksMasses, lacksRadii, name, count } of groups) {
    if (count === 0) continue;
    if (quantity === 'mass' && lacksMasses !== undefined) {
      throw new StriaError('invalid-input', `${name} has no masses: it lacks ${lacksMasses}. --quantity count needs none`);
    }
    if (kernel === 'sph' && lacksRadii !== undefined) {
      throw new StriaError('invalid-input', `--kernel sph needs smoothing lengths, but ${name} lacks ${lacksRadii}`);
    }
  }
}

/** Whole slices, as many as fit. @throws StriaError `limit-too-small` */
function slabsOf({ dims }: DepositGrid, maxVoxels: number): SumSlab[] {
  const most = Math.floor(maxVoxels / (dims[0] * dims[1]));
  if (most < 1) {
    throw new StriaError('limit-too-small', `one slice of ${dims[0]} × ${dims[1]} voxels has more sums than fit into memory`);
  }
  const slabs: SumSlab[] = [];
  for (let firstSlice = 0; firstSlice < dims[2]; firstSlice += most) {
    slabs.push({ firstSlice, sliceCount: Math.min(most, dims[2] - firstSlice) });
  }
  return slabs;
}
