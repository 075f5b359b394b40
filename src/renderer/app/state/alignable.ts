import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { baseId, type LayerLook, volumeIdOf } from '../../viewer/model/layers.ts';
import { type AppState, openDocument } from './store.ts';

/** A layer that can be moved, and the volume over which it lies. */
export interface Alignable {
  readonly look: LayerLook;
  readonly base: VolumeInfo;
  readonly layer: VolumeInfo;
}

/** Layers whose voxels are loaded, the lowest first. */
export function alignables(state: AppState): readonly Alignable[] {
  const base = openDocument(state)?.info;
  if (!base || state.gpu.kind !== 'ready') return [];
  return state.layers.stack.layers.flatMap((look) => {
    const volume = look.of === baseId ? undefined : state.layers.volumes[volumeIdOf(look)];
    return volume?.kind === 'ready' ? [{ look, base, layer: volume.info }] : [];
  });
}

/** The chosen layer, if it can be moved. */
export function chosenAlignable(state: AppState): Alignable | undefined {
  return alignables(state).find(({ look }) => look.id === state.layers.chosen);
}
