import { inContext } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { LeastRecent } from '../../shared/least-recent.ts';
import { elementBytes, typedVoxels } from '../../shared/volume.ts';
import type { StreamedLevels } from '../../shared/volume-level.ts';
import { planAxes } from '../common/array-axes.ts';
import { griddedLevels } from '../common/gridded-levels.ts';
import type { PictureShape } from '../common/picture.ts';
import type { VoxelGrid } from '../common/voxel-grid.ts';
import { partOf } from '../tiff/block-parts.ts';
import { readPixelBox } from '../tiff/pixel-box.ts';
import type { TiffLayout } from '../tiff/tiff-layout.ts';
import { type Blocks, openBlocks } from '../tiff/tiff-pixels.ts';
import { layoutLike } from './plane-voxels.ts';
import type { DirectoryPlace, TiffSeries } from './series.ts';

type Options = JobOptions & { readonly limitBytes?: number | undefined };

/** Channels vary slowest, then the samples of a pixel, which also count as channels. */
const axes = ['c', 's', 't', 'z', 'y', 'x'] as const;
/** The locations of blocks of planes are cached up to this many bytes. */
const tableBytes = 2 ** 26;

/**
 * Boxes of a series, from a level on: only the tiles and strips that a box touches are read.
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function planeLevels(series: TiffSeries, first: number, options: Options): Promise<StreamedLevels> {
  const tables = new LeastRecent<string, Blocks | undefined>();
  const levels = [];
  for (let level = first; level < series.levels.length; level++) {
    const grid = await planeGrid(series, level, tables, options);
    levels.push({ grid, plan: planAxes(axes, grid.shape) });
  }
  return griddedLevels(levels, {}, () => tables.clear());
}

async function planeGrid(
  series: TiffSeries,
  level: number,
  tables: LeastRecent<string, Blocks | undefined>,
  { limitBytes, ...opening }: Options,
): Promise<VoxelGrid> {
  const { sizes } = series;
  const shape = series.levels[level] as PictureShape;
  const { width, height, channels, type } = shape;
  const layout = await anyLayout(series, level, shape, opening);
  const [columns, rows] = layout ? partOf(layout) : [width, 1];
  const samples = layout?.isPlanar ? 1 : channels;
  return {
    shape: [sizes.C, channels, sizes.T, sizes.Z, height, width],
    chunks: [1, samples, 1, 1, rows, columns],
    type,
    async read([C = 0, sample = 0, T = 0, Z = 0, row = 0, column = 0], job) {
      const box = { left: column * columns, top: row * rows, width: 0, height: 0 };
      box.width = Math.min(columns, width - box.left);
      box.height = Math.min(rows, height - box.top);
      const wanted = samples === 1 ? [sample] : Array.from({ length: channels }, (_, number) => number);
      const count = box.width * box.height;
      const bytes = new Uint8Array(wanted.length * count * elementBytes(type));
      try {
        const blocks = await blocksAt(series, level, shape, { Z, C, T }, tables, { ...job, limitBytes });
        const parts = blocks ? await readPixelBox(blocks, wanted, box, job) : [];
        for (const [number, part] of parts.entries()) bytes.set(part, number * part.byteLength);
      } catch (error) {
        throw inContext(`plane z ${Z}, channel ${C}, time ${T}`, error);
      }
      return { data: typedVoxels(type, bytes), stride: [0, samples === 1 ? 0 : count, 0, 0, box.width, 1] };
    },
  };
}

/** The layout of the first plane that is there. */
async function anyLayout(
  series: TiffSeries,
  level: number,
  shape: PictureShape,
  job: JobOptions,
): Promise<TiffLayout | undefined> {
  const { sizes } = series;
  for (let plane = 0; plane < sizes.Z * sizes.C * sizes.T; plane++) {
    const at = { Z: plane % sizes.Z, C: Math.floor(plane / sizes.Z) % sizes.C, T: Math.floor(plane / (sizes.Z * sizes.C)) };
    const place = await series.place(at, job);
    if (place) return layoutLike(shape, place.chain.file, await place.chain.level(place.directory, level, job), job);
  }
  return undefined;
}

/** The blocks of a plane; undefined for a missing one. */
async function blocksAt(
  series: TiffSeries,
  level: number,
  shape: PictureShape,
  plane: Parameters<TiffSeries['place']>[0],
  tables: LeastRecent<string, Blocks | undefined>,
  options: Options,
): Promise<Blocks | undefined> {
  const key = [level, plane.Z, plane.C, plane.T].join();
  if (tables.has(key)) return tables.get(key);
  const place = await series.place(plane, options);
  const blocks = place && (await blocksOf(place, level, shape, options));
  tables.set(key, blocks, 1000 + 16 * (blocks?.offsets.length ?? 0));
  for (const [oldest] of tables.oldest()) {
    if (tables.bytes <= tableBytes) break;
    tables.delete(oldest);
  }
  return blocks;
}

async function blocksOf(
  { chain, directory, shift }: DirectoryPlace,
  level: number,
  shape: PictureShape,
  options: Options,
): Promise<Blocks> {
  const found = await chain.level(directory, level, options);
  const layout = await layoutLike(shape, chain.file, found, options);
  return openBlocks(chain.file, found, layout, shift, { ...options, rows: 0 });
}
