import { type FileFormat, voxelFormats } from './source.ts';

interface ReadableFormat {
  readonly name: string;
  /** The endings of its files, if the name does not imply them. */
  readonly files?: string;
  /** Endings of its files, in lower case without dots. The first is the one that Stria writes. */
  readonly endings: readonly string[];
}

const formats: Readonly<Record<FileFormat, ReadableFormat>> = {
  nifti: { name: 'NIfTI', files: '.nii, .hdr with .img', endings: ['nii', 'hdr', 'img'] },
  analyze: { name: 'Analyze 7.5', files: '.hdr with .img', endings: ['hdr', 'img'] },
  nrrd: { name: 'NRRD', files: '.nrrd, .nhdr', endings: ['nrrd', 'nhdr'] },
  mha: { name: 'MetaImage', files: '.mha, .mhd', endings: ['mha', 'mhd'] },
  mgh: { name: 'MGH', files: '.mgh, .mgz', endings: ['mgh', 'mgz'] },
  mrc: { name: 'MRC', files: '.mrc, .map', endings: ['mrc', 'mrcs', 'map', 'ccp4', 'rec'] },
  vti: { name: 'VTK image data', files: '.vti', endings: ['vti'] },
  npy: { name: 'NumPy', files: '.npy', endings: ['npy'] },
  dicom: { name: 'DICOM', files: 'files and folders', endings: ['dcm', 'dicom', 'ima'] },
  png: { name: 'PNG', endings: ['png'] },
  tiff: { name: 'TIFF', endings: ['tif', 'tiff'] },
  'ome-tiff': {
    name: 'OME-TIFF',
    files: '.ome.tif, .companion.ome',
    endings: ['ome.tif', 'ome.tiff', 'ome.btf', 'ome.tf2', 'ome.tf8', 'companion.ome'],
  },
  zarr: { name: 'OME-Zarr', files: 'folders, .zip', endings: ['zip', 'ozx'] },
  hdf5: {
    name: 'HDF5',
    files: '.h5, .hdf5, .nwb, .ims, .nc, .mat, .mnc',
    endings: ['h5', 'hdf5', 'hdf', 'he5', 'nxs', 'nwb', 'ims', 'nc', 'nc4', 'mat', 'mnc'],
  },
  raw: { name: 'raw voxels', endings: ['raw', 'bin'] },
};

/** The formats that Stria reads besides its own: `NIfTI, NRRD, PNG, TIFF, raw voxels`. */
export const readableNames = Object.values(formats)
  .map(({ name }) => name)
  .join(', ');

/** The same, with endings that the names do not imply. */
export const readableFiles = Object.values(formats)
  .map(({ name, files }) => (files ? `${name} (${files})` : name))
  .join(', ');

/** File name endings without dots, each once. */
export const volumeEndings: readonly string[] = [...new Set(Object.values(formats).flatMap(({ endings }) => endings))];

/** The same and `gz`, for gzipped files. */
export const readableEndings: readonly string[] = [...volumeEndings, 'gz'];

/** The same without those that contain a dot, which dialogs and systems do not support: `tif` stands for `ome.tif`. */
export const lastEndings: readonly string[] = [
  ...new Set(readableEndings.map((ending) => ending.slice(ending.lastIndexOf('.') + 1))),
];

/** A sentence without full stop about which files may be gzipped. */
export const gzipWords = `${listed(voxelFormats.filter((format) => format !== 'raw').map(formatName))} may be gzipped`;

/** A format's name at the start of a line: `NIfTI`, `Raw voxels`. */
export function formatName(format: FileFormat): string {
  const { name } = formats[format];
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

/** The ending of a file that Stria writes in this format, without its dot. */
export function usualEnding(format: FileFormat): string {
  return formats[format].endings[0] as string;
}

/** The format of a file name's ending, if only one format has it. */
export function formatOfEnding(name: string): FileFormat | undefined {
  const lower = name.toLowerCase();
  const fitting = (Object.keys(formats) as FileFormat[]).flatMap((format) =>
    formats[format].endings.filter((ending) => lower.endsWith(`.${ending}`)).map((ending) => ({ format, ending })),
  );
  // `.ome.tif` rather than `.tif`.
  const longest = Math.max(...fitting.map(({ ending }) => ending.length));
  const found = fitting.filter(({ ending }) => ending.length === longest);
  return found.length === 1 ? found[0]?.format : undefined;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
