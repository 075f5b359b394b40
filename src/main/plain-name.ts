import { basename } from 'node:path';

/** True for a name that stays in its folder: no path, no device, no stream, nothing that a system would cut off. */
export function isPlainName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.length > 255) return false;
  return !/[/\\\0]/.test(name) && basename(name) === name && !(process.platform === 'win32' && /[:*?"<>|]|[. ]$/.test(name));
}
