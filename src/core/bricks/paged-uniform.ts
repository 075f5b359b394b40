import type { RayView, Strip } from '../draw/ray-pass.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { rangeStart } from '../volume/value-scale.ts';
import { floatBits, voxelKey } from '../volume/voxel-key.ts';
import type { GpuBricks } from './gpu-bricks.ts';

/** The number of levels in `Paged` of shaders/brick-draw/paged.wgsl, and the sizes of its parts in words. */
const mostLevels = 31;
const headWords = 20;
const levelWords = 24;
export const pagedUniformBytes = 4 * (headWords + mostLevels * levelWords);

/** A channel of a volume, and how its values are shown. */
export interface PagedChannel {
  /** The channel's index along t. */
  readonly timePoint: number;
  /** The window in stored values; see `ViewState.window`. */
  readonly window: readonly [low: number, high: number];
  readonly isCategorical: boolean;
}

/** Which bricks are drawn, and how their values are shown. */
export interface PagedLook extends PagedChannel {
  /** See `VolumeSource.numbers`. */
  readonly numbers: readonly [lowest: number, highest: number];
}

/** How large voxels may appear to rays. */
export interface RayDetail {
  /** Lengths of the cube's edges in the scene. */
  readonly edges: Dims3;
  /** See `detailOf`. */
  readonly detail: number;
}

/** Where the parts of the rays' feedback begin, in words. */
export interface FeedbackPlaces {
  readonly used: number;
  readonly asked: number;
  readonly mostMisses: number;
}

/** `Paged` of shaders/brick-draw/paged.wgsl. @param level the level of a slice */
export function pagedUniform(
  { source, table, atlas }: Pick<GpuBricks, 'source' | 'table' | 'atlas'>,
  { timePoint, window, isCategorical, numbers }: PagedLook,
  { edges, detail }: RayDetail = { edges: [1, 1, 1], detail: 0 },
  feedback: FeedbackPlaces = { used: 0, asked: 0, mostMisses: 0 },
  level = 0,
): Uint32Array<ArrayBuffer> {
  const { info, levels } = source;
  if (levels.length > mostLevels) throw new StriaError('unsupported', `${levels.length} levels; there can be ${mostLevels}`);
  const [x, y, z] = info.dims;
  // Labels are compared as stored numbers, regardless of slope and intercept.
  const [from, to] = isCategorical && window[0] > window[1] ? [window[1], window[0]] : window;
  const width = to === from ? Number.EPSILON * Math.max(1, Math.abs(to)) : to - from;
  const { power, key, scaledBits, rest } = rangeStart(info.type, [from, to]);
  const scale = Math.min(1e30, Math.max(-1e30, 1 / (2 ** power * width)));
  const perVoxel = info.type === 'f64' ? 2 : 1;
  const words = new Uint32Array(pagedUniformBytes / 4);
  words.set([...[x, y, z].map(floatBits), levels.length, ...atlas.words, level]);
  words.set([key, scaledBits, floatBits(rest), floatBits(scale), power >>> 0], 8);
  words.set([...numbers.map((value) => voxelKey(info.type, value)), floatBits(detail)], 13);
  words.set([feedback.used, feedback.asked, feedback.mostMisses], 16);
  for (const [at, { grid, factors }] of levels.entries()) {
    const [columns, rows, layers] = grid.counts;
    const [brickX, brickY, brickZ] = grid.chunkShape;
    const edge = Math.max(...edges.map((length, axis) => (length * (factors[axis] as number)) / (info.dims[axis] as number)));
    const start = (table.starts[at] as number) + timePoint * grid.chunksPerTimePoint;
    words.set([grid.dims[0] / perVoxel, grid.dims[1], grid.dims[2], start], headWords + at * levelWords);
    const brick = [brickX / perVoxel, brickY, brickZ];
    const hasPowers = brick.every((length) => (length & (length - 1)) === 0);
    words.set([columns, rows, layers, 0, ...brick, Number(hasPowers)], headWords + at * levelWords + 4);
    words.set([...factors.map(floatBits), floatBits(edge)], headWords + at * levelWords + 12);
    const across = [x, y, z].map((length, axis) => length / ((factors[axis] as number) * (brick[axis] as number)));
    const edgesAndAcross = [...across.map((count) => 1 / count), 0, ...across, 0];
    words.set(edgesAndAcross.map(floatBits), headWords + at * levelWords + 16);
  }
  return words;
}

/**
 * The edge in the scene of a voxel that appears as large as a pixel: per unit of its distance from the eye, or, if the eye is at
 * infinity, the same everywhere.
 */
export function detailOf({ toCube, eye, edges }: RayView, { width }: Pick<Strip, 'width'>): number {
  const place = (right: number): number[] => {
    const [x = 0, y = 0, z = 0, w = 1] = [0, 1, 2, 3].map(
      (row) => (toCube[row] as number) * right + (toCube[8 + row] as number) + (toCube[12 + row] as number),
    );
    return [x, y, z].map((part, axis) => (part / w) * (edges[axis] as number));
  };
  const between = (a: readonly number[], b: readonly number[]) =>
    Math.hypot(...a.map((part, axis) => part - (b[axis] as number)));
  const middle = place(0);
  const pixel = between(middle, place(2 / width));
  if (eye[3] === 0) return pixel;
  return pixel / Math.max(1e-9, between(middle, [eye[0] * edges[0], eye[1] * edges[1], eye[2] * edges[2]]));
}
