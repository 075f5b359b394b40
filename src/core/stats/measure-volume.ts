import type { OpenVolume } from '../io/common/volume-reader.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { type Dims3, elementBytes, typedVoxels, type VolumeInfo, voxelCount } from '../shared/volume.ts';
import { readVoxels } from '../stream/voxel-reader.ts';
import { RunningValues, type ValueStatistics } from './running-values.ts';

/** Statistics of the voxels with one label, at one time point. */
export interface RegionRow extends ValueStatistics {
  /** Undefined if no labels were given: all voxels. */
  readonly label?: number | undefined;
  /** The time point or channel, from 0. */
  readonly t: number;
  /** Of all its voxels, also those that are not finite. Undefined if the unit of length is unknown. */
  readonly volumeMm3?: number | undefined;
}

export interface MeasureSettings {
  /** A volume of whole numbers on the same grid. If it has one time point, that holds for all. */
  readonly labels?: OpenVolume | undefined;
  /** Measure only these voxels. */
  readonly box?: { readonly origin: Dims3; readonly dims: Dims3 } | undefined;
}

/** More labels than this are a sign that the volume holds intensities. */
const mostLabels = 2 ** 16;

const pieceVoxels = 2 ** 20;

/**
 * Measures physical values (slope × stored + intercept), streaming both volumes in bounded memory.
 * @returns a row for each time point and label that occurs, 0 included, in order
 * @throws StriaError `invalid-input` if the labels are on another grid or are not labels, or the box reaches out of the volume;
 * errors of the volumes; `aborted`
 */
export async function measureVolume(
  volume: OpenVolume,
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
      const regions = new Map<number, RunningValues>();
      for (let start = 0; start < perTime; start += pieceVoxels) {
        throwIfAborted(signal);
        const count = Math.min(pieceVoxels, perTime - start);
        const piece = bytes.subarray(0, count * width);
        await values.fill(piece);
        const labelPiece = labelBytes.subarray(0, count * labelWidth);
        await labelValues?.fill(labelPiece);
        const voxels = typedVoxels(info.type, piece);
        const marks = labels && typedVoxels(labels.info.type, labelPiece);
        addPiece(regions, info, voxels, marks, box && { ...box, start });
        onProgress?.({ stage: 'Measuring', done: t * perTime + start + count, total });
      }
      for (const [label, region] of [...regions].sort(([a], [b]) => a - b)) {
        const statistics = region.statistics();
        const volumeMm3 = cubicMillimetres(info) * (statistics.count + statistics.notFinite);
        rows.push({
          ...(labels && { label }),
          t,
          ...statistics,
          ...(Number.isFinite(volumeMm3) && { volumeMm3 }),
        });
      }
      // One set of labels for all time points is read again for each.
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

function addPiece(
  regions: Map<number, RunningValues>,
  { dims, slope, intercept }: VolumeInfo,
  voxels: ArrayLike<number>,
  marks: ArrayLike<number> | undefined,
  box: (NonNullable<MeasureSettings['box']> & { readonly start: number }) | undefined,
): void {
  let last: number | undefined;
  let region: RunningValues | undefined;
  for (let at = 0; at < voxels.length; at++) {
    if (box && !isInside(dims, box, box.start + at)) continue;
    const label = marks ? (marks[at] as number) : 0;
    if (label !== last || !region) {
      region = regions.get(label);
      if (!region) {
        if (regions.size === mostLabels) {
          throw new StriaError(
            'invalid-input',
            `the labels have more than ${mostLabels} different values; they look like an image`,
          );
        }
        region = new RunningValues();
        regions.set(label, region);
      }
      last = label;
    }
    region.add(slope * (voxels[at] as number) + intercept);
  }
}

function isInside(
  dims: VolumeInfo['dims'],
  { origin, dims: lengths }: NonNullable<MeasureSettings['box']>,
  index: number,
): boolean {
  const x = index % dims[0];
  const y = Math.floor(index / dims[0]) % dims[1];
  const z = Math.floor(index / (dims[0] * dims[1]));
  return (
    x >= origin[0] &&
    x < origin[0] + lengths[0] &&
    y >= origin[1] &&
    y < origin[1] + lengths[1] &&
    z >= origin[2] &&
    z < origin[2] + lengths[2]
  );
}

function checkLabels(info: VolumeInfo, labels: VolumeInfo): void {
  const fault = (message: string) => new StriaError('invalid-input', message);
  if (labels.type === 'f32' || labels.type === 'f64') throw fault(`labels must be whole numbers, but these are ${labels.type}`);
  const [x, y, z, t] = labels.dims;
  if (x !== info.dims[0] || y !== info.dims[1] || z !== info.dims[2] || (t !== 1 && t !== info.dims[3])) {
    throw fault(
      `the labels have ${labels.dims.join('×')} voxels, but the volume has ${info.dims.join('×')}; both need the same grid`,
    );
  }
  const scale = Math.max(...info.affine.map(Math.abs));
  const isSame = info.affine.every((value, at) => Math.abs(value - (labels.affine[at] as number)) <= affineTolerance * scale);
  if (!isSame) throw fault('the labels lie elsewhere: their affine differs from that of the volume; both need the same grid');
}

/** Programs round affines to 32-bit floats. */
const affineTolerance = 1e-4;

function checkBox({ dims }: VolumeInfo, { origin, dims: lengths }: NonNullable<MeasureSettings['box']>): void {
  for (const axis of [0, 1, 2] as const) {
    const end = origin[axis] + lengths[axis];
    if (end <= dims[axis]) continue;
    throw new StriaError('invalid-input', `the box ends at ${'xyz'[axis]} = ${end}, but the volume at ${dims[axis]}`);
  }
}

const millimetres = { m: 1000, mm: 1, um: 0.001, unknown: Number.NaN } as const;

/** The volume of a voxel: the determinant of the affine's linear part. NaN if the unit of length is unknown. */
function cubicMillimetres({ affine, spatialUnit }: VolumeInfo): number {
  const [a = 0, b = 0, c = 0, , d = 0, e = 0, f = 0, , g = 0, h = 0, i = 0] = affine;
  return Math.abs(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) * millimetres[spatialUnit] ** 3;
}
