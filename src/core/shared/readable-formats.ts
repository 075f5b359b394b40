import type { FileFormat } from './source.ts';

interface ReadableFormat {
  readonly name: string;
  /** How its files are called, where the name does not say it. */
  readonly files?: string;
  readonly endings: readonly string[];
}

const formats: Readonly<Record<FileFormat, ReadableFormat>> = {
  nifti: { name: 'NIfTI', files: '.nii, .hdr with .img', endings: ['nii', 'hdr', 'img'] },
  nrrd: { name: 'NRRD', files: '.nrrd, .nhdr', endings: ['nrrd', 'nhdr'] },
  png: { name: 'PNG', endings: ['png'] },
  tiff: { name: 'TIFF', endings: ['tif', 'tiff'] },
  raw: { name: 'raw voxels', endings: ['raw', 'bin'] },
};

/** What Stria reads beside its own files: `NIfTI, NRRD, PNG, TIFF, raw voxels`. */
export const readableNames = Object.values(formats)
  .map(({ name }) => name)
  .join(', ');

/** The same with the endings that a name does not tell. */
export const readableFiles = Object.values(formats)
  .map(({ name, files }) => (files ? `${name} (${files})` : name))
  .join(', ');

/** File name endings without dots. `gz` stands for NIfTI and NRRD that are gzipped. */
export const readableEndings: readonly string[] = [...Object.values(formats).flatMap(({ endings }) => endings), 'gz'];
