import { constants, type Dirent } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { ContainerReader } from '../../core/format/container-reader.ts';
import { isContainer } from '../../core/format/container-start.ts';
import { isLeftOut } from '../../core/io/common/file-tree.ts';
import { openVolume } from '../../core/io/open-volume.ts';
import type { ByteSource, SiblingFinder } from '../../core/shared/bytes.ts';
import { type StriaError, toStriaError } from '../../core/shared/errors.ts';
import { volumeEndings } from '../../core/shared/readable-formats.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { isLevelsName, isLevelsNameOf } from '../../core/shared/volume-names.ts';
import { openFolder } from '../../node/node-folder.ts';
import { NodeFiles } from '../../node/node-source.ts';
import { pathInside } from './file-answer.ts';

/** A page lists at most this many entries. */
const mostListed = 1000;
const looksAtOnce = 4;
/** A file whose header takes longer to read, for example from a slow disk, is listed without details. */
const lookMs = 2000;

export interface ListedVolume {
  readonly name: string;
  /** Undefined for folders. */
  readonly bytes: number | undefined;
  /** `512 × 512 × 300`; undefined if the header could not be read. */
  readonly shape: string | undefined;
  readonly type: string | undefined;
  /** Why the file cannot be opened, or that it holds several volumes. */
  readonly note: string | undefined;
}

export interface Listing {
  readonly folders: readonly string[];
  readonly volumes: readonly ListedVolume[];
  /** How many entries were left out. */
  readonly more: number;
}

const described = new Map<string, Promise<Pick<ListedVolume, 'shape' | 'type' | 'note'>>>();
const mostDescribed = 10_000;
const unread = 'its header could not be read';

/** The volumes and folders in a folder below `root`; undefined if there is no such folder. */
export async function listFolder(root: string, names: readonly string[]): Promise<Listing | undefined> {
  const folder = await pathInside(root, names);
  const entries = folder && (await readdir(folder, { withFileTypes: true }).catch(() => undefined));
  if (!entries) return undefined;
  const folders: string[] = [];
  const volumes: { name: string; path: string; facts: Awaited<ReturnType<typeof stat>> }[] = [];
  // Levels beside a file are read with it.
  const isLevels = (name: string) => isLevelsName(name) && entries.some((file) => isLevelsNameOf(file.name, name));
  // Plain files that are no volumes do not count. Where a link leads is seen below.
  const mayBeListed = (entry: Dirent) => !entry.isFile() || isVolumeName(entry.name);
  const kept = entries
    .filter((entry) => mayBeListed(entry) && !isLeftOut(entry.name) && !isLevels(entry.name))
    .sort((a, b) => byName(a, b));
  for (const { name } of kept.slice(0, mostListed)) {
    const path = await pathInside(root, [...names, name]);
    const facts = path === undefined ? undefined : await stat(path).catch(() => undefined);
    if (path === undefined || facts === undefined) continue;
    const isZarr = facts.isDirectory() && (/\.zarr$/i.test(name) || (await hasMetadata(path)));
    if (isZarr || (facts.isFile() && isVolumeName(name))) volumes.push({ name, path, facts });
    else if (facts.isDirectory()) folders.push(name);
  }
  const listed: ListedVolume[] = new Array(volumes.length);
  let next = 0;
  const work = async () => {
    for (let at = next++; at < volumes.length; at = next++) {
      const { name, path, facts } = volumes[at] as (typeof volumes)[number];
      const isFolder = facts.isDirectory();
      listed[at] = {
        name,
        bytes: isFolder ? undefined : Number(facts.size),
        ...(await describe(root, path, isFolder, `${facts.ino} ${facts.size} ${facts.mtimeMs}`)),
      };
    }
  };
  await Promise.all(Array.from({ length: looksAtOnce }, work));
  return { folders, volumes: listed, more: Math.max(0, kept.length - mostListed) };
}

function byName(a: Dirent, b: Dirent): number {
  return a.name.localeCompare(b.name, 'en', { numeric: true });
}

function isVolumeName(name: string): boolean {
  const lower = name.toLowerCase().replace(/\.gz$/, '');
  return lower.endsWith('.stria') || volumeEndings.some((ending) => lower.endsWith(`.${ending}`));
}

async function hasMetadata(folder: string): Promise<boolean> {
  const found = ['zarr.json', '.zattrs', '.zarray', '.zgroup'].map((name) =>
    access(join(folder, name), constants.R_OK).then(
      () => true,
      () => false,
    ),
  );
  return (await Promise.all(found)).includes(true);
}

/** Reads a header once for each version of a file. */
function describe(
  root: string,
  path: string,
  isFolder: boolean,
  version: string,
): Promise<Pick<ListedVolume, 'shape' | 'type' | 'note'>> {
  const key = `${version} ${path}`;
  const known = described.get(key);
  if (known) return known;
  const found = look(root, path, isFolder);
  described.set(key, found);
  // A disk that was slow may be fast next time, so do not cache the failure.
  void found.then(({ note }) => note === unread && described.delete(key));
  const [oldest] = described.keys();
  if (described.size > mostDescribed && oldest !== undefined) described.delete(oldest);
  return found;
}

async function look(root: string, path: string, isFolder: boolean): Promise<Pick<ListedVolume, 'shape' | 'type' | 'note'>> {
  const signal = AbortSignal.timeout(lookMs);
  const files = new NodeFiles({ signal });
  try {
    const info = isFolder
      ? (await openVolume(await openFolder(path), { signal })).info
      : await headerOf(await files.open(path), siblingsInside(root, path), signal);
    return { shape: shapeOf(info), type: info.type, note: undefined };
  } catch (error) {
    return { shape: undefined, type: undefined, note: noteOf(toStriaError(error), root) };
  } finally {
    await files.close();
  }
}

function noteOf({ tag, message, choices }: StriaError, root: string): string {
  if (tag === 'several') return `${choices?.length ?? 'several'} volumes`;
  if (tag === 'internal' || tag === 'aborted') return unread;
  // The first sentence says what is wrong; the others are for those who run the command.
  return (message.replaceAll(`${root}${sep}`, '').split(/[.;] /)[0] ?? '').replace(/\.$/, '');
}

/** Finds files beside a path if they lie below the served folder. */
function siblingsInside(root: string, path: string): SiblingFinder {
  return async (name) => {
    if (name !== basename(name) || name === '..' || name.includes('\0')) return undefined;
    const found = await pathInside(root, [relative(root, dirname(path)), name]);
    return found === undefined ? undefined : NodeFiles.openWhenRead(found);
  };
}

async function headerOf(source: ByteSource, siblings: SiblingFinder, signal: AbortSignal): Promise<VolumeInfo> {
  if (isContainer(await source.read(0, 8, { signal }))) return (await ContainerReader.open(source, { signal })).header.volume;
  return (await openVolume(source, { siblings, signal })).info;
}

function shapeOf({ dims, channels }: VolumeInfo): string {
  const [x, y, z, t] = dims;
  return `${x} × ${y} × ${z}${t > 1 ? (channels ? `, ${t} time points and channels` : `, ${t} time points`) : ''}`;
}
