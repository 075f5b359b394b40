import { affineColumns, affineOrigin } from '../io/common/affine.ts';
import type { OpenVolume } from '../io/common/volume-reader.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { mostLabels } from '../shared/label-table.ts';
import { vectorLength } from '../shared/vectors.ts';
import {
  type Dims3,
  elementBytes,
  metresOf,
  typedVoxels,
  type VolumeInfo,
  type VoxelArray,
  voxelCount,
} from '../shared/volume.ts';
import { readVoxels } from '../stream/voxel-reader.ts';
import { type RegionStatistics, RunningStatistics } from '../volume/region-statistics.ts';
import { voxelMm3 } from '../volume/voxel-volume.ts';

/** Statistics of the voxels with one label, at one time point. */
export interface RegionRow extends RegionStatistics {
  /** Undefined if no labels were given: all voxels. */
  readonly label?: number | undefined;
  /** The time point or channel, from 0. */
  readonly t: number;
  /** The volume of all its voxels, including those that are not finite. Undefined if the unit of length is unknown. */
  readonly volumeMm3?: number | undefined;
}

/** What is measured of a volume. */
export type MeasuredVolume = Pick<OpenVolume, 'info' | 'voxels' | 'fill'>;

export interface MeasureSettings {
  /** An integer volume on the same grid. If it has a single time point, that applies to all time points. */
  readonly labels?: MeasuredVolume | undefined;
  /** Measure only these voxels. */
  readonly box?: { readonly origin: Dims3; readonly dims: Dims3 } | undefined;
}

const pieceVoxels = 2 ** 20;

/**
 * Measures physical values (slope × stored + intercept), streaming both volumes in bounded memory.
 * @returns a row for each time point and label that occurs, 0 included, in order
 * @throws StriaError `invalid-input` if the labels are on another grid or are not labels, or the box reaches out of the volume;
 * errors of the volumes; `aborted`
 */
export async function measureVolume(
  volume: MeasuredVolume,
  { labels, box }: MeasureSettings,
  { signal, onProgress }: JobOptions = {},
): Promise<RegionRow[]> {
  const { info } = volume;
  if (labels) checkLabels(info, labels.info);
  if (box) checkBox(info, box);
  const perTime = info.dims[0] * info.dims[1] * info.dims[2];
  const isStill = labels?.info.dims[3] === 1;
  const values = readVoxels(volume, signal);
  let labelValues = labels && readVoxels(labels, signal);
  const rows: RegionRow[] = [];
  const total = voxelCount(info.dims);
  const width = elementBytes(info.type);
  const labelWidth = labels ? elementBytes(labels.info.type) : 0;
  const bytes = new Uint8Array(Math.min(pieceVoxels, perTime) * width);
  const labelBytes = new Uint8Array(Math.min(pieceVoxels, perTime) * labelWidth);
  try {
    for (let t = 0; t < info.dims[3]; t++) {
      const regions = new Map<number, RunningStatistics>();
      for (let start = 0; start < perTime; start += pieceVoxels) {
        throwIfAborted(signal);
        const count = Math.min(pieceVoxels, perTime - start);
        const piece = bytes.subarray(0, count * width);
        await values.fill(piece);
        const labelPiece = labelBytes.subarray(0, count * labelWidth);
        await labelValues?.fill(labelPiece);
        const voxels = typedVoxels(info.type, piece);
        const marks = labels && typedVoxels(labels.info.type, labelPiece);
        addPiece(regions, info, { voxels, marks, start }, box);
        onProgress?.({ stage: 'Measuring', done: t * perTime + start + count, total });
      }
      for (const [label, region] of [...regions].sort(([a], [b]) => a - b)) {
        const statistics = region.result();
        const volumeMm3 = voxelMm3(info) * (statistics.count + statistics.notFinite);
        rows.push({
          ...(labels && { label }),
          t,
          ...statistics,
          ...(Number.isFinite(volumeMm3) && { volumeMm3 }),
        });
      }
      // Labels with a single time point are read again for each time point of the volume.
      if (labels && isStill && t + 1 < info.dims[3]) {
        await labelValues?.close();
        labelValues = readVoxels(labels, signal);
      }
    }
    await values.end();
  } finally {
    await values.close();
    await labelValues?.close();
  }
  return rows;
}

/** Adds a piece of voxels that begins at voxel `start` of its time point, run by run of equal labels. */
function addPiece(
  regions: Map<number, RunningStatistics>,
  { dims, slope, intercept }: VolumeInfo,
  { voxels, marks, start }: { readonly voxels: VoxelArray; readonly marks: VoxelArray | undefined; readonly start: number },
  box: MeasureSettings['box'],
): void {
  for (const [first, end] of box ? rowsInBox(dims, box, start, voxels.length) : [[0, voxels.length] as const]) {
    for (let at = first; at < end; ) {
      const label = marks ? (marks[at] as number) : 0;
      let next = marks ? at + 1 : end;
      while (next < end && marks?.[next] === label) next++;
      regionOf(regions, label).add(voxels, at, next, slope, intercept);
      at = next;
    }
  }
}

function regionOf(regions: Map<number, RunningStatistics>, label: number): RunningStatistics {
  const known = regions.get(label);
  if (known) return known;
  if (regions.size === mostLabels) {
    throw new StriaError('invalid-input', `the labels have more than ${mostLabels} different values; they look like an image`);
  }
  const region = new RunningStatistics();
  regions.set(label, region);
  return region;
}

/** The rows of a box that lie in a piece of `count` voxels, as indexes in the piece: the first voxel, and the end. */
function* rowsInBox(
  [width, height]: VolumeInfo['dims'],
  { origin, dims }: NonNullable<MeasureSettings['box']>,
  start: number,
  count: number,
): Generator<readonly [first: number, end: number]> {
  for (let row = Math.floor(start / width); row * width < start + count; row++) {
    const [y, z] = [row % height, Math.floor(row / height)];
    if (y < origin[1] || y >= origin[1] + dims[1] || z < origin[2] || z >= origin[2] + dims[2]) continue;
    const first = row * width + origin[0] - start;
    const range = [Math.max(0, first), Math.min(count, first + dims[0])] as const;
    if (range[0] < range[1]) yield range;
  }
}

function checkLabels(info: VolumeInfo, labels: VolumeInfo): void {
  const fault = (message: string) => new StriaError('invalid-input', message);
  if (labels.type === 'f32' || labels.type === 'f64') throw fault(`labels must be integers, but these are ${labels.type}`);
  const [x, y, z, t] = labels.dims;
  if (x !== info.dims[0] || y !== info.dims[1] || z !== info.dims[2] || (t !== 1 && t !== info.dims[3])) {
    throw fault(
      `the labels have ${labels.dims.join('×')} voxels, but the volume has ${info.dims.join('×')}; both need the same grid`,
    );
  }
  if (!(distanceBetween(info, labels) <= mostDistance)) {
    throw fault('the labels are in a different position: their affine differs from the volume’s; both need the same grid');
  }
}

/** In voxels. Programs round affines to 32-bit floats. */
const mostDistance = 0.25;

/** How far a voxel of a grid is from the same voxel of another grid at most, in voxels. If a unit is unknown, both count as equal. */
function distanceBetween({ affine, dims, spatialUnit }: VolumeInfo, other: VolumeInfo): number {
  const ratio = metresOf[other.spatialUnit] / metresOf[spatialUnit];
  const units = Number.isFinite(ratio) ? ratio : 1;
  const difference = affine.map((value, at) => units * (other.affine[at] as number) - value);
  const alongAxes = affineColumns(difference).map((step, axis) => vectorLength(step) * ((dims[axis] as number) - 1));
  const most = alongAxes.reduce((sum, length) => sum + length, vectorLength(affineOrigin(difference)));
  return most / Math.min(...affineColumns(affine).map(vectorLength));
}

function checkBox({ dims }: VolumeInfo, { origin, dims: lengths }: NonNullable<MeasureSettings['box']>): void {
  for (const axis of [0, 1, 2] as const) {
    const end = origin[axis] + lengths[axis];
    if (end <= dims[axis]) continue;
    throw new StriaError('invalid-input', `the box ends at ${'xyz'[axis]} = ${end}, but the volume at ${dims[axis]}`);
  }
}
