import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { isAddress, nameOfAddress, placeOfAddress, urlOfAddress } from '../core/remote/address.ts';
import { StriaError } from '../core/shared/errors.ts';
import type { RecentFile } from '../core/shared/ipc.ts';
import type { DatasetName } from '../core/shared/volume-names.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

/** The maximum size of a thumbnail, in characters of the data URL. */
export const thumbnailLimit = 64 * 1024;
const most = 12;

interface RecentEntry {
  readonly path: string;
  readonly openedAt: string;
  readonly thumbnail?: string | undefined;
  readonly dataset?: DatasetName | undefined;
}

/** The most recently opened files and folders, newest first, kept in a JSON file. */
export interface RecentFiles {
  list(): RecentFile[];
  paths(): string[];
  /** The path and volume of an entry. @throws StriaError `invalid-input` for an id that is not in the list */
  find(id: string): { readonly path: string; readonly dataset?: DatasetName | undefined };
  /** Puts a file or a web address first. Without a thumbnail it keeps its old one. Each volume of a file has its own entry. */
  add(path: string, thumbnail: string | undefined, dataset?: DatasetName): void;
  clear(): void;
}

/** @param file path of the JSON file. If it cannot be written, the list is lost when the app ends. */
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
      entries.map(({ path, openedAt, thumbnail, dataset }) => ({
        id: idOf(path, dataset),
        ...placeOf(path),
        openedAt,
        thumbnail,
        dataset,
      })),
    paths: () => entries.map(({ path }) => path).filter((path) => !isAddress(path)),
    find(id) {
      const entry = entries.find(({ path, dataset }) => idOf(path, dataset) === id);
      if (entry === undefined)
        throw new StriaError('invalid-input', 'This file is no longer in the list of recent files. Open it again');
      return entry;
    },
    add(path, thumbnail, dataset) {
      const isSame = (entry: RecentEntry) => entry.path === path && entry.dataset?.id === dataset?.id;
      const before = entries.find(isSame);
      const others = entries.filter((entry) => !isSame(entry));
      replace([{ path, openedAt: now().toISOString(), thumbnail: thumbnail ?? before?.thumbnail, dataset }, ...others]);
    },
    clear: () => replace([]),
  };
}

/** The display name and place of a path or a web address. */
function placeOf(path: string): Pick<RecentFile, 'name' | 'folder' | 'address'> {
  if (!isAddress(path)) return { name: basename(path), folder: dirname(path) };
  return { name: nameOfAddress(urlOfAddress(path)), folder: placeOfAddress(path), address: path };
}

/** False for a web address that `urlOfAddress` refuses. */
function isPathOrAddress(path: string): boolean {
  try {
    return !isAddress(path) || urlOfAddress(path).host !== '';
  } catch {
    return false;
  }
}

/** Whether a value is a PNG data URL that is small enough to keep. */
export function isThumbnail(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= thumbnailLimit && /^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/.test(value)
  );
}

/** Whether a value is the name of a volume whose texts are short enough to keep. */
export function isDatasetName(value: unknown): value is DatasetName {
  if (typeof value !== 'object' || value === null) return false;
  const { id, label } = value as Record<string, unknown>;
  return [id, label].every((text) => typeof text === 'string' && text.length <= 1000);
}

/** The id of an entry, which is the same after a restart. */
function idOf(path: string, dataset: DatasetName | undefined): string {
  return createHash('sha256')
    .update(dataset === undefined ? path : `${path}\0${dataset.id}`)
    .digest('hex')
    .slice(0, 32);
}

/** The entries of the file, without those that we would not have written. */
function readEntries(file: string): readonly RecentEntry[] {
  const value = readJsonFile(file);
  if (!Array.isArray(value)) return [];
  const entries: RecentEntry[] = [];
  for (const item of value as unknown[]) {
    if (typeof item !== 'object' || item === null) continue;
    const { path, openedAt, thumbnail, dataset } = item as Record<string, unknown>;
    if (
      typeof path !== 'string' ||
      path === '' ||
      !isPathOrAddress(path) ||
      typeof openedAt !== 'string' ||
      Number.isNaN(Date.parse(openedAt))
    )
      continue;
    entries.push({
      path,
      openedAt,
      thumbnail: isThumbnail(thumbnail) ? thumbnail : undefined,
      dataset: isDatasetName(dataset) ? { id: dataset.id, label: dataset.label } : undefined,
    });
  }
  return entries.slice(0, most);
}
