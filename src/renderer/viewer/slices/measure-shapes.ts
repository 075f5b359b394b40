import { cross, dot, unitVector } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { axesAlong, axisNumber, handlesOf, type Measurement, sliceOf } from '../model/measure.ts';
import { lengthOf, type Metric, metricOf, stepBetween } from '../model/metric.ts';
import type { SliceFrame } from '../model/orientation.ts';
import { type CanvasToVoxel, type Point, pixelAt, placeSlice, type SlicePlacement, type Voxel } from '../model/slice-geometry.ts';
import type { ViewState } from '../model/viewer-api.ts';

/** A slice on its canvas, for measuring. */
export interface MeasureSlice {
  readonly map: CanvasToVoxel;
  /** Undefined for the oblique slice. */
  readonly straight: { readonly frame: SliceFrame; readonly index: number } | undefined;
  /** The canvas pixel of a position, projected onto the slice. */
  readonly pixelOf: (position: Voxel) => Point;
  readonly metric: Metric;
  /** Canvas pixels per CSS pixel. */
  readonly pixelRatio: number;
}

/** A measurement as painted on a slice, in canvas pixels. */
export interface MeasureShape {
  readonly id: string;
  readonly lines: readonly (readonly Point[])[];
  /** Empty if it cannot be changed here, because it was made on another slice. */
  readonly handles: readonly Point[];
  readonly words: readonly string[];
  /** `faint` if it belongs to a nearby slice or another time point. */
  readonly look: 'plain' | 'chosen' | 'faint';
}

export interface ShownMeasures {
  readonly measurements: readonly Measurement[];
  readonly chosen: string | undefined;
  words(measurement: Measurement): readonly string[];
}

/** Measurements up to this many slices away are shown faintly. */
const nearSlices = 2;
const outlinePoints = 72;

export function measureSlice(placement: SlicePlacement, info: VolumeInfo, pixelRatio: number): MeasureSlice {
  const { frame, index } = placement;
  const map = placeSlice(placement);
  const pixelOf = (position: Voxel) => pixelAt(map, frame, position);
  return { map, straight: { frame, index }, pixelOf, metric: metricOf(info), pixelRatio };
}

/** The oblique slice for measuring. */
export function obliqueMeasureSlice(map: CanvasToVoxel, info: VolumeInfo, pixelRatio: number): MeasureSlice {
  const { origin, right, down } = map;
  const normal = cross(right, down);
  // The steps need not be orthogonal in voxel coordinates, so each is measured along the direction orthogonal to the other two.
  const [alongRight, alongDown] = [cross(down, normal), cross(normal, right)];
  const pixelOf = (position: Voxel): Point => {
    const from = stepBetween(origin, position);
    return [dot(from, alongRight) / dot(right, alongRight), dot(from, alongDown) / dot(down, alongDown)];
  };
  return { map, straight: undefined, pixelOf, metric: metricOf(info), pixelRatio };
}

/** The distance in slices between a slice and the one that a measurement was made on. */
function slicesAway(measurement: Measurement, { map, straight }: MeasureSlice): number {
  if (straight) {
    const isAcross = !measurement.oblique && axisNumber(measurement.axis) === straight.frame.across;
    return isAcross ? Math.abs(sliceOf(measurement) - straight.index) : Number.POSITIVE_INFINITY;
  }
  if (!measurement.oblique) return Number.POSITIVE_INFINITY;
  // The slice passes through the centre of a voxel, so it may be slightly off the slice that the measurement was made on.
  const normal = unitVector(cross(map.right, map.down));
  const distances = measurement.points.map((point) => Math.abs(dot(stepBetween(map.origin, point), normal)));
  return Math.floor(Math.max(...distances));
}

/** The shapes of measurements on a slice. A sphere is shown on every slice that cuts it, across any axis, but not on the oblique one. */
export function measureShapes(
  slice: MeasureSlice,
  { measurements, chosen, words }: ShownMeasures,
  { timePoint }: Pick<ViewState, 'timePoint'>,
): MeasureShape[] {
  return measurements.flatMap((measurement): MeasureShape[] => {
    const { id, kind, points } = measurement;
    const distance = slicesAway(measurement, slice);
    if (distance > nearSlices && kind !== 'sphere') return [];
    const isHere = distance === 0 && measurement.timePoint === timePoint;
    const lines = linesOf(measurement, slice);
    if (lines.length === 0) return [];
    const pixels = (positions: readonly Voxel[]): Point[] => positions.map(slice.pixelOf);
    const isFaint = measurement.timePoint !== timePoint || (distance > 0 && kind !== 'sphere');
    return [
      {
        id,
        lines: kind === 'angle' && isHere ? [...lines, arc(pixels(points), slice.pixelRatio)] : lines,
        handles: isHere ? pixels(handlesOf(measurement).map(({ position }) => position)) : [],
        words: isHere ? words(measurement) : [],
        look: isFaint ? 'faint' : id === chosen ? 'chosen' : 'plain',
      },
    ];
  });
}

function linesOf({ kind, axis, points }: Measurement, slice: MeasureSlice): (readonly Point[])[] {
  const pixels = (positions: readonly Voxel[]): Point[] => positions.map(slice.pixelOf);
  if (kind === 'sphere') {
    const outline = slice.straight ? sphereOutline(points as readonly [Voxel, Voxel], slice.straight, slice.metric) : [];
    return outline.length > 0 ? [pixels(outline)] : [];
  }
  if (kind !== 'rectangle') return [pixels(points)];
  const [first, second] = axesAlong(axis);
  const [a, b] = points as [Voxel, Voxel];
  const corner = (one: Voxel, other: Voxel): Voxel => {
    const at: [number, number, number] = [...a];
    [at[first], at[second]] = [one[first], other[second]];
    return at;
  };
  return [pixels([corner(a, a), corner(b, a), corner(b, b), corner(a, b), corner(a, a)])];
}

/**
 * The intersection of the slice's middle plane with a sphere: an ellipse in voxel coordinates, given by the metric within the
 * slice's plane, and shifted if the axes are not at right angles. Empty if they do not intersect.
 */
function sphereOutline(
  [center, end]: readonly [Voxel, Voxel],
  { frame, index }: NonNullable<MeasureSlice['straight']>,
  metric: Metric,
): Voxel[] {
  const { across } = frame;
  const [u, v] = ([0, 1, 2] as const).filter((axis) => axis !== across) as [0 | 1 | 2, 0 | 1 | 2];
  const [uu, uv, vv] = [metric[u][u], metric[u][v], metric[v][v]];
  const determinant = uu * vv - uv * uv;
  const along = index + 0.5 - center[across];
  const [pullU, pullV] = [-along * metric[u][across], -along * metric[v][across]];
  const [middleU, middleV] = [(vv * pullU - uv * pullV) / determinant, (uu * pullV - uv * pullU) / determinant];
  const radius = lengthOf(metric, stepBetween(center, end));
  const left = radius * radius - along * along * metric[across][across] + (middleU * pullU + middleV * pullV);
  if (!(left > 0)) return [];
  // The Cholesky root of that part of the metric: steps of length 1 in all directions.
  const stretch = Math.sqrt(left);
  const rootU = Math.sqrt(uu);
  const rootV = Math.sqrt(determinant / uu);
  return Array.from({ length: outlinePoints + 1 }, (_, at) => {
    const turn = (2 * Math.PI * at) / outlinePoints;
    const stepV = (stretch * Math.sin(turn)) / rootV;
    const stepU = (stretch * Math.cos(turn)) / rootU - (uv / uu) * stepV;
    const position: [number, number, number] = [0, 0, 0];
    position[across] = index + 0.5;
    position[u] = center[u] + middleU + stepU;
    position[v] = center[v] + middleV + stepV;
    return position;
  });
}

/** The arc between the legs of an angle, near its vertex. */
function arc(points: readonly Point[], pixelRatio: number): Point[] {
  const [a, corner, b] = points;
  if (!a || !corner || !b) return [];
  const from = Math.atan2(a[1] - corner[1], a[0] - corner[0]);
  const turn = Math.atan2(b[1] - corner[1], b[0] - corner[0]) - from;
  const shortest = turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  const leg = Math.min(Math.hypot(a[0] - corner[0], a[1] - corner[1]), Math.hypot(b[0] - corner[0], b[1] - corner[1]));
  const radius = Math.min(18 * pixelRatio, leg / 2);
  return Array.from({ length: 17 }, (_, at) => {
    const angle = from + (shortest * at) / 16;
    return [corner[0] + radius * Math.cos(angle), corner[1] + radius * Math.sin(angle)] as const;
  });
}

/** The visible points of lines on a canvas: their ends, their bends, and where they cross its edges. */
export function pointsInSight(lines: readonly (readonly Point[])[], width: number, height: number): Point[] {
  return lines.flatMap((line) =>
    line.slice(1).flatMap((end, at) => {
      const begin = line[at] as Point;
      const span = spanInSight(begin, end, [width, height]);
      return span
        ? span.map((part): Point => [begin[0] + part * (end[0] - begin[0]), begin[1] + part * (end[1] - begin[1])])
        : [];
    }),
  );
}

/**
 * The part of a segment between 0 and `size`, from 0 at its start to 1 at its end (Liang and Barsky 1984). Undefined if there
 * is none.
 */
function spanInSight(begin: Point, end: Point, size: Point): readonly [from: number, to: number] | undefined {
  let [from, to] = [0, 1];
  for (const axis of [0, 1] as const) {
    const step = end[axis] - begin[axis];
    if (step === 0) {
      if (begin[axis] < 0 || begin[axis] > size[axis]) return undefined;
      continue;
    }
    const [a, b] = [-begin[axis] / step, (size[axis] - begin[axis]) / step];
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  return from <= to ? [from, to] : undefined;
}

/** The part of the measurements of this slice under a pixel: a handle by its index, or a line. */
export function shapeAt(
  shapes: readonly MeasureShape[],
  pixel: Point,
  pixelRatio: number,
): { readonly id: string; readonly handle: number | undefined } | undefined {
  const own = shapes.filter(({ handles }) => handles.length > 0);
  // The selected measurement is on top, then the newest.
  const inTurn = [...own.filter(({ look }) => look === 'chosen'), ...own.filter(({ look }) => look !== 'chosen').reverse()];
  for (const { id, handles } of inTurn) {
    const handle = handles.findIndex(([x, y]) => Math.hypot(x - pixel[0], y - pixel[1]) <= 8 * pixelRatio);
    if (handle >= 0) return { id, handle };
  }
  const touched = inTurn.find(({ lines }) => lines.some((line) => distanceTo(line, pixel) <= 5 * pixelRatio));
  return touched && { id: touched.id, handle: undefined };
}

function distanceTo(line: readonly Point[], [x, y]: Point): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (let at = 1; at < line.length; at++) {
    const [ax, ay] = line[at - 1] as Point;
    const [bx, by] = line[at] as Point;
    const [dx, dy] = [bx - ax, by - ay];
    const squared = dx * dx + dy * dy;
    const part = squared > 0 ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / squared)) : 0;
    nearest = Math.min(nearest, Math.hypot(x - ax - part * dx, y - ay - part * dy));
  }
  return nearest;
}
