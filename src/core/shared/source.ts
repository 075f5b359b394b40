import type { Endian } from './volume.ts';

/** The formats that Stria reads and writes beside its own. */
export const fileFormats = ['nifti', 'nrrd', 'raw'] as const;
export type FileFormat = (typeof fileFormats)[number];

/**
 * The file or files that a volume came from, so kept that they can be written again byte for byte, uncompressed:
 * for each part its `before`, then (in the one part with `hasVoxels`) all voxels in `endian` order, then its `after`.
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
