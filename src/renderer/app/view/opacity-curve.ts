/** Opacity over the window for compositing, as control points. */
export type OpacityCurve = readonly OpacityPoint[];
/** A position in the window and the opacity there, both 0…1. */
export type OpacityPoint = readonly [position: number, opacity: number];

/** Where a curve leaves zero, and its opacity at the end. Both 0 to 1. */
export function rampOf(curve: OpacityCurve): { readonly start: number; readonly strength: number } {
  const start = curve.reduce((last, [position, opacity]) => (opacity === 0 ? Math.max(last, position) : last), 0);
  return { start: Math.min(start, 1), strength: curve.at(-1)?.[1] ?? 1 };
}

/** Scales the opacity of the whole curve, which keeps its shape. */
export function withStrength(curve: OpacityCurve, strength: number): OpacityCurve {
  const before = rampOf(curve).strength;
  if (before === 0 || curve.length < 2) return ramp(rampOf(curve).start, strength);
  return curve.map(([position, opacity]) => [position, Math.min(1, (opacity * strength) / before)] as const);
}

/** Moves the position where the curve leaves zero. The rest keeps its shape. */
export function withStart(curve: OpacityCurve, start: number): OpacityCurve {
  const before = rampOf(curve).start;
  const from = Math.min(Math.max(start, 0), 0.99);
  if (before >= 1 || curve.length < 2) return ramp(from, 1);
  const rest = curve.filter(([position]) => position > before);
  const moved = rest.map(([position, opacity]) => [from + ((position - before) / (1 - before)) * (1 - from), opacity] as const);
  return from === 0 ? [[0, 0], ...moved] : [[0, 0], [from, 0], ...moved];
}

/** A curve keeps at least two points. */
const fewestPoints = 2;

/** Moves a point between its neighbours and within the square. */
export function movePoint(curve: OpacityCurve, index: number, [position, opacity]: OpacityPoint): OpacityCurve {
  const low = curve[index - 1]?.[0] ?? 0;
  const high = curve[index + 1]?.[0] ?? 1;
  const moved: OpacityPoint = [clamp(position, low, high), clamp(opacity, 0, 1)];
  return curve.map((point, at) => (at === index ? moved : point));
}

/** The curve with one more point, and that point's index. */
export function addPoint(
  curve: OpacityCurve,
  [position, opacity]: OpacityPoint,
): { readonly curve: OpacityCurve; readonly index: number } {
  const point: OpacityPoint = [clamp(position, 0, 1), clamp(opacity, 0, 1)];
  const after = curve.findIndex(([other]) => other > point[0]);
  const index = after < 0 ? curve.length : after;
  return { curve: curve.toSpliced(index, 0, point), index };
}

/** The curve without a point. Two always remain. */
export function removePoint(curve: OpacityCurve, index: number): OpacityCurve {
  return curve.length > fewestPoints ? curve.toSpliced(index, 1) : curve;
}

/** Position of a new point beside this one: on the line, half way to the next, or to the previous if it is the last. */
export function besidePoint(curve: OpacityCurve, index: number): OpacityPoint {
  const [from, to] = index + 1 < curve.length ? [index, index + 1] : [index - 1, index];
  const [a, b] = [curve[from] ?? [0, 0], curve[to] ?? [1, 1]];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

function ramp(start: number, strength: number): OpacityCurve {
  return start === 0
    ? [
        [0, 0],
        [1, strength],
      ]
    : [
        [0, 0],
        [start, 0],
        [1, strength],
      ];
}
