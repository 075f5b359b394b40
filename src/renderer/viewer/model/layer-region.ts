import { ChunkGrid } from '../../../core/format/chunk-grid.ts';
import { type Vector3, vectorLength } from '../../../core/shared/vectors.ts';
import type { Dims3 } from '../../../core/shared/volume.ts';
import type { LevelBox, VolumeLevel } from '../../../core/shared/volume-level.ts';
import { chunksOnPlane, type PlanePart } from '../../../core/volume/plane-chunks.ts';
import { holdsBox } from './detail-region.ts';
import { type CoarselyHeld, readableLevels } from './readable-levels.ts';

/** A slice or slab of a layer on a canvas. The GPU holds the layer only at a lower resolution. */
export interface LayerView extends CoarselyHeld {
  readonly spacing: Dims3;
  /** The canvas, in voxels of the layer. */
  readonly plane: PlanePart;
}

/** A range of voxels, without `end`. */
export interface VoxelRange {
  readonly first: Dims3;
  readonly end: Dims3;
}

type RegionBox = Pick<LevelBox, 'first' | 'size'>;

/** Voxels of a level that a view shows, as boxes that do not overlap. */
export interface LayerRegion {
  readonly level: number;
  /** Whether the level was made while the file is open. */
  readonly isMade: boolean;
  readonly boxes: readonly RegionBox[];
}

/** The limits for what a view reads, in bytes. */
export interface RegionLimits {
  readonly voxelBytes: number;
  /** For a box around the whole plane. */
  readonly mostInBox: number;
  /** For boxes along the plane together. */
  readonly mostTogether: number;
}

const axes = [0, 1, 2] as const;
/** The edge of cubes along a plane. */
const cube = 64;
/**
 * Along the canvas, a box begins and ends at odd multiples of half of this many voxels, and reaches beyond the canvas, so that a small pan
 * needs no other box. Boxes that are shorter than twice the finer grain end where the canvas ends.
 */
const grains = [64, 16] as const;

/** The layer's voxels under a canvas; undefined if there are none. */
export function layerInSight({ levels, plane }: Pick<LayerView, 'levels' | 'plane'>): VoxelRange | undefined {
  const whole = levels[0];
  if (!whole) return undefined;
  const { origin, right, down, width, height, sweep = { step: [0, 0, 0], first: 0, last: 0 } } = plane;
  const ends = axes.map((axis) => {
    const ways = [right[axis] * width, down[axis] * height];
    const moved = [sweep.step[axis] * sweep.first, sweep.step[axis] * sweep.last];
    const reach = (pick: typeof Math.min) => ways.reduce((sum, way) => sum + pick(0, way), origin[axis] + pick(...moved));
    const [low, high] = [reach(Math.min), reach(Math.max)];
    return [Math.max(0, Math.floor(low)), Math.min(whole.dims[axis], Math.floor(high) + 1)] as const;
  });
  if (ends.some(([first, end]) => first >= end)) return undefined;
  return { first: ends.map(([first]) => first) as unknown as Dims3, end: ends.map(([, end]) => end) as unknown as Dims3 };
}

/**
 * The voxels that a view needs, of the best level (`readableLevels`) that does not need too much: one box, or, if that would hold too much,
 * its pieces or boxes along the plane. Undefined if the voxels in GPU memory suffice, or the layer is out of sight.
 */
export function layerRegion(view: LayerView, limits: RegionLimits): LayerRegion | undefined {
  const { spacing, plane } = view;
  const length = (step: Dims3): number =>
    vectorLength(step.map((value, axis) => value * spacing[axis as 0]) as unknown as Vector3);
  const bytesOf = (boxes: readonly RegionBox[]): number =>
    boxes.reduce((sum, { size: [x, y, z] }) => sum + x * y * z * limits.voxelBytes, 0);
  const pixelSize = Math.min(length(plane.right), length(plane.down));
  const seen = layerInSight(view);
  if (!seen) return undefined;
  for (const { level, of, isMade } of readableLevels(view, spacing, pixelSize)) {
    const around = boxAround(plane, seen, of);
    if (bytesOf([around]) <= limits.mostInBox) return { level, isMade, boxes: [around] };
    const pieces = piecesOf(around, Math.ceil(bytesOf([around]) / limits.mostInBox));
    const along = boxesAlong(plane, of);
    const boxes = along.length === 0 || bytesOf(pieces) < bytesOf(along) ? pieces : along;
    if (bytesOf(boxes) <= limits.mostTogether) return { level, isMade, boxes };
  }
  return undefined;
}

/** Whether a region holds another one. */
export function holdsRegion(one: LayerRegion, other: LayerRegion): boolean {
  const { level, isMade } = one;
  if (level !== other.level || isMade !== other.isMade) return false;
  return other.boxes.every((box) => one.boxes.some((each) => holdsBox({ level, ...each }, { level, ...box })));
}

/** Whether a region holds all voxels of a range of the layer, and those beside it, on which interpolation depends. */
export function holdsRange({ level, boxes }: LayerRegion, levels: readonly VolumeLevel[], { first, end }: VoxelRange): boolean {
  const of = levels[level];
  const [box, ...others] = boxes;
  if (!of || !box || others.length > 0) return false;
  return axes.every((axis) => {
    const factor = of.factors[axis];
    const boxEnd = box.first[axis] + box.size[axis];
    const begins = box.first[axis] === 0 || (box.first[axis] + 1) * factor <= first[axis];
    return begins && (boxEnd === of.dims[axis] || (boxEnd - 1) * factor >= end[axis]);
  });
}

function boxAround({ right, down, width, height }: PlanePart, seen: VoxelRange, { dims, factors }: VolumeLevel): RegionBox {
  const ends = axes.map((axis) => {
    const factor = factors[axis];
    const [from, to] = [Math.floor(seen.first[axis] / factor) - 1, Math.ceil(seen.end[axis] / factor) + 1];
    const along = (Math.abs(right[axis] * width) + Math.abs(down[axis] * height)) / factor;
    const grain = grains.find((each) => along >= 2 * each);
    const first = grain ? (Math.floor(from / grain) - 0.5) * grain : from;
    const end = grain ? (Math.ceil(to / grain) + 0.5) * grain : to;
    const inside = Math.min(Math.max(0, first), dims[axis] - 1);
    return [inside, Math.min(dims[axis], end) - inside] as const;
  });
  return { first: ends.map(([first]) => first) as unknown as Dims3, size: ends.map(([, size]) => size) as unknown as Dims3 };
}

/** Cuts a box across its longest edge. */
function piecesOf({ first, size }: RegionBox, count: number): readonly RegionBox[] {
  const axis = size.indexOf(Math.max(...size));
  const length = size[axis] as number;
  const step = Math.ceil(length / count);
  return Array.from({ length: Math.ceil(length / step) }, (_, at) => ({
    first: first.with(axis, (first[axis] as number) + at * step) as unknown as Dims3,
    size: size.with(axis, Math.min(step, length - at * step)) as unknown as Dims3,
  }));
}

/** Rows of cubes along a plane. */
function boxesAlong(plane: PlanePart, { dims: [x, y, z], factors }: VolumeLevel): readonly RegionBox[] {
  const grid = new ChunkGrid([x, y, z, 1], [cube, cube, cube]);
  const inLevel = (vector: Dims3): Dims3 => vector.map((value, axis) => value / factors[axis as 0]) as unknown as Dims3;
  const { origin, right, down, sweep } = plane;
  const numbers = chunksOnPlane(grid, 1, {
    ...plane,
    origin: inLevel(origin),
    right: inLevel(right),
    down: inLevel(down),
    sweep: sweep && { ...sweep, step: inLevel(sweep.step) },
  });
  const boxes: RegionBox[] = [];
  let last: number | undefined;
  for (const number of numbers) {
    const { origin: first, shape: size } = grid.box(number);
    const before = last === number - 1 && first[0] > 0 ? boxes.pop() : undefined;
    const from = before?.first ?? first;
    boxes.push({ first: [from[0], first[1], first[2]], size: [first[0] + size[0] - from[0], size[1], size[2]] });
    last = number;
  }
  return boxes;
}
