import histogramShader from '../../shaders/volume/histogram.wgsl';
import rangeShader from '../../shaders/volume/range.wgsl';
import { type GpuVoxels, rowBytes } from '../codec/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { Kernel } from '../gpu/kernel.ts';
import { type ElementType, elementBytes, type VolumeInfo } from '../shared/volume.ts';
import type { Histogram } from './histogram.ts';
import {
  binCount,
  binWidthOf,
  type CountedKeys,
  deriveStatistics,
  type RangeFound,
  type VolumeStatistics,
} from './statistics.ts';
import { rangeStart } from './value-scale.ts';
import { elementTypeNumber, floatBits, isFloatType, voxelKey } from './voxel-key.ts';

/** Units (see range.wgsl) per dispatch, about 32 MiB of voxels, so that a slow GPU is not blocked for long. */
const unitsPerDispatch = 2 ** 23;
const unitsPerWorkgroup = 4096;

/** The kernels count in 32 bits, so their counters are read and cleared after at most this many voxels. */
const mostCounted = 2 ** 31;

/**
 * Brings all boxes of a volume into GPU memory, one after another, and waits for `visit` each time. Boxes are in codec elements: an
 * f64 box has two along x for each voxel.
 */
export type BoxWalk = (visit: (box: GpuVoxels, rows?: RowRange) => Promise<void>) => Promise<void>;

/** Rows of a box, counted through its planes. Default: all. */
export type RowRange = readonly [first: number, end: number];

/**
 * Statistics of all voxels of a volume's boxes, in two passes on the GPU (more if outliers or markers stretch the range).
 * @param voxels the number of voxels in all boxes
 * @param most how many voxels a kernel counts before its counters are read. Only tests change it
 * @throws StriaError `device-lost`
 */
export async function computeStatistics(
  gpu: Gpu,
  info: Pick<VolumeInfo, 'type' | 'slope'>,
  voxels: number,
  boxes: BoxWalk,
  most = mostCounted,
): Promise<VolumeStatistics> {
  const rowStep = elementBytes(info.type) === 1 ? 16 : 1;
  return deriveStatistics(info, voxels, {
    range: (keys) => measureRange(gpu, info.type, boxes, keys, { rowStep, most }),
    bins: (low, high) => countInBins(gpu, info.type, boxes, [low, high], most),
  });
}

/** Measures the values whose keys are in a range. */
async function measureRange(
  gpu: Gpu,
  type: ElementType,
  boxes: BoxWalk,
  keys: CountedKeys,
  { rowStep, most }: Pick<PieceWork, 'rowStep' | 'most'>,
): Promise<RangeFound> {
  using scope = gpu.scope('statistics');
  const result = scope.storage('range', 20, new Uint32Array([0xffffffff, 0, 0, 0, 0]));
  let found: RangeFound = { lowKey: 0xffffffff, highKey: 0, notFinite: 0, inner: 0, flat: 0 };
  const take = async () => {
    const [lowKey = 0, highKey = 0, notFinite = 0, inner = 0, flat = 0] = await gpu.readWords(result);
    found = {
      lowKey,
      highKey,
      notFinite: found.notFinite + notFinite,
      inner: found.inner + inner,
      flat: found.flat + flat,
    };
    // The keys stay.
    await gpu
      .commands('range')
      .record((encoder) => encoder.clearBuffer(result, 8))
      .submit();
  };
  const uniforms = [rowStep, ...keys];
  await forEachPiece(gpu, type, boxes, { name: 'range', shader: rangeShader, result, take, most, rowStep, uniforms });
  await take();
  return found;
}

/** Counts finite voxels from `low` to `high` in `binCount` equal bins; bins of integers have whole widths. */
async function countInBins(
  gpu: Gpu,
  type: ElementType,
  boxes: BoxWalk,
  [low, high]: readonly [low: number, high: number],
  most: number,
): Promise<Histogram> {
  using scope = gpu.scope('statistics');
  const result = scope.storage('counts', 4 * binCount);
  const binWidth = binWidthOf(isFloatType(type), low, high);
  const { power, key, scaledBits } = rangeStart(type, [low, high]);
  const binsPerValue = high > low ? 1 / (2 ** power * binWidth) : 0;
  const uniforms = [
    ...[key, voxelKey(type, high), scaledBits, floatBits(binsPerValue)],
    ...[isFloatType(type) ? 1 : binWidth, power >>> 0],
  ];
  const counts = new Array<number>(binCount).fill(0);
  const take = async () => {
    for (const [bin, count] of (await gpu.readWords(result)).entries()) counts[bin] = (counts[bin] as number) + count;
    await gpu
      .commands('histogram')
      .record((encoder) => encoder.clearBuffer(result))
      .submit();
  };
  await forEachPiece(gpu, type, boxes, { name: 'histogram', shader: histogramShader, result, take, most, rowStep: 1, uniforms });
  await take();
  return { low, binWidth, counts };
}

interface PieceWork {
  readonly name: string;
  readonly shader: ShaderFile;
  readonly result: GPUBuffer;
  /** Adds what `result` has counted, and clears its counters. */
  readonly take: () => Promise<void>;
  /** How many voxels `result` can count. */
  readonly most: number;
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
  let counted = 0;
  await boxes(async ({ buffer, dims, elementBytes: codecBytes }, [firstRow, endRow] = [0, dims[1] * dims[2]]) => {
    const rowUnits = rowBytes(dims[0], codecBytes) / unitBytes;
    const rowVoxels = type === 'f64' ? dims[0] / 2 : dims[0];
    const units = rowUnits * Math.ceil(endRow / work.rowStep);
    for (let first = rowUnits * Math.ceil(firstRow / work.rowStep); first < units; first += unitsPerDispatch) {
      using scope = gpu.scope('statistics');
      const count = Math.min(unitsPerDispatch, units - first);
      const voxels = count * (unitBytes / elementBytes(type));
      if (counted > 0 && counted + voxels > work.most) {
        await work.take();
        counted = 0;
      }
      counted += voxels;
      const uniform = scope.uniform(work.name, [rowUnits, rowVoxels, first, count, ...work.uniforms]);
      const workgroups = Math.ceil(count / unitsPerWorkgroup);
      await gpu.commands(work.name).dispatch(kernel, [buffer, uniform, work.result], [workgroups, 1, 1]).submit();
    }
  });
}
