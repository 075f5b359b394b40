import { type FileFormat, voxelFormats } from './source.ts';

interface ReadableFormat {
  readonly name: string;
  /** How its files are called, where the name does not say it. */
  readonly files?: string;
  /** Of its files, in lower case without dots. The first is that of a file that Stria writes. */
  readonly endings: readonly string[];
}

const formats: Readonly<Record<FileFormat, ReadableFormat>> = {
  nifti: { name: 'NIfTI', files: '.nii, .hdr with .img', endings: ['nii', 'hdr', 'img'] },
  nrrd: { name: 'NRRD', files: '.nrrd, .nhdr', endings: ['nrrd', 'nhdr'] },
  mha: { name: 'MetaImage', files: '.mha, .mhd', endings: ['mha', 'mhd'] },
  mgh: { name: 'MGH', files: '.mgh, .mgz', endings: ['mgh', 'mgz'] },
  npy: { name: 'NumPy', files: '.npy', endings: ['npy'] },
  png: { name: 'PNG', endings: ['png'] },
  tiff: { name: 'TIFF', endings: ['tif', 'tiff'] },
  zarr: { name: 'OME-Zarr', files: 'folders, .zip', endings: ['zip', 'ozx'] },
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

/** File name endings without dots, each once. */
export const volumeEndings: readonly string[] = [...new Set(Object.values(formats).flatMap(({ endings }) => endings))];

/** The same, and `gz` for those that are gzipped. */
export const readableEndings: readonly string[] = [...volumeEndings, 'gz'];

/** Which files may be gzipped, as a sentence without its full stop. */
export const gzipWords = `${listed(voxelFormats.filter((format) => format !== 'raw').map(formatName))} may be gzipped`;

/** A format as people write it, where a line begins with it: `NIfTI`, `Raw voxels`. */
export function formatName(format: FileFormat): string {
  const { name } = formats[format];
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

/** The ending of a file of this format that Stria writes, without its dot. */
export function usualEnding(format: FileFormat): string {
  return formats[format].endings[0] as string;
}

/** The format that a file name's ending promises, where only one format has it. */
export function formatOfEnding(name: string): FileFormat | undefined {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const found = (Object.keys(formats) as FileFormat[]).filter((format) => formats[format].endings.includes(ending));
  return found.length === 1 ? found[0] : undefined;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
