import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { StriaError } from '../core/shared/errors.ts';
import type { RecentFile } from '../core/shared/ipc.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

/** In characters of the data URL. */
export const thumbnailLimit = 64 * 1024;
const most = 12;

interface RecentEntry {
  readonly path: string;
  readonly openedAt: string;
  readonly thumbnail?: string | undefined;
}

/** The most recently opened files, newest first, kept in a JSON file. */
export interface RecentFiles {
  list(): RecentFile[];
  paths(): string[];
  /** @throws StriaError `invalid-input` for an id that is not in the list */
  pathOf(id: string): string;
  /** Puts a file first. Without a thumbnail it keeps its old one. */
  add(path: string, thumbnail: string | undefined): void;
  clear(): void;
}

/** @param file path of the JSON file. If it cannot be written, the list lasts as long as the app. */
export function createRecentFiles(file: string, now: () => Date = () => new Date()): RecentFiles {
  let entries = readEntries(file);

  const replace = (next: readonly RecentEntry[]): void => {
    entries = next.slice(0, most);
    try {
      writeJsonFile(file, entries);
    } catch (error) {
      console.error('The list of recent files could not be kept:', error);
    }
  };

  return {
    list: () =>
      entries.map(({ path, openedAt, thumbnail }) => ({
        id: idOf(path),
        name: basename(path),
        folder: dirname(path),
        openedAt,
        thumbnail,
      })),
    paths: () => entries.map(({ path }) => path),
    pathOf(id) {
      const entry = entries.find(({ path }) => idOf(path) === id);
      if (entry === undefined)
        throw new StriaError('invalid-input', 'This file is no longer in the list of recent files. Open it again');
      return entry.path;
    },
    add(path, thumbnail) {
      const before = entries.find((entry) => entry.path === path);
      const others = entries.filter((entry) => entry.path !== path);
      replace([{ path, openedAt: now().toISOString(), thumbnail: thumbnail ?? before?.thumbnail }, ...others]);
    },
    clear: () => replace([]),
  };
}

/** True for a PNG data URL small enough to keep. */
export function isThumbnail(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= thumbnailLimit && /^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/.test(value)
  );
}

/** Stays the same for a path between starts. */
function idOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 32);
}

/** The entries of the file, without anything that we would not have written. */
function readEntries(file: string): readonly RecentEntry[] {
  const value = readJsonFile(file);
  if (!Array.isArray(value)) return [];
  const entries: RecentEntry[] = [];
  for (const item of value as unknown[]) {
    if (typeof item !== 'object' || item === null) continue;
    const { path, openedAt, thumbnail } = item as Record<string, unknown>;
    if (typeof path !== 'string' || path === '' || typeof openedAt !== 'string' || Number.isNaN(Date.parse(openedAt))) continue;
    entries.push({ path, openedAt, thumbnail: isThumbnail(thumbnail) ? thumbnail : undefined });
  }
  return entries.slice(0, most);
}
