import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { objectOf } from './array-metadata.ts';
import type { KeyStore } from './key-store.ts';

type Json = Readonly<Record<string, unknown>>;

/** The array or group in a folder of a Zarr hierarchy. */
export interface ZarrNode {
  readonly kind: 'array' | 'group';
  /** `.zarray` or `zarr.json`. For a group only its attributes are used. */
  readonly document: Json;
  readonly attributes: Json;
}

/**
 * The array or group in a folder; undefined if there is none.
 * @param folder '' for the root; otherwise ends with a `/`
 * @throws StriaError `corrupt` for invalid documents, `not-readable`, `aborted`
 */
export async function readNode(store: KeyStore, folder: string, job: JobOptions): Promise<ZarrNode | undefined> {
  const document = await store.json(`${folder}zarr.json`, job);
  if (document !== undefined) {
    const kind = document.node_type;
    if (document.zarr_format !== 3 || (kind !== 'array' && kind !== 'group')) {
      throw new StriaError('corrupt', `${folder}zarr.json describes neither an array nor a group of Zarr v3`);
    }
    return { kind, document, attributes: objectOf(document.attributes) ?? {} };
  }
  const array = await store.json(`${folder}.zarray`, job);
  const attributes = await store.json(`${folder}.zattrs`, job);
  if (array !== undefined) return { kind: 'array', document: { ...array, zarr_format: 2 }, attributes: attributes ?? {} };
  if (attributes !== undefined) return { kind: 'group', document: {}, attributes };
  const group = await store.json(`${folder}.zgroup`, job);
  return group && { kind: 'group', document: {}, attributes: {} };
}
