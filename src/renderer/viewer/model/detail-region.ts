import type { Dims3 } from '../../../core/shared/volume.ts';
import type { LevelBox, VolumeLevel } from '../../../core/shared/volume-level.ts';
import type { AxisNumber } from './orientation.ts';
import { type CoarselyHeld, readableLevels } from './readable-levels.ts';
import type { CanvasToVoxel } from './slice-geometry.ts';

/** A slice on a canvas of a volume that the GPU holds only at a lower resolution. */
export interface DetailView extends CoarselyHeld {
  readonly spacing: Dims3;
  readonly axis: AxisNumber;
  /** The slice's index, in voxels of the volume. */
  readonly index: number;
  readonly map: CanvasToVoxel;
  readonly width: number;
  readonly height: number;
}

/** A part of a canvas, in pixels, without `end`. */
export interface PixelRect {
  readonly begin: readonly [x: number, y: number];
  readonly end: readonly [x: number, y: number];
}

/** Boxes begin and end at multiples of this many voxels, so that a small pan does not need another box. */
const grain = 64;

/**
 * The box of voxels that a slice shows, of the best level (`readableLevels`) of which it is not too large. Undefined if the voxels in GPU
 * memory suffice, or the volume is out of sight.
 * @param mostBytes if the box is larger, a coarser level is used
 */
export function detailRegion(view: DetailView, voxelBytes: number, mostBytes: number): Omit<LevelBox, 'timePoint'> | undefined {
  const { spacing, axis, index } = view;
  const [whole] = view.levels;
  const seen = whole && voxelsInSight(view, whole);
  if (!seen) return undefined;
  for (const { level, of } of readableLevels(view, spacing, 1 / view.map.pixelsPerUnit)) {
    const { dims, factors: own } = of;
    const first: [number, number, number] = [0, 0, 0];
    const size: [number, number, number] = [1, 1, 1];
    for (const along of [0, 1, 2] as const) {
      const factor = own[along];
      // One more voxel on each side, for interpolation.
      const from = along === axis ? Math.floor(index / factor) : Math.floor(seen.first[along] / factor) - 1;
      const end = along === axis ? from + 1 : Math.ceil(seen.end[along] / factor) + 1;
      first[along] = along === axis ? from : Math.max(0, Math.floor(from / grain) * grain);
      size[along] = along === axis ? 1 : Math.min(dims[along], Math.ceil(end / grain) * grain) - first[along];
    }
    if (size[0] * size[1] * size[2] * voxelBytes <= mostBytes) return { level, first, size };
  }
  return undefined;
}

/** The range of voxels under a canvas; undefined if there is none. */
function voxelsInSight(
  { axis, map, width, height }: DetailView,
  { dims }: VolumeLevel,
): { readonly first: Dims3; readonly end: Dims3 } | undefined {
  const first: [number, number, number] = [0, 0, 0];
  const end: [number, number, number] = [1, 1, 1];
  for (const along of [0, 1, 2] as const) {
    if (along === axis) continue;
    const across = map.right[along] * width + map.down[along] * height;
    const [low, high] =
      across < 0 ? [map.origin[along] + across, map.origin[along]] : [map.origin[along], map.origin[along] + across];
    first[along] = Math.max(0, Math.floor(low));
    end[along] = Math.min(dims[along], Math.ceil(high));
    if (first[along] >= end[along]) return undefined;
  }
  return { first, end };
}

/** Whether one box contains another of the same level and slice. */
export function holdsBox(one: Omit<LevelBox, 'timePoint'>, other: Omit<LevelBox, 'timePoint'>): boolean {
  return (
    one.level === other.level &&
    one.first.every((at, along) => {
      const from = other.first[along] as number;
      return at <= from && at + (one.size[along] as number) >= from + (other.size[along] as number);
    })
  );
}

/** The pixels whose centres lie in a range of voxel positions, clipped to the canvas. An empty rectangle has no area. */
export function pixelRect(
  { axis, map, width, height }: Pick<DetailView, 'axis' | 'map' | 'width' | 'height'>,
  first: Dims3,
  end: Dims3,
): PixelRect {
  const side = (direction: Dims3, length: number): readonly [number, number] => {
    const along = ([0, 1, 2] as const).find((each) => each !== axis && direction[each] !== 0);
    if (along === undefined) return [0, length];
    const step = direction[along];
    const places = [first[along], end[along]].map((at) => (at - map.origin[along]) / step);
    const cut = (at: number): number => Math.min(length, Math.max(0, Math.ceil(at - 0.5)));
    return [cut(Math.min(...places)), cut(Math.max(...places))];
  };
  const [left, right] = side(map.right, width);
  const [top, bottom] = side(map.down, height);
  return { begin: [left, top], end: [Math.max(left, right), Math.max(top, bottom)] };
}

/** A rectangle without another one inside it, as up to four rectangles. */
export function rectsAround(outer: PixelRect, inner: PixelRect): readonly PixelRect[] {
  const left = Math.max(outer.begin[0], inner.begin[0]);
  const top = Math.max(outer.begin[1], inner.begin[1]);
  const right = Math.min(outer.end[0], inner.end[0]);
  const bottom = Math.min(outer.end[1], inner.end[1]);
  if (left >= right || top >= bottom) return [outer].filter(hasArea);
  return [
    { begin: outer.begin, end: [outer.end[0], top] as const },
    { begin: [outer.begin[0], bottom] as const, end: outer.end },
    { begin: [outer.begin[0], top] as const, end: [left, bottom] as const },
    { begin: [right, top] as const, end: [outer.end[0], bottom] as const },
  ].filter(hasArea);
}

function hasArea({ begin, end }: PixelRect): boolean {
  return begin[0] < end[0] && begin[1] < end[1];
}
