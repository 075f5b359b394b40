import { inRealOrder, realDirection } from '../../../core/shared/real-order.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { typeRange } from '../../../core/volume/voxel-key.ts';
import type { ViewState } from './viewer-api.ts';

const [lowest, highest] = typeRange('f32');

/**
 * The window as shaders can show it: finite 32-bit floats in the order of physical values, and not empty. Undefined if that is
 * impossible.
 */
export function fittedWindow(window: ViewState['window'], scale: Pick<VolumeInfo, 'slope'>): ViewState['window'] | undefined {
  const clamp = (value: number): number => Math.min(highest, Math.max(lowest, value));
  if (window.some((value) => !Number.isFinite(value))) return undefined;
  const [low, high] = inRealOrder([clamp(window[0]), clamp(window[1])], scale);
  if (low !== high) return [low, high];
  // Widen the upper end only: widening both would shift the values at the lower one.
  const width = realDirection(scale) * 1e-6 * Math.max(1, Math.abs(low));
  return Math.abs(low + width) <= highest ? [low, low + width] : [low - width, low];
}
