import type { HalveBlock } from '../cpu/cpu-task.ts';
import type { ChunkGrid } from '../format/chunk-grid.ts';
import { elementsPerVoxel } from '../format/chunk-grid.ts';
import type { LeftOutLevel } from '../levels/left-out.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';

/** A block whose chunks have not been read. */
export type HalvedBlock = Omit<HalveBlock, 'parts'> & { readonly parts: readonly Omit<HalveBlock['parts'][number], 'chunk'>[] };

type Axis = 0 | 1 | 2;

/**
 * The blocks of the volume that a brick of a level is made of, in the order of their chunks. A block begins at a multiple of the level's factors and of the
 * chunk shape along each axis, so it is one chunk if that is a multiple of the factors.
 * @param grid of the volume
 */
export function halvedBlocks(
  grid: ChunkGrid,
  { grid: ofLevel, factors }: LeftOutLevel,
  number: number,
  type: ElementType,
): HalvedBlock[] {
  const perVoxel: Dims3 = [elementsPerVoxel(type), 1, 1];
  const { origin, shape, t } = ofLevel.box(number);
  const spans = ([0, 1, 2] as const).map((axis): readonly Span[] => {
    const [elements, factor] = [perVoxel[axis], factors[axis]];
    const first = (origin[axis] / elements) * factor;
    const length = grid.dims[axis] / elements;
    const end = Math.min(length, ((origin[axis] + shape[axis]) / elements) * factor);
    return spansOf(first, end, factor, grid.chunkShape[axis] / elements);
  });
  const [alongX, alongY, alongZ] = spans as [readonly Span[], readonly Span[], readonly Span[]];
  const blocks: HalvedBlock[] = [];
  for (const z of alongZ) {
    for (const y of alongY) {
      for (const x of alongX) {
        const along = (axis: Axis): Span => [x, y, z][axis] as Span;
        const from = ([0, 1, 2] as const).map((axis) => along(axis).first) as unknown as Dims3;
        blocks.push({
          shape: [x.length, y.length, z.length],
          to: ([0, 1, 2] as const).map((axis) => from[axis] / factors[axis] - origin[axis] / perVoxel[axis]) as unknown as Dims3,
          parts: partsOf(grid, from, [x.length, y.length, z.length], t, perVoxel),
        });
      }
    }
  }
  return blocks;
}

/** Voxels of the volume along an axis. */
interface Span {
  readonly first: number;
  readonly length: number;
}

function spansOf(first: number, end: number, factor: number, chunk: number): Span[] {
  const step = leastCommonMultiple(factor, chunk);
  const spans: Span[] = [];
  for (let at = first; at < end; at += step) spans.push({ first: at, length: Math.min(step, end - at) });
  return spans;
}

/** The chunks of a block, from `from` on, in voxels. */
function partsOf(grid: ChunkGrid, from: Dims3, size: Dims3, t: number, perVoxel: Dims3): HalvedBlock['parts'] {
  const start = from.map((at, axis) => at * (perVoxel[axis] as number)) as unknown as Dims3;
  const parts: HalvedBlock['parts'][number][] = [];
  const [width, height, depth] = grid.chunkShape;
  for (let z = start[2]; z < start[2] + size[2]; z += depth) {
    for (let y = start[1]; y < start[1] + size[1]; y += height) {
      for (let x = start[0]; x < start[0] + size[0] * perVoxel[0]; x += width) {
        const number = grid.numberAt([x, y, z, t]);
        parts.push({ number, origin: [x - start[0], y - start[1], z - start[2]], shape: grid.box(number).shape });
      }
    }
  }
  return parts;
}

/** Of a power of two and another number. */
function leastCommonMultiple(power: number, other: number): number {
  let multiple = other;
  for (let at = 1; at < power && multiple % power > 0; at *= 2) multiple *= 2;
  return multiple;
}
