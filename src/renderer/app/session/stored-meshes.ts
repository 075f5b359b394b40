import { asArray, asCount, asNumber, asObject, asText, type JsonObject } from '../../../core/format/json.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { isLabelNumber } from '../../../core/shared/label-table.ts';
import { type MeshLook, mostMeshes } from '../../viewer/model/layers.ts';
import type { SavedLayers, SavedMesh, SavedMeshFile, SessionSource } from '../state/saved-session.ts';

const mostSmoothing = 200;
/** Earlier versions saved up to 256 shown surfaces and as many whose files were not found. */
const mostStored = 2 * mostMeshes;

/**
 * The mesh layers of a session, except those of removed layers, whose volume the session lacks. @param volumes ids of the
 * session's volumes @throws StriaError `corrupt`
 */
export function meshesOf(value: unknown, volumes: readonly string[]): readonly SavedMesh[] {
  const meshes = asArray(value ?? [], 'layers.meshes', { maxLength: mostStored }).map((mesh, index): SavedMesh => {
    const what = (key: string): string => `layers.meshes[${index}].${key}`;
    const { source, look, place } = asObject(mesh, `layers.meshes[${index}]`);
    const { from, surface, timePoint, smoothing } = asObject(source, what('source'));
    const volume = asText(from, what('source.from'));
    return {
      source: {
        from: volume,
        surface: surfaceOf(surface, what('source.surface')),
        timePoint: asCount(timePoint ?? 0, what('source.timePoint'), 0),
        smoothing: Math.min(mostSmoothing, asCount(smoothing ?? 0, what('source.smoothing'), 0)),
      },
      look: lookOf(look, what('look')),
      place: placeFrom(place, what('place')),
    };
  });
  return meshes.filter(({ source }) => volumes.includes(source.from));
}

/**
 * Gives surfaces unique ids: a surface whose id is taken gets a new one. Adds all ids to `taken`. Nothing else in a session
 * refers to the id of a surface.
 */
export function withOwnIds<Saved extends { readonly look: MeshLook }>(
  surfaces: readonly Saved[],
  taken: Set<string>,
): readonly Saved[] {
  // A new id must differ from those of later surfaces, too.
  const all = new Set([...taken, ...surfaces.map(({ look }) => look.id)]);
  let number = 1;
  return surfaces.map((saved) => {
    let { id } = saved.look;
    if (taken.has(id)) while (all.has(id)) id = `mesh-${number++}`;
    all.add(id);
    taken.add(id);
    return id === saved.look.id ? saved : { ...saved, look: { ...saved.look, id } };
  });
}

/** All surfaces in list order. Those without a place come last. */
export function surfacesInOrder({
  meshes,
  meshFiles,
}: Pick<SavedLayers, 'meshes' | 'meshFiles'>): readonly (SavedMesh | SavedMeshFile)[] {
  const placeOf = ({ place }: SavedMesh | SavedMeshFile): number => place ?? Number.MAX_SAFE_INTEGER;
  return [...meshes, ...meshFiles].sort((a, b) => placeOf(a) - placeOf(b));
}

/** The mesh layers that were read from files. @param sourceOf parses a source @throws StriaError `corrupt` */
export function meshFilesOf(value: unknown, sourceOf: (source: JsonObject) => SessionSource): readonly SavedMeshFile[] {
  return asArray(value ?? [], 'layers.meshFiles', { maxLength: mostStored }).map((mesh, index): SavedMeshFile => {
    const what = (key: string): string => `layers.meshFiles[${index}].${key}`;
    const { source, object, look, place } = asObject(mesh, `layers.meshFiles[${index}]`);
    const files = sourceOf(asObject(source, what('source')));
    if (!('files' in files)) throw new StriaError('corrupt', `${what('source')} names no file`);
    return {
      source: files,
      object: asCount(object ?? 0, what('object'), 0),
      look: lookOf(look, what('look')),
      place: placeFrom(place, what('place')),
    };
  });
}

function placeFrom(value: unknown, what: string): number | undefined {
  return value === undefined ? undefined : asCount(value, what, 0);
}

function lookOf(value: unknown, what: string): MeshLook {
  const { id, name, isVisible, opacity, color } = asObject(value, what);
  if (typeof color !== 'string' || !/^#[0-9a-f]{6}$/i.test(color))
    throw new StriaError('corrupt', `${what}.color is not #rrggbb`);
  return {
    id: asText(id, `${what}.id`),
    name: asText(name, `${what}.name`),
    isVisible: isVisible !== false,
    opacity: typeof opacity === 'number' ? Math.min(1, Math.max(0, opacity)) : 1,
    color,
  };
}

function surfaceOf(value: unknown, what: string): SavedMesh['source']['surface'] {
  const { level, label } = asObject(value, what);
  if (label === undefined) {
    const number = asNumber(level, `${what}.level`);
    if (Number.isFinite(number)) return { level: number };
  } else if (typeof label === 'number' && isLabelNumber(label)) {
    return { label };
  }
  throw new StriaError('corrupt', `${what} is neither a level nor a label`);
}
