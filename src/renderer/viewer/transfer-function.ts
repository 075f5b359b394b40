import { type ColorChoice, colorsOf } from './colormaps.ts';
import type { ViewState } from './viewer-api.ts';

/** Opacity at a place in the window: straight lines between the control points, level before the first and after the last. */
export function opacityAt(points: ViewState['opacity'], place: number): number {
  const next = points.findIndex(([position]) => position >= place);
  if (points.length === 0) return place;
  if (next === 0) return points[0]?.[1] ?? 0;
  if (next < 0) return points.at(-1)?.[1] ?? 0;
  const [from, low] = points[next - 1] as readonly [number, number];
  const [to, high] = points[next] as readonly [number, number];
  return to > from ? low + ((high - low) * (place - from)) / (to - from) : high;
}

/** Marks of the second row: see `ray_opacity_bound` in src/shaders/view/ray-march.wgsl. */
const marks = 16;

/**
 * The ray marcher's transfer function: 256 × 2 texels of r, g, b, a. Row 0 is colour and opacity by place in the window;
 * in row 1, texel 16 × low + high has as its a the greatest opacity between the places low / 15 and high / 15.
 */
export function transferTexels(state: ColorChoice & Pick<ViewState, 'opacity'>): Uint8Array<ArrayBuffer> {
  const texels = new Uint8Array(2 * 256 * 4);
  const colors = colorsOf(state);
  for (let index = 0; index < 256; index++) {
    texels.set(colors.subarray(index * 3, index * 3 + 3), index * 4);
    texels[index * 4 + 3] = Math.round(255 * Math.min(1, Math.max(0, opacityAt(state.opacity, index / 255))));
  }
  for (let low = 0; low < marks; low++) {
    for (let high = low; high < marks; high++) {
      let greatest = 0;
      // A place is rounded to the nearest texel, and 255 is a multiple of 15: marks lie on texels.
      for (let index = low * 17; index <= high * 17; index++) greatest = Math.max(greatest, texels[index * 4 + 3] as number);
      texels[(256 + marks * low + high) * 4 + 3] = greatest;
    }
  }
  return texels;
}

/** Maximum intensity projection fades its lowest colour into the background, unless that colour is bright. */
export function isFloorOpaque(choice: ColorChoice): boolean {
  const [r = 0, g = 0, b = 0] = colorsOf(choice);
  return 0.299 * r + 0.587 * g + 0.114 * b > 128;
}
