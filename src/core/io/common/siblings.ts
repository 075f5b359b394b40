import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { OpenOptions } from './volume-reader.ts';

/**
 * The first of `names` that lies beside the file `name`.
 * @throws StriaError `not-readable`, naming the missing file
 */
export async function findSibling(name: string, names: readonly string[], options: OpenOptions): Promise<ByteSource> {
  for (const candidate of names) {
    const found = await options.siblings?.(candidate);
    if (found !== undefined) return found;
  }
  throw new StriaError('not-readable', `${names.join(' or ')} is missing; ${name} needs it in the same folder`);
}
