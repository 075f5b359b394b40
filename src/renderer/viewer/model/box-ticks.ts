import type { AxisNumber } from './orientation.ts';
import { roundLength } from './scale-bar.ts';

/** An edge of the volume's box: along an axis, at an end (0 or 1) of each of the other two, the lower one first. */
export interface BoxEdge {
  readonly axis: AxisNumber;
  readonly ends: readonly [0 | 1, 0 | 1];
}

export interface BoxTick {
  /** From the first voxel's outer side, in the volume's unit. */
  readonly at: number;
  /** It has a number, and is longer. */
  readonly isMajor: boolean;
}

/** Numbers along the longest edge, at most. */
const mostNumbers = 6;

/** The distances of ticks for a box whose longest edge is that long: the same along all its edges. */
export function tickSteps(longest: number): { readonly major: number; readonly minor: number } {
  // The least of 1, 2 or 5 times a power of ten that is no less.
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

/** The axes that lie across an edge. */
export function acrossEdge({ axis }: BoxEdge): readonly [AxisNumber, AxisNumber] {
  return otherAxes[axis] as readonly [AxisNumber, AxisNumber];
}

/** Whether the eye sees a side of the unit cube. @param eye w is 0 where xyz is the direction to an eye infinitely far off */
export function isFacing(axis: AxisNumber, end: 0 | 1, eye: readonly [number, number, number, number]): boolean {
  const [x, y, z, w] = eye;
  const place = eye[axis];
  if (w > 0.5) return end === 1 ? place > 1 : place < 0;
  // A side that is seen so flat is a line.
  return (2 * end - 1) * place > 0.005 * Math.hypot(x, y, z);
}

/**
 * Which edge along an axis carries the ticks: one of the outline's, so that they stand beside the volume; of those the lowest
 * in the picture, or where edges stand upright the one at the left. Undefined: the axis points at the eye.
 * @param eye in the unit cube
 * @param project a place of the unit cube to the picture, y downwards
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
