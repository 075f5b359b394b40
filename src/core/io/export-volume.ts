import { isPictureFormat, type SourceDescription, type VoxelFormat, type WritableFormat } from '../shared/source.ts';
import type { Endian, VolumeInfo } from '../shared/volume.ts';
import { diagonalAffine, isUsableAffine } from './common/affine.ts';
import { checkedScaling, checkedSpacing } from './common/streamed-volume.ts';
import { mhaHeader } from './metaimage/mha-writer.ts';
import { niftiHeader } from './nifti/nifti-writer.ts';
import { nrrdHeader } from './nrrd/nrrd-writer.ts';
import { describePictures } from './pictures/describe-pictures.ts';

interface Writer {
  readonly extension: string;
  header(info: VolumeInfo, endian: Endian): Uint8Array;
}

const writers: Record<VoxelFormat, Writer> = {
  nifti: { extension: 'nii', header: niftiHeader },
  nrrd: { extension: 'nrrd', header: nrrdHeader },
  mha: { extension: 'mha', header: mhaHeader },
  raw: { extension: 'raw', header: () => new Uint8Array() },
};

/**
 * The one file that a volume becomes in a format: its name, and what stands in front of its voxels. Writing it is writing
 * `before`, then all voxels in `endian` order. Pictures are described by their table instead (`planPictures` names the files).
 * @param baseName file name without its ending
 * @param source what the volume came from: of pictures the names and the samples of a pixel are taken over
 * @throws StriaError `unsupported` where pictures cannot hold the volume
 */
export function describeExport(
  info: VolumeInfo,
  format: WritableFormat,
  baseName: string,
  endian: Endian = 'little',
  source?: SourceDescription,
): SourceDescription {
  if (isPictureFormat(format)) return describePictures(info, format, baseName, source);
  const { extension, header } = writers[format];
  const name = `${baseName}.${extension}`;
  const before = header(withSoundGeometry(info), endian);
  return { format, endian, parts: [{ name, before, hasVoxels: true, after: new Uint8Array() }] };
}

/** The volume with what a header cannot hold replaced as a reader would: distances of zero, affines without volume. */
function withSoundGeometry(info: VolumeInfo): VolumeInfo {
  const [x, y, z, t] = info.spacing;
  const spacing = [checkedSpacing(x), checkedSpacing(y), checkedSpacing(z), checkedSpacing(t)] as const;
  const affine = isUsableAffine(info.affine) ? info.affine : diagonalAffine(spacing);
  return { ...info, spacing, affine, ...checkedScaling(info.slope, info.intercept) };
}
