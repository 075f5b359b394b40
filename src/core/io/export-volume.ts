import { type DescribedFormat, isPictureFormat, type SourceDescription, type WrittenVoxelFormat } from '../shared/source.ts';
import type { StoredVoxels } from '../shared/stored-voxels.ts';
import type { Endian, VolumeInfo } from '../shared/volume.ts';
import { diagonalAffine, isUsableAffine } from './common/affine.ts';
import { checkedScaling, checkedSpacing } from './common/streamed-volume.ts';
import { mhaHeader, mhaStored } from './metaimage/mha-writer.ts';
import { mghFooter, mghHeader } from './mgh/mgh-writer.ts';
import { mrcHeader } from './mrc/mrc-writer.ts';
import { niftiHeader } from './nifti/nifti-writer.ts';
import { npyHeader } from './npy/npy-writer.ts';
import { nrrdHeader } from './nrrd/nrrd-writer.ts';
import { describePictures } from './pictures/describe-pictures.ts';
import { vtiFooter, vtiHeader, vtiStored } from './vti/vti-writer.ts';

interface Writer {
  readonly extension: string;
  /** The format's only byte order. Default: the requested one. */
  readonly endian?: Endian;
  header(info: VolumeInfo, endian: Endian): Uint8Array;
  /** The bytes after the voxels. Default: none. */
  footer?(info: VolumeInfo): Uint8Array;
  /** The form of the voxels, if they are not simply stored in order. */
  stored?(info: VolumeInfo): StoredVoxels | undefined;
}

const writers: Record<WrittenVoxelFormat, Writer> = {
  nifti: { extension: 'nii', header: niftiHeader },
  nrrd: { extension: 'nrrd', header: nrrdHeader },
  mha: { extension: 'mha', header: mhaHeader, stored: mhaStored },
  mgh: { extension: 'mgh', endian: 'big', header: mghHeader, footer: mghFooter },
  mrc: { extension: 'mrc', header: mrcHeader },
  npy: { extension: 'npy', header: npyHeader },
  vti: { extension: 'vti', header: vtiHeader, footer: vtiFooter, stored: vtiStored },
  raw: { extension: 'raw', header: () => new Uint8Array() },
};

/**
 * The single file of a volume in some format: its name, and the bytes around its voxels. To write it, write `before`, then all
 * voxels in the byte order `endian` of the description, then `after`. Pictures are described by their table instead
 * (`planPictures` names the files).
 * @param baseName file name without its extension
 * @param source the volume's source; names and samples per pixel of pictures are kept
 * @throws StriaError `unsupported` if the format cannot store the volume
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

/** Replaces what a header cannot store, as a reader would: distances of zero, degenerate affines. */
function withSoundGeometry(info: VolumeInfo): VolumeInfo {
  const [x, y, z, t] = info.spacing;
  const spacing = [checkedSpacing(x), checkedSpacing(y), checkedSpacing(z), checkedSpacing(t)] as const;
  const affine = isUsableAffine(info.affine) ? info.affine : diagonalAffine(spacing);
  return { ...info, spacing, affine, ...checkedScaling(info.slope, info.intercept) };
}
