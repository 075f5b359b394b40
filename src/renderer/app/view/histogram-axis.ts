import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';

/**
 * The range of the histogram: the stored values at its left and right end. Physical values ascend to the right, whatever the
 * slope.
 */
export interface HistogramAxis {
  readonly left: number;
  readonly right: number;
}

type ValueInfo = Pick<VolumeInfo, 'type' | 'slope'>;

/** Margin around a single value, as a fraction of it. */
const constantMargin = 0.05;
/**
 * Smallest zoom range, as a fraction of the whole axis or of the values themselves, whichever is larger, since 32-bit floats
 * have few values closer together.
 */
const narrowestPart = 1e-5;
const narrowestOfValue = 1e-6;
/** The minimum number of integers shown. */
const fewestIntegers = 4;

export function isIntegerType(type: VolumeInfo['type']): boolean {
  return type !== 'f32' && type !== 'f64';
}

/** The axis from the lowest to the highest value of any voxel. */
export function wholeAxis(info: ValueInfo, { histogram }: Pick<VolumeStatistics, 'histogram'>): HistogramAxis {
  const { low, binWidth, counts } = histogram;
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  if (first < 0) return directed(info, 0, 1);
  const [from, to] = [low + first * binWidth, low + (last + 1) * binWidth];
  if (isIntegerType(info.type)) return to - from > 1 ? directed(info, from, to) : directed(info, from - 1, to + 1);
  if (to - from > Math.abs(from) * Number.EPSILON + Number.MIN_VALUE) return directed(info, from, to);
  const margin = Math.abs(from) * constantMargin || 0.5;
  return directed(info, from - margin, from + margin);
}

function directed({ slope }: ValueInfo, low: number, high: number): HistogramAxis {
  return slope < 0 ? { left: high, right: low } : { left: low, right: high };
}

/** Position of a stored value: 0 at the left end, 1 at the right, and outside that range if it is not visible. */
export function partOf({ left, right }: HistogramAxis, stored: number): number {
  return (stored - left) / (right - left);
}

export function storedAt({ left, right }: HistogramAxis, part: number): number {
  return left + part * (right - left);
}

/** Stored values from end to end. */
export function axisLength({ left, right }: HistogramAxis): number {
  return Math.abs(right - left);
}

export function isZoomed(axis: HistogramAxis, whole: HistogramAxis): boolean {
  return axisLength(axis) < axisLength(whole);
}

/** Zooms the axis by a factor (above 1 zooms in) around a position, never beyond the whole. */
export function zoomAxis(
  axis: HistogramAxis,
  whole: HistogramAxis,
  info: ValueInfo,
  part: number,
  factor: number,
): HistogramAxis {
  const narrowest = isIntegerType(info.type)
    ? fewestIntegers
    : Math.max(axisLength(whole) * narrowestPart, Math.max(Math.abs(whole.left), Math.abs(whole.right)) * narrowestOfValue);
  const length = Math.min(axisLength(whole), Math.max(narrowest, axisLength(axis) / factor));
  if (length >= axisLength(whole)) return whole;
  const kept = length / axisLength(axis);
  return within(whole, storedAt(axis, part - part * kept), length);
}

/** The axis panned by a fraction of its length. */
export function panAxis(axis: HistogramAxis, whole: HistogramAxis, parts: number): HistogramAxis {
  return within(whole, storedAt(axis, parts), axisLength(axis));
}

/** The axis panned just far enough to show a value. */
export function revealOn(axis: HistogramAxis, whole: HistogramAxis, stored: number): HistogramAxis {
  const part = partOf(axis, stored);
  if (part >= 0 && part <= 1) return axis;
  return panAxis(axis, whole, part < 0 ? part - 0.1 : part - 0.9);
}

/** A part of the whole axis that starts at a value, or as near to it as possible. */
function within(whole: HistogramAxis, left: number, length: number): HistogramAxis {
  const sign = whole.right > whole.left ? 1 : -1;
  const begin = sign * Math.min(Math.max(sign * left, sign * whole.left), sign * whole.right - length);
  return { left: begin, right: begin + sign * length };
}

/**
 * The step of an arrow key for a handle, in stored values ascending to the right: a power of ten, about a hundredth of the
 * axis.
 */
export function keyStep(axis: HistogramAxis, { type }: Pick<VolumeInfo, 'type'>): number {
  const step = 10 ** Math.floor(Math.log10(axisLength(axis) / 100) + 1e-6);
  return Math.sign(axis.right - axis.left) * (isIntegerType(type) ? Math.max(1, step) : step);
}
