import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import type { Dims3, VoxelArray } from '../shared/volume.ts';
import type { ExactVoxels } from './volume-source.ts';

/** A part of a volume that is one contiguous range of voxels in each row. */
export interface Region {
  /** Its bounding box, which lies within the volume. */
  readonly first: Dims3;
  readonly size: Dims3;
  /** The first and last voxel of the region in a row; undefined if the row has none. */
  row(y: number, z: number): readonly [first: number, last: number] | undefined;
}

/** Statistics of a region's physical values (slope and intercept applied). */
export interface RegionStatistics {
  /** Voxels with a finite value. */
  readonly count: number;
  /** Voxels that are NaN or infinite, which the other statistics exclude. */
  readonly notFinite: number;
  /** NaN if `count` is 0, like min and max. */
  readonly mean: number;
  /** The sample deviation (divided by n − 1); NaN for fewer than two voxels. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Mean and deviation of many numbers, without the loss of precision of a sum of squares: two passes over each range, and ranges
 * are combined by the formula of Chan, Golub and LeVeque (Updating formulae and a pairwise algorithm for computing sample
 * variances, 1979).
 */
export class RunningStatistics {
  #count = 0;
  #notFinite = 0;
  #mean = 0;
  /** Sum of squared differences from the mean. */
  #squares = 0;
  #min = Infinity;
  #max = -Infinity;

  /** Adds `slope × value + intercept` of the values from `first` up to, not including, `end`. */
  add(values: VoxelArray, first: number, end: number, slope = 1, intercept = 0): void {
    let [count, sum] = [0, 0];
    for (let at = first; at < end; at++) {
      const value = slope * (values[at] as number) + intercept;
      if (!Number.isFinite(value)) continue;
      count++;
      sum += value;
      if (value < this.#min) this.#min = value;
      if (value > this.#max) this.#max = value;
    }
    this.#notFinite += end - first - count;
    if (count === 0) return;
    const mean = sum / count;
    let squares = 0;
    for (let at = first; at < end; at++) {
      const value = slope * (values[at] as number) + intercept;
      if (Number.isFinite(value)) squares += (value - mean) ** 2;
    }
    const all = this.#count + count;
    const between = mean - this.#mean;
    this.#squares += squares + between * between * ((this.#count * count) / all);
    this.#mean += (between * count) / all;
    this.#count = all;
  }

  result(): RegionStatistics {
    const isEmpty = this.#count === 0;
    return {
      count: this.#count,
      notFinite: this.#notFinite,
      mean: isEmpty ? Number.NaN : this.#mean,
      deviation: this.#count < 2 ? Number.NaN : Math.sqrt(this.#squares / (this.#count - 1)),
      min: isEmpty ? Number.NaN : this.#min,
      max: isEmpty ? Number.NaN : this.#max,
    };
  }
}

/**
 * Statistics of the exact voxels of a region at a time point, read piece by piece.
 * @throws StriaError `unsupported` if not all voxels are kept, `aborted` (also if the volume is destroyed meanwhile),
 *   `device-lost`
 */
export async function regionStatistics(
  volume: ExactVoxels,
  region: Region,
  timePoint: number,
  { signal }: Pick<JobOptions, 'signal'> = {},
): Promise<RegionStatistics> {
  const running = new RunningStatistics();
  const { slope, intercept } = volume.info;
  const { first, size } = region;
  await volume.readBox({ first, size, timePoint }, ({ first: from, size: dims, values, rowLength }) => {
    throwIfAborted(signal);
    for (let z = Math.max(first[2], from[2]); z < Math.min(first[2] + size[2], from[2] + dims[2]); z++) {
      for (let y = Math.max(first[1], from[1]); y < Math.min(first[1] + size[1], from[1] + dims[1]); y++) {
        const row = region.row(y, z);
        if (!row) continue;
        const start = ((z - from[2]) * dims[1] + y - from[1]) * rowLength - from[0];
        const [begin, last] = [Math.max(row[0], from[0]), Math.min(row[1], from[0] + dims[0] - 1)];
        if (begin <= last) running.add(values, start + begin, start + last + 1, slope, intercept);
      }
    }
  });
  throwIfAborted(signal);
  return running.result();
}
