import { StriaError } from '../../core/shared/errors.ts';
import { usualEnding } from '../../core/shared/readable-formats.ts';
import { type FileFormat, isValueFormat, type SourceDescription, type ValueFormat } from '../../core/shared/source.ts';
import { elementTypes } from '../../core/shared/volume.ts';

type Source = { readonly format: FileFormat } & {
  readonly parts: readonly Pick<SourceDescription['parts'][number], 'name' | 'hasVoxels'>[];
};

/** Endings of files with voxels and no header. */
const dataEnding = new RegExp(
  `\\.(raw|dat|data|bin|img|ima|vol|voxels|u?int(8|16|32)|float(32|64)|${elementTypes.join('|')})(\\.gz)?$`,
  'i',
);

/** The usual endings of a source's parts. */
const endings: Readonly<Record<Exclude<FileFormat, ValueFormat>, { readonly header: RegExp; readonly voxels: RegExp }>> = {
  nifti: { header: /\.hdr$/i, voxels: /\.(nii|img)$/i },
  analyze: { header: /\.hdr$/i, voxels: /\.img$/i },
  nrrd: { header: /\.nhdr$/i, voxels: /\.(nrrd|nhdr)$/i },
  mha: { header: /\.mhd$/i, voxels: /\.(mha|mhd)$/i },
  mgh: { header: /$^/, voxels: /\.mgh$/i },
  mrc: { header: /$^/, voxels: /\.(mrcs?|map|ccp4|rec|st|ali|ccpn)$/i },
  vti: { header: /$^/, voxels: /\.vti$/i },
  npy: { header: /$^/, voxels: /\.npy$/i },
  raw: { header: /\.json$/i, voxels: dataEnding },
  png: { header: /$^/, voxels: /\.png$/i },
  tiff: { header: /$^/, voxels: /\.tiff?$/i },
};

/** Names that Windows reserves for devices, with any ending. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Whether a file may be written under a name taken from another file without the user's confirmation. Its ending must be
 * usual for its format, so that nothing runs it or reads it as settings, and it must not be hidden.
 */
function isExpected(name: string, ending: RegExp): boolean {
  return ending.test(name) && !/^[.~-]|^\s|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name) && !deviceName.test(name);
}

/** The names of DICOM files have no ending, their own ending, or a number as ending. */
const dicomName = /^[^.]*$|\.(dcm|dicom|ima|\d+)$/i;

/** Whether all of these paths look like those of DICOM files in their folders. */
export function areExpectedPaths(paths: readonly string[]): boolean {
  return paths.every((path) => {
    const folders = path.split('/');
    const name = folders.pop() ?? '';
    return isExpected(name, dicomName) && folders.every((folder) => isExpected(folder, /./));
  });
}

/** Whether all of these pictures have usual names. */
export function areExpectedPictures(names: readonly string[], format: 'png' | 'tiff'): boolean {
  return names.every((name) => isExpected(name, endings[format].voxels));
}

/**
 * The names for a source's parts, in order, when `-o` gives none: their own names, or the container's if one of them is
 * unusual.
 * @throws StriaError `corrupt` if a header names a data file that cannot keep its name
 */
export function expectedNames({ format, parts }: Source, baseName: string): readonly string[] {
  if (isValueFormat(format)) throw new StriaError('internal', `no files are restored from ${format}`);
  const { header, voxels } = endings[format];
  const isDetached = (format === 'nrrd' || format === 'mha') && parts.length > 1;
  const endingOf = (part: Source['parts'][number]) => {
    if (!part.hasVoxels) return header;
    return isDetached ? new RegExp(`${dataEnding.source}|\\.(nrrd|mha)$`, 'i') : voxels;
  };
  if (parts.every((part) => isExpected(part.name, endingOf(part)))) return parts.map(({ name }) => name);
  const misnamed = parts.find((part) => isDetached && part.hasVoxels && !isExpected(part.name, endingOf(part)));
  if (misnamed) {
    throw new StriaError(
      'corrupt',
      `its header names the data file '${misnamed.name}', which Stria refuses to write; --to ${format} writes one file under another name`,
    );
  }
  const isPair = parts.length > 1;
  return parts.map((part) => (isDetached && part.hasVoxels ? part.name : `${baseName}${standardEnding(format, part, isPair)}`));
}

function standardEnding(format: FileFormat, { hasVoxels }: Source['parts'][number], isPair: boolean): string {
  switch (format) {
    case 'analyze':
    case 'nifti':
      if (!isPair) return '.nii';
      return hasVoxels ? '.img' : '.hdr';
    case 'nrrd':
      return isPair ? '.nhdr' : '.nrrd';
    case 'mha':
      return isPair ? '.mhd' : '.mha';
    case 'raw':
      return hasVoxels ? '.raw' : '.raw.json';
    default:
      return `.${usualEnding(format)}`;
  }
}
