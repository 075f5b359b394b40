import type { ByteSource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import { formatName } from '../shared/readable-formats.ts';
import type { FileFormat } from '../shared/source.ts';
import { collectionOf, collectionReaders } from './collections.ts';
import { openBytes, plainBytes } from './common/byte-stream.ts';
import { type FileTree, isFileTree } from './common/file-tree.ts';
import { type CollectionReader, chooseEntry, type VolumeEntry } from './common/volume-entry.ts';
import type { OpenOptions, OpenVolume, VolumeReader } from './common/volume-reader.ts';
import { listLooseFiles } from './loose-files.ts';
import { mhaReader } from './metaimage/mha-reader.ts';
import { mghReader } from './mgh/mgh-reader.ts';
import { mrcReader } from './mrc/mrc-reader.ts';
import { niftiReader } from './nifti/nifti-reader.ts';
import { npyReader } from './npy/npy-reader.ts';
import { nrrdReader } from './nrrd/nrrd-reader.ts';
import { pngReader, tiffReader } from './pictures/picture-readers.ts';
import { findRawLayout, openRaw } from './raw/raw-reader.ts';
import { unrecognised } from './unrecognised.ts';

/** In order of certainty: raw files have neither a signature nor a fixed name, so they come last. */
const readers: readonly VolumeReader[] = [
  niftiReader,
  nrrdReader,
  mhaReader,
  npyReader,
  mrcReader,
  mghReader,
  pngReader,
  tiffReader,
];

/** The fault of `--axes` for files whose axes are known. @param files what they are */
export function axesAreKnown(files: string): StriaError {
  return new StriaError('invalid-input', `the axes of ${files} are known; only HDF5, Zarr and NumPy take --axes`);
}

const headBytes = 4096;

/** Formats whose files do not always say what their axes mean. */
const arrayFormats: readonly FileFormat[] = ['hdf5', 'zarr', 'npy'];

/**
 * Opens a volume: reads its header, so that its voxels can be streamed. With `options.raw` any file is raw. Otherwise the format
 * is identified by the first bytes (gunzipped if necessary), by the name, or by a sidecar. If a file or folder has several
 * volumes, `options.dataset` selects one.
 * @throws StriaError `several` with all volumes as `choices` if one must be selected; `unsupported`, `corrupt`, `invalid-input`,
 * `not-readable`, `aborted`. Messages do not name the source, because the caller does
 */
export async function openVolume(input: ByteSource | FileTree, options: OpenOptions & JobOptions = {}): Promise<OpenVolume> {
  const volume = await openAsRead(input, options);
  if (options.axes !== undefined && !arrayFormats.includes(volume.format)) {
    throw axesAreKnown('this format');
  }
  const { info, valueUnit = info.valueUnit, windows = info.windows } = volume;
  if (valueUnit === info.valueUnit && windows === info.windows) return volume;
  // Put into `info`, because both the view and a container receive it.
  return { ...volume, info: { ...info, ...(valueUnit && { valueUnit }), ...(windows?.length && { windows }) } };
}

async function openAsRead(input: ByteSource | FileTree, options: OpenOptions & JobOptions): Promise<OpenVolume> {
  const { raw, dataset } = options;
  if (isFileTree(input)) {
    if (raw !== undefined) throw new StriaError('invalid-input', 'a folder cannot be a raw file: name a file in it');
    return chooseEntry(await listTree(input, options), dataset).open(options);
  }
  if (raw !== undefined) return openRaw(input, { layout: raw }, options);
  const head = await readHead(input, options);
  const collection = await collectionOf(input, head, options);
  if (collection !== undefined) {
    return chooseEntry(withDistinctIds(await collection.list(input, options)), dataset).open(options);
  }
  if (dataset !== undefined) {
    throw new StriaError('invalid-input', `the file holds only one volume, so '${dataset}' cannot be selected`);
  }
  // An empty file has no format, whatever its name.
  const reader = readers.find((candidate) => head.byteLength > 0 && candidate.recognises(input.name, head));
  if (reader !== undefined) return reader.open(input, options);
  const found = await findRawLayout(input, options);
  if (found !== undefined) return openRaw(input, found, options);
  throw unrecognised(input.name, head);
}

/**
 * The volumes of a file or folder that may hold several; undefined for a file of a format with one volume per file.
 * @throws StriaError as `openVolume`
 */
export async function listVolumes(
  input: ByteSource | FileTree,
  options: OpenOptions & JobOptions = {},
): Promise<readonly VolumeEntry[] | undefined> {
  if (isFileTree(input)) return listTree(input, options);
  const collection = await collectionOf(input, await readHead(input, options), options);
  return collection && withDistinctIds(await collection.list(input, options));
}

/** Whether the file's format can have several volumes in a file, or one volume in several files. */
export async function mayHoldSeveral(source: ByteSource, options: JobOptions = {}): Promise<boolean> {
  return (await collectionOf(source, await readHead(source, options), options)) !== undefined;
}

/** The volumes that all readers find in a folder. */
async function listTree(tree: FileTree, options: OpenOptions & JobOptions): Promise<readonly VolumeEntry[]> {
  const found: CollectionReader[] = [];
  for (const reader of collectionReaders) {
    const verdict = await reader.recognisesTree?.(tree, options);
    if (verdict === 'whole') return withDistinctIds(await reader.list(tree, options));
    if (verdict) found.push(reader);
  }
  const lists: (readonly VolumeEntry[])[] = [];
  for (const reader of found) lists.push(await reader.list(tree, options));
  lists.push(await listLooseFiles(tree, readers, found, options));
  const entries = withDistinctIds(lists.flat());
  if (entries.length > 0) return entries;
  const { length } = await tree.files(options);
  throw new StriaError(
    'unsupported',
    length === 0
      ? 'the folder is empty'
      : `none of the ${length} files in the folder is part of a volume that Stria reads${found.map(({ format }) => `: the ${formatName(format)} files in it hold no voxels`)[0] ?? ''}`,
  );
}

/** Makes ids unique, so that each entry can be named: the second entry with the same id becomes `id#2`. */
function withDistinctIds(entries: readonly VolumeEntry[]): readonly VolumeEntry[] {
  const taken = new Map<string, number>();
  return entries.map((entry) => {
    const count = (taken.get(entry.id) ?? 0) + 1;
    taken.set(entry.id, count);
    return count === 1 ? entry : { ...entry, id: `${entry.id}#${count}` };
  });
}

async function readHead(source: ByteSource, options: JobOptions): Promise<Uint8Array> {
  try {
    return await (await openBytes(source, options)).read(0, headBytes, options);
  } catch (error) {
    // Raw voxels may begin like gzip by chance.
    if (/\.gz$/i.test(source.name) || !(error instanceof StriaError) || error.tag !== 'corrupt') throw error;
    return plainBytes(source).read(0, headBytes, options);
  }
}
