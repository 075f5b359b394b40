import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute } from 'node:path';
import { readJsonFile, writeJsonFile } from './json-file.ts';

/** The maximum number of paths to keep from earlier runs. In practice there are never more. */
const mostKept = 100;
const ownName = /^\.stria-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;

/** The name of a temporary file or folder. Only files with such names are ever removed. @param id a UUID */
export const temporaryName = (id: string): string => `.stria-${id}.part`;

/**
 * The paths of the temporary files and folders of saves, kept in a JSON file. If the app is killed while it saves, its next start
 * removes the unfinished files. Only one process may use the JSON file at a time.
 */
export interface UnfinishedSaves {
  /** Must be called before the temporary file is created. */
  add(path: string): void;
  /** Must be called after the temporary file was renamed or removed. */
  remove(path: string): void;
  /** Removes files that earlier runs of the app left. @returns their paths. Files on a disk that is not connected stay in the list. */
  removeLeft(): Promise<string[]>;
}

/** @param file path of the JSON file. If it cannot be written, the next start removes nothing. */
export function createUnfinishedSaves(file: string): UnfinishedSaves {
  const read = readJsonFile(file);
  let left = (Array.isArray(read) ? read : [])
    .filter((path): path is string => typeof path === 'string' && isAbsolute(path) && ownName.test(basename(path)))
    .slice(-mostKept);
  const current = new Set<string>();
  const write = (): void => {
    try {
      writeJsonFile(file, [...left, ...current]);
    } catch (error) {
      console.error('The list of unfinished saves could not be kept:', error);
    }
  };
  return {
    add(path) {
      current.add(path);
      write();
    },
    remove(path) {
      if (current.delete(path)) write();
    },
    async removeLeft() {
      if (left.length === 0) return [];
      const removed: string[] = [];
      const kept: string[] = [];
      for (const path of left) {
        if (!existsSync(path)) {
          if (!existsSync(dirname(path))) kept.push(path);
          continue;
        }
        try {
          await rm(path, { recursive: true, force: true });
          removed.push(path);
        } catch {
          kept.push(path);
        }
      }
      left = kept;
      write();
      return removed;
    },
  };
}
