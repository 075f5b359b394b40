import histogramShader from '../../shaders/volume/histogram.wgsl';
import rangeShader from '../../shaders/volume/range.wgsl';
import { type GpuVoxels, rowBytes } from '../codec/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { Kernel } from '../gpu/kernel.ts';
import { inRealOrder, realDirection } from '../shared/real-order.ts';
import { type ElementType, elementBytes, type VolumeInfo } from '../shared/volume.ts';
import { automaticWindow, type BinCounter, percentileWindow } from './automatic-window.ts';
import type { Histogram } from './histogram.ts';
import { findNumbers } from './missing-values.ts';
import { rangeStart } from './value-scale.ts';
import { elementTypeNumber, floatBits, isFloatType, keyValue, typeRange, voxelKey } from './voxel-key.ts';

/** Statistics of all stored values. NaN and infinities are only counted. */
export interface VolumeStatistics {
  /** Exact, except that f64 is rounded to f32. Both are 0 if nothing is finite. */
  readonly min: number;
  readonly max: number;
  /** Number of finite voxels. */
  readonly count: number;
  /**
   * The range of the meaningful values: without markers for missing data, such as the largest float or values far outside all
   * others. Values beyond it are displayed like NaN, and excluded from histogram, window and percentiles.
   */
  readonly numbers: readonly [lowest: number, highest: number];
  /** Number of finite voxels beyond `numbers`. */
  readonly missing: number;
  /** Number of NaN and infinite voxels. */
  readonly notFinite: number;
  /** Over all values within `numbers`, `count − missing` of them. */
  readonly histogram: Histogram;
  /** A robust display window in the order of real values (real-order.ts): see `automaticWindow`. */
  readonly window: readonly [low: number, high: number];
  /** The 1st and the 99th percentile, in the same order: see `percentileWindow`. */
  readonly percentiles: readonly [low: number, high: number];
  /** The share of nonzero voxels that equal their left neighbour, in a sample of rows, 0…1: near 1 for labels, low for scans. */
  readonly flatness: number;
}

const binCount = 256;

/** Units (see range.wgsl) per dispatch, about 32 MiB of voxels, so that a slow GPU is not blocked for long. */
const unitsPerDispatch = 2 ** 23;
const unitsPerWorkgroup = 4096;

/**
 * Brings all boxes of a volume into GPU memory, one after another, and waits for `visit` each time. In codec elements: an f64
 * box is twice as wide as its voxels.
 */
export type BoxWalk = (visit: (box: GpuVoxels, rows?: RowRange) => Promise<void>) => Promise<void>;

/** Rows of a box, counted through its planes. Default: all. */
export type RowRange = readonly [first: number, end: number];

/**
 * Statistics of all voxels of a volume's boxes, in two passes on the GPU (more if outliers or markers stretch the range).
 * @param voxels the number of voxels in all boxes
 * @throws StriaError `device-lost`
 */
export async function computeStatistics(
  gpu: Gpu,
  info: Pick<VolumeInfo, 'type' | 'slope'>,
  voxels: number,
  boxes: BoxWalk,
): Promise<VolumeStatistics> {
  const { type } = info;
  const isByte = elementBytes(type) === 1;
  const [lowKey, highKey, notFinite, inner, flat] = await measureRange(gpu, type, boxes, everyKey, isByte ? 16 : 1);
  const count = voxels - notFinite;
  const countBins: BinCounter = (low, high) => countInBins(gpu, type, boxes, low, high);
  let min = count === 0 ? 0 : keyValue(type, lowKey);
  let max = count === 0 ? 0 : keyValue(type, highKey);
  let histogram = await (isByte ? countBins(...typeRange(type)) : countBins(min, max));
  if (isByte) {
    min = histogram.low + histogram.counts.findIndex((bin) => bin > 0);
    max = histogram.low + histogram.counts.findLastIndex((bin) => bin > 0);
  }
  const numbers = await findNumbers({
    ...{ type, min, max, count, histogram },
    between: async (low, high) => {
      const keys = [voxelKey(type, low) + 1, voxelKey(type, high) - 1] as const;
      const [first, last] = await measureRange(gpu, type, boxes, keys, 1);
      return first <= last ? [keyValue(type, first), keyValue(type, last)] : undefined;
    },
    countFrom: async (low, high) => sum((await countBins(low, high)).counts),
  });
  if (numbers[0] !== min || numbers[1] !== max) histogram = await countBins(...numbers);
  const known = sum(histogram.counts);
  const range = { min: numbers[0], max: numbers[1], count: known, direction: realDirection(info) };
  const window = await automaticWindow(range, histogram, countBins);
  const percentiles = inRealOrder(await percentileWindow(range, histogram, countBins), info);
  return {
    ...{ min, max, count, notFinite, numbers, histogram, window, percentiles },
    missing: count - known,
    flatness: inner === 0 ? 0 : flat / inner,
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, bin) => total + bin, 0);
}

type KeyRange = readonly [first: number, last: number];
const everyKey: KeyRange = [0, 0xffffffff];

/** Statistics of the values whose keys are in a range. */
async function measureRange(gpu: Gpu, type: ElementType, boxes: BoxWalk, keys: KeyRange, rowStep: number) {
  using scope = gpu.scope('statistics');
  const result = scope.storage('range', 20, new Uint32Array([0xffffffff, 0, 0, 0, 0]));
  await forEachPiece(gpu, type, boxes, { name: 'range', shader: rangeShader, result, rowStep, uniforms: [rowStep, ...keys] });
  return [...(await gpu.readWords(result))] as [number, number, number, number, number];
}

/** Counts finite voxels from `low` to `high` in `binCount` equal bins; bins of integers have whole widths. */
async function countInBins(gpu: Gpu, type: ElementType, boxes: BoxWalk, low: number, high: number): Promise<Histogram> {
  using scope = gpu.scope('statistics');
  const result = scope.storage('counts', 4 * binCount);
  const binWidth = isFloatType(type)
    ? Math.max((high - low) / binCount, Number.MIN_VALUE)
    : Math.max(1, Math.ceil((high - low + 1) / binCount));
  const { power, key, scaledBits } = rangeStart(type, [low, high]);
  const binsPerValue = high > low ? 1 / (2 ** power * binWidth) : 0;
  const uniforms = [
    ...[key, voxelKey(type, high), scaledBits, floatBits(binsPerValue)],
    ...[isFloatType(type) ? 1 : binWidth, power >>> 0],
  ];
  await forEachPiece(gpu, type, boxes, { name: 'histogram', shader: histogramShader, result, rowStep: 1, uniforms });
  return { low, binWidth, counts: [...(await gpu.readWords(result))] };
}

interface PieceWork {
  readonly name: string;
  readonly shader: ShaderFile;
  readonly result: GPUBuffer;
  /** Only every n-th row is examined. */
  readonly rowStep: number;
  /** The kernel's uniform after row_units, row_voxels, first_unit and unit_count. */
  readonly uniforms: readonly number[];
}

/** Runs a kernel over all boxes, cut into dispatches that are short on every GPU. */
async function forEachPiece(gpu: Gpu, type: ElementType, boxes: BoxWalk, work: PieceWork): Promise<void> {
  const kernel: Kernel = gpu.kernel({
    label: `resident.${work.name}`,
    shader: work.shader,
    constants: { element_type: elementTypeNumber(type) },
  });
  const unitBytes = type === 'f64' ? 8 : 4;
  await boxes(async ({ buffer, dims, elementBytes: codecBytes }, [firstRow, endRow] = [0, dims[1] * dims[2]]) => {
    const rowUnits = rowBytes(dims[0], codecBytes) / unitBytes;
    const rowVoxels = type === 'f64' ? dims[0] / 2 : dims[0];
    const units = rowUnits * Math.ceil(endRow / work.rowStep);
    for (let first = rowUnits * Math.ceil(firstRow / work.rowStep); first < units; first += unitsPerDispatch) {
      using scope = gpu.scope('statistics');
      const count = Math.min(unitsPerDispatch, units - first);
      const uniform = scope.uniform(work.name, [rowUnits, rowVoxels, first, count, ...work.uniforms]);
      const workgroups = Math.ceil(count / unitsPerWorkgroup);
      await gpu.commands(work.name).dispatch(kernel, [buffer, uniform, work.result], [workgroups, 1, 1]).submit();
    }
  });
}
