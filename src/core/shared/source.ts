import type { Endian } from './volume.ts';

/** The formats that are a header and voxels: a file of them comes back byte for byte. */
export const voxelFormats = ['nifti', 'nrrd', 'mha', 'mgh', 'npy', 'raw'] as const;
export type VoxelFormat = (typeof voxelFormats)[number];

/** The formats that are pictures, each compressed by itself: their pixels come back bit for bit, their files anew. */
export const pictureFormats = ['png', 'tiff'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/**
 * The formats of which Stria keeps the values, not the files. They are restored as another format: NIfTI, where nobody asks
 * for one. Their `SourceDescription` is `valueSource`'s.
 */
export const valueFormats = ['zarr'] as const;
export type ValueFormat = (typeof valueFormats)[number];

/** The formats that Stria writes beside its own. */
export const writableFormats = [...voxelFormats, ...pictureFormats] as const;
export type WritableFormat = (typeof writableFormats)[number];

/** The formats that Stria reads beside its own. */
export const fileFormats = [...writableFormats, ...valueFormats] as const;
export type FileFormat = WritableFormat | ValueFormat;

export function isValueFormat(format: FileFormat): format is ValueFormat {
  return (valueFormats as readonly string[]).includes(format);
}

export function isPictureFormat(format: FileFormat): format is PictureFormat {
  return format === 'png' || format === 'tiff';
}

/**
 * The file or files that a volume came from, so kept that they can be written again byte for byte, uncompressed:
 * for each part its `before`, then (in the one part with `hasVoxels`) all voxels in `endian` order, then its `after`.
 *
 * Of pictures there is one part. Its `before` is no part of a file but the table of the pictures
 * (core/io/pictures/picture-table.ts): what is needed to write pictures with the same pixels.
 */
export interface SourceDescription {
  readonly format: FileFormat;
  readonly endian: Endian;
  readonly parts: readonly SourcePart[];
}

export interface SourcePart {
  /** File name without folder and without a compression's ending: `scan.nii` for `scan.nii.gz`. */
  readonly name: string;
  /** Bytes in front of the voxels, verbatim: the header, its extensions, padding. */
  readonly before: Uint8Array;
  readonly hasVoxels: boolean;
  /** Bytes behind the voxels, verbatim. Mostly empty. */
  readonly after: Uint8Array;
}

/** The description of a volume of whose source only the values are kept. @param name what its source is called */
export function valueSource(format: ValueFormat, name: string): SourceDescription {
  const nothing = new Uint8Array(0);
  return { format, endian: 'little', parts: [{ name, before: nothing, hasVoxels: true, after: nothing }] };
}

/**
 * A file name without anything that could lead out of its folder or that a file system refuses: no slash, backslash,
 * colon or control character, at most 255 units, not `.` or `..`. Names that have such are changed when written.
 */
export function safeName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  const plain = name.replace(/[/\\:\u0000-\u001f\u007f]/g, '_').slice(-255);
  return plain === '' || plain === '.' || plain === '..' ? '_' : plain;
}
