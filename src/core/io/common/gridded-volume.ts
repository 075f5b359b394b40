import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { elementBytes, volumeBytes } from '../../shared/volume.ts';
import type { AxisPlan } from './array-axes.ts';
import { type PieceOptions, pieceBytes } from './byte-stream.ts';
import { type GridSlab, indicesOf, type ReadBlock, readSlab } from './grid-slab.ts';
import { chunkBytesOf, type GridBlock, type VoxelGrid } from './voxel-grid.ts';

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
  const chunkBytes = chunkBytesOf(grid);
  const total = volumeBytes({ dims: plan.dims, type: grid.type });
  const cache = new BlockCache(grid, Math.floor(memory.cacheBytes / chunkBytes));
  const atOnce = Math.max(1, Math.min(memory.readingCount, Math.floor(memory.readingBytes / chunkBytes)));
  let given = 0;
  for (const slab of slabsOf(grid, plan, Math.max(1, Math.floor(memory.slabBytes / width)))) {
    const readBlock: ReadBlock = (index, job) => cache.read(index, isNeededAgain(grid, plan, slab, index), job);
    const bytes = await readSlab(grid, plan, slab, readBlock, atOnce, options);
    for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
      throwIfAborted(options.signal);
      const piece = bytes.byteLength <= pieceBytes ? bytes : bytes.slice(at, at + pieceBytes);
      given += piece.byteLength;
      options.onProgress?.({ stage: 'Reading', done: given, total });
      yield piece;
    }
  }
}

function* slabsOf(grid: VoxelGrid, plan: AxisPlan, slabVoxels: number): Generator<GridSlab> {
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
          yield { series, z: [z, Math.min(z + depth, rowEnd)], y: [y, Math.min(y + height, ny)], x: [0, nx] };
        }
      }
    }
  }
}

/** Whether a later slab needs this chunk again, because it has more time points, planes or lines than this slab uses. */
function isNeededAgain(grid: VoxelGrid, plan: AxisPlan, slab: GridSlab, index: readonly number[]): boolean {
  const end = (axis: number) =>
    Math.min(((index[axis] as number) + 1) * (grid.chunks[axis] as number), grid.shape[axis] as number);
  if (plan.z !== undefined && end(plan.z) > slab.z[1]) return true;
  if (plan.y !== undefined && end(plan.y) > slab.y[1]) return true;
  return plan.series.some((axis, number) => end(axis) > (slab.series[number] as number) + 1);
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
