import type { OwnLabels } from '../../../core/shared/label-table.ts';
import { inRealOrder } from '../../../core/shared/real-order.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { unclipped } from './clip.ts';
import { firstLabelLook, firstLabelLookOf } from './label-look.ts';
import { noLayers } from './layers.ts';
import { hasOrientation, safeSpacing } from './orientation.ts';
import { firstSlab } from './slab.ts';
import type { ViewState } from './viewer-api.ts';

/** Integers are labels if at least this fraction of neighbours are equal. */
const labelFlatness = 0.7;
/** If less than this fraction of voxels stands out, the volume is sparse, and only maximum intensity shows it well. */
const sparsePart = 0.08;

/** Opacity that shows surfaces: faint voxels are transparent, bright ones dense. */
export const surfaceOpacity = [
  [0, 0],
  [0.1, 0],
  [0.4, 0.35],
  [1, 0.9],
] as const;
/** Opacity for labels: all are opaque, and the background is transparent. */
const labelOpacity = [
  [0, 0],
  [0.002, 0.9],
  [1, 0.9],
] as const;

/** Initial settings of the 3D view besides its projection. */
export const default3d = {
  attenuation: 8,
  lighting: true,
  quality: 'normal',
  camera: 'perspective',
  box: 'box',
  clip: unclipped,
  cut: undefined,
} as const;

/** Initial colours of a view besides its colormap. */
export const defaultColors = { inverted: false, outside: ['clamp', 'clamp'], missing: 'hide' } as const;

/** Initial level of an isosurface, as a fraction of the window. */
export const firstLevel = 0.35;

/** The initial view of surfaces without a volume: the empty volume around them is hidden. */
export function emptyView(info: VolumeInfo, statistics: VolumeStatistics): ViewState {
  const layers = { ...noLayers, base: { ...noLayers.base, isVisible: false } };
  return { ...autoView(info, statistics, false), projection: 'composite', layers };
}

/**
 * A sensible initial view of a volume, with the crosshair at its centre. Labels: opaque, each in its own colour. Sparse
 * volumes: maximum intensity. All others: surfaces by compositing.
 */
export function autoView(info: VolumeInfo, statistics: VolumeStatistics, areLabels = isLabels(info, statistics)): ViewState {
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
    layers: noLayers,
  } as const;
  if (areLabels) {
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

/**
 * The view of a newly opened volume: `autoView`, with the window of the first channel or of the file if it contains any values. A
 * volume with such a window is never taken for labels by its values (`isMeasured`).
 * @param areLabels set if the file says so; default: by the values
 */
export function firstView(info: VolumeInfo, statistics: VolumeStatistics, areLabels?: boolean): ViewState {
  const view = autoView(info, statistics, areLabels);
  const [ofFile] = info.windows ?? [];
  const physical = info.channels?.[0]?.window ?? (ofFile && [ofFile.low, ofFile.high]);
  if (!physical) return view;
  const [low, high] = physical.map((value) => (value - info.intercept) / info.slope) as [number, number];
  const { min, max } = statistics;
  const isUsable =
    Number.isFinite(high - low) && physical[0] < physical[1] && Math.min(low, high) < max && Math.max(low, high) > min;
  return isUsable ? { ...view, window: [low, high], level: low + firstLevel * (high - low) } : view;
}

/** `firstView` with what the volume's file says about its labels. Undefined if that changes nothing. */
export function firstLabelView(
  info: VolumeInfo,
  statistics: VolumeStatistics,
  { areLabels, table }: OwnLabels,
): ViewState | undefined {
  const labels = firstLabelLookOf(table);
  if (!areLabels && labels === firstLabelLook) return undefined;
  const view = firstView(info, statistics, areLabels || undefined);
  return { ...view, layers: { ...view.layers, base: { ...view.layers.base, labels } } };
}

/** Words in names of segmentations: `aseg.nii`, `tumor_mask.nii.gz`, `atlas.nrrd`. */
const labelWords = /(^|[^a-z])(labels?|seg|segmentation|masks?|atlas|aseg|aparc|parcellation|annotation|rois?)([^a-z]|$)/i;

/** A volume with at most this many different values has labels if the values form patches. */
const fewValues = 4;

/**
 * Whether a volume that is added to another one contains labels. Unlike a volume that is opened alone, it may be a mask with a
 * single number, and its name counts.
 */
export function isLabelVolume(info: VolumeInfo, statistics: VolumeStatistics, name: string): boolean {
  if (isLabels(info, statistics)) return true;
  const { type } = info;
  if (type === 'f32' || type === 'f64' || isMeasured(info) || statistics.min === statistics.max) return false;
  const values = statistics.histogram.counts.filter((bin) => bin > 0).length;
  const isFlat = statistics.flatness >= labelFlatness;
  return (values <= fewValues && isFlat) || (labelWords.test(name) && statistics.flatness >= labelFlatness / 2);
}

function isLabels(info: VolumeInfo, statistics: VolumeStatistics): boolean {
  const { min, max, histogram, count } = statistics;
  const isInteger = info.type !== 'f32' && info.type !== 'f64';
  if (!isInteger || isMeasured(info) || max - min < 3 || flatnessBesideBackground(statistics) < labelFlatness) return false;
  // Volumes that are flat because they are nearly constant, or masks with a soft border, are scans. Labels occupy several
  // well-filled bins.
  const kept = histogram.counts.filter((bin) => bin > 0.0005 * count);
  return kept.length >= 4;
}

/** Whether a volume was measured: it has a unit, a scaling or a window of its own, however few values it has. */
function isMeasured({ valueUnit, slope, intercept, windows, channels }: VolumeInfo): boolean {
  const hasWindow = (windows?.length ?? 0) > 0 || channels?.some(({ window }) => window !== undefined) === true;
  return valueUnit !== undefined || slope !== 1 || intercept !== 0 || hasWindow;
}

/** The flatness without the background. Flatness already ignores 0, but a scan with another flat background is not a label volume. */
function flatnessBesideBackground({ flatness, histogram: { low, binWidth, counts } }: VolumeStatistics): number {
  const zeroBin = Math.floor(-low / binWidth);
  const others = counts.filter((_, bin) => bin !== zeroBin);
  const background = Math.max(...others) / others.reduce((sum, bin) => sum + bin, 0);
  return background < 1 ? (flatness - background) / (1 - background) : 0;
}

/** The fraction of the values above a position in the window. */
function partAbove({ histogram: { low, binWidth, counts }, window: [from, to] }: VolumeStatistics, place: number): number {
  const all = counts.reduce((sum, bin) => sum + bin, 0);
  const above = counts.reduce((sum, bin, index) => ((low + index * binWidth - from) / (to - from) > place ? sum + bin : sum), 0);
  return all === 0 ? 0 : above / all;
}
