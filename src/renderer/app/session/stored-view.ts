import { projections } from '../../../core/draw/ray-pass.ts';
import { slabKinds } from '../../../core/draw/slab-plane.ts';
import type { JsonObject } from '../../../core/format/json.ts';
import { isColormapName } from '../../viewer/colors/colormaps.ts';
import type { SlabChoice, ViewState } from '../../viewer/model/viewer-api.ts';

/** A view without layers, which are stored with their files (session-file.ts). */
type StoredView = Omit<ViewState, 'layers'>;

// A view from a file is checked against the shape of a valid one: it must have numbers in the same places, and as many. The
// tables here add what a shape cannot express. A new part of ViewState that needs an entry does not compile without one.

type HasWords<T> = T extends string
  ? true
  : T extends readonly (infer Item)[]
    ? HasWords<Item>
    : T extends object
      ? HasWords<T[keyof T]>
      : false;
type IsList<T> = T extends readonly unknown[] ? (number extends T['length'] ? true : false) : false;
type KeysWhere<Test extends { readonly [Key in keyof StoredView]-?: unknown }> = {
  readonly [Key in keyof StoredView]-?: true extends Test[Key] ? Key : never;
}[keyof StoredView];

/** The allowed names of a part, or a test for them. */
type Words = readonly string[] | ((name: string) => boolean);
const words: Readonly<Record<KeysWhere<{ [Key in keyof StoredView]-?: HasWords<StoredView[Key]> }>, Words>> = {
  projection: projections,
  quality: ['draft', 'normal', 'fine'],
  camera: ['perspective', 'orthographic'],
  colormap: isColormapName,
  outside: ['clamp', 'hide', 'mark'],
  missing: ['hide', 'mark'],
  box: ['off', 'box', 'ticks'],
  slab: ['none', ...slabKinds],
  sliceSlabs: ['none', ...slabKinds],
};

/** Lists of variable length, with their maximum length. */
const longest: Readonly<Record<KeysWhere<{ [Key in keyof StoredView]-?: IsList<StoredView[Key]> }>, number>> = {
  opacity: 1000,
};

/** Optional parts, each with an example. */
type OptionalKey = KeysWhere<{ [Key in keyof StoredView]-?: undefined extends StoredView[Key] ? true : false }>;
const anySlab: SlabChoice = { kind: 'none', thickness: 0 };
const examples: { readonly [Key in OptionalKey]: NonNullable<StoredView[Key]> } = {
  cut: { normal: [0, 0, 1], offset: 0 },
  sliceSlabs: { x: anySlab, y: anySlab, z: anySlab },
};

/**
 * The valid parts of a view from a file. Invalid ones are left out, so that the viewer keeps its values.
 * @param shape a valid view to compare with, such as the viewer's own
 */
export function viewFrom(stored: JsonObject, { layers: _, ...shape }: ViewState): Partial<StoredView> {
  const isGood = (key: string): boolean => {
    const value = stored[key];
    const example = (examples as JsonObject)[key] ?? shape[key as keyof StoredView];
    const known = (words as Readonly<Record<string, Words>>)[key] ?? [];
    const most = (longest as Readonly<Record<string, number>>)[key];
    if (most === undefined) return isLike(value, example, known);
    const items = Array.isArray(value) ? value : [];
    return items.length > 0 && items.length <= most && items.every((item) => isLike(item, (example as unknown[])[0], known));
  };
  const keys = [...Object.keys(shape), ...Object.keys(examples)].filter((key) => Object.hasOwn(stored, key) && isGood(key));
  return Object.fromEntries(keys.map((key) => [key, stored[key]]));
}

function isLike(value: unknown, example: unknown, known: Words): boolean {
  if (typeof value === 'number') return typeof example === 'number' && Number.isFinite(value);
  if (typeof value === 'boolean') return typeof example === 'boolean';
  if (typeof value === 'string') return typeof known === 'function' ? known(value) : known.includes(value);
  if (typeof value !== 'object' || value === null || typeof example !== 'object' || example === null) return false;
  const keys = Object.keys(example);
  return (
    Array.isArray(value) === Array.isArray(example) &&
    Object.keys(value).length === keys.length &&
    keys.every((key) => isLike((value as JsonObject)[key], (example as JsonObject)[key], known))
  );
}
