import type { Point } from '../model/slice-geometry.ts';

/** A label to place: the size of its box, and its shape. */
export interface Label {
  readonly width: number;
  readonly height: number;
  /** Visible points of its shape; at least one. */
  readonly points: readonly Point[];
}

/** A label's box, with its upper left corner. */
export interface LabelBox extends Omit<Label, 'points'> {
  readonly x: number;
  readonly y: number;
}

/** The distances between a label and its shape, and between two labels. */
const [away, apart] = [10, 2];

/**
 * Places labels on a canvas, each beside its shape, to the right if there is space. If labels overlap, the later one moves
 * around its shape, or above or below the earlier one; if there is no free space, it moves to where it covers least.
 */
export function placeLabels(labels: readonly Label[], [canvasWidth, canvasHeight]: Point): LabelBox[] {
  const placed: LabelBox[] = [];
  for (const { width, height, points } of labels) {
    const inside = (x: number, y: number): LabelBox => ({
      x: Math.max(0, Math.min(x, canvasWidth - width)),
      y: Math.max(0, Math.min(y, canvasHeight - height)),
      width,
      height,
    });
    const most = (measure: (point: Point) => number): Point => points.reduce((a, b) => (measure(b) > measure(a) ? b : a));
    const [right, left] = [most(([x]) => x), most(([x]) => -x)];
    const [low, high] = [most(([, y]) => y), most(([, y]) => -y)];
    const beside = [
      { x: right[0] + away, y: right[1] - height / 2 },
      { x: left[0] - away - width, y: left[1] - height / 2 },
    ];
    const fits = beside.filter(({ x }) => x >= 0 && x + width <= canvasWidth);
    const first = [
      ...fits,
      { x: low[0] - width / 2, y: low[1] + away },
      { x: high[0] - width / 2, y: high[1] - away - height },
      ...beside,
    ];
    const around = first.map(({ x, y }) => inside(x, y));
    const stacked = placed.flatMap((box) =>
      around.flatMap(({ x }) => [inside(x, box.y + box.height + apart), inside(x, box.y - apart - height)]),
    );
    const covered = (box: LabelBox): number => placed.reduce((sum, other) => sum + sharedArea(box, other), 0);
    placed.push([...around, ...stacked].reduce((best, box) => (covered(box) < covered(best) ? box : best)));
  }
  return placed;
}

function sharedArea(a: LabelBox, b: LabelBox): number {
  const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}
