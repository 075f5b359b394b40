import type { HostFile } from '../../host/host.ts';
import type { MeshLook } from '../../viewer/model/layers.ts';
import type { MeshFileSource } from '../state/layer-state.ts';
import type { SavedMeshFile, SessionPart } from '../state/saved-session.ts';

/** A mesh layer that is read from its file again. */
export interface FoundMesh {
  readonly look: MeshLook;
  readonly source: MeshFileSource;
}

/** The mesh layers of a session whose files are there, and the others. @param find the file that a session means */
export async function foundMeshFiles(
  saved: readonly SavedMeshFile[],
  find: (part: SessionPart) => Promise<HostFile | undefined>,
): Promise<{ readonly found: readonly FoundMesh[]; readonly lost: readonly SavedMeshFile[] }> {
  // A file of several objects is looked for once.
  const files = new Map<string, HostFile | undefined>();
  const [found, lost]: [FoundMesh[], SavedMeshFile[]] = [[], []];
  for (const mesh of saved) {
    const { source, object, look } = mesh;
    const [part] = source.files;
    if (!part) continue;
    const key = JSON.stringify(part);
    if (!files.has(key)) files.set(key, await find(part));
    const file = files.get(key);
    if (file) found.push({ look, source: { file, object } });
    else lost.push(mesh);
  }
  return { found, lost };
}
