import { colormap } from '../colors/colormaps.ts';
import type { ShownLabels } from '../model/label-look.ts';
import { baseOpacity } from '../model/layers.ts';
import type { BesidesVolume, ViewState } from '../model/viewer-api.ts';

/** What prevents the shader for a single volume from drawing a view; undefined if it can draw it. */
export function besidesVolume(
  state: ViewState,
  layerCount: number,
  meshCount: number,
  labels: ShownLabels | undefined,
): BesidesVolume | undefined {
  if (layerCount > 0) return 'layers';
  if (meshCount > 0) return 'meshes';
  if (baseOpacity(state.layers) !== 1) return 'opacity';
  return hasOwnColors(state, labels) ? 'labels' : undefined;
}

/** Whether some labels are hidden, or have colours that are not in the palette. */
function hasOwnColors(state: ViewState, labels: ShownLabels | undefined): boolean {
  if (!labels || !colormap(state.colormap).isCategorical) return false;
  return labels.shows === 'none' || labels.except.length > 0 || labels.table.some(({ color }) => color !== undefined);
}
