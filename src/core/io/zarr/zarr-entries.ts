import { StriaError, toStriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { valueSource } from '../../shared/source.ts';
import { type Channel, volumeBytes } from '../../shared/volume.ts';
import type { VolumeTag } from '../../shared/volume-facts.ts';
import type { StreamedLevels } from '../../shared/volume-level.ts';
import { type ArrayAxis, parseAxes, planAxes } from '../common/array-axes.ts';
import { type GridLevel, griddedLevels } from '../common/gridded-levels.ts';
import { griddedVoxels } from '../common/gridded-volume.ts';
import type { VolumeEntry } from '../common/volume-entry.ts';
import { defaultLevelBytes, type OpenOptions, type OpenVolume } from '../common/volume-reader.ts';
import { type ArrayFacts, parseArray, readBytes } from './array-metadata.ts';
import type { KeyStore } from './key-store.ts';
import { omeLabels } from './ome-labels.ts';
import { type OmeImage, omeAxes, omeGeometry } from './ome-metadata.ts';
import { ownFacts } from './own-facts.ts';
import { openGrid } from './zarr-grid.ts';
import { readNode, type ZarrNode } from './zarr-nodes.ts';

/** An array and its OME metadata. */
interface ArrayPlace {
  /** Ends with a `/`, except for the root. */
  readonly folder: string;
  readonly image?: OmeImage | undefined;
  readonly level?: OmeImage['levels'][number] | undefined;
}

/**
 * The levels of an image, as entries. The largest level that fits represents the image; the others are its alternatives.
 * @param folder the folder of the image's group
 */
export async function imageEntries(
  store: KeyStore,
  folder: string,
  image: OmeImage,
  attributes: ZarrNode['attributes'],
  options: OpenOptions & JobOptions,
): Promise<readonly VolumeEntry[]> {
  const places = image.levels.map((level) => ({ folder: `${folder}${level.path}/`, image, level }));
  const entries: { entry: VolumeEntry; bytes: number }[] = [];
  for (const place of places) {
    const { facts, problem } = await factsAt(store, place.folder, options);
    const entry = arrayEntry(store, place, facts, problem, attributes, image.name || undefined);
    entries.push({ entry, bytes: facts === undefined ? Number.POSITIVE_INFINITY : readBytes(facts) });
  }
  const usable = entries.filter(({ entry }) => entry.problem === undefined);
  const limit = options.levelBytes ?? defaultLevelBytes;
  const chosen = usable.find(({ bytes }) => bytes <= limit) ?? usable.at(-1) ?? entries[0];
  return entries.map(({ entry }, number) => ({
    ...entry,
    ...(entries.length > 1 && { details: `level ${number + 1} of ${entries.length} · ${entry.details}` }),
    ...(entry !== chosen?.entry && { isAlternative: true }),
  }));
}

/** The entry of an array that belongs to no image. */
export function plainEntry(store: KeyStore, folder: string, node: ZarrNode): VolumeEntry {
  try {
    const facts = parseArray(node.document, node.attributes);
    return arrayEntry(store, { folder }, facts, facts.problem, node.attributes, undefined);
  } catch (error) {
    return arrayEntry(store, { folder }, undefined, problemOf(error), {}, undefined);
  }
}

async function factsAt(store: KeyStore, folder: string, job: JobOptions) {
  try {
    const node = await readNode(store, folder, job);
    if (node?.kind !== 'array') return { facts: undefined, problem: `its array '${folder.slice(0, -1)}' is missing` };
    const facts = parseArray(node.document, node.attributes);
    return { facts, problem: facts.problem };
  } catch (error) {
    return { facts: undefined, problem: problemOf(error) };
  }
}

/** Errors in a volume's metadata become that volume's problem. All other errors are thrown. */
function problemOf(error: unknown): string {
  const { tag, message } = toStriaError(error);
  if (tag !== 'corrupt' && tag !== 'unsupported') throw error;
  return message;
}

function arrayEntry(
  store: KeyStore,
  place: ArrayPlace,
  facts: ArrayFacts | undefined,
  problem: string | undefined,
  attributes: ZarrNode['attributes'],
  label: string | undefined,
): VolumeEntry {
  const id = place.folder === '' ? '/' : place.folder.slice(0, -1);
  const compression = facts?.codecs.join(', ') || 'not compressed';
  return {
    id,
    label: label ?? id,
    group: id.split('/').slice(0, -1).filter(Boolean),
    shape: facts?.shape ?? [],
    type: typeName(facts),
    details: facts === undefined ? '' : `${compression}${facts.isSharded ? ' in shards' : ''} · chunks ${facts.chunks.join('×')}`,
    ...(problem === undefined ? {} : { problem }),
    open: (options) => openArray(store, place, attributes, options),
  };
}

function typeName(facts: ArrayFacts | undefined): string {
  if (facts === undefined) return '';
  const { stored, typeName: name } = facts;
  if (stored === undefined) return name;
  return stored.convert === undefined ? stored.type : `${name} as ${stored.type}`;
}

async function openArray(
  store: KeyStore,
  place: ArrayPlace,
  attributes: ZarrNode['attributes'],
  options: OpenOptions & JobOptions,
): Promise<OpenVolume> {
  const node = await readNode(store, place.folder, options);
  if (node?.kind !== 'array') throw new StriaError('not-readable', `the array '${place.folder}' no longer exists`);
  const facts = parseArray(node.document, node.attributes);
  const grid = await openGrid(store, place.folder, facts);
  const { shape } = facts;
  const axes =
    options.axes === undefined ? omeAxes(place.image ?? namedImage(facts), shape) : parseAxes(options.axes, shape.length);
  const plan = planAxes(axes, shape);
  const own = { slope: 1, intercept: 0, ...ownFacts(attributes, place.image, place.level) };
  const known = (place.image?.channels ?? []).map((channel) => inPhysicalValues(channel, own));
  const channels = channelsOf(plan.channelCount, known);
  const info = {
    dims: plan.dims,
    type: grid.type,
    ...omeGeometry(place.image, place.level, plan, axes),
    ...own,
    ...(channels && { channels }),
  };
  if (!Number.isSafeInteger(volumeBytes(info))) throw new StriaError('corrupt', 'the array exceeds the size of any file');
  const windows = known.flatMap(({ name, window }) => (window === undefined ? [] : [{ name, low: window[0], high: window[1] }]));
  const leveled = async (job: JobOptions = {}): Promise<StreamedLevels> => {
    const { image, level } = place;
    const after = image && level ? image.levels.slice(image.levels.indexOf(level) + 1) : [];
    const levels: GridLevel[] = [{ grid, plan }];
    for (const coarser of after) {
      const found = await coarserLevel(store, place, coarser, axes, job);
      if (found) levels.push(found);
    }
    return griddedLevels(levels);
  };
  return {
    info,
    format: 'zarr',
    leveled,
    windows: windows.length > 0 ? windows : undefined,
    ...(info.valueUnit !== undefined && { valueUnit: info.valueUnit }),
    tags: tagsOf({ ...attributes, ...node.attributes }),
    labels: omeLabels(attributes),
    voxels: (pieces) => griddedVoxels(grid, plan, pieces),
    source: async () => valueSource('zarr', store.tree.name),
  };
}

/** A coarser level of an opened image. Undefined if it cannot be read, as if it did not exist. */
async function coarserLevel(
  store: KeyStore,
  { folder, level: own, image }: ArrayPlace,
  level: OmeImage['levels'][number],
  axes: readonly ArrayAxis[],
  job: JobOptions,
): Promise<GridLevel | undefined> {
  const root = folder.slice(0, folder.length - (own?.path.length ?? 0) - 1);
  const path = `${root}${level.path}/`;
  const { facts, problem } = await factsAt(store, path, job);
  if (!facts || !image || problem !== undefined || facts.shape.length !== axes.length) return undefined;
  const plan = planAxes(axes, facts.shape);
  const scale = [plan.x, plan.y, plan.z].map((axis) =>
    axis === undefined ? 1 : (level.scale?.[axis] ?? 0) / (own?.scale?.[axis] ?? 1),
  ) as [number, number, number];
  return { grid: await openGrid(store, path, facts), plan, scale };
}

/** The dimensions that the array itself names. */
function namedImage(facts: ArrayFacts): OmeImage | undefined {
  if (facts.names === undefined) return undefined;
  const axes = facts.names.map((name) => ({ name: name ?? '', unit: undefined }));
  return { name: '', axes, levels: [], channels: [] };
}

/** A channel's window, which OME gives in stored values. */
function inPhysicalValues(channel: Channel, { slope, intercept }: { slope: number; intercept: number }): Channel {
  if (channel.window === undefined || (slope === 1 && intercept === 0)) return channel;
  const [a, b] = channel.window.map((value) => slope * value + intercept) as [number, number];
  return { ...channel, window: [Math.min(a, b), Math.max(a, b)] };
}

function channelsOf(count: number | undefined, known: readonly Channel[]): readonly Channel[] | undefined {
  if (count === undefined) return undefined;
  return Array.from({ length: count }, (_, number) => {
    const channel = known[number];
    return { ...channel, name: channel?.name || `Channel ${number + 1}` };
  });
}

const tagLimit = 500;
const tagValueLimit = 2000;

/** The attributes as searchable tags: each value with its path. */
function tagsOf(attributes: ZarrNode['attributes']): readonly VolumeTag[] | undefined {
  const tags: VolumeTag[] = [];
  const visit = (value: unknown, path: string, depth: number) => {
    if (tags.length >= tagLimit) return;
    if (typeof value === 'object' && value !== null && depth < 16 && !isPlainList(value)) {
      for (const [key, child] of Object.entries(value)) visit(child, `${path}/${key}`, depth + 1);
    } else {
      const text = (typeof value === 'string' ? value : JSON.stringify(value))?.slice(0, tagValueLimit) ?? '';
      tags.push({ id: path, name: path.split('/').at(-1) ?? '', value: text, isPersonal: false });
    }
  };
  visit(attributes, '', 0);
  return tags.length > 0 ? tags : undefined;
}

function isPlainList(value: object): boolean {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
}
