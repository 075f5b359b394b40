import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { OpenOptions } from './volume-reader.ts';

/** The name of a data file without its folders. Only files beside the header are opened, whatever folder the header names. */
export function withoutFolders(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/**
 * The first of `names` that exists beside the file `name`.
 * @throws StriaError `not-readable`, with the names as `missing`
 */
export async function findSibling(name: string, names: readonly string[], options: OpenOptions): Promise<ByteSource> {
  for (const candidate of names) {
    const found = await options.siblings?.(candidate);
    if (found !== undefined) return found;
  }
  const missing = `the file ${names.join(' or ')} is missing, which belongs to ${name}`;
  throw new StriaError('not-readable', `${missing}: put it into the same folder, or open both together`, { missing: names });
}
