import { StriaError, toStriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { LeastRecent } from '../../shared/least-recent.ts';
import { type Dims3, type Dims4, elementBytes } from '../../shared/volume.ts';
import {
  checkedLevelBox,
  type LevelBox,
  type StreamedLevels,
  timePointsOf,
  type VolumeLevel,
  wholeFactors,
} from '../../shared/volume-level.ts';
import type { AxisPlan } from './array-axes.ts';
import { chunkCountOf, type GridSlab, type ReadBlock, readSlab } from './grid-slab.ts';
import { chunkBytesOf, type GridBlock, type VoxelGrid } from './voxel-grid.ts';

/** A resolution of an image, as an array. */
export interface GridLevel {
  readonly grid: VoxelGrid;
  readonly plan: AxisPlan;
  /** How many voxels of the first level each voxel combines along x, y and z, if the file says so. */
  readonly scale?: Dims3 | undefined;
}

export interface LevelMemory {
  /** Bytes of decoded chunks that are kept for later boxes. */
  readonly cacheBytes: number;
  /** Limits for the chunks that are read at the same time, in decoded bytes and in number. */
  readonly readingBytes: number;
  readonly readingCount: number;
  /** The size of a piece that `voxels` assembles. */
  readonly slabBytes: number;
  /** A box is refused if chunks of more bytes would have to be decoded for it. */
  readonly mostBytes: number;
}

const defaultMemory: LevelMemory = {
  cacheBytes: 2 ** 28,
  readingBytes: 2 ** 27,
  readingCount: 8,
  slabBytes: 2 ** 26,
  mostBytes: 2 ** 32,
};

interface ReadyLevel extends GridLevel {
  readonly level: VolumeLevel;
  readonly chunkBytes: number;
}

/**
 * Boxes of an image that is stored as arrays of chunks, one array for each resolution. Only the chunks that a box touches are read, and
 * the most recently used ones are kept. Levels that do not divide the image evenly, or hold other values, are left out.
 * @param given the image itself, then its levels, from the finest to the coarsest
 * @param close closes the source of the grids
 */
export function griddedLevels(
  given: readonly GridLevel[],
  limits: Partial<LevelMemory> = {},
  close: () => void = () => {},
): StreamedLevels {
  const memory = { ...defaultMemory, ...limits };
  const all = readyLevels(given);
  const levels = all.map(({ level }) => level);
  const cache = new LeastRecent<string, GridBlock>();
  const reading = new Map<string, Promise<GridBlock>>();

  const readerOf = (number: number, { grid, chunkBytes }: ReadyLevel): ReadBlock => {
    return async (index, job) => {
      const key = `${number}:${index.join()}`;
      for (;;) {
        const kept = cache.get(key);
        if (kept) return kept;
        const shared = reading.get(key);
        if (!shared) break;
        try {
          return await shared;
        } catch (error) {
          // The box that began the read was cancelled, so this one reads the chunk itself.
          if (toStriaError(error).tag !== 'aborted') throw error;
          throwIfAborted(job.signal);
        }
      }
      const begun = grid.read(index, job);
      reading.set(key, begun);
      try {
        const block = await begun;
        cache.set(key, block, chunkBytes);
        for (const [oldest] of cache.oldest()) {
          if (cache.bytes <= memory.cacheBytes) break;
          cache.delete(oldest);
        }
        return block;
      } finally {
        reading.delete(key);
      }
    };
  };

  const read: StreamedLevels['read'] = (box, job) => readUpTo(memory.mostBytes, box, job);

  /** @param mostBytes of the chunks that may be decoded for the box */
  const readUpTo = async (mostBytes: number, box: LevelBox, job: JobOptions = {}): Promise<Uint8Array<ArrayBuffer>> => {
    checkedLevelBox(levels, box);
    const from = all[box.level] as ReadyLevel;
    const { grid, plan, chunkBytes } = from;
    const stored = storedPart(box, plan.dims);
    const slab = slabOf(grid, plan, stored);
    if (chunkCountOf(grid, plan, slab) * chunkBytes > mostBytes) {
      throw new StriaError('unsupported', `too much of the file would be read for ${box.size.join('×')} voxels`);
    }
    const atOnce = Math.max(1, Math.min(memory.readingCount, Math.floor(memory.readingBytes / chunkBytes)));
    const bytes = await readSlab(grid, plan, slab, readerOf(box.level, from), atOnce, job);
    return padded(bytes, stored, box, elementBytes(grid.type));
  };

  return {
    levels,
    chunkShape: chunkShapeOf(given[0]),
    read,
    async *voxels(number, job = {}) {
      const { grid, plan, level } = all[number] as ReadyLevel;
      const [nx, ny, nz, times] = level.dims;
      const chunkDepth = plan.z === undefined ? 1 : (grid.chunks[plan.z] as number);
      // Chunks that do not fit into the cache are decoded again for each slab, so slabs are then as large as possible.
      const layerBytes = nx * ny * chunkDepth * elementBytes(grid.type);
      const slabBytes = layerBytes > memory.cacheBytes ? Math.max(memory.slabBytes, memory.cacheBytes) : memory.slabBytes;
      const voxels = Math.max(1, Math.floor(slabBytes / elementBytes(grid.type)));
      const depth = Math.min(chunkDepth, Math.max(1, Math.floor(voxels / (nx * ny))));
      const rows = depth > 1 ? ny : Math.min(ny, Math.max(1, Math.floor(voxels / nx)));
      for (const timePoint of timePointsOf(job, times)) {
        for (let row = 0; row < nz; row += chunkDepth) {
          const end = Math.min(nz, row + chunkDepth);
          for (let z = row; z < end; z += depth) {
            for (let y = 0; y < ny; y += rows) {
              throwIfAborted(job.signal);
              const size: Dims3 = [nx, Math.min(rows, ny - y), Math.min(depth, end - z)];
              // A level that is read as a whole needs all of its chunks anyway.
              yield await readUpTo(Number.POSITIVE_INFINITY, { level: number, first: [0, y, z], size, timePoint }, job);
            }
          }
        }
      }
    },
    close() {
      cache.clear();
      close();
    },
  };
}

function chunkShapeOf(level: GridLevel | undefined): Dims3 | undefined {
  if (!level) return undefined;
  const { grid, plan } = level;
  const along = (axis: number | undefined) => (axis === undefined ? 1 : (grid.chunks[axis] as number));
  return [along(plan.x), along(plan.y), along(plan.z)];
}

function readyLevels(given: readonly GridLevel[]): readonly ReadyLevel[] {
  const [first] = given;
  if (!first) return [];
  const { dims } = first.plan;
  const all: ReadyLevel[] = [{ ...first, level: { dims, factors: wholeFactors }, chunkBytes: chunkBytesOf(first.grid) }];
  for (const each of given.slice(1)) {
    const { factors: finer } = (all.at(-1) as ReadyLevel).level;
    const factors = factorsOf(dims, each);
    const isCoarser = factors?.every((factor, axis) => factor >= (finer[axis] as number)) && factors.join() !== finer.join();
    if (!factors || !isCoarser || each.grid.type !== first.grid.type || each.plan.dims[3] !== dims[3]) continue;
    const [x, y, z] = [0, 1, 2].map((axis) => Math.ceil((dims[axis] as number) / (factors[axis] as number))) as [
      number,
      number,
      number,
    ];
    all.push({ ...each, level: { dims: [x, y, z, dims[3]], factors }, chunkBytes: chunkBytesOf(each.grid) });
  }
  return all;
}

/**
 * How many voxels of the image each voxel of a level combines: the file's number, otherwise a power of two if one fits, otherwise the
 * ratio of the lengths. Undefined if no whole number fits.
 */
function factorsOf(dims: Dims4, { plan, scale }: GridLevel): Dims3 | undefined {
  const along = [0, 1, 2].map((axis) => {
    const [length, stored] = [dims[axis] as number, plan.dims[axis] as number];
    const said = scale?.[axis];
    const candidates = [
      said === undefined ? 0 : Math.round(said),
      2 ** Math.round(Math.log2(length / stored)),
      Math.round(length / stored),
    ];
    return candidates.find((f) => f >= 1 && (Math.ceil(length / f) === stored || Math.max(1, Math.floor(length / f)) === stored));
  });
  return along.some((factor) => factor === undefined) ? undefined : (along as number[] as [number, number, number]);
}

/** The stored part of a box. A level whose lengths were rounded down lacks the last voxel, which its neighbour replaces. */
function storedPart(box: LevelBox, dims: Dims4): LevelBox {
  const first = box.first.map((at, axis) => Math.min(at, (dims[axis] as number) - 1)) as [number, number, number];
  const size = box.size.map((length, axis) => {
    const end = Math.min((box.first[axis] as number) + length, dims[axis] as number);
    return Math.max(1, end - (first[axis] as number));
  }) as [number, number, number];
  return { ...box, first, size };
}

function padded(bytes: Uint8Array<ArrayBuffer>, stored: LevelBox, wanted: LevelBox, width: number): Uint8Array<ArrayBuffer> {
  if (stored.size.join() === wanted.size.join()) return bytes;
  const [columns, rows, planes] = wanted.size;
  const [storedColumns, storedRows, storedPlanes] = stored.size;
  const target = new Uint8Array(columns * rows * planes * width);
  for (let z = 0; z < planes; z++) {
    for (let y = 0; y < rows; y++) {
      const row = Math.min(z, storedPlanes - 1) * storedRows + Math.min(y, storedRows - 1);
      const from = bytes.subarray(row * storedColumns * width, (row + 1) * storedColumns * width);
      const to = (z * rows + y) * columns * width;
      target.set(from, to);
      const last = from.subarray((storedColumns - 1) * width);
      for (let x = storedColumns; x < columns; x++) target.set(last, to + x * width);
    }
  }
  return target;
}

function slabOf(grid: VoxelGrid, plan: AxisPlan, { first, size, timePoint }: LevelBox): GridSlab {
  const range = (axis: 0 | 1 | 2) => [first[axis], first[axis] + size[axis]] as const;
  const series = new Array<number>(plan.series.length);
  let rest = timePoint;
  for (let number = plan.series.length - 1; number >= 0; number--) {
    const length = grid.shape[plan.series[number] as number] as number;
    series[number] = rest % length;
    rest = Math.floor(rest / length);
  }
  return { series, x: range(0), y: range(1), z: range(2) };
}
