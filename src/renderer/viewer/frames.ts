import type { StageTime } from '../../core/gpu/commands.ts';
import type { Frame, ViewState } from './model/viewer-api.ts';

/** The axis number of a frame; 3 is time. */
export function frameAxis(axis: Frame['axis']): 0 | 1 | 2 | 3 {
  return axis === 't' ? 3 : ('xyz'.indexOf(axis) as 0 | 1 | 2);
}

/** The state that shows a frame: its time point, or its slice through the crosshair. */
export function withFrame(state: ViewState, { axis, index }: Frame): ViewState {
  if (axis === 't') return { ...state, timePoint: index };
  const [x, y, z] = state.crosshair;
  return { ...state, crosshair: axis === 'x' ? [index, y, z] : axis === 'y' ? [x, index, z] : [x, y, index] };
}

/** Stages that draw slices or fill the display texture. */
const drawingStages = /^(slice|texture|resident\..*)$/;

/** Decoding time: all stages except those that draw. */
export function decodeMs(stages: readonly StageTime[]): number | undefined {
  const times = stages.filter(({ label }) => !drawingStages.test(label)).map(({ gpuMs }) => gpuMs);
  return times.reduce<number | undefined>((sum, ms) => (sum === undefined || ms === undefined ? undefined : sum + ms), 0);
}
