import { colormap } from '../colors/colormaps.ts';
import type { ShownLabels } from '../model/label-look.ts';
import { baseOpacity } from '../model/layers.ts';
import type { LayerIn3d, ShownMesh } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';

/** Whether the shader for a single volume can draw a view: without layers, meshes, transparency and label colours of the user. */
export function isOneVolume(
  state: ViewState,
  layers: readonly LayerIn3d[],
  meshes: readonly ShownMesh[] | undefined,
  labels: ShownLabels | undefined,
): boolean {
  return layers.length + (meshes?.length ?? 0) === 0 && baseOpacity(state.layers) === 1 && !hasOwnColors(state, labels);
}

/** Whether some labels are hidden, or have colours that are not in the palette. */
function hasOwnColors(state: ViewState, labels: ShownLabels | undefined): boolean {
  if (!labels || !colormap(state.colormap).isCategorical) return false;
  return labels.shows === 'none' || labels.except.length > 0 || labels.table.some(({ color }) => color !== undefined);
}
