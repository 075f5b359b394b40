import { StriaError } from '../../shared/errors.ts';
import { scaled, sum, type Vector3, vectorLength } from '../../shared/vectors.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { affineColumns, affineOrigin } from '../common/affine.ts';
import { mghHeaderBytes, mghLayout, mghTypes } from './mgh-header.ts';

const millimetres = { m: 1000, mm: 1, um: 1e-3, unknown: 1 } as const;
const milliseconds = { s: 1000, ms: 1, us: 1e-3 } as const;

/** The bytes before the voxels of an `.mgh`. @throws StriaError `unsupported` for types that MGH lacks */
export function mghHeader({ dims, type, affine, spatialUnit }: VolumeInfo): Uint8Array {
  const code = mghTypes[type];
  if (code === undefined) {
    throw new StriaError('unsupported', `MGH has no voxels of type ${type}: it has u8, i16, u16, i32 and f32; use --to nifti`);
  }
  const view = new DataView(new ArrayBuffer(mghHeaderBytes));
  const reals = (at: number, values: readonly number[]) =>
    values.forEach((value, index) => {
      view.setFloat32(at + 4 * index, value);
    });
  const columns = affineColumns(affine);
  const factor = millimetres[spatialUnit];
  const distances = columns.map(vectorLength);
  view.setInt32(mghLayout.version, 1);
  [...dims, code].forEach((value, index) => {
    view.setInt32(mghLayout.width + 4 * index, value);
  });
  view.setInt16(mghLayout.goodRas, 1);
  reals(mghLayout.delta, scaled(distances as unknown as Vector3, factor));
  reals(
    mghLayout.directions,
    columns.flatMap((column, axis) => scaled(column, 1 / (distances[axis] ?? 1))),
  );
  const halves = columns.map((column, axis) => scaled(column, (dims[axis] ?? 1) / 2));
  reals(mghLayout.centre, scaled(sum(affineOrigin(affine), ...halves), factor));
  return new Uint8Array(view.buffer);
}

/** The bytes after the voxels: repetition, flip angle, echo and inversion times, field of view. Only the first is known. */
export function mghFooter({ dims, spacing, timeUnit }: VolumeInfo): Uint8Array {
  if (dims[3] === 1 || timeUnit === 'unknown') return new Uint8Array();
  const view = new DataView(new ArrayBuffer(20));
  view.setFloat32(0, spacing[3] * milliseconds[timeUnit]);
  return new Uint8Array(view.buffer);
}
