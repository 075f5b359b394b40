import type { VolumeInfo } from '../../../core/shared/volume.ts';

/** Lowest and highest stored value that are shown apart. */
export type Window = readonly [low: number, high: number];

type Scale = Pick<VolumeInfo, 'slope' | 'intercept'>;

/** `slope × stored + intercept`. */
export function toPhysical(stored: number, scale: Scale): number {
  return scale.slope * stored + scale.intercept;
}

export function toStored(physical: number, scale: Scale): number {
  return scale.slope === 0 ? physical : (physical - scale.intercept) / scale.slope;
}

/** Width and centre of a window, in physical values. */
export function levelOf(window: Window, scale: Scale): { readonly width: number; readonly level: number } {
  const [a, b] = [toPhysical(window[0], scale), toPhysical(window[1], scale)];
  return { width: Math.abs(b - a), level: (a + b) / 2 };
}

/** The window of a width and a centre that are physical values. A width is at least `narrowest`. */
export function windowOf(width: number, level: number, scale: Scale, narrowest = 0): Window {
  const half = Math.max(Math.abs(width), narrowest) / 2;
  const [a, b] = [toStored(level - half, scale), toStored(level + half, scale)];
  return a <= b ? [a, b] : [b, a];
}

/** One edge moved; it stops at the other, `narrowest` away. */
export function moveEdge(window: Window, edge: 'low' | 'high', value: number, narrowest: number): Window {
  return edge === 'low'
    ? [Math.min(value, window[1] - narrowest), window[1]]
    : [window[0], Math.max(value, window[0] + narrowest)];
}

/** Both edges moved by the same amount. */
export function shiftWindow(window: Window, by: number): Window {
  return [window[0] + by, window[1] + by];
}

/** What a drag across the whole histogram may still tell apart. */
export function narrowestWindow(min: number, max: number, isInteger: boolean): number {
  return isInteger ? 1 : Math.max(Math.abs(max - min) / 10_000, Number.MIN_VALUE);
}
