import { channelLayout, type Endian, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import { affineOrigin, rotationFromAffine } from '../common/affine.ts';
import {
  type NiftiLayout,
  nifti1,
  nifti2,
  niftiDatatypes,
  spatialUnitCodes,
  timeUnitCodes,
  vectorIntent,
} from './nifti-layout.ts';

/** NIfTI's code for 'aligned to something': the affine is known, its reference is not. */
const alignedCode = 2;

/**
 * The bytes before the voxels of a `.nii`: the header and four zero bytes, which announce no extensions. NIfTI-1, or NIfTI-2 if
 * an axis is longer than 32,767 or a number exceeds the range of a 32-bit float. Channels are the fifth axis.
 */
export function niftiHeader(info: VolumeInfo, endian: Endian): Uint8Array {
  const layout = needsNifti2(info) ? nifti2 : nifti1;
  const voxOffset = layout.headerBytes + 4;
  const bytes = new Uint8Array(voxOffset);
  const fields = fieldWriter(bytes, layout, endian === 'little');
  const rotation = rotationFromAffine(info.affine, info.spacing);
  const [x, y, z] = info.dims;
  const { channelCount, timePoints } = channelLayout(info);
  const axes = channelCount > 1 ? 5 : timePoints > 1 ? 4 : 3;

  fields.integer(0, 4, layout.headerBytes);
  bytes.set(layout.singleMagic, layout.magicAt);
  fields.integer(layout.datatypeAt, 2, niftiDatatypes[info.type]);
  fields.integer(layout.bitpixAt, 2, 8 * elementBytes(info.type));
  if (channelCount > 1) fields.integer(layout.intentAt, layout.intentBytes, vectorIntent);
  [axes, x, y, z, timePoints, channelCount, 1, 1].forEach((length, index) => {
    fields.integer(layout.dimAt + index * layout.dimBytes, layout.dimBytes, length);
  });
  fields.reals(layout.pixdimAt, [rotation?.qfac ?? 1, ...info.spacing]);
  if (layout.version === 1) fields.reals(layout.voxOffsetAt, [voxOffset]);
  else fields.integer(layout.voxOffsetAt, 8, voxOffset);
  fields.reals(layout.slopeAt, [info.slope, info.intercept]);
  fields.integer(layout.unitsAt, layout.unitsBytes, spatialUnitCodes[info.spatialUnit] + timeUnitCodes[info.timeUnit]);
  fields.integer(layout.formCodesAt, layout.formCodeBytes, rotation === undefined ? 0 : alignedCode);
  fields.integer(layout.formCodesAt + layout.formCodeBytes, layout.formCodeBytes, alignedCode);
  const { b, c, d } = rotation ?? { b: 0, c: 0, d: 0 };
  fields.reals(layout.quaternAt, [b, c, d, ...affineOrigin(info.affine), ...info.affine]);
  return bytes;
}

function needsNifti2({ dims, spacing, affine, slope, intercept }: VolumeInfo): boolean {
  const smallestNormal = 2 ** -126;
  const fitsFloat32 = (value: number) =>
    value === 0 || (Math.abs(value) >= smallestNormal && Number.isFinite(Math.fround(value)));
  return dims.some((length) => length > 32767) || ![...spacing, ...affine, slope, intercept].every(fitsFloat32);
}

function fieldWriter(bytes: Uint8Array, layout: NiftiLayout, isLittle: boolean) {
  const view = new DataView(bytes.buffer);
  return {
    integer(at: number, width: 1 | 2 | 4 | 8, value: number): void {
      if (width === 1) view.setUint8(at, value);
      else if (width === 2) view.setInt16(at, value, isLittle);
      else if (width === 4) view.setInt32(at, value, isLittle);
      else view.setBigInt64(at, BigInt(value), isLittle);
    },
    reals(at: number, values: readonly number[]): void {
      values.forEach((value, index) => {
        if (layout.realBytes === 4) view.setFloat32(at + index * 4, value, isLittle);
        else view.setFloat64(at + index * 8, value, isLittle);
      });
    },
  };
}
