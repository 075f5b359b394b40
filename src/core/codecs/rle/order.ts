import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import type { CodecParameters } from '../codec.ts';

/** 0 is x, 1 is y, 2 is z. */
export type Axis = 0 | 1 | 2;

/** SPEC.md: 'Parameters: one byte, the axis.' @throws StriaError `corrupt` */
export function parseAxis(parameters: CodecParameters): Axis {
  const axis = parameters[0];
  if (parameters.byteLength === 1 && (axis === 0 || axis === 1 || axis === 2)) return axis;
  throw new StriaError('corrupt', `rle takes one parameter byte, 0, 1 or 2; found [${[...parameters].join(', ')}]`);
}

/** How far a step along x, y or z goes in scan order: SPEC.md, 'Scan order'. */
export function orderOf([sizeX, sizeY, sizeZ]: Dims3, axis: Axis): { xStep: number; yStep: number; zStep: number } {
  if (axis === 0) return { xStep: 1, yStep: sizeX, zStep: sizeX * sizeY };
  if (axis === 1) return { xStep: sizeY, yStep: 1, zStep: sizeX * sizeY };
  return { xStep: sizeZ, yStep: sizeX * sizeZ, zStep: 1 };
}
