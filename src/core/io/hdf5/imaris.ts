import type { JobOptions } from '../../shared/job.ts';
import type { Channel } from '../../shared/volume.ts';
import type { VoxelGrid } from '../common/voxel-grid.ts';
import { numberOf, readAttributes, textOf } from './h5-attributes.ts';
import type { H5Dataset } from './h5-datasets.ts';
import type { H5File } from './h5-file.ts';
import type { AxisFacts } from './h5-geometry.ts';
import { datasetGrid } from './h5-grid.ts';
import { typeOf } from './h5-types.ts';

// Imaris 5.5 has a dataset for each level, time point and channel in `/DataSet`, and describes all of them in `/DataSetInfo`.

const pattern = /^\/DataSet\/ResolutionLevel (\d+)\/TimePoint (\d+)\/Channel (\d+)\/Data$/;

/** All time points and channels of one level. */
export interface ImarisLevel {
  readonly number: number;
  /** Time points, channels, z, y, x. */
  readonly shape: readonly number[];
  /** Indexed by time point, then by channel. */
  readonly parts: readonly (readonly H5Dataset[])[];
}

/** The levels of an Imaris file, largest first. Empty for other files, or if parts are missing. */
export async function imarisLevels(
  file: H5File,
  datasets: readonly H5Dataset[],
  job: JobOptions,
): Promise<readonly ImarisLevel[]> {
  const levels = new Map<number, Map<string, H5Dataset>>();
  for (const dataset of datasets) {
    const [, level, time, channel] = pattern.exec(dataset.path) ?? [];
    if (level === undefined) continue;
    const parts = levels.get(Number(level)) ?? new Map<string, H5Dataset>();
    levels.set(Number(level), parts.set(`${Number(time)},${Number(channel)}`, dataset));
  }
  const found: ImarisLevel[] = [];
  for (const [number, parts] of [...levels].sort(([a], [b]) => a - b)) {
    const first = parts.get('0,0');
    if (first === undefined || first.shape.length !== 3) return [];
    const channelCount = countOf((channel) => parts.has(`0,${channel}`));
    const timeCount = countOf((time) => parts.has(`${time},0`));
    const list = Array.from({ length: timeCount }, (_, time) =>
      Array.from({ length: channelCount }, (_, channel) => parts.get(`${time},${channel}`)),
    );
    const areAlike = list.flat().every((part) => part !== undefined && isLike(part, first));
    if (!areAlike || timeCount * channelCount !== parts.size) return [];
    // The arrays are padded to whole chunks. The channel's group has the true size.
    const sizes = await readAttributes(file, first.path.slice(0, -'/Data'.length), job);
    const shape = first.shape.map((padded, axis) => {
      const size = numberOf(textOf(sizes.get(`ImageSize${'ZYX'[axis]}`)));
      return size !== undefined && Number.isInteger(size) && size >= 1 && size <= padded ? size : padded;
    });
    found.push({ number, shape: [timeCount, channelCount, ...shape], parts: list as H5Dataset[][] });
  }
  return found;
}

function countOf(has: (number: number) => boolean): number {
  let count = 0;
  while (has(count)) count++;
  return count;
}

function isLike(a: H5Dataset, b: H5Dataset): boolean {
  return a.shape.join() === b.shape.join() && typeOf(a.metadata)?.type === typeOf(b.metadata)?.type && a.problem === b.problem;
}

/** A level as one array of time points, channels, z, y and x. */
export function imarisGrid(file: H5File, { shape, parts }: ImarisLevel): VoxelGrid {
  const grids = parts.map((channels) => channels.map((dataset) => datasetGrid(file, dataset)));
  const first = grids[0]?.[0] as VoxelGrid;
  return {
    shape,
    chunks: [1, 1, ...first.chunks],
    type: first.type,
    async read([time = 0, channel = 0, ...within], job) {
      const grid = (grids[time] as readonly VoxelGrid[])[channel] as VoxelGrid;
      const block = await grid.read(within, job);
      return { data: block.data, stride: [0, 0, ...block.stride] };
    },
  };
}

/** The axes of a level: the extent of the first level, divided by this level's voxels. */
export async function imarisAxes(file: H5File, { shape }: ImarisLevel, job: JobOptions): Promise<readonly AxisFacts[]> {
  const image = await readAttributes(file, '/DataSetInfo/Image', job);
  const unit = textOf(image.get('Unit')) ?? 'um';
  const facts = ['z', 'y', 'x'].map((name, index): AxisFacts => {
    const number = 2 - index;
    const low = numberOf(textOf(image.get(`ExtMin${number}`)));
    const high = numberOf(textOf(image.get(`ExtMax${number}`)));
    if (low === undefined || high === undefined || high === low) return { name, step: undefined, start: undefined, unit };
    const step = (high - low) / (shape[2 + index] as number);
    return { name, step, start: low + step / 2, unit };
  });
  const plain = (name: string): AxisFacts => ({ name, step: undefined, start: undefined, unit: undefined });
  return [plain('t'), plain('c'), ...facts];
}

export async function imarisChannels(file: H5File, { shape }: ImarisLevel, job: JobOptions): Promise<readonly Channel[]> {
  const channels: Channel[] = [];
  for (let number = 0; number < (shape[1] as number); number++) {
    const facts = await readAttributes(file, `/DataSetInfo/Channel ${number}`, job);
    const name = textOf(facts.get('Name'))?.trim() || `Channel ${number + 1}`;
    const [low, high] = numbersIn(facts.get('ColorRange'));
    const parts = numbersIn(facts.get('Color')).map((part) => Math.round(Math.min(1, Math.max(0, part)) * 255));
    const color = parts.length === 3 && `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
    const window = low !== undefined && high !== undefined && low < high && ([low, high] as const);
    channels.push({ name, ...(color && { color }), ...(window && { window }) });
  }
  return channels;
}

function numbersIn(value: unknown): number[] {
  return (textOf(value) ?? '').split(/\s+/).filter(Boolean).map(Number).filter(Number.isFinite);
}
