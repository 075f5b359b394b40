import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { type ElementType, elementBytes, integerRanges, type VoxelArray, voxelCount } from '../shared/volume.ts';
import type { Histogram } from './histogram.ts';
import {
  binCount,
  binWidthOf,
  type CountedKeys,
  deriveStatistics,
  type RangeFound,
  type StatisticsPasses,
  type VolumeStatistics,
} from './statistics.ts';
import type { ExactVoxels, VoxelPiece } from './volume-source.ts';
import { isFloatType, keyValue, typeRange, voxelKey } from './voxel-key.ts';
import { watchedVoxels } from './watched-voxels.ts';

/** Flatness is measured in every n-th row. */
const flatRowStep = 16;

/**
 * The statistics of `computeStatistics`, computed on this thread from voxels that are read piece by piece. Voxels of 8 and 16 bits are
 * read once. Others are read twice, or more often if outliers or markers stretch the range. Memory use does not depend on the size of
 * the volume.
 * @throws StriaError `aborted`; errors of `readBox`
 */
export function streamedStatistics(voxels: ExactVoxels, job: JobOptions = {}): Promise<VolumeStatistics> {
  const { info } = voxels;
  const passes = elementBytes(info.type) <= 2 ? countedOnce(voxels, job) : countedAgain(voxels, job);
  return deriveStatistics(info, voxelCount(info.dims), passes);
}

/** A row of voxels: those of `values` from `start` up to, not including, `end`. */
type RowVisitor = (values: VoxelArray, start: number, end: number, row: number) => void;

/** Reads all rows of all time points once. @param row counted through all planes */
async function forEachRow(
  voxels: ExactVoxels,
  stage: string,
  { signal, onProgress }: JobOptions,
  visit: RowVisitor,
): Promise<void> {
  const { dims } = voxels.info;
  const watched = watchedVoxels(voxels, { stage, signal, onProgress, total: voxelCount(dims) });
  const visitPiece = (piece: VoxelPiece, timePoint: number): void => {
    const [columns, rows, planes] = piece.size;
    for (let z = 0; z < planes; z++) {
      for (let y = 0; y < rows; y++) {
        const start = (z * rows + y) * piece.rowLength;
        const row = (timePoint * dims[2] + piece.first[2] + z) * dims[1] + piece.first[1] + y;
        visit(piece.values, start, start + columns, row);
      }
    }
  };
  if (watched.readAll) await watched.readAll(visitPiece);
  else {
    const size = [dims[0], dims[1], dims[2]] as const;
    for (let timePoint = 0; timePoint < dims[3]; timePoint++) {
      await watched.readBox({ first: [0, 0, 0], size, timePoint }, (piece) => visitPiece(piece, timePoint));
    }
  }
  throwIfAborted(signal);
}

/** Counts each value of 8 or 16 bits in a single pass, from which all statistics follow. */
function countedOnce(voxels: ExactVoxels, job: JobOptions): StatisticsPasses {
  const type = voxels.info.type as Exclude<ElementType, 'f32' | 'f64'>;
  const [lowest, highest] = integerRanges[type];
  const counting = (async () => {
    const counts = new Float64Array(highest - lowest + 1);
    const flatness = new Flatness();
    await forEachRow(voxels, 'Reading the voxels', job, (values, start, end, row) => {
      for (let at = start; at < end; at++) {
        const value = (values[at] as number) - lowest;
        counts[value] = (counts[value] as number) + 1;
      }
      flatness.addRow(values, start, end, row);
    });
    return { counts, flatness };
  })();
  // Each pass throws the error again.
  counting.catch(() => {});
  return {
    range: async (keys) => {
      const { counts, flatness } = await counting;
      let [low, high] = rangeOfKeys(type, keys);
      while (low <= high && counts[low - lowest] === 0) low++;
      while (high >= low && counts[high - lowest] === 0) high--;
      return { ...keysOf(type, low, high), notFinite: 0, inner: flatness.inner, flat: flatness.flat };
    },
    bins: async (low, high) => {
      const { counts } = await counting;
      const histogram = emptyHistogram(type, low, high);
      for (let value = Math.max(low, lowest); value <= Math.min(high, highest); value++) {
        add(histogram, value, counts[value - lowest] as number);
      }
      return histogram;
    },
  };
}

/** Reads all voxels again for each pass. */
function countedAgain(voxels: ExactVoxels, job: JobOptions): StatisticsPasses {
  const { type } = voxels.info;
  // As on the GPU, 64-bit floats are rounded to 32 bits and clamped to their range.
  const [lowest, highest] = typeRange(type);
  const rounded = type === 'f64' ? (value: number) => Math.fround(Math.min(highest, Math.max(lowest, value))) : undefined;
  let pass = 0;
  const eachRow = (visit: RowVisitor): Promise<void> => {
    pass++;
    return forEachRow(voxels, pass === 1 ? 'Reading the voxels' : `Reading the voxels, pass ${pass}`, job, visit);
  };
  return {
    range: async (keys) => {
      const [first, last] = rangeOfKeys(type, keys);
      let [low, high, notFinite] = [Infinity, -Infinity, 0];
      const flatness = new Flatness(first, last, rounded);
      await eachRow((values, start, end, row) => {
        for (let at = start; at < end; at++) {
          const stored = values[at] as number;
          if (!Number.isFinite(stored)) {
            notFinite++;
            continue;
          }
          const value = rounded ? rounded(stored) : stored;
          if (value < first || value > last) continue;
          if (value < low) low = value;
          if (value > high) high = value;
        }
        flatness.addRow(values, start, end, row);
      });
      return { ...keysOf(type, low, high), notFinite, inner: flatness.inner, flat: flatness.flat };
    },
    bins: async (low, high) => {
      const histogram = emptyHistogram(type, low, high);
      await eachRow((values, start, end) => {
        for (let at = start; at < end; at++) {
          const stored = values[at] as number;
          if (!Number.isFinite(stored)) continue;
          const value = rounded ? rounded(stored) : stored;
          if (value >= low && value <= high) add(histogram, value, 1);
        }
      });
      return histogram;
    },
  };
}

interface GrowingHistogram extends Histogram {
  readonly counts: number[];
}

function emptyHistogram(type: ElementType, low: number, high: number): GrowingHistogram {
  return { low, binWidth: binWidthOf(isFloatType(type), low, high), counts: new Array<number>(binCount).fill(0) };
}

function add({ low, binWidth, counts }: GrowingHistogram, value: number, count: number): void {
  const bin = Math.min(binCount - 1, Math.floor((value - low) / binWidth));
  counts[bin] = (counts[bin] as number) + count;
}

/** Counts, in every n-th row, the finite nonzero voxels from `low` to `high` with a left neighbour, and those that equal it. */
class Flatness {
  inner = 0;
  flat = 0;
  readonly #low: number;
  readonly #high: number;
  readonly #rounded: (value: number) => number;

  /** @param rounded applied to finite values before they are compared */
  constructor(low = -Infinity, high = Infinity, rounded = (value: number) => value) {
    this.#low = low;
    this.#high = high;
    this.#rounded = rounded;
  }

  addRow(values: VoxelArray, start: number, end: number, row: number): void {
    if (row % flatRowStep !== 0) return;
    for (let at = start + 1; at < end; at++) {
      const stored = values[at] as number;
      if (!Number.isFinite(stored)) continue;
      const value = this.#rounded(stored);
      if (value === 0 || value < this.#low || value > this.#high) continue;
      this.inner++;
      const left = values[at - 1] as number;
      if (Number.isFinite(left) && this.#rounded(left) === value) this.flat++;
    }
  }
}

/** The values of a range of keys. */
function rangeOfKeys(type: ElementType, [first, last]: CountedKeys): [low: number, high: number] {
  const [lowest, highest] = [voxelKey(type, -Infinity), voxelKey(type, Infinity)];
  return [keyValue(type, Math.max(first, lowest)), keyValue(type, Math.min(last, highest))];
}

/** The keys of a range of values. If `low` is above `high`, no value was found. */
function keysOf(type: ElementType, low: number, high: number): Pick<RangeFound, 'lowKey' | 'highKey'> {
  return low <= high ? { lowKey: voxelKey(type, low), highKey: voxelKey(type, high) } : { lowKey: 0xffffffff, highKey: 0 };
}
