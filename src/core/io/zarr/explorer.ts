import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { type FileTree, isFileTree } from '../common/file-tree.ts';
import type { VolumeEntry } from '../common/volume-entry.ts';
import type { OpenOptions } from '../common/volume-reader.ts';
import { KeyStore } from './key-store.ts';
import { listOf, omeOf, parseImages, safePath } from './ome-metadata.ts';
import { imageEntries, plainEntry } from './zarr-entries.ts';
import { readNode, type ZarrNode } from './zarr-nodes.ts';
import { zipTree } from './zip-tree.ts';

type Options = OpenOptions & JobOptions;

const noArray = 'this has Zarr metadata, but no array: Stria reads arrays of Zarr v2 and v3';
const noZarr = 'this is a ZIP archive without a Zarr array: unpack it and open the volume inside';

/** The volumes of a folder or ZIP. @throws StriaError `unsupported` if there are none; `corrupt`, `not-readable`, `aborted` */
export async function entriesOf(input: ByteSource | FileTree, options: Options): Promise<readonly VolumeEntry[]> {
  const tree = isFileTree(input) ? input : await zipTree(input, options);
  const entries = await new Explorer(new KeyStore(tree), options).entries();
  if (entries.length > 0) return entries;
  throw new StriaError('unsupported', isFileTree(input) ? noArray : noZarr);
}

/** Limits for the depth and the number of folders that are searched. */
const depthLimit = 32;
const folderLimit = 20_000;
const entryLimit = 10_000;

/** Finds the volumes of a hierarchy: those that OME metadata names, or every array if there is no such metadata. */
class Explorer {
  readonly #store: KeyStore;
  readonly #options: Options;
  readonly #entries: VolumeEntry[] = [];
  /** Groups that were already searched, because metadata may name one twice. */
  readonly #seen = new Set<string>();
  #folders: Map<string, string[]> | undefined;

  constructor(store: KeyStore, options: Options) {
    this.#store = store;
    this.#options = options;
  }

  async entries(): Promise<readonly VolumeEntry[]> {
    await this.#explore('', 0);
    return this.#entries;
  }

  async #explore(folder: string, depth: number): Promise<void> {
    throwIfAborted(this.#options.signal);
    if (this.#seen.has(folder) || this.#seen.size >= folderLimit || depth > depthLimit || this.#entries.length >= entryLimit)
      return;
    this.#seen.add(folder);
    const node = await readNode(this.#store, folder, this.#options);
    if (node?.kind === 'array') {
      this.#entries.push(plainEntry(this.#store, folder, node));
      return;
    }
    if (node !== undefined && (await this.#exploreOme(folder, node, depth))) return;
    for (const child of await this.#childrenOf(folder, node)) await this.#explore(`${folder}${child}/`, depth + 1);
  }

  /** Explores what a group's metadata lists. Returns false if it lists nothing. */
  async #exploreOme(folder: string, { attributes }: ZarrNode, depth: number): Promise<boolean> {
    const ome = omeOf(attributes);
    const images = parseImages(attributes);
    for (const image of images) {
      this.#entries.push(...(await imageEntries(this.#store, folder, image, attributes, this.#options)));
    }
    if (images.length > 0) {
      for (const label of await this.#labelsOf(`${folder}labels/`)) await this.#explore(`${folder}labels/${label}/`, depth + 1);
      return true;
    }
    const named = [
      ...listOf((ome.plate as { wells?: unknown } | undefined)?.wells).map(({ path }) => path),
      ...listOf((ome.well as { images?: unknown } | undefined)?.images).map(({ path }) => path),
      ...(Array.isArray(ome.series) ? ome.series : []),
    ];
    if (named.length > 0) {
      for (const path of named.map(safePath)) if (path !== undefined) await this.#explore(`${folder}${path}/`, depth + 1);
      return true;
    }
    if ('bioformats2raw.layout' in ome) return this.#exploreNumbered(folder, depth);
    return false;
  }

  /** bioformats2raw names its images 0, 1, 2 …, and may also list them in `OME`. */
  async #exploreNumbered(folder: string, depth: number): Promise<boolean> {
    const list = await readNode(this.#store, `${folder}OME/`, this.#options);
    const series = list && omeOf(list.attributes).series;
    const before = this.#entries.length;
    if (Array.isArray(series)) {
      for (const path of series.map(safePath)) if (path !== undefined) await this.#explore(`${folder}${path}/`, depth + 1);
    } else {
      for (let number = 0; ; number++) {
        const count = this.#entries.length;
        await this.#explore(`${folder}${number}/`, depth + 1);
        if (this.#entries.length === count) break;
      }
    }
    return this.#entries.length > before;
  }

  async #labelsOf(folder: string): Promise<readonly string[]> {
    const node = await readNode(this.#store, folder, this.#options);
    const labels = node && omeOf(node.attributes).labels;
    return Array.isArray(labels) ? labels.map(safePath).filter((path) => path !== undefined) : [];
  }

  /** The folders in a folder: from consolidated metadata, or else from the list of files. */
  async #childrenOf(folder: string, node: ZarrNode | undefined): Promise<readonly string[]> {
    const consolidated = consolidatedChildren(folder, node);
    if (consolidated.length > 0) return consolidated;
    this.#folders ??= foldersOf((await this.#store.tree.files(this.#options)).map(({ path }) => path));
    return this.#folders.get(folder) ?? [];
  }
}

/** Maps each folder's path to the folders in it. */
function foldersOf(paths: readonly string[]): Map<string, string[]> {
  const folders = new Map<string, Set<string>>();
  for (const path of paths) {
    for (let slash = path.indexOf('/'), start = 0; slash >= 0; start = slash + 1, slash = path.indexOf('/', start)) {
      const parent = path.slice(0, start);
      const children = folders.get(parent) ?? new Set();
      children.add(path.slice(start, slash));
      folders.set(parent, children);
    }
  }
  return new Map(
    [...folders].map(([parent, children]) => [parent, [...children].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))]),
  );
}

function consolidatedChildren(folder: string, node: ZarrNode | undefined): readonly string[] {
  const consolidated = node?.document.consolidated_metadata as { metadata?: unknown } | undefined;
  if (folder !== '' || typeof consolidated?.metadata !== 'object' || consolidated.metadata === null) return [];
  const names = Object.keys(consolidated.metadata).map((path) => safePath(path)?.split('/')[0]);
  return [...new Set(names.filter((name) => name !== undefined))];
}
