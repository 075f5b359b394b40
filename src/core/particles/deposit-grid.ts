import { StriaError } from '../shared/errors.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';
import type { BoxEdges, SummedQuantity } from './deposit-choice.ts';
import type { ParticleBox } from './particles.ts';

/** The voxels into which particles are deposited. */
export interface DepositGrid {
  readonly dims: Dims3;
  readonly box: ParticleBox;
  readonly edges: BoxEdges;
}

/** Positions are kept in 1/65,536 of a voxel as i32. */
const maxLength = 16_384;

/** @throws StriaError `invalid-input` */
export function checkGrid({ dims, box }: DepositGrid): void {
  if (!dims.every((length) => Number.isInteger(length) && length >= 1 && length <= maxLength)) {
    throw new StriaError('invalid-input', `the volume's sides must be from 1 to ${maxLength} voxels, not ${dims.join(' × ')}`);
  }
  const { origin, lengths } = box;
  if (!origin.every(Number.isFinite) || !lengths.every((length) => Number.isFinite(length) && length > 0)) {
    throw new StriaError('invalid-input', 'the box needs a first corner and three lengths above 0');
  }
}

/** `valueUnit` of volumes of fixed-point sums, by which they are recognised. */
const sumUnits: Readonly<Record<SummedQuantity, string>> = {
  count: 'particles, as fixed-point sums',
  mass: 'mass, as fixed-point sums',
};

/** Sums as a volume: whole numbers of `unit` in f64, which adds them exactly up to 2^53. */
export function sumsInfo({ dims, box: { origin, lengths } }: DepositGrid, quantity: SummedQuantity, unit: number): VolumeInfo {
  const steps = lengths.map((length, axis) => length / (dims[axis] as number)) as [number, number, number];
  // World coordinates are those of voxel centres.
  const [x, y, z] = origin.map((corner, axis) => corner + (steps[axis] as number) / 2) as [number, number, number];
  return {
    dims: [...dims, 1],
    type: 'f64',
    spacing: [...steps, 1],
    spatialUnit: 'unknown',
    timeUnit: 'unknown',
    affine: [steps[0], 0, 0, x, 0, steps[1], 0, y, 0, 0, steps[2], z],
    slope: unit,
    intercept: 0,
    valueUnit: sumUnits[quantity],
  };
}

/** The quantity that a volume of sums adds up. Undefined for other volumes. */
export function quantityOfSums({ type, valueUnit }: VolumeInfo): SummedQuantity | undefined {
  if (type !== 'f64') return undefined;
  return (['count', 'mass'] as const).find((quantity) => sumUnits[quantity] === valueUnit);
}
