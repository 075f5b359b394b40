import type { Region } from '../../../core/volume/region-statistics.ts';
import { axisNumber, type Measurement } from '../model/measure.ts';
import { innerProduct, lengthOf, type Metric, stepBetween } from '../model/metric.ts';
import type { Voxel } from '../model/slice-geometry.ts';

/**
 * The voxels whose centres a rectangle or sphere contains. Undefined for other kinds, and for a region that contains no voxel
 * of the volume.
 */
export function regionOf({ kind, axis, points }: Measurement, metric: Metric, dims: Voxel): Region | undefined {
  const [a, b] = points as [Voxel, Voxel];
  if (kind === 'sphere') return sphere(a, innerProduct(metric, stepBetween(a, b), stepBetween(a, b)), metric, dims);
  if (kind !== 'rectangle') return undefined;
  const across = axisNumber(axis);
  const range = (along: 0 | 1 | 2): readonly [first: number, last: number] => {
    if (along === across) return [Math.floor(a[along]), Math.floor(a[along])];
    return middlesBetween(Math.min(a[along], b[along]), Math.max(a[along], b[along]));
  };
  const ranges = [clipped(range(0), dims[0]), clipped(range(1), dims[1]), clipped(range(2), dims[2])] as const;
  return boxed(ranges, () => ranges[0]);
}

/**
 * How much of a rectangle or sphere is outside the volume, by its outline. The volume ends at the outer sides of its
 * outermost voxels.
 */
export function outsideOf({ kind, axis, points }: Measurement, metric: Metric, dims: Voxel): 'none' | 'partly' | 'wholly' {
  if (kind !== 'rectangle' && kind !== 'sphere') return 'none';
  const [a, b] = points as [Voxel, Voxel];
  const across = axisNumber(axis);
  const radius = kind === 'sphere' ? lengthOf(metric, stepBetween(a, b)) : 0;
  const spans = ([0, 1, 2] as const).map((along): readonly [low: number, high: number] => {
    if (kind === 'sphere') {
      const reach = radius * Math.sqrt(inverseDiagonal(metric, along));
      return [a[along] - reach, a[along] + reach];
    }
    if (along === across) return [Math.floor(a[along]), Math.floor(a[along]) + 1];
    return [Math.min(a[along], b[along]), Math.max(a[along], b[along])];
  });
  if (spans.some(([low, high], along) => high <= 0 || low >= (dims[along] as number))) return 'wholly';
  return spans.some(([low, high], along) => low < -slack || high > (dims[along] as number) + slack) ? 'partly' : 'none';
}

/** The tolerance for float noise, in voxels. */
const slack = 1e-6;

/** The voxels at most √`squared` from the centre. */
function sphere(center: Voxel, squared: number, metric: Metric, dims: Voxel): Region | undefined {
  const [xx, xy, xz] = metric[0];
  const row = (y: number, z: number): readonly [number, number] | undefined => {
    const [down, back] = [y + 0.5 - center[1], z + 0.5 - center[2]];
    // Along a row, the squared distance is xx x² + 2 b x + c.
    const b = xy * down + xz * back;
    const c = metric[1][1] * down * down + 2 * metric[1][2] * down * back + metric[2][2] * back * back - squared;
    const root = b * b - xx * c;
    if (root < 0) return undefined;
    const half = Math.sqrt(root) / xx;
    const middle = center[0] - b / xx;
    const span = clipped(middlesBetween(middle - half, middle + half), dims[0]);
    return span[0] <= span[1] ? span : undefined;
  };
  const ranges = ([0, 1, 2] as const).map((axis) => {
    const reach = Math.sqrt(squared * inverseDiagonal(metric, axis));
    return clipped(middlesBetween(center[axis] - reach, center[axis] + reach), dims[axis]);
  });
  return boxed(ranges as [Span, Span, Span], row);
}

type Span = readonly [first: number, last: number];

function boxed(ranges: readonly [Span, Span, Span], row: Region['row']): Region | undefined {
  if (ranges.some(([first, last]) => first > last)) return undefined;
  const length = ([first, last]: Span): number => last - first + 1;
  return {
    first: [ranges[0][0], ranges[1][0], ranges[2][0]],
    size: [length(ranges[0]), length(ranges[1]), length(ranges[2])],
    row,
  };
}

/** The voxels whose centres are between two positions. */
function middlesBetween(low: number, high: number): Span {
  return [Math.ceil(low - 0.5), Math.floor(high - 0.5)];
}

function clipped([first, last]: Span, length: number): Span {
  return [Math.max(0, first), Math.min(length - 1, last)];
}

/** A diagonal element of the inverse: the squared extent of a sphere of radius 1 along an axis, in voxels. */
function inverseDiagonal(metric: Metric, axis: 0 | 1 | 2): number {
  const [i, j] = axis === 0 ? ([1, 2] as const) : axis === 1 ? ([0, 2] as const) : ([0, 1] as const);
  const minor = metric[i][i] * metric[j][j] - metric[i][j] * metric[j][i];
  const [a, b, c] = metric;
  const determinant =
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  return minor / determinant;
}
