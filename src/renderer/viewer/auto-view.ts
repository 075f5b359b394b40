import { inRealOrder } from '../../core/shared/real-order.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { VolumeStatistics } from '../../core/volume/statistics.ts';
import { unclipped } from './model/clip.ts';
import { hasOrientation, safeSpacing } from './model/orientation.ts';
import { firstSlab } from './model/slab.ts';
import type { ViewState } from './model/viewer-api.ts';

/** Neighbours this often equal, and whole numbers: labels. */
const labelFlatness = 0.7;
/** Fewer voxels than this stand out: a sparse volume, which only maximum intensity shows well. */
const sparsePart = 0.08;

/** Surfaces, with the faint left out and the bright dense. */
const surfaceOpacity = [
  [0, 0],
  [0.1, 0],
  [0.4, 0.35],
  [1, 0.9],
] as const;
/** All labels solid, background empty. */
const labelOpacity = [
  [0, 0],
  [0.002, 0.9],
  [1, 0.9],
] as const;

/** What the 3D view starts with besides its projection. */
export const default3d = {
  attenuation: 8,
  lighting: true,
  quality: 'normal',
  camera: 'perspective',
  box: 'box',
  clip: unclipped,
  cut: undefined,
} as const;

/** The colours that a view starts with, besides its colormap. */
export const defaultColors = { inverted: false, outside: ['clamp', 'clamp'], missing: 'hide' } as const;

/** An isosurface starts here, as a part of the window. */
const firstLevel = 0.35;

/**
 * A sensible first view of a volume; the crosshair in the middle. Labels: solid, each in a colour of its own. Sparse
 * volumes: maximum intensity. All others: surfaces by compositing.
 */
export function autoView(info: VolumeInfo, statistics: VolumeStatistics): ViewState {
  const [x, y, z] = info.dims;
  const common = {
    ...default3d,
    ...defaultColors,
    crosshair: [Math.floor(x / 2), Math.floor(y / 2), Math.floor(z / 2)],
    timePoint: 0,
    smooth: false,
    slab: firstSlab(safeSpacing(info)),
    sliceSlabs: undefined,
    oblique: { turn: 0, tilt: 0 },
  } as const;
  if (isLabels(info, statistics)) {
    const window = inRealOrder([statistics.min, statistics.max], info);
    const level = statistics.min + 1;
    return { ...common, window, level, projection: 'composite', colormap: 'labels', opacity: labelOpacity };
  }
  const { window } = statistics;
  const isSparse = partAbove(statistics, 0.1) < sparsePart;
  return {
    ...common,
    window,
    level: window[0] + firstLevel * (window[1] - window[0]),
    projection: isSparse ? 'mip' : 'composite',
    colormap: isSparse && !hasOrientation(info) ? 'inferno' : 'gray',
    opacity: surfaceOpacity,
  };
}

function isLabels(info: VolumeInfo, statistics: VolumeStatistics): boolean {
  const { min, max, histogram, count } = statistics;
  const isInteger = info.type !== 'f32' && info.type !== 'f64';
  if (!isInteger || max - min < 3 || flatnessBesideBackground(statistics) < labelFlatness) return false;
  // Flat because it is nearly constant, or a mask with a soft border: a scan. Labels come in several sizes of bin.
  const kept = histogram.counts.filter((bin) => bin > 0.0005 * count);
  return kept.length >= 4;
}

/** A background that is not 0 (which flatness leaves out already) is flat, too, and makes no labels of a scan. */
function flatnessBesideBackground({ flatness, histogram: { low, binWidth, counts } }: VolumeStatistics): number {
  const zeroBin = Math.floor(-low / binWidth);
  const others = counts.filter((_, bin) => bin !== zeroBin);
  const background = Math.max(...others) / others.reduce((sum, bin) => sum + bin, 0);
  return background < 1 ? (flatness - background) / (1 - background) : 0;
}

/** The part of the numbers that lies beyond a place in the window. */
function partAbove({ histogram: { low, binWidth, counts }, window: [from, to] }: VolumeStatistics, place: number): number {
  const all = counts.reduce((sum, bin) => sum + bin, 0);
  const above = counts.reduce((sum, bin, index) => ((low + index * binWidth - from) / (to - from) > place ? sum + bin : sum), 0);
  return all === 0 ? 0 : above / all;
}
