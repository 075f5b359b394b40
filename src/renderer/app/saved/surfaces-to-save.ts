import { mostMeshes } from '../../viewer/model/layers.ts';
import { withOwnIds } from '../session/stored-meshes.ts';
import type { SavedMesh, SavedMeshFile } from '../state/saved-session.ts';

/** The surfaces of a session, in its two lists. */
export interface SavedSurfaces {
  readonly meshes: readonly SavedMesh[];
  readonly meshFiles: readonly SavedMeshFile[];
}

/**
 * The surfaces that are shown, and those that were not found, as a session can hold them: each with an id of its own, at most 256.
 * A surface whose file was added by hand meanwhile is not lost. @returns also those that a session has no room for
 */
export function surfacesToSave(
  shown: SavedSurfaces,
  lost: SavedSurfaces,
): SavedSurfaces & { readonly left: readonly (SavedMesh | SavedMeshFile)[] } {
  const taken = new Set<string>();
  const meshes = withOwnIds(shown.meshes, taken);
  const meshFiles = withOwnIds(shown.meshFiles, taken);
  const stillLost = lost.meshFiles.filter((one) => !meshFiles.some((other) => isSameObject(one, other)));
  const room = Math.max(0, mostMeshes - meshes.length - meshFiles.length);
  const roomForFiles = Math.max(0, room - lost.meshes.length);
  return {
    meshes: [...meshes, ...withOwnIds(lost.meshes.slice(0, room), taken)],
    meshFiles: [...meshFiles, ...withOwnIds(stillLost.slice(0, roomForFiles), taken)],
    left: [...lost.meshes.slice(room), ...stillLost.slice(roomForFiles)],
  };
}

/** Whether two surfaces are the same object of a file with the same content. */
function isSameObject(one: SavedMeshFile, other: SavedMeshFile): boolean {
  const [a, b] = [one.source.files[0], other.source.files[0]];
  return one.object === other.object && a?.size === b?.size && a?.fingerprint === b?.fingerprint && a?.address === b?.address;
}
