import { dot, scaled, sum, unitVector, type Vector3, vectorLength } from '../../../shared/vectors.ts';
import { type Affine, affineFromColumns, diagonalAffine, isUsableAffine } from '../../common/affine.ts';
import { checkedSpacing } from '../../common/streamed-volume.ts';
import type { SeriesFrame } from './groups.ts';
import { normalOf } from './stack.ts';

export interface StackGeometry {
  readonly affine: Affine;
  readonly spacing: readonly [number, number, number];
  readonly spatialUnit: 'mm' | 'unknown';
  /** Anything unusual about the slices, for display. */
  readonly notes: readonly string[];
}

/** Distances that differ by less count as equal, because positions are rounded. */
const relativeTolerance = 0.02;
const absoluteTolerance = 0.015;

/** Maps voxel indices to patient space (right, anterior, superior), from the positions of the slices. */
export function geometryOf(slices: readonly SeriesFrame[]): StackGeometry {
  const first = slices[0] as SeriesFrame;
  const [across, down] = first.spacing ?? [1, 1];
  const step = checkedSpacing(first.sliceStep);
  const spatialUnit = first.spacing === undefined ? 'unknown' : 'mm';
  const normal = normalOf(first);
  const { position, orientation } = first;
  if (position === undefined || orientation === undefined || normal === undefined) {
    const spacing = [across, down, first.sliceStep === undefined ? checkedSpacing(across) : step] as const;
    return { affine: diagonalAffine(spacing), spacing, spatialUnit, notes: [] };
  }
  const { between, notes } = betweenSlices(slices, normal, step);
  const columns = [scaled(orientation[0], across), scaled(orientation[1], down), between] as const;
  const affine = affineFromColumns([ras(columns[0]), ras(columns[1]), ras(columns[2])], ras(position));
  const spacing = [across, down, vectorLength(between)] as const;
  if (isUsableAffine(affine)) return { affine, spacing, spatialUnit, notes };
  return { affine: diagonalAffine(spacing), spacing, spatialUnit, notes: [...notes, 'its directions are not usable'] };
}

/** Converts from DICOM, where x and y increase towards left and posterior. */
function ras([x, y, z]: Vector3): Vector3 {
  return [-x, -y, z];
}

/** The step from one slice to the next, from the first and last slices, and notes if others disagree. */
function betweenSlices(slices: readonly SeriesFrame[], normal: Vector3, step: number): { between: Vector3; notes: string[] } {
  const places = slices.map(({ position }) => position as Vector3);
  const [first, last] = [places[0] as Vector3, places.at(-1) as Vector3];
  if (slices.length < 2) return { between: scaled(normal, step), notes: [] };
  const whole = sum(last, scaled(first, -1));
  const distances = places.slice(1).map((place, index) => dot(sum(place, scaled(places[index] as Vector3, -1)), normal));
  const usual = [...distances].sort((a, b) => a - b)[distances.length >>> 1] as number;
  const tolerance = Math.max(absoluteTolerance, relativeTolerance * usual);
  const odd = distances.flatMap((distance, index) => (Math.abs(distance - usual) > tolerance ? [{ distance, index }] : []));
  const notes = [...gapNotes(odd, usual), ...tiltNotes(unitVector(whole), normal)];
  // With a gap, the existing slices keep their distance.
  const length = odd.length > 0 ? usual * (vectorLength(whole) / dot(whole, normal)) : vectorLength(whole) / (slices.length - 1);
  return { between: scaled(unitVector(whole), length), notes };
}

function gapNotes(odd: readonly { distance: number; index: number }[], usual: number): string[] {
  const [first] = odd;
  if (first === undefined) return [];
  const missing = odd.map(({ distance }) => distance / usual - 1);
  if (missing.every((count) => count > 0.5 && Math.abs(count - Math.round(count)) < 0.1)) {
    const total = missing.reduce((count, more) => count + Math.round(more), 0);
    const places =
      odd.length === 1 ? `after slice ${first.index + 1}` : `in ${odd.length} places, the first after slice ${first.index + 1}`;
    return [`${total === 1 ? '1 slice is' : `${total} slices are`} missing ${places}`];
  }
  const shown = odd.map(({ distance }) => distance);
  const [least, most] = [Math.min(usual, ...shown), Math.max(usual, ...shown)].map((distance) => distance.toPrecision(3));
  return [`slices are ${least} to ${most} mm apart, but are shown ${usual.toPrecision(3)} mm apart`];
}

function tiltNotes(direction: Vector3, normal: Vector3): string[] {
  const degrees = (Math.acos(Math.min(1, Math.abs(dot(direction, normal)))) * 180) / Math.PI;
  return degrees < 0.1 ? [] : [`slices are tilted by ${degrees.toFixed(1)}° relative to their stack`];
}
