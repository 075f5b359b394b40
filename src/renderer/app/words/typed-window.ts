import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { type Window, windowOf } from '../view/window.ts';
import { formatNumber } from './units.ts';

/** The window for a typed width and level, both physical values, or a message that says why it is not possible. */
export function typedWindow(
  width: number,
  level: number,
  info: Pick<VolumeInfo, 'type' | 'slope' | 'intercept'>,
): Window | string {
  if (!(width > 0)) return 'The window must be wider than 0';
  const window = windowOf(width, level, info);
  // Windows reach the GPU as 32-bit floats. Edges of integer windows may be closer together than those resolve.
  const [low, high] = window.map(Math.fround) as [number, number];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return 'Too large for a window';
  const isFloat = info.type === 'f32' || info.type === 'f64';
  if (isFloat ? low === high : window[0] === window[1]) return `Too narrow at level ${formatNumber(level)}`;
  return window;
}

/** The step of the arrow keys for a window's width and level: a power of ten, about a hundredth of the width. */
export function windowSteps(width: number): number {
  return width > 0 && Number.isFinite(width) ? 10 ** Math.floor(Math.log10(width / 100) + 1e-6) : 1;
}
