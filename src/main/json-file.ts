import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A larger file is not one of ours. */
const mostBytes = 4 * 1024 * 1024;

/** The value of a small JSON file, or undefined if the file is missing or not JSON. The caller checks its shape. */
export function readJsonFile(path: string): unknown {
  try {
    if (statSync(path).size > mostBytes) return undefined;
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Replaces a small JSON file atomically, so that a crash leaves either the old or the new content. Throws the system's error. */
export function writeJsonFile(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = openSync(temporary, 'wx');
    try {
      writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
