import type { OpenVolume } from '../io/common/volume-reader.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { elementBytes, typedVoxels, type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { rawSource } from '../stream/memory-volume.ts';
import { readVoxels } from '../stream/voxel-reader.ts';
import type { DepositQuantity, DepositScale, DepositType } from './deposit-choice.ts';
import { quantityOfSums } from './deposit-grid.ts';

export interface FinishSettings {
  /** Default: the quantity of the sums. */
  readonly quantity?: DepositQuantity | undefined;
  readonly scale: DepositScale;
  readonly type: DepositType;
}

/** A double may have rounded a sum of this size or more. */
const sumLimit = 2 ** 53;
const pieceVoxels = 2 ** 18;

interface SumRange {
  /** The smallest sum above 0; infinity if all are 0. */
  readonly least: number;
  readonly most: number;
}

/**
 * Converts fixed-point sums to the values of a volume. It reads the sums twice: for their range, and when its voxels are read.
 * @throws StriaError `invalid-input` if it is not a volume of sums, if sums overflowed, or for a quantity that they do not hold
 */
export async function finishSums(
  sums: OpenVolume,
  { quantity: wanted, scale, type }: FinishSettings,
  job: JobOptions = {},
): Promise<OpenVolume> {
  const summed = quantityOfSums(sums.info);
  if (!summed)
    throw new StriaError('invalid-input', 'the volume does not hold sums of particles as `stria deposit --sums` writes them');
  const quantity = wanted ?? summed;
  if ((quantity === 'count') !== (summed === 'count')) {
    const holds = summed === 'count' ? 'counts particles' : 'adds up masses';
    throw new StriaError('invalid-input', `--quantity ${quantity} cannot be computed from a volume that ${holds}`);
  }
  const { slope, spacing } = sums.info;
  const factor = quantity === 'density' ? slope / (spacing[0] * spacing[1] * spacing[2]) : slope;
  const scaling = scalingOf(await rangeOf(sums, job), factor, scale, type);
  const info: VolumeInfo = {
    ...sums.info,
    type,
    slope: scaling.slope,
    intercept: scaling.intercept,
    valueUnit: scale === 'log' ? `log10 ${quantity}` : quantity,
  };
  return {
    info,
    format: 'raw',
    async *voxels({ signal } = {}) {
      for await (const values of sumPieces(sums, signal)) {
        const bytes = new Uint8Array(values.length * elementBytes(type));
        const voxels = typedVoxels(type, bytes);
        for (let at = 0; at < values.length; at++) voxels[at] = scaling.stored(values[at] as number);
        yield bytes;
      }
    },
    source: async () => rawSource('volume.raw'),
  };
}

interface Scaling {
  readonly slope: number;
  readonly intercept: number;
  stored(sum: number): number;
}

/** How sums become stored values. docs/PARTICLES.md, "Values". @param factor value of one unit */
function scalingOf({ least, most }: SumRange, factor: number, scale: DepositScale, type: DepositType): Scaling {
  const plain = { slope: 1, intercept: 0 };
  const isEmpty = most === 0;
  if (scale === 'linear') {
    if (type === 'f32') return { ...plain, stored: (sum) => sum * factor };
    const levels = type === 'u8' ? 255 : 65_535;
    if (isEmpty) return { ...plain, stored: () => 0 };
    return { slope: (most * factor) / levels, intercept: 0, stored: (sum) => Math.round((sum / most) * levels) };
  }
  const low = isEmpty ? 0 : Math.log10(least * factor);
  const high = isEmpty ? 0 : Math.log10(most * factor);
  if (type === 'f32') return { ...plain, stored: (sum) => (sum === 0 ? low - 1 : Math.log10(sum * factor)) };
  // 0 stands for empty voxels, 1 for the least value.
  const steps = type === 'u8' ? 254 : 65_534;
  const slope = high > low ? (high - low) / steps : 1;
  const stored = (sum: number) => (sum === 0 ? 0 : 1 + Math.round((Math.log10(sum * factor) - low) / slope));
  return { slope, intercept: low - slope, stored };
}

/** Checks a sum. @throws StriaError `invalid-input` if it has overflowed, `corrupt` if it is not a whole number of units */
async function rangeOf(sums: OpenVolume, { signal, onProgress }: JobOptions): Promise<SumRange> {
  const total = volumeBytes(sums.info);
  let [least, most, done] = [Number.POSITIVE_INFINITY, 0, 0];
  for await (const values of sumPieces(sums, signal)) {
    for (const sum of values) {
      if (sum > most) most = sum;
      if (sum > 0 && sum < least) least = sum;
      if (!(sum >= 0 && sum < sumLimit && Number.isInteger(sum))) throw badSum(sum);
    }
    done += values.byteLength;
    onProgress?.({ stage: 'Measuring', done, total });
  }
  return { least, most };
}

function badSum(sum: number): StriaError {
  return sum >= sumLimit
    ? new StriaError(
        'invalid-input',
        'the parts add up to more than the 2^53 units that sums hold; deposit them with a larger --unit',
      )
    : new StriaError('corrupt', `a sum is ${sum}, which is not a number of units`);
}

async function* sumPieces(sums: OpenVolume, signal: AbortSignal | undefined): AsyncGenerator<Float64Array> {
  const reader = readVoxels(sums, signal);
  try {
    const count = volumeBytes(sums.info) / 8;
    for (let start = 0; start < count; start += pieceVoxels) {
      throwIfAborted(signal);
      const piece = new Float64Array(Math.min(pieceVoxels, count - start));
      await reader.fill(new Uint8Array(piece.buffer));
      yield piece;
    }
    await reader.end();
  } finally {
    await reader.close();
  }
}
