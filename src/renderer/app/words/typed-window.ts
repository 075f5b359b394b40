import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { type Window, windowOf } from '../view/window.ts';
import { formatNumber } from './units.ts';

/** The window of a width and a level that somebody typed, both physical; or why there is none, in words. */
export function typedWindow(
  width: number,
  level: number,
  info: Pick<VolumeInfo, 'type' | 'slope' | 'intercept'>,
): Window | string {
  if (!(width > 0)) return 'A window is wider than 0';
  const window = windowOf(width, level, info);
  // Windows reach the GPU as 32-bit floats, but for those of integers, whose edges may be closer.
  const [low, high] = window.map(Math.fround) as [number, number];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return 'Too large for a window';
  const isFloat = info.type === 'f32' || info.type === 'f64';
  if (isFloat ? low === high : window[0] === window[1])
    return `Too narrow to be told from nothing at level ${formatNumber(level)}`;
  return window;
}

/** What an arrow key adds to a window's width or level: a power of ten, about a hundredth of the width. */
export function windowSteps(width: number): number {
  return width > 0 && Number.isFinite(width) ? 10 ** Math.floor(Math.log10(width / 100) + 1e-6) : 1;
}
