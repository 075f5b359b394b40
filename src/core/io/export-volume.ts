import { type DescribedFormat, isPictureFormat, type SourceDescription, type WrittenVoxelFormat } from '../shared/source.ts';
import type { StoredVoxels } from '../shared/stored-voxels.ts';
import type { Endian, VolumeInfo } from '../shared/volume.ts';
import { diagonalAffine, isUsableAffine } from './common/affine.ts';
import { checkedScaling, checkedSpacing } from './common/streamed-volume.ts';
import { mhaHeader } from './metaimage/mha-writer.ts';
import { mghFooter, mghHeader } from './mgh/mgh-writer.ts';
import { mrcHeader } from './mrc/mrc-writer.ts';
import { niftiHeader } from './nifti/nifti-writer.ts';
import { npyHeader } from './npy/npy-writer.ts';
import { nrrdHeader } from './nrrd/nrrd-writer.ts';
import { describePictures } from './pictures/describe-pictures.ts';
import { vtiFooter, vtiHeader, vtiStored } from './vti/vti-writer.ts';

interface Writer {
  readonly extension: string;
  /** The one byte order that the format has. Default: the one that is asked for. */
  readonly endian?: Endian;
  header(info: VolumeInfo, endian: Endian): Uint8Array;
  /** What stands behind the voxels. Default: nothing. */
  footer?(info: VolumeInfo): Uint8Array;
  /** How the voxels are stored, where not one after the other. */
  stored?(info: VolumeInfo): StoredVoxels | undefined;
}

const writers: Record<WrittenVoxelFormat, Writer> = {
  nifti: { extension: 'nii', header: niftiHeader },
  nrrd: { extension: 'nrrd', header: nrrdHeader },
  mha: { extension: 'mha', header: mhaHeader },
  mgh: { extension: 'mgh', endian: 'big', header: mghHeader, footer: mghFooter },
  mrc: { extension: 'mrc', header: mrcHeader },
  npy: { extension: 'npy', header: npyHeader },
  vti: { extension: 'vti', header: vtiHeader, footer: vtiFooter, stored: vtiStored },
  raw: { extension: 'raw', header: () => new Uint8Array() },
};

/**
 * The one file that a volume becomes in a format: its name, and what stands around its voxels. Writing it is writing
 * `before`, then all voxels in the order that `endian` of the description says, then `after`. Pictures are described by their table instead (`planPictures` names the files).
 * @param baseName file name without its ending
 * @param source what the volume came from: of pictures the names and the samples of a pixel are taken over
 * @throws StriaError `unsupported` where the format cannot hold the volume
 */
export function describeExport(
  info: VolumeInfo,
  format: DescribedFormat,
  baseName: string,
  endian: Endian = 'little',
  source?: SourceDescription,
): SourceDescription {
  if (isPictureFormat(format)) return describePictures(info, format, baseName, source);
  const writer = writers[format];
  const sound = withSoundGeometry(info);
  const order = writer.endian ?? endian;
  const part = {
    name: `${baseName}.${writer.extension}`,
    before: writer.header(sound, order),
    hasVoxels: true,
    after: writer.footer?.(sound) ?? new Uint8Array(),
  };
  return { format, endian: order, stored: writer.stored?.(sound), parts: [part] };
}

/** The volume with what a header cannot hold replaced as a reader would: distances of zero, affines without volume. */
function withSoundGeometry(info: VolumeInfo): VolumeInfo {
  const [x, y, z, t] = info.spacing;
  const spacing = [checkedSpacing(x), checkedSpacing(y), checkedSpacing(z), checkedSpacing(t)] as const;
  const affine = isUsableAffine(info.affine) ? info.affine : diagonalAffine(spacing);
  return { ...info, spacing, affine, ...checkedScaling(info.slope, info.intercept) };
}
