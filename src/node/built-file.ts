import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StriaError } from '../core/shared/errors.ts';

/** The path of a built program: beside the bundle, or in out/ when running from source, as tests do. */
export function builtFile(name: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [name, `../${name}`, `../../out/main/${name}`].map((place) => join(here, place));
  const found = places.find((place) => existsSync(place));
  if (!found) throw new StriaError('internal', `${name} is missing beside ${here}; run \`npm run build\``);
  return found;
}
