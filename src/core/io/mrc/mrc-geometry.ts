import { scaled, sum, type Vector3, vectorLength } from '../../shared/vectors.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { affineFromColumns, isUsableAffine } from '../common/affine.ts';
import { checkedSpacing } from '../common/streamed-volume.ts';
import { imodStamp, type MrcFields, mrcLayout } from './mrc-layout.ts';

/** Micrometres per Å. */
const micrometresPerAngstrom = 1e-4;

/**
 * Spacing, unit and affine. The cell's sides are in Å, which become µm. X, Y and Z are the world's axes; MAPC, MAPR and MAPS assign
 * columns, rows and sections to them. The origin is ORIGIN or, if that is 0, the first voxel's position in the cell, as usual in
 * crystallography. Cells with angles other than 90° are sheared: X is along the first side, Y in the plane of the first two.
 */
export function mrcGeometry(fields: MrcFields): Pick<VolumeInfo, 'spacing' | 'spatialUnit' | 'affine'> {
  const cell = fields.three(mrcLayout.cell, 'real');
  const sampling = fields.three(mrcLayout.sampling, 'integer');
  const isKnown = cell.every((side) => side > 0 && side < Infinity) && sampling.every((count) => count > 0);
  const steps = cell.map((side, axis) => (isKnown ? (side / (sampling[axis] ?? 1)) * micrometresPerAngstrom : 1));
  const axes = cellAxes(fields.three(mrcLayout.angles, 'real')).map((axis, index) => scaled(axis, steps[index] ?? 1));
  const mapping = mappedAxes(fields.three(mrcLayout.mapping, 'integer'));
  const columns = mapping.map((axis) => axes[axis]) as [Vector3, Vector3, Vector3];
  const starts = fields.three(mrcLayout.starts, 'integer');
  const atStart = sum(...columns.map((column, index) => scaled(column, starts[index] ?? 0)));
  const affine = affineFromColumns(columns, originOf(fields, isKnown) ?? atStart);
  const plain = mapping.map((axis) => checkedSpacing(steps[axis]));
  const isUsable = isUsableAffine(affine);
  const [dx = 1, dy = 1, dz = 1] = isUsable ? columns.map((column) => checkedSpacing(vectorLength(column))) : plain;
  return {
    spacing: [dx, dy, dz, 1],
    spatialUnit: isKnown ? 'um' : 'unknown',
    affine: isUsable
      ? affine
      : affineFromColumns(
          [
            [dx, 0, 0],
            [0, dy, 0],
            [0, 0, dz],
          ],
          [0, 0, 0],
        ),
  };
}

/** The axes of columns, rows and sections: 0 is X, 1 is Y, 2 is Z. Files without them have the usual order. */
function mappedAxes(mapping: readonly number[]): readonly number[] {
  const isOrder = [1, 2, 3].every((axis) => mapping.includes(axis));
  return isOrder ? mapping.map((axis) => axis - 1) : [0, 1, 2];
}

function originOf(fields: MrcFields, isKnown: boolean): Vector3 | undefined {
  const origin = fields.three(mrcLayout.origin, 'real');
  if (!isKnown || !origin.every(Number.isFinite) || origin.every((value) => value === 0)) return undefined;
  const isTurned = fields.integer(mrcLayout.imodStamp) === imodStamp && (fields.integer(mrcLayout.imodFlags) & 4) !== 0;
  return scaled(origin, isTurned ? -micrometresPerAngstrom : micrometresPerAngstrom);
}

/** Unit vectors along the sides of a cell with these angles (between b and c, a and c, a and b): the PDB's convention. */
function cellAxes(angles: readonly number[]): [Vector3, Vector3, Vector3] {
  const square: [Vector3, Vector3, Vector3] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  if (angles.every((angle) => angle === 90) || !angles.every((angle) => angle > 0 && angle < 180)) return square;
  const [cosA = 0, cosB = 0, cosC = 0] = angles.map((angle) => (angle === 90 ? 0 : Math.cos((angle * Math.PI) / 180)));
  const sinC = Math.sqrt(1 - cosC * cosC);
  const cy = (cosA - cosB * cosC) / sinC;
  const upright = 1 - cosB * cosB - cy * cy;
  return upright > 0
    ? [
        [1, 0, 0],
        [cosC, sinC, 0],
        [cosB, cy, Math.sqrt(upright)],
      ]
    : square;
}
