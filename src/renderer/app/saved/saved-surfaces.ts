import type { HostFile, HostSink } from '../../host/host.ts';
import { baseId, type MeshLook, mostMeshes, volumeIdOf } from '../../viewer/model/layers.ts';
import { surfacesInOrder } from '../session/stored-meshes.ts';
import type { MeshFileSource, MeshSource } from '../state/layer-state.ts';
import type { SavedLayers, SavedMesh, SavedMeshFile, SessionFiles, SessionPart } from '../state/saved-session.ts';
import { candidatesOf, filesIn, fittingOne } from './session-files.ts';

/** The part of `Meshes` that sessions need. */
export interface SessionMeshes {
  /** The volume and settings that a surface is extracted from. */
  sourceOf(id: string): MeshSource | undefined;
  /** The file that a surface was read from. */
  fileOf(id: string): MeshFileSource | undefined;
  /** The place of a surface's file that was not found. */
  lostFileOf(id: string): MeshFilePlace | undefined;
  /** Extracts listed surfaces again, or reads their files. @param lost surfaces whose files were not found */
  restore(sources: ReadonlyMap<string, MeshSource | MeshFileSource>, lost?: ReadonlyMap<string, MeshFilePlace>): void;
}

export type MeshFilePlace = Pick<SavedMeshFile, 'source' | 'object'>;

/** The origins of surfaces by their ids: extracted, read from a file, or from a file that was not found. */
export type SurfaceSources = ReadonlyMap<
  string,
  readonly [MeshSource | undefined, MeshFileSource | undefined, MeshFilePlace | undefined]
>;

/** The surfaces to store in a session. @param volumes ids of the layers in the session, and `baseId` */
export async function savedSurfaces(
  looks: readonly MeshLook[],
  volumes: readonly string[],
  sources: SurfaceSources,
  sink: HostSink,
): Promise<Pick<SavedLayers, 'meshes' | 'meshFiles'>> {
  const [meshes, meshFiles]: [SavedMesh[], SavedMeshFile[]] = [[], []];
  // A file with several objects is read only once for its fingerprint.
  const known = new Map<HostFile, SessionFiles>();
  for (const [place, look] of looks.entries()) {
    const [source, read, lost] = sources.get(look.id) ?? [];
    if (read) {
      const files = known.get(read.file) ?? (await filesIn({ kind: 'file', file: read.file }, sink));
      known.set(read.file, files);
      meshFiles.push({ source: files, object: read.object, look, place });
    } else if (lost) meshFiles.push({ ...lost, look, place });
    // A surface of a removed layer could not be extracted again.
    else if (source && volumes.includes(source.from)) meshes.push({ source, look, place });
  }
  return { meshes, meshFiles };
}

/** The looks of a session's surfaces in list order, and the surfaces that exceed the list's limit. */
export function listedSurfaces(saved: SavedLayers): {
  readonly looks: readonly MeshLook[];
  readonly left: readonly (SavedMesh | SavedMeshFile)[];
} {
  const all = surfacesInOrder(saved);
  const layers = new Map(saved.list.map(({ look }) => [look.id, look]));
  const looks = all.slice(0, mostMeshes).map(({ source, look }): MeshLook => {
    const layer = 'from' in source ? layers.get(source.from) : undefined;
    // A surface of a layer moves with the layer.
    return layer && volumeIdOf(layer) !== baseId ? { ...look, of: volumeIdOf(layer), motion: layer.motion } : look;
  });
  return { looks, left: all.slice(mostMeshes) };
}

/** The sources of a session's surfaces, by id, and the surfaces whose files were not found. @param find finds the file of a part */
export async function findSurfaces(
  { meshes, meshFiles }: SavedLayers,
  find: (part: SessionPart) => Promise<HostFile | undefined>,
): Promise<{
  readonly sources: ReadonlyMap<string, MeshSource | MeshFileSource>;
  readonly lost: ReadonlyMap<string, MeshFilePlace>;
}> {
  const sources = new Map<string, MeshSource | MeshFileSource>(meshes.map(({ source, look }) => [look.id, source]));
  const lost = new Map<string, MeshFilePlace>();
  // A file with several objects is looked for only once.
  const files = new Map<string, HostFile | undefined>();
  for (const { source, object, look } of meshFiles) {
    const [part] = source.files;
    if (!part) continue;
    const key = JSON.stringify(part);
    if (!files.has(key)) files.set(key, await find(part));
    const file = files.get(key);
    if (file) sources.set(look.id, { file, object });
    else lost.set(look.id, { source, object });
  }
  return { sources, lost };
}

/** The surfaces whose missing files are among the given ones, by id. A single given file may have any name. */
export async function foundSurfaces(
  ids: readonly string[],
  needs: Pick<SessionMeshes, 'lostFileOf'>,
  given: readonly HostFile[],
): Promise<ReadonlyMap<string, MeshFileSource>> {
  const found: { readonly id: string; readonly lost: MeshFilePlace; readonly file: HostFile }[] = [];
  for (const id of ids) {
    const lost = needs.lostFileOf(id);
    const [part] = lost?.source.files ?? [];
    if (!lost || !part) continue;
    const { one } = await fittingOne(part, candidatesOf(part, given, true));
    if (one) found.push({ id, lost, file: one });
  }
  // Another volume may be open by now, with surfaces that have the same ids.
  const wanted = found.filter(({ id, lost }) => needs.lostFileOf(id) === lost);
  return new Map(wanted.map(({ id, lost, file }) => [id, { file, object: lost.object }]));
}
