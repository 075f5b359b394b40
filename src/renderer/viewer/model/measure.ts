import { degreesBetween, lengthOf, type Metric, stepBetween } from './metric.ts';
import type { AxisNumber } from './orientation.ts';
import type { Voxel } from './slice-geometry.ts';
import type { ObliqueTilt, SliceAxis } from './viewer-api.ts';

export const measurementKinds = ['distance', 'angle', 'rectangle', 'sphere'] as const;
export type MeasurementKind = (typeof measurementKinds)[number];
/**
 * What the pointer does on a slice: `pointer` moves the crosshair and measurements, `window` sets window and level, the
 * others measure.
 */
export type SliceTool = 'pointer' | 'window' | MeasurementKind;

/** Whether a tool sets points. */
export function isMeasuring(tool: SliceTool): tool is MeasurementKind {
  return tool !== 'pointer' && tool !== 'window';
}

/** A measurement on a slice. Plain data, which files and undo store as JSON. */
export interface Measurement {
  /** Unique within the volume. */
  readonly id: string;
  readonly kind: MeasurementKind;
  readonly name: string;
  /** The axis across the slice it was made on. Its points determine the slice. Meaningless if `oblique` is set. */
  readonly axis: SliceAxis;
  /** The angles of the oblique slice, if it was made there. Only distances and angles can be. */
  readonly oblique?: ObliqueTilt | undefined;
  readonly timePoint: number;
  /**
   * Voxel positions (voxel i covers i to i + 1). Distance: both ends. Angle: an end, the vertex, an end. Rectangle: two
   * opposite corners. Sphere: the centre and a point on its surface.
   */
  readonly points: readonly Voxel[];
}

/** Whether a tool measures on the oblique slice. Rectangles and spheres are regions of straight slices. */
export function measuresOblique(tool: SliceTool): boolean {
  return tool === 'distance' || tool === 'angle';
}

/** Whether a tool is useful only with voxels, not for surfaces without a volume. */
export function needsVoxels(tool: SliceTool): boolean {
  return tool === 'window' || tool === 'rectangle' || tool === 'sphere';
}

export const pointCounts: Readonly<Record<MeasurementKind, number>> = { distance: 2, angle: 3, rectangle: 2, sphere: 2 };

/** Sizes that follow from the points alone. Lengths in `spatialUnit`. */
export type Size =
  | { readonly kind: 'distance'; readonly length: number }
  /** `degrees` is NaN until both legs have a length. */
  | { readonly kind: 'angle'; readonly degrees: number }
  | { readonly kind: 'rectangle'; readonly width: number; readonly height: number }
  | { readonly kind: 'sphere'; readonly diameter: number };

export function sizeOf({ kind, axis, points }: Pick<Measurement, 'kind' | 'axis' | 'points'>, metric: Metric): Size {
  // Only a finished angle has a third point.
  const [a, b, c] = points as [Voxel, Voxel, Voxel?];
  switch (kind) {
    case 'distance':
      return { kind, length: lengthOf(metric, stepBetween(a, b)) };
    case 'angle':
      return { kind, degrees: c ? degreesBetween(metric, stepBetween(b, a), stepBetween(b, c)) : Number.NaN };
    case 'rectangle': {
      const [first, second] = axesAlong(axis);
      const side = (along: AxisNumber): number => lengthOf(metric, withAt([0, 0, 0], along, b[along] - a[along]));
      return { kind, width: side(first), height: side(second) };
    }
    case 'sphere':
      return { kind, diameter: 2 * lengthOf(metric, stepBetween(a, b)) };
  }
}

/** Whether its points are visibly apart. An accidental click leaves no measurement. */
export function isMeasurable(measurement: Pick<Measurement, 'kind' | 'axis' | 'points'>, metric: Metric): boolean {
  if (measurement.points.length !== pointCounts[measurement.kind]) return false;
  const size = sizeOf(measurement, metric);
  switch (size.kind) {
    case 'distance':
      return size.length > 0;
    case 'angle':
      return Number.isFinite(size.degrees);
    case 'rectangle':
      return size.width > 0 && size.height > 0;
    case 'sphere':
      return size.diameter > 0;
  }
}

export function axisNumber(axis: SliceAxis): AxisNumber {
  return 'xyz'.indexOf(axis) as AxisNumber;
}

/** The two axes that a slice shows, the lower one first. */
export function axesAlong(axis: SliceAxis): readonly [AxisNumber, AxisNumber] {
  return axis === 'x' ? [1, 2] : axis === 'y' ? [0, 2] : [0, 1];
}

/** The index of the slice that a measurement was made on. */
export function sliceOf({ axis, points }: Measurement): number {
  return Math.floor(points[0]?.[axisNumber(axis)] ?? 0);
}

/** The middle of a measurement: the centre of a sphere, the vertex of an angle. */
export function middleOf({ kind, points }: Measurement): Voxel {
  const [a, b] = points as [Voxel, Voxel];
  if (kind === 'sphere') return a;
  if (kind === 'angle') return b;
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];
}

/** A point by which a measurement can be changed. */
export interface Handle {
  readonly position: Voxel;
  movedTo(to: Voxel): Measurement;
}

/** The handles of a measurement: its points, or all four corners of a rectangle. */
export function handlesOf(measurement: Measurement): readonly Handle[] {
  const { kind, axis, points } = measurement;
  const own = points.map((position, index) => ({ position, movedTo: (to: Voxel) => withPoint(measurement, index, to) }));
  if (kind !== 'rectangle') return own;
  const [first, second] = axesAlong(axis);
  const [a, b] = points as [Voxel, Voxel];
  const others = [
    [a, b],
    [b, a],
  ].map(([one, other]) => ({
    position: withAt(one as Voxel, second, (other as Voxel)[second]),
    movedTo: (to: Voxel) => {
      const moved = [withAt(one as Voxel, first, to[first]), withAt(other as Voxel, second, to[second])];
      return { ...measurement, points: moved };
    },
  }));
  return [...own, ...others];
}

/** The measurement with one point moved. A sphere's surface moves with its centre. */
export function withPoint(measurement: Measurement, index: number, to: Voxel): Measurement {
  if (measurement.kind === 'sphere' && index === 0) {
    return movedBy(measurement, stepBetween(measurement.points[0] as Voxel, to));
  }
  return { ...measurement, points: measurement.points.with(index, to) };
}

export function movedBy(measurement: Measurement, step: Voxel): Measurement {
  const moved = ([x, y, z]: Voxel): Voxel => [x + step[0], y + step[1], z + step[2]];
  return { ...measurement, points: measurement.points.map(moved) };
}

export const kindNames: Readonly<Record<MeasurementKind, string>> = {
  distance: 'Distance',
  angle: 'Angle',
  rectangle: 'Rectangle',
  sphere: 'Sphere',
};

/** Id and name of a new measurement: `Distance 2` follows `Distance 1`, even if that was deleted. */
export function nextIdentity(kind: MeasurementKind, all: readonly Measurement[]): Pick<Measurement, 'id' | 'name'> {
  const numberOf = (id: string): number => (id.startsWith(`${kind}-`) ? Number(id.slice(kind.length + 1)) || 0 : 0);
  const number = 1 + Math.max(0, ...all.map(({ id }) => numberOf(id)));
  return { id: `${kind}-${number}`, name: `${kindNames[kind]} ${number}` };
}

function withAt(position: Voxel, axis: AxisNumber, value: number): Voxel {
  const [x, y, z] = position.with(axis, value);
  return [x as number, y as number, z as number];
}
