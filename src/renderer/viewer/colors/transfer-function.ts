import { rayTransfer } from '../../../core/draw/ray-transfer.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { type ColorChoice, colorsOf } from './colormaps.ts';

/** Opacity at a position in the window: linear between the control points, constant before the first and after the last. */
export function opacityAt(points: ViewState['opacity'], place: number): number {
  const next = points.findIndex(([position]) => position >= place);
  if (points.length === 0) return place;
  if (next === 0) return points[0]?.[1] ?? 0;
  if (next < 0) return points.at(-1)?.[1] ?? 0;
  const [from, low] = points[next - 1] as readonly [number, number];
  const [to, high] = points[next] as readonly [number, number];
  return to > from ? low + ((high - low) * (place - from)) / (to - from) : high;
}

/** The texels of the ray marcher's transfer function; see `rayTransfer`. */
export function transferTexels(state: ColorChoice & Pick<ViewState, 'opacity'>): Uint8Array<ArrayBuffer> {
  return rayTransfer(colorsOf(state), (place) => opacityAt(state.opacity, place));
}

/** Whether maximum intensity projection draws its lowest colour opaque. It fades a dark one into the background. */
export function isFloorOpaque(choice: ColorChoice): boolean {
  const [r = 0, g = 0, b = 0] = colorsOf(choice);
  return 0.299 * r + 0.587 * g + 0.114 * b > 128;
}
