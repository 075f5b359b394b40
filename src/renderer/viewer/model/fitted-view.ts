import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { fittedCut } from './cut-plane.ts';
import { fittedWindow } from './fitted-window.ts';
import { clampVoxel } from './slice-geometry.ts';
import type { ViewState } from './viewer-api.ts';

/**
 * A state that can be drawn: crosshair and time point are within the volume, and the window is ordered by physical value.
 * @param before the state whose window is kept if the new one cannot be shown
 */
export function fittedView(state: ViewState, info: VolumeInfo | undefined, before: ViewState): ViewState {
  const window = fittedWindow(state.window, info ?? { slope: 1 }) ?? before.window;
  const cut = state.cut && fittedCut(state.cut);
  if (!info) return { ...state, window, cut };
  const [x, y, z, t] = info.dims;
  const timePoint = Math.min(t - 1, Math.max(0, Math.round(state.timePoint)));
  return { ...state, window, cut, timePoint, crosshair: clampVoxel(state.crosshair, [x, y, z]) };
}
