import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { mostLabels, tooManyLabels } from '../shared/label-table.ts';
import type { Dims3, VoxelArray } from '../shared/volume.ts';
import { labelNumbers } from './label-number.ts';
import { readBlock } from './read-block.ts';
import { type RegionStatistics, RunningStatistics } from './region-statistics.ts';
import type { ExactVoxels } from './volume-source.ts';

/** Statistics of an image inside a label. */
export interface LabelStatistics extends RegionStatistics {
  readonly number: number;
  /** The number of the label's voxels whose centres lie outside the image. The others are in `count` or `notFinite`. */
  readonly outside: number;
}

/** Maps voxel positions of the labels to those of the image; voxel i covers i to i + 1. */
export interface ToImage {
  readonly columns: readonly [x: Dims3, y: Dims3, z: Dims3];
  readonly shift: Dims3;
}

export interface LabelledImage {
  readonly labels: ExactVoxels;
  readonly labelTime: number;
  readonly image: ExactVoxels;
  readonly imageTime: number;
  readonly toImage: ToImage;
}

/** At most this many planes of labels are read at once: the depth of a chunk, so that few chunks are decoded for several blocks. */
const planesAtOnce = 64;
/** The maximum number of voxels of labels and image in memory at once. A few planes of labels may need all of a rotated image. */
const mostVoxels = 2 ** 23;

/**
 * Statistics of an image's physical values inside each label, 0 included, in ascending order of the labels. At the centre of each
 * voxel of the labels, the image's value is that of the image voxel that contains the centre, never interpolated. If both volumes have
 * the same grid, these are the statistics of `measureVolume` in core/stats.
 * @throws StriaError `unsupported` if there are too many labels, or not all voxels are kept; `aborted`, `device-lost`
 */
export async function labelStatistics(
  { labels, labelTime, image, imageTime, toImage }: LabelledImage,
  { signal, onProgress }: JobOptions = {},
  most = mostVoxels,
): Promise<readonly LabelStatistics[]> {
  const [width, height, depth] = labels.info.dims;
  const numberOf = labelNumbers(labels.info.type);
  const regions = new Map<number, { readonly running: RunningStatistics; outside: number }>();
  const regionOf = (number: number) => {
    const known = regions.get(number);
    if (known) return known;
    if (regions.size === mostLabels) throw tooManyLabels();
    const region = { running: new RunningStatistics(), outside: 0 };
    regions.set(number, region);
    return region;
  };
  const { slope, intercept } = image.info;
  const samples = new Float64Array(width);
  const measureBlock = async ({ first, size }: Part) => {
    const [columns, rows, planes] = size;
    const marks = await readBlock(labels, { first, size, timePoint: labelTime });
    throwIfAborted(signal);
    const part = partOfImage(image, toImage, { first, size });
    const voxels = part && (await readBlock(image, { ...part, timePoint: imageTime }));
    for (let row = 0; row < rows * planes; row++) {
      const place = [first[0] + 0.5, first[1] + (row % rows) + 0.5, first[2] + Math.floor(row / rows) + 0.5] as const;
      const [x, y, z] = mapped(toImage, place);
      const [a, b, c] = toImage.columns[0];
      for (let at = 0; at < columns; ) {
        const number = numberOf(marks[row * columns + at] as number);
        let [count, outside] = [0, 0];
        for (; at < columns && numberOf(marks[row * columns + at] as number) === number; at++) {
          const value = voxels && valueAt(part, voxels, x + at * a, y + at * b, z + at * c);
          if (value === undefined) outside++;
          else samples[count++] = value;
        }
        // NaN does not equal itself. Infinities are also left out, as in `labelCounts`.
        if (Number.isNaN(number)) at++;
        if (!Number.isFinite(number)) continue;
        const region = regionOf(number);
        region.outside += outside;
        region.running.add(samples, 0, count, slope, intercept);
      }
    }
  };
  let done = 0;
  for (let first = 0; first < depth; first += planesAtOnce) {
    throwIfAborted(signal);
    const planes = Math.min(planesAtOnce, depth - first);
    const whole = { first: [0, 0, first], size: [width, height, planes] } as const;
    for (const block of blocksOf(whole, { labels, image, toImage }, most)) {
      throwIfAborted(signal);
      await measureBlock(block);
      done += sizeOf(block);
      onProgress?.({ stage: 'Measuring', done, total: width * height * depth });
    }
  }
  return [...regions]
    .map(([number, { running, outside }]) => ({ number, outside, ...running.result() }))
    .sort((a, b) => a.number - b.number);
}

interface Part {
  readonly first: Dims3;
  readonly size: Dims3;
}

/** A box of the labels, cut in halves until it and the part of the image that it needs are small. */
function* blocksOf(block: Part, of: Pick<LabelledImage, 'labels' | 'image' | 'toImage'>, most: number): Generator<Part> {
  const { first, size } = block;
  const voxels = Math.max(sizeOf(block), sizeOf(partOfImage(of.image, of.toImage, block)));
  if (voxels <= most || sizeOf(block) === 1) {
    yield block;
    return;
  }
  // Planes stay whole where each is read by itself. Otherwise blocks stay as deep as they are high, like chunks. Rows are cut last, since
  // voxels are read along them.
  const readsPlanes = of.labels.isCompressed === false && of.image.isCompressed === false;
  const keepsPlanes = readsPlanes && size[2] > 1;
  const axis = size[1] > size[2] && !keepsPlanes ? 1 : size[2] > 1 ? 2 : 0;
  const half = Math.ceil((size[axis] as number) / 2);
  const change = (dims: Dims3, to: number) => dims.with(axis, to) as unknown as Dims3;
  yield* blocksOf({ first, size: change(size, half) }, of, most);
  const rest = { first: change(first, (first[axis] as number) + half), size: change(size, (size[axis] as number) - half) };
  yield* blocksOf(rest, of, most);
}

function sizeOf(part: Part | undefined): number {
  return part ? part.size[0] * part.size[1] * part.size[2] : 0;
}

/** The part of the image that a box of labels may need. Undefined if the box lies outside the image. */
function partOfImage({ info }: Pick<ExactVoxels, 'info'>, toImage: ToImage, { first: from, size }: Part): Part | undefined {
  const to = [from[0] + size[0], from[1] + size[1], from[2] + size[2]] as const;
  const corners = Array.from({ length: 8 }, (_, corner) =>
    mapped(toImage, [(corner & 1 ? to : from)[0], (corner & 2 ? to : from)[1], (corner & 4 ? to : from)[2]]),
  );
  const range = (axis: 0 | 1 | 2) => {
    const places = corners.map((corner) => corner[axis]);
    const first = Math.max(0, Math.floor(Math.min(...places)));
    return [first, Math.min(info.dims[axis], Math.ceil(Math.max(...places)) + 1) - first] as const;
  };
  const [x, y, z] = [range(0), range(1), range(2)];
  if (Math.min(x[1], y[1], z[1]) <= 0) return undefined;
  return { first: [x[0], y[0], z[0]], size: [x[1], y[1], z[1]] };
}

/** The value of the voxel that contains a position. Undefined outside the part, where the position is also outside the image. */
function valueAt({ first, size }: Part, voxels: VoxelArray, x: number, y: number, z: number): number | undefined {
  const [i, j, k] = [Math.floor(x) - first[0], Math.floor(y) - first[1], Math.floor(z) - first[2]];
  if (i < 0 || j < 0 || k < 0 || i >= size[0] || j >= size[1] || k >= size[2]) return undefined;
  return voxels[(k * size[1] + j) * size[0] + i];
}

function mapped({ columns: [a, b, c], shift }: ToImage, [x, y, z]: Dims3): Dims3 {
  return [
    a[0] * x + b[0] * y + c[0] * z + shift[0],
    a[1] * x + b[1] * y + c[1] * z + shift[1],
    a[2] * x + b[2] * y + c[2] * z + shift[2],
  ];
}
