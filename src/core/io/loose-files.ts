import type { ByteSource } from '../shared/bytes.ts';
import { StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { formatName, volumeEndings } from '../shared/readable-formats.ts';
import { collectionOf } from './collections.ts';
import { openBytes } from './common/byte-stream.ts';
import { type FileTree, splitPath, type TreeFile } from './common/file-tree.ts';
import type { CollectionReader, VolumeEntry } from './common/volume-entry.ts';
import type { OpenOptions, OpenVolume, VolumeReader } from './common/volume-reader.ts';
import { findRawLayout, openRaw } from './raw/raw-reader.ts';

/** The maximum number of files whose headers are read for a list. */
const listedLimit = 2000;

/** Data files of detached headers. The header is listed instead. */
const dataOnly = /\.(img|zraw)(\.gz)?$/i;

/**
 * The volumes of a folder that are single files: NIfTI, NRRD, raw with a sidecar, and those that collection readers find in single
 * files. All PNG or TIFF files of one folder are a stack. Only files with the extension of a volume are examined.
 * @param done the readers that have already listed their volumes
 * @throws StriaError `unsupported` if there are too many, `not-readable`, `aborted`
 */
export async function listLooseFiles(
  tree: FileTree,
  readers: readonly VolumeReader[],
  done: readonly CollectionReader[],
  options: OpenOptions & JobOptions,
): Promise<readonly VolumeEntry[]> {
  const endings = new RegExp(`\\.(${volumeEndings.join('|')})(\\.gz)?$`, 'i');
  const isOwned = (path: string) => done.some((reader) => reader.owns?.(tree, path));
  const named = (await tree.files(options)).filter(({ path }) => endings.test(path) && !isOwned(path));
  const stacks = new Map<string, TreeFile[]>();
  const singles: TreeFile[] = [];
  for (const file of named) {
    const kind = /\.(png|tiff?)$/i.exec(file.path)?.[1]?.toLowerCase().slice(0, 3);
    const key = kind === undefined ? undefined : `${splitPath(file.path)[0]}*.${kind}`;
    const stack = key === undefined ? singles : (stacks.get(key) ?? []);
    stack.push(file);
    if (key !== undefined) stacks.set(key, stack);
  }
  const pictures = [...stacks].flatMap(([id, files]): readonly VolumeEntry[] => (files.length > 1 ? [stackOf(id, files)] : []));
  singles.push(...[...stacks.values()].flatMap((files) => (files.length === 1 ? files : [])));
  if (singles.length > listedLimit) {
    throw new StriaError('unsupported', `the folder holds more than ${listedLimit} volumes: open a folder in it`);
  }
  const paths = new Set(named.map(({ path }) => path));
  const entries: VolumeEntry[] = [];
  for (const file of singles) {
    throwIfAborted(options.signal);
    const isData = dataOnly.test(file.path) && paths.has(file.path.replace(dataOnly, '.hdr'));
    if (!isData) entries.push(...(await entriesOf(file, tree, readers, done, options)));
  }
  return [...pictures, ...entries];
}

function stackOf(id: string, files: readonly TreeFile[]): VolumeEntry {
  return {
    id,
    label: id,
    group: [],
    shape: [files.length],
    type: 'pictures',
    details: `${files.length} pictures as one stack`,
    async open(options) {
      const { openStack } = await import('./pictures/picture-stack.ts');
      const sources: ByteSource[] = [];
      for (const file of files) sources.push(await file.open(options));
      return openStack(sources, options);
    },
  };
}

async function entriesOf(
  { path, open }: TreeFile,
  tree: FileTree,
  readers: readonly VolumeReader[],
  done: readonly CollectionReader[],
  options: OpenOptions & JobOptions,
): Promise<readonly VolumeEntry[]> {
  const [folder, name] = splitPath(path);
  const entry = { id: path, label: name, group: folder === '' ? [] : folder.slice(0, -1).split('/') };
  const siblings = (sibling: string) => tree.find(folder + sibling);
  const refused = (problem: string): VolumeEntry => ({
    ...entry,
    shape: [],
    type: '',
    details: '',
    problem,
    open: () => Promise.reject(new StriaError('unsupported', problem)),
  });
  try {
    const source = await open(options);
    if (source.size === 0) return [refused('the file is empty')];
    const head = await (await openBytes(source, options)).read(0, 4096, options);
    const collection = await collectionOf(source, head, options);
    if (collection !== undefined && done.includes(collection) && !collection.listsByName) return [];
    if (collection !== undefined) {
      const inner = await collection.list(source, { ...options, siblings });
      return inner.map((one) => ({
        ...one,
        id: inner.length === 1 ? path : `${path}:${one.id}`,
        group: [...entry.group, name, ...one.group],
        open: (opening) => one.open({ ...opening, siblings }),
      }));
    }
    const volume = await openSingle(source, head, readers, { ...options, siblings });
    if (volume === undefined) return [];
    return [
      {
        ...entry,
        ...wordsOf(volume),
        open: async (opening) => {
          const again = await openSingle(await open(opening), head, readers, { ...opening, siblings });
          if (again === undefined) throw new StriaError('not-readable', `${path} has changed since it was listed`);
          return again;
        },
      },
    ];
  } catch (error) {
    const fault = toStriaError(error);
    if (fault.tag === 'aborted') throw fault;
    return [refused(fault.fullMessage)];
  }
}

async function openSingle(
  source: ByteSource,
  head: Uint8Array,
  readers: readonly VolumeReader[],
  options: OpenOptions & JobOptions,
): Promise<OpenVolume | undefined> {
  const reader = readers.find((candidate) => head.byteLength > 0 && candidate.recognises(source.name, head));
  if (reader !== undefined) return reader.open(source, options);
  const layout = await findRawLayout(source, options);
  return layout && openRaw(source, layout, options);
}

function wordsOf({ info, format }: OpenVolume): Pick<VolumeEntry, 'shape' | 'type' | 'details'> {
  const { dims, type } = info;
  const shape = dims[3] > 1 ? dims : dims.slice(0, 3);
  // Maps of molecules have spacings of some hundredths of a nanometre.
  const isTiny = info.spatialUnit === 'um' && info.spacing.slice(0, 3).every((distance) => distance < 0.01);
  const unit = isTiny ? ' nm' : { m: ' m', mm: ' mm', um: ' µm', unknown: '' }[info.spatialUnit];
  const spacing = info.spacing.slice(0, 3).map((distance) => Number(((isTiny ? 1000 : 1) * distance).toPrecision(4)));
  return { shape, type, details: `${formatName(format)} · ${spacing.join(' × ')}${unit}` };
}
