import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const electronPackage = dirname(createRequire(import.meta.url).resolve('electron/package.json'));

/** The path of Electron's binary, or undefined if only its package is installed. */
export function electronBinary(): string | undefined {
  const pathFile = join(electronPackage, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(electronPackage, 'dist');
  const binary = join(folder, readFileSync(pathFile, 'utf8').trim());
  return existsSync(binary) ? binary : undefined;
}
