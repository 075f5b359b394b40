import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { nextTurn } from '../../shared/turn.ts';
import { elementBytes, typedVoxels, type VoxelArray } from '../../shared/volume.ts';
import type { AxisPlan } from './array-axes.ts';
import type { GridBlock, VoxelGrid } from './voxel-grid.ts';

/** The interval at which cancellation is checked, in milliseconds. */
const turnMs = 50;

/** A part of a volume at one index along t. */
export interface GridSlab {
  /** Index along each of the axes in `AxisPlan.series`. */
  readonly series: readonly number[];
  readonly z: readonly [start: number, end: number];
  readonly y: readonly [start: number, end: number];
  readonly x: readonly [start: number, end: number];
}

/** All indices of a box of these lengths, the last one fastest. */
export function* indicesOf(lengths: readonly number[]): Generator<readonly number[]> {
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

/** Gives the chunks that slabs are made of. */
export type ReadBlock = (index: readonly number[], job: JobOptions) => Promise<GridBlock>;

/**
 * The voxels of a slab, x fastest, without padding.
 * @param atOnce how many chunks are read at the same time
 * @throws StriaError as `ReadBlock`
 */
export async function readSlab(
  grid: VoxelGrid,
  plan: AxisPlan,
  slab: GridSlab,
  readBlock: ReadBlock,
  atOnce: number,
  job: JobOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const rows = slab.y[1] - slab.y[0];
  const bytes = new Uint8Array((slab.x[1] - slab.x[0]) * rows * (slab.z[1] - slab.z[0]) * elementBytes(grid.type));
  const target = typedVoxels(grid.type, bytes);
  const waiting = chunksOf(grid, plan, slab);
  // Chunks are read in parallel, because over a network each one waits for a response.
  let lastTurn = performance.now();
  let isFailed = false;
  const readNext = async () => {
    for (let next = waiting.next(); !next.done && !isFailed; next = waiting.next()) {
      // Missing or cached chunks never yield to the event loop, so a cancel would take effect only at the end.
      if (performance.now() - lastTurn > turnMs) {
        await nextTurn();
        lastTurn = performance.now();
      }
      throwIfAborted(job.signal);
      scatter(await readBlock(next.value, job), next.value, grid, plan, slab, target);
    }
  };
  const readers = Array.from({ length: atOnce }, () =>
    readNext().catch((error: unknown) => {
      isFailed = true;
      throw error;
    }),
  );
  await Promise.all(readers);
  return bytes;
}

/** How many chunks overlap a slab. */
export function chunkCountOf(grid: VoxelGrid, plan: AxisPlan, slab: GridSlab): number {
  return chunkRange(grid, plan, slab).counts.reduce((product, length) => product * length, 1);
}

/** The chunks that overlap a slab. */
function* chunksOf(grid: VoxelGrid, plan: AxisPlan, slab: GridSlab): Generator<readonly number[]> {
  const { first, counts } = chunkRange(grid, plan, slab);
  for (const index of indicesOf(counts)) yield index.map((number, axis) => number + (first[axis] as number));
}

function chunkRange(grid: VoxelGrid, plan: AxisPlan, slab: GridSlab) {
  const first = new Array<number>(grid.shape.length).fill(0);
  const counts = new Array<number>(grid.shape.length).fill(1);
  const cover = (axis: number | undefined, start: number, end: number) => {
    if (axis === undefined) return;
    const chunk = grid.chunks[axis] as number;
    first[axis] = Math.floor(start / chunk);
    counts[axis] = Math.ceil(end / chunk) - (first[axis] as number);
  };
  cover(plan.x, ...slab.x);
  cover(plan.y, ...slab.y);
  cover(plan.z, ...slab.z);
  plan.series.forEach((axis, number) => {
    cover(axis, slab.series[number] as number, (slab.series[number] as number) + 1);
  });
  return { first, counts };
}

/** Copies the part of a chunk that lies in a slab. */
function scatter(
  block: GridBlock,
  index: readonly number[],
  grid: VoxelGrid,
  plan: AxisPlan,
  slab: GridSlab,
  target: VoxelArray,
): void {
  const nx = slab.x[1] - slab.x[0];
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
  const x = range(plan.x, ...slab.x);
  const y = range(plan.y, ...slab.y);
  const z = range(plan.z, ...slab.z);
  const length = x.end - x.start;
  for (let zAt = z.start; zAt < z.end; zAt++) {
    for (let yAt = y.start; yAt < y.end; yAt++) {
      let source = from + (zAt - z.origin) * z.stride + (yAt - y.origin) * y.stride + (x.start - x.origin) * x.stride;
      const to = ((zAt - slab.z[0]) * rows + (yAt - slab.y[0])) * nx + x.start - slab.x[0];
      if (x.stride === 1) {
        target.set(block.data.subarray(source, source + length), to);
      } else {
        for (let at = to; at < to + length; at++, source += x.stride) target[at] = block.data[source] as number;
      }
    }
  }
}
