import { StriaError } from '../../shared/errors.ts';
import { scaled, vectorLength } from '../../shared/vectors.ts';
import { type ElementType, type Endian, metresOf, type VolumeInfo } from '../../shared/volume.ts';
import { affineColumns, affineOrigin } from '../common/affine.ts';
import { imodStamp, mrcHeaderBytes, mrcLayout } from './mrc-layout.ts';

const modes: Partial<Record<ElementType, number>> = { i8: 0, u8: 0, i16: 1, f32: 2, u16: 6, i32: 7 };

const angstroms = 1e10;

/**
 * The bytes before the voxels of an `.mrc`, MRC2014. A series is a stack of volumes. MRC has no directions, so the volume's axes
 * become X, Y and Z, and its origin becomes ORIGIN. Unsigned bytes are marked as in IMOD.
 * @throws StriaError `unsupported` for types that MRC lacks
 */
export function mrcHeader({ dims, type, affine, spacing, spatialUnit }: VolumeInfo, endian: Endian): Uint8Array {
  const mode = modes[type];
  if (mode === undefined) {
    throw new StriaError(
      'unsupported',
      `MRC has no voxels of type ${type}: it has u8, i8, i16, u16, i32 and f32; use --to nifti`,
    );
  }
  const [x, y, z, t] = dims;
  const isLittle = endian === 'little';
  const bytes = new Uint8Array(mrcHeaderBytes);
  const view = new DataView(bytes.buffer);
  const integers = (at: number, ...values: readonly number[]) =>
    values.forEach((value, index) => {
      view.setInt32(at + 4 * index, value, isLittle);
    });
  const reals = (at: number, ...values: readonly number[]) =>
    values.forEach((value, index) => {
      view.setFloat32(at + 4 * index, value, isLittle);
    });
  const text = (at: number, value: string) => bytes.set(new TextEncoder().encode(value), at);
  const factor = spatialUnit === 'unknown' ? 1 : metresOf[spatialUnit] * angstroms;
  const distances = affineColumns(affine).map((column, axis) => vectorLength(column) || (spacing[axis] ?? 1));
  integers(mrcLayout.lengths, x, y, z * t);
  integers(mrcLayout.mode, mode);
  integers(mrcLayout.sampling, x, y, z);
  reals(mrcLayout.cell, ...distances.map((distance, axis) => distance * factor * (dims[axis] ?? 1)));
  reals(mrcLayout.angles, 90, 90, 90);
  integers(mrcLayout.mapping, 1, 2, 3);
  // A minimum above the maximum and a negative deviation mean that they are unknown.
  reals(mrcLayout.least, 0, -1, -2);
  integers(mrcLayout.spaceGroup, t > 1 ? 401 : 1);
  integers(mrcLayout.version, 20140);
  if (type === 'u8') integers(mrcLayout.imodStamp, imodStamp, 0);
  reals(mrcLayout.origin, ...scaled(affineOrigin(affine), factor));
  text(mrcLayout.magic, 'MAP ');
  bytes.set(isLittle ? [0x44, 0x44] : [0x11, 0x11], mrcLayout.machine);
  reals(mrcLayout.rms, -1);
  integers(mrcLayout.labelCount, 1);
  text(mrcLayout.labels, 'Written by Stria'.padEnd(80, ' '));
  return bytes;
}
