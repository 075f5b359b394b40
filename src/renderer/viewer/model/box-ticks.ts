import type { AxisNumber } from './orientation.ts';
import { roundLength } from './scale-bar.ts';

/** An edge of the volume's box: its axis, and its end (0 or 1) of each of the other two axes, the lower axis first. */
export interface BoxEdge {
  readonly axis: AxisNumber;
  readonly ends: readonly [0 | 1, 0 | 1];
}

export interface BoxTick {
  /** The distance from the outer side of the first voxel, in the volume's unit. */
  readonly at: number;
  /** Major ticks are longer and have a number. */
  readonly isMajor: boolean;
}

/** The maximum number of numbers along the longest edge. */
const mostNumbers = 6;

/** Tick distances for a box whose longest edge has this length. All edges use the same. */
export function tickSteps(longest: number): { readonly major: number; readonly minor: number } {
  // The smallest of 1, 2 or 5 times a power of ten that is not below `longest / mostNumbers`.
  const major = 1 / roundLength(mostNumbers / longest);
  const first = Math.round(major / 10 ** Math.floor(Math.log10(major) + 1e-9));
  return { major, minor: major / (first === 2 ? 4 : 5) };
}

export function ticksAlong(length: number, { major, minor }: ReturnType<typeof tickSteps>): BoxTick[] {
  const perMajor = Math.round(major / minor);
  return Array.from({ length: Math.floor(length / minor + 1e-6) + 1 }, (_, index) => ({
    at: index * minor,
    isMajor: index % perMajor === 0,
  }));
}

const otherAxes: readonly (readonly [AxisNumber, AxisNumber])[] = [
  [1, 2],
  [0, 2],
  [0, 1],
];
const corners = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const;

/** The axes across an edge. */
export function acrossEdge({ axis }: BoxEdge): readonly [AxisNumber, AxisNumber] {
  return otherAxes[axis] as readonly [AxisNumber, AxisNumber];
}

/** Whether the camera sees a side of the unit cube. @param eye w is 0 if xyz is the direction to an infinitely distant camera */
export function isFacing(axis: AxisNumber, end: 0 | 1, eye: readonly [number, number, number, number]): boolean {
  const [x, y, z, w] = eye;
  const place = eye[axis];
  if (w > 0.5) return end === 1 ? place > 1 : place < 0;
  // A side seen at such a flat angle is only a line.
  return (2 * end - 1) * place > 0.005 * Math.hypot(x, y, z);
}

/**
 * The edge along an axis that carries the ticks. It is on the outline, so that the ticks are beside the volume: the lowest in
 * the picture, or the leftmost if edges are vertical. Undefined if the axis points at the camera.
 * @param eye in the unit cube
 * @param project maps a point of the unit cube to the picture, with y downwards
 */
export function tickEdge(
  axis: AxisNumber,
  eye: readonly [number, number, number, number],
  project: (place: readonly [number, number, number]) => readonly [number, number],
): BoxEdge | undefined {
  const [b, c] = otherAxes[axis] as readonly [AxisNumber, AxisNumber];
  let best: { edge: BoxEdge; score: number } | undefined;
  for (const ends of corners) {
    if (isFacing(b, ends[0], eye) === isFacing(c, ends[1], eye)) continue;
    const place = (along: number): [number, number, number] => {
      const at: [number, number, number] = [0, 0, 0];
      at[axis] = along;
      at[b] = ends[0];
      at[c] = ends[1];
      return at;
    };
    const [[x0, y0], [x1, y1]] = [project(place(0)), project(place(1))];
    const isUpright = Math.abs(y1 - y0) > Math.abs(x1 - x0);
    const score = isUpright ? -(x0 + x1) : y0 + y1;
    if (!best || score > best.score) best = { edge: { axis, ends }, score };
  }
  return best?.edge;
}
