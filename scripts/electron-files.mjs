import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of Electron's npm package. */
export const electronPackage = fileURLToPath(new URL('../node_modules/electron', import.meta.url));

/**
 * The path of Electron's binary, or undefined if it is not installed. ELECTRON_OVERRIDE_DIST_PATH names another folder with its files.
 * @returns {string | undefined}
 */
export function findElectron() {
  const pathFile = join(electronPackage, 'path.txt');
  const { ELECTRON_OVERRIDE_DIST_PATH: override } = process.env;
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : override && nameHere();
  if (!name) return undefined;
  const binary = join(override || join(electronPackage, 'dist'), name);
  return existsSync(binary) ? binary : undefined;
}

function nameHere() {
  const names = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' };
  return names[process.platform] ?? 'electron';
}
