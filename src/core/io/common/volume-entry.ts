import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { FileFormat } from '../../shared/source.ts';
import type { GrayThumbnail, VolumeChoice } from '../../shared/volume-choice.ts';
import type { FileTree } from './file-tree.ts';
import type { OpenOptions, OpenVolume } from './volume-reader.ts';

/** One of the volumes that a file, a folder or several files hold: a DICOM series, an HDF5 data set, an image of OME-Zarr. */
export interface VolumeEntry extends VolumeChoice {
  /** A small picture of it; undefined where none can be made at little cost. @throws StriaError as `open` */
  thumbnail?(job?: JobOptions): Promise<GrayThumbnail | undefined>;
  /** @throws StriaError as `openVolume`, and `unsupported` where there is a `problem` */
  open(options: OpenOptions & JobOptions): Promise<OpenVolume>;
}

/** A format whose files or folders may hold several volumes. */
export interface CollectionReader {
  readonly format: FileFormat;
  /** Whether a single file is its own. @param head as `VolumeReader.recognises` */
  recognises(name: string, head: Uint8Array): boolean;
  /**
   * Whether it finds volumes in a folder; 'whole' where the folder itself is one of its own (a Zarr), so that nobody else looks into
   * it. Left out where a folder never is one of its own.
   */
  recognisesTree?(tree: FileTree, job?: JobOptions): Promise<boolean | 'whole'>;
  /**
   * Its volumes in a useful order, without opening more than their headers.
   * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
   */
  list(input: ByteSource | FileTree, options: OpenOptions & JobOptions): Promise<readonly VolumeEntry[]>;
}

/** The words of an entry, as plain data. */
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
 * The entry that `dataset` names; without a name, the only one that can be opened.
 * @throws StriaError `several` with all entries as `choices`; `invalid-input` for a name that none has; `unsupported` where
 * there is nothing to open
 */
export function chooseEntry(entries: readonly VolumeEntry[], dataset: string | undefined): VolumeEntry {
  if (dataset !== undefined) {
    const named = entries.find(({ id }) => id === dataset);
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
