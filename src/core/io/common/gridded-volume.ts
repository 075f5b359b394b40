import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { nextTurn } from '../../shared/turn.ts';
import { type ElementType, elementBytes, typedVoxels, type VoxelArray, volumeBytes } from '../../shared/volume.ts';
import type { AxisPlan } from './array-axes.ts';
import { type PieceOptions, pieceBytes } from './byte-stream.ts';

/** The values of one chunk. It may extend beyond the array's end. */
export interface GridBlock {
  readonly data: VoxelArray;
  /** Distance between neighbours along each of the array's axes, in elements. */
  readonly stride: readonly number[];
}

/** An array with any number of axes that is read chunk by chunk. */
export interface VoxelGrid {
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly type: ElementType;
  /** @param index of the chunk along each axis. @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted` */
  read(index: readonly number[], job: JobOptions): Promise<GridBlock>;
}

export interface GridMemory {
  /** The maximum size of a slab in bytes. A slab is a row of chunks, or a part of one, and is assembled before it is returned. */
  readonly slabBytes: number;
  /** Bytes of decoded chunks that are kept because the next slab also needs them. */
  readonly cacheBytes: number;
  /** Limits for the chunks that are read at the same time, in decoded bytes and in number. */
  readonly readingBytes: number;
  readonly readingCount: number;
}

const defaultGridMemory: GridMemory = {
  slabBytes: 256 * 2 ** 20,
  cacheBytes: 256 * 2 ** 20,
  readingBytes: 128 * 2 ** 20,
  readingCount: 8,
};

/** The largest chunk that is read. A chunk is decoded as a whole. */
export const largestChunkBytes = 2 ** 30;

/** The interval at which cancellation is checked, in milliseconds. */
const turnMs = 50;

/** A part of a volume at one index along t. */
interface Slab {
  readonly series: readonly number[];
  readonly z: readonly [start: number, end: number];
  readonly y: readonly [start: number, end: number];
}

/**
 * The voxels of a grid in order (x fastest, then y, z, t), a row of chunks at a time. If a row of chunks exceeds
 * `memory.slabBytes`, it is assembled in parts, and chunks that do not fit into the cache are decoded again.
 * @throws StriaError as `VoxelGrid.read`, and `unsupported` for chunks that are too large
 */
export async function* griddedVoxels(
  grid: VoxelGrid,
  plan: AxisPlan,
  options: PieceOptions = {},
  limits: Partial<GridMemory> = {},
): AsyncGenerator<Uint8Array> {
  const memory = { ...defaultGridMemory, ...limits };
  const width = elementBytes(grid.type);
  const chunkBytes = grid.chunks.reduce((product, length) => product * length, width);
  refuseLargeChunks(chunkBytes);
  const total = volumeBytes({ dims: plan.dims, type: grid.type });
  const cache = new BlockCache(grid, Math.floor(memory.cacheBytes / chunkBytes));
  const atOnce = Math.max(1, Math.min(memory.readingCount, Math.floor(memory.readingBytes / chunkBytes)));
  let given = 0;
  for (const slab of slabsOf(grid, plan, Math.max(1, Math.floor(memory.slabBytes / width)))) {
    const bytes = await readSlab(grid, plan, slab, cache, atOnce, options);
    for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
      throwIfAborted(options.signal);
      const piece = bytes.byteLength <= pieceBytes ? bytes : bytes.slice(at, at + pieceBytes);
      given += piece.byteLength;
      options.onProgress?.({ stage: 'Reading', done: given, total });
      yield piece;
    }
  }
}

/** @throws StriaError `unsupported` */
function refuseLargeChunks(chunkBytes: number): void {
  if (chunkBytes <= largestChunkBytes) return;
  throw new StriaError(
    'unsupported',
    `a chunk has ${Math.ceil(chunkBytes / 2 ** 20)} MiB and must be decoded as a whole; Stria decodes at most ${largestChunkBytes / 2 ** 20} MiB`,
  );
}

function* slabsOf(grid: VoxelGrid, plan: AxisPlan, slabVoxels: number): Generator<Slab> {
  const [nx, ny, nz] = plan.dims;
  const chunkDepth = plan.z === undefined ? 1 : (grid.chunks[plan.z] as number);
  const chunkHeight = plan.y === undefined ? 1 : (grid.chunks[plan.y] as number);
  const plane = nx * ny;
  const isPlaneTooLarge = plane > slabVoxels;
  // As many planes of a row of chunks as fit into a slab. If not even one fits, some lines of a plane.
  const fitting = Math.max(1, Math.floor(slabVoxels / plane));
  const depth = isPlaneTooLarge ? 1 : Math.min(chunkDepth, fitting);
  const height = isPlaneTooLarge ? Math.max(1, Math.min(chunkHeight, Math.floor(slabVoxels / nx))) : ny;
  for (const series of indicesOf(plan.series.map((axis) => grid.shape[axis] as number))) {
    for (let rowStart = 0; rowStart < nz; rowStart += chunkDepth) {
      const rowEnd = Math.min(rowStart + chunkDepth, nz);
      for (let z = rowStart; z < rowEnd; z += depth) {
        for (let y = 0; y < ny; y += height) {
          yield { series, z: [z, Math.min(z + depth, rowEnd)], y: [y, Math.min(y + height, ny)] };
        }
      }
    }
  }
}

/** All indices of a box of these lengths, the last one fastest. */
function* indicesOf(lengths: readonly number[]): Generator<readonly number[]> {
  const count = lengths.reduce((product, length) => product * length, 1);
  for (let number = 0; number < count; number++) {
    const index = new Array<number>(lengths.length);
    let rest = number;
    for (let axis = lengths.length - 1; axis >= 0; axis--) {
      const length = lengths[axis] as number;
      index[axis] = rest % length;
      rest = Math.floor(rest / length);
    }
    yield index;
  }
}

async function readSlab(
  grid: VoxelGrid,
  plan: AxisPlan,
  slab: Slab,
  cache: BlockCache,
  atOnce: number,
  job: JobOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const [nx] = plan.dims;
  const rows = slab.y[1] - slab.y[0];
  const bytes = new Uint8Array(nx * rows * (slab.z[1] - slab.z[0]) * elementBytes(grid.type));
  const target = typedVoxels(grid.type, bytes);
  const waiting = chunksOf(grid, plan, slab);
  // Chunks are read in parallel, because over a network each one waits for a response.
  let lastTurn = performance.now();
  const readNext = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      // Missing or cached chunks never yield to the event loop, so a cancel would take effect only at the end.
      if (performance.now() - lastTurn > turnMs) {
        await nextTurn();
        lastTurn = performance.now();
      }
      throwIfAborted(job.signal);
      scatter(
        await cache.read(next.value, isNeededAgain(grid, plan, slab, next.value), job),
        next.value,
        grid,
        plan,
        slab,
        target,
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, readNext));
  return bytes;
}

/** The chunks that overlap a slab. */
function* chunksOf(grid: VoxelGrid, plan: AxisPlan, slab: Slab): Generator<readonly number[]> {
  const first = new Array<number>(grid.shape.length).fill(0);
  const counts = new Array<number>(grid.shape.length).fill(1);
  const cover = (axis: number | undefined, start: number, end: number) => {
    if (axis === undefined) return;
    const chunk = grid.chunks[axis] as number;
    first[axis] = Math.floor(start / chunk);
    counts[axis] = Math.ceil(end / chunk) - (first[axis] as number);
  };
  cover(plan.x, 0, plan.dims[0]);
  cover(plan.y, ...slab.y);
  cover(plan.z, ...slab.z);
  plan.series.forEach((axis, number) => {
    cover(axis, slab.series[number] as number, (slab.series[number] as number) + 1);
  });
  for (const index of indicesOf(counts)) yield index.map((number, axis) => number + (first[axis] as number));
}

/** Whether a later slab needs this chunk again, because it has more time points, planes or lines than this slab uses. */
function isNeededAgain(grid: VoxelGrid, plan: AxisPlan, slab: Slab, index: readonly number[]): boolean {
  const end = (axis: number) =>
    Math.min(((index[axis] as number) + 1) * (grid.chunks[axis] as number), grid.shape[axis] as number);
  if (plan.z !== undefined && end(plan.z) > slab.z[1]) return true;
  if (plan.y !== undefined && end(plan.y) > slab.y[1]) return true;
  return plan.series.some((axis, number) => end(axis) > (slab.series[number] as number) + 1);
}

/** Copies the part of a chunk that lies in a slab. */
function scatter(
  block: GridBlock,
  index: readonly number[],
  grid: VoxelGrid,
  plan: AxisPlan,
  slab: Slab,
  target: VoxelArray,
): void {
  const [nx] = plan.dims;
  const rows = slab.y[1] - slab.y[0];
  let from = 0;
  plan.series.forEach((axis, number) => {
    const within = (slab.series[number] as number) - (index[axis] as number) * (grid.chunks[axis] as number);
    from += within * (block.stride[axis] as number);
  });
  const range = (axis: number | undefined, start: number, end: number) => {
    if (axis === undefined) return { start: 0, end: 1, stride: 0, origin: 0 };
    const chunk = grid.chunks[axis] as number;
    const origin = (index[axis] as number) * chunk;
    return { start: Math.max(start, origin), end: Math.min(end, origin + chunk), stride: block.stride[axis] as number, origin };
  };
  const x = range(plan.x, 0, nx);
  const y = range(plan.y, ...slab.y);
  const z = range(plan.z, ...slab.z);
  const length = x.end - x.start;
  for (let zAt = z.start; zAt < z.end; zAt++) {
    for (let yAt = y.start; yAt < y.end; yAt++) {
      let source = from + (zAt - z.origin) * z.stride + (yAt - y.origin) * y.stride + (x.start - x.origin) * x.stride;
      const to = ((zAt - slab.z[0]) * rows + (yAt - slab.y[0])) * nx + x.start;
      if (x.stride === 1) {
        target.set(block.data.subarray(source, source + length), to);
      } else {
        for (let at = to; at < to + length; at++, source += x.stride) target[at] = block.data[source] as number;
      }
    }
  }
}

/** Keeps the most recently used decoded chunks that are needed again. */
class BlockCache {
  readonly #grid: VoxelGrid;
  readonly #limit: number;
  readonly #blocks = new Map<string, GridBlock>();

  constructor(grid: VoxelGrid, limit: number) {
    this.#grid = grid;
    this.#limit = limit;
  }

  async read(index: readonly number[], keep: boolean, job: JobOptions): Promise<GridBlock> {
    const key = index.join();
    const kept = this.#blocks.get(key);
    this.#blocks.delete(key);
    const block = kept ?? (await this.#grid.read(index, job));
    if (keep && this.#limit > 0) {
      this.#blocks.set(key, block);
      const [oldest] = this.#blocks.keys();
      if (this.#blocks.size > this.#limit && oldest !== undefined) this.#blocks.delete(oldest);
    }
    return block;
  }
}
