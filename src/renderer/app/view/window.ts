import type { VolumeInfo } from '../../../core/shared/volume.ts';

/** The ends of a window as stored values, in order of physical values; see core/shared/real-order.ts. */
export type Window = readonly [low: number, high: number];

type Scale = Pick<VolumeInfo, 'slope' | 'intercept'>;

/** The physical value, `slope × stored + intercept`. */
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

/** The window with a physical width and centre. The width is at least `narrowest`. */
export function windowOf(width: number, level: number, scale: Scale, narrowest = 0): Window {
  const half = Math.max(Math.abs(width), narrowest) / 2;
  return [toStored(level - half, scale), toStored(level + half, scale)];
}

/** Moves one edge, which stops `narrowest` before the other. */
export function moveEdge([low, high]: Window, edge: 'low' | 'high', value: number, narrowest: number): Window {
  const direction = high < low ? -1 : 1;
  const isBefore = (a: number, b: number): boolean => (b - a) * direction > 0;
  if (edge === 'low') {
    const last = high - direction * narrowest;
    return [isBefore(value, last) ? value : last, high];
  }
  const first = low + direction * narrowest;
  return [low, isBefore(first, value) ? value : first];
}

/** Moves both edges by the same amount. */
export function shiftWindow(window: Window, by: number): Window {
  return [window[0] + by, window[1] + by];
}

/** The smallest difference that a drag across the whole histogram can resolve. */
export function narrowestWindow(min: number, max: number, isInteger: boolean): number {
  return isInteger ? 1 : Math.max(Math.abs(max - min) / 10_000, Number.MIN_VALUE);
}
