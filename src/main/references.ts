import { posix, win32 } from 'node:path';
import { tableNamesFor } from '../core/shared/label-table.ts';
import { isMeshName } from '../core/shared/mesh-names.ts';
import { volumeEndings } from '../core/shared/readable-formats.ts';
import { isLevelsNameOf, isOmeName, volumeStem } from '../core/shared/volume-names.ts';
import { isPlainName, misleading } from './plain-name.ts';

/**
 * Whether a page may open a file because a file that the user chose refers to it: the voxels of a detached header, the sidecar
 * of a raw file, the volume of a session. The name comes from a file or from the page, so it is not trusted.
 *
 * - `open`: it is in the chosen file's folder or below, with links resolved, and has a name typical of volumes.
 * - `ask`: the format may refer to it, but it is elsewhere, in a hidden folder, or has an unusual name. The user decides.
 * - `refuse`: the format never refers to such a name.
 */
export type Verdict = 'open' | 'ask' | 'refuse';

export interface Reference {
  /** The name of the referring file. */
  readonly from: string;
  /** The reference as written: relative to that file's folder, with `/`. */
  readonly path: string;
  /** The folder of the file that the user chose, with links resolved. */
  readonly root: string;
  /** The file that the path leads to, with links resolved; undefined if there is none. */
  readonly target: string | undefined;
}

/** @param platform as in `process.platform` */
export function judgeReference({ from, path, root, target }: Reference, platform: string = process.platform): Verdict {
  const names = namesFor(from);
  if (!isReferencePath(path, platform)) return 'refuse';
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Hidden files belong to programs. But if the user chose a file with an odd name, its counterpart may have an odd name, too.
  if (!names.mayBe(name) || (isOdd(path, name) && !isOdd(from, from))) return 'refuse';
  if (target === undefined) return 'open';
  const { basename, relative, isAbsolute, sep } = platform === 'win32' ? win32 : posix;
  const way = relative(root, target);
  const steps = way.split(sep);
  // The counterpart of a hidden file is hidden, too. This also catches `..`.
  const isHidden = (step: string, index: number) => step.startsWith('.') && !(index === steps.length - 1 && from.startsWith('.'));
  const isInside = way !== '' && !isAbsolute(way) && !steps.some(isHidden);
  return isInside && names.isUsual(name) && names.isUsual(basename(target)) ? 'open' : 'ask';
}

/** Whether a path is relative and its steps mean the same on every system. */
function isReferencePath(path: string, platform: string = process.platform): boolean {
  if (path.length > 4096) return false;
  const isStep = (step: string) => isPlainName(step, platform) && !/[. ]$/.test(step);
  const steps = path.split('/');
  return steps.every((step) => step === '..' || isStep(step)) && steps.at(-1) !== '..';
}

/** Whether a name is that of a .stria that may be written beside a chosen file without a dialog. */
export function isStriaName(name: string, platform: string = process.platform): boolean {
  return isPlainName(name, platform) && name.search(misleading) < 0 && !name.startsWith('.') && /[^.]\.stria$/i.test(name);
}

function isOdd(path: string, name: string): boolean {
  return name.startsWith('.') || path.search(misleading) >= 0;
}

interface Names {
  /** Whether the format may refer to a file with this name. */
  readonly mayBe: (name: string) => boolean;
  /** Whether the format commonly refers to such a name, so that the user is not asked. */
  readonly isUsual: (name: string) => boolean;
}

const volumeName = new RegExp(`\\.(stria|${volumeEndings.join('|')}|dat)(\\.gz)?$`, 'i');
/** The extensions of files with voxels, including numbers, as files in a list have them. */
const voxelEndings = /\.(raw|zraw|img|bin|dat|gz|\d+)$/i;
const always = () => true;

/** The names that a file with this name may refer to, and its levels. */
function namesFor(from: string): Names {
  const { mayBe, isUsual } = namesByFormat(from);
  const isLevels = (name: string) => isLevelsNameOf(from, name);
  return { mayBe: (name) => isLevels(name) || mayBe(name), isUsual: (name) => isLevels(name) || isUsual(name) };
}

/** A new format that refers to files needs a line here. */
function namesByFormat(from: string): Names {
  const name = withoutGzip(from);
  if (/\.stria-session$/i.test(name)) return { mayBe: always, isUsual: (other) => volumeName.test(other) || isMeshName(other) };
  // The sidecar of a raw file and the counterpart in a NIfTI pair each have exactly one name.
  const stem = name.replace(/\.[^.]*$/, '');
  const tables = tableNamesFor(volumeStem(from));
  const isOwn = (other: string): boolean => {
    const plain = withoutGzip(other);
    return (
      tables.includes(other) ||
      other === `${name}.json` ||
      (/^\.(hdr|img)$/i.test(plain.slice(stem.length)) && plain.startsWith(stem))
    );
  };
  // An NRRD or MetaImage header may give its file of voxels any name.
  if (/\.(nhdr|nrrd|mhd|mha)$/i.test(name))
    return { mayBe: always, isUsual: (other) => isOwn(other) || voxelEndings.test(other) };
  // An OME-TIFF names the other files of its set, and its metadata.
  if (isOmeName(name)) return { mayBe: isPartOfSet, isUsual: isPartOfSet };
  return { mayBe: isOwn, isUsual: (other) => tables.includes(other) || /\.(hdr|img|json)(\.gz)?$/i.test(other) };
}

function isPartOfSet(name: string): boolean {
  return /\.tiff?$/i.test(name) || isOmeName(name);
}

function withoutGzip(name: string): string {
  return name.replace(/\.gz$/i, '');
}
