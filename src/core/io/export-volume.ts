import type { FileFormat, SourceDescription } from '../shared/source.ts';
import type { Endian, VolumeInfo } from '../shared/volume.ts';
import { niftiHeader } from './nifti-writer.ts';
import { nrrdHeader } from './nrrd-writer.ts';

interface Writer {
  readonly extension: string;
  header(info: VolumeInfo, endian: Endian): Uint8Array;
}

const writers: Record<FileFormat, Writer> = {
  nifti: { extension: 'nii', header: niftiHeader },
  nrrd: { extension: 'nrrd', header: nrrdHeader },
  raw: { extension: 'raw', header: () => new Uint8Array() },
};

/**
 * The one file that a volume becomes in a format: its name, and what stands in front of its voxels. Writing it is writing
 * `before`, then all voxels in `endian` order.
 * @param baseName file name without its ending
 */
export function describeExport(
  info: VolumeInfo,
  format: FileFormat,
  baseName: string,
  endian: Endian = 'little',
): SourceDescription {
  const { extension, header } = writers[format];
  const name = `${baseName}.${extension}`;
  return { format, endian, parts: [{ name, before: header(info, endian), hasVoxels: true, after: new Uint8Array() }] };
}
