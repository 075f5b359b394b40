import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { FileFormat } from '../../shared/source.ts';
import type { GrayThumbnail, VolumeChoice } from '../../shared/volume-choice.ts';
import type { FileTree } from './file-tree.ts';
import type { OpenOptions, OpenVolume } from './volume-reader.ts';

/** One of the volumes in a file, in a folder or in several files: a DICOM series, an HDF5 dataset, an OME-Zarr image. */
export interface VolumeEntry extends VolumeChoice {
  /** A small picture; undefined if making one would be expensive. @throws StriaError as `open` */
  thumbnail?(job?: JobOptions): Promise<GrayThumbnail | undefined>;
  /** @throws StriaError as `openVolume`; also `unsupported` if there is a `problem` */
  open(options: OpenOptions & JobOptions): Promise<OpenVolume>;
}

/** A format whose files or folders may hold several volumes. */
export interface CollectionReader {
  readonly format: FileFormat;
  /** Whether a single file has this format. @param head as in `VolumeReader.recognises` */
  recognises(name: string, head: Uint8Array): boolean;
  /**
   * Whether a recognised file has this format, if the head does not decide that. Default: true.
   * @throws StriaError `not-readable`, `aborted`
   */
  isOwn?(source: ByteSource, job: JobOptions): Promise<boolean>;
  /** Set if, in a folder, it lists only files that it `owns`. Other files are listed one by one. */
  readonly listsByName?: boolean;
  /**
   * Whether the reader finds volumes in a folder. 'whole' means that the folder itself has this format (a Zarr), so no other
   * reader searches it. Undefined for formats that use no folders.
   */
  recognisesTree?(tree: FileTree, job?: JobOptions): Promise<boolean | 'whole'>;
  /**
   * The volumes in a useful order. Opens only their headers.
   * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
   */
  list(input: ByteSource | FileTree, options: OpenOptions & JobOptions): Promise<readonly VolumeEntry[]>;
  /** Whether a file of a listed folder belongs to this reader, so that no other reader examines it. */
  owns?(tree: FileTree, path: string): boolean;
}

/** An entry's description, as plain data. */
export function choiceOf({ id, label, group, shape, type, details, problem, isAlternative }: VolumeEntry): VolumeChoice {
  return {
    id,
    label,
    group,
    shape,
    type,
    details,
    ...(problem === undefined ? {} : { problem }),
    ...(isAlternative ? { isAlternative } : {}),
  };
}

/** How many volumes a message lists. */
const listedInMessage = 12;

/**
 * The entry that `dataset` names, or without a name the only one that can be opened.
 * @throws StriaError `several` with all entries as `choices`; `invalid-input` for an unknown name; `unsupported` if nothing can
 * be opened
 */
export function chooseEntry(entries: readonly VolumeEntry[], dataset: string | undefined): VolumeEntry {
  if (dataset !== undefined) {
    // h5py's paths need no slash at the beginning.
    const named = entries.find(({ id }) => id === dataset) ?? entries.find(({ id }) => id === `/${dataset}`);
    if (named === undefined) throw new StriaError('invalid-input', `there is no volume '${dataset}' here: ${listed(entries)}`);
    if (named.problem !== undefined) throw new StriaError('unsupported', `'${dataset}' cannot be opened: ${named.problem}`);
    return named;
  }
  const usable = entries.filter(({ problem, isAlternative }) => problem === undefined && !isAlternative);
  const [only] = usable;
  if (only !== undefined && usable.length === 1) return only;
  if (only !== undefined) {
    const choices = entries.map(choiceOf);
    throw new StriaError('several', `there are ${usable.length} volumes here: ${listed(usable)}`, { choices });
  }
  const problems = [...new Set(entries.map(({ problem }) => problem))].slice(0, 3).join('; ');
  throw new StriaError(
    'unsupported',
    entries.length === 0 ? 'there is no volume here' : `no volume here can be opened: ${problems}`,
  );
}

function listed(entries: readonly VolumeEntry[]): string {
  const shown = entries
    .slice(0, listedInMessage)
    .map(({ id, label }) => (label === id || label === '' ? id : `${id} (${label})`));
  const more = entries.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
