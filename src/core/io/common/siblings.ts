import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { OpenOptions } from './volume-reader.ts';

/** The name of a data file without its folders. Only files beside the header are opened, whatever folder the header names. */
export function withoutFolders(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/**
 * The names of several data files without their folders.
 * @throws StriaError `unsupported` if files in different folders have the same name: one of them would be read for the other
 */
export function allWithoutFolders(paths: readonly string[]): string[] {
  const written = new Map<string, string>();
  return paths.map((path) => {
    const name = withoutFolders(path);
    const earlier = written.get(name) ?? path;
    if (comparable(earlier) !== comparable(path)) {
      throw new StriaError(
        'unsupported',
        `the header names ${earlier} and ${path}, but Stria opens only files beside the header, where both would be ${name}: put the files there under different names, and change the names in the header`,
      );
    }
    written.set(name, earlier);
    return name;
  });
}

/** The same for `./a.raw` and `a.raw`, and for both kinds of slashes. */
function comparable(path: string): string {
  const parts = path.split(/[\\/]/);
  return parts.filter((part) => part !== '.').join('/');
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
