import { type StoredVoxels, storedBytes } from './stored-voxels.ts';
import type { Endian, VolumeInfo } from './volume.ts';

/** Formats of a header and voxels that Stria writes. */
export const writtenVoxelFormats = ['nifti', 'nrrd', 'mha', 'mgh', 'npy', 'mrc', 'vti', 'raw'] as const;
export type WrittenVoxelFormat = (typeof writtenVoxelFormats)[number];

/** Formats of a header and voxels that Stria restores but does not export to. NIfTI takes their place. */
const restoredFormats = ['analyze'] as const;

/** Formats that consist of a header and voxels. Their files are restored byte for byte. */
export const voxelFormats = [...writtenVoxelFormats, ...restoredFormats] as const;

/**
 * Formats of pictures, which are compressed files themselves. Their pixels are restored bit for bit; their files are compressed
 * again.
 */
const pictureFormats = ['png', 'tiff'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/**
 * Formats whose values Stria keeps, but not their files. They are restored in another format, by default NIfTI; OME-TIFF is restored
 * as a new OME-TIFF. Their `SourceDescription` comes from `valueSource`.
 */
const valueFormats = ['zarr', 'hdf5', 'dicom', 'ome-tiff'] as const;
export type ValueFormat = (typeof valueFormats)[number];

/** Formats of files that Stria writes from a `SourceDescription`. */
const describedFormats = [...writtenVoxelFormats, ...pictureFormats] as const;
export type DescribedFormat = (typeof describedFormats)[number];

/** The formats that Stria writes besides its own. An OME-Zarr is a folder of files, or a ZIP of them. */
export const writableFormats = [...describedFormats, 'ome-zarr', 'ome-tiff'] as const;
export type WritableFormat = (typeof writableFormats)[number];

/** The formats that Stria reads besides its own. */
export const fileFormats = [...describedFormats, ...restoredFormats, ...valueFormats] as const;
export type FileFormat = (typeof fileFormats)[number];

export function isValueFormat(format: FileFormat): format is ValueFormat {
  return (valueFormats as readonly string[]).includes(format);
}

export function isPictureFormat(format: FileFormat | WritableFormat): format is PictureFormat {
  return format === 'png' || format === 'tiff';
}

/**
 * Describes the source files of a volume, so that they can be written again byte for byte, uncompressed. Each part consists of its
 * `before`, then (in the one part with `hasVoxels`) all voxels in `endian` order and laid out as `stored` says, then its `after`.
 *
 * Pictures have a single part. Its `before` is not part of any file but the table of the pictures
 * (core/io/pictures/picture-table.ts), from which pictures with the same pixels can be written.
 */
export interface SourceDescription {
  readonly format: FileFormat;
  readonly endian: Endian;
  /** For a header and voxels: how the voxels are stored, unless they are contiguous in the volume's type. */
  readonly stored?: StoredVoxels | undefined;
  readonly parts: readonly SourcePart[];
}

export interface SourcePart {
  /** File name without its folder and without a compression ending: `scan.nii` for `scan.nii.gz`. */
  readonly name: string;
  /** Bytes before the voxels, verbatim: the header, its extensions, padding. */
  readonly before: Uint8Array;
  readonly hasVoxels: boolean;
  /** Bytes after the voxels, verbatim. Usually empty. */
  readonly after: Uint8Array;
}

/**
 * Whether bytes of a source are worth deflating, as far as is known before its voxels are read. In MGH files they follow the voxels.
 * @param parts the `after` of each may be missing
 */
export function isWorthDeflating(format: FileFormat, parts: readonly SourcePart[]): boolean {
  // A table of files is deflated already.
  if (isValueFormat(format)) return false;
  return format === 'mgh' || isPictureFormat(format) || parts.some(({ before }) => before.byteLength >= leastDeflated);
}

/** Shorter headers are not deflated: it would save about a hundred bytes. */
export const leastDeflated = 1024;

/** The number of bytes of a source, uncompressed. */
export function sourceBytes(info: Pick<VolumeInfo, 'dims' | 'type'>, { parts, stored }: SourceDescription): number {
  return parts.reduce((sum, { before, after }) => sum + before.byteLength + after.byteLength, storedBytes(info, stored));
}

/** The description of a source whose values are kept, but not its files. @param name the source's name */
export function valueSource(format: ValueFormat, name: string): SourceDescription {
  const nothing = new Uint8Array(0);
  return { format, endian: 'little', parts: [{ name, before: nothing, hasVoxels: true, after: nothing }] };
}

/**
 * Makes a file name safe: it cannot lead out of its folder, and file systems accept it. It has no slash, backslash, colon or control
 * character, at most 255 UTF-16 units, and is not `.` or `..`. Offending characters are replaced.
 */
export function safeName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  const plain = name.replace(/[/\\:\u0000-\u001f\u007f]/g, '_').slice(-255);
  return plain === '' || plain === '.' || plain === '..' ? '_' : plain;
}
