import type { ViewState } from './viewer-api.ts';

/** Whether the 3D view looks the same in two states. @param hasOblique whether it shows the outline of the oblique slice */
export function isSameIn3d(state: ViewState, before: ViewState, hasOblique: boolean): boolean {
  const notIn3d = {
    smooth: 0,
    missing: 0,
    slab: 0,
    sliceSlabs: 0,
    ...(!hasOblique && { crosshair: 0, oblique: 0 }),
  };
  return JSON.stringify({ ...state, ...notIn3d }) === JSON.stringify({ ...before, ...notIn3d });
}
