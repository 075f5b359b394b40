import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { asArray, asCount, asObject, asText } from './json.ts';

/** The volume in another file whose lower resolutions a container holds. docs/FORMAT.md, 'Levels beside a file'. */
export interface LevelsOf {
  /** How many of its voxels along x, y and z one voxel of this container combines: powers of two. */
  readonly factors: Dims3;
  /** Identifies its voxels: 16 hexadecimal digits. */
  readonly voxels: string;
  /** When its file was last modified, in whole milliseconds since 1970. Undefined if that is not known. */
  readonly modifiedMs?: number | undefined;
}

/** The value of the key `levelsOf` of HEAD. */
export function encodeLevelsOf({ factors, voxels, modifiedMs }: LevelsOf): object {
  return { factors, voxels, ...(modifiedMs !== undefined && { modified: modifiedMs }) };
}

/** @throws StriaError `corrupt` */
export function parseLevelsOf(value: unknown, what: string): LevelsOf {
  const json = asObject(value, what);
  const [x = 1, y = 1, z = 1] = asArray(json.factors, `the factors in ${what}`, { length: 3 }).map((factor) =>
    asCount(factor, `a factor in ${what}`, 1),
  );
  const factors: Dims3 = [x, y, z];
  const isPower = (factor: number) => factor <= 2 ** 30 && Number.isInteger(Math.log2(factor));
  if (!factors.every(isPower) || factors.every((factor) => factor === 1)) {
    const words = 'which are not powers of two that make a volume smaller';
    throw new StriaError('corrupt', `${what} has the factors ${factors.join(', ')}, ${words}`);
  }
  const voxels = asText(json.voxels, `the voxels in ${what}`);
  if (!/^[0-9a-f]{16}$/.test(voxels)) throw new StriaError('corrupt', `the voxels in ${what} are not 16 hexadecimal digits`);
  const modifiedMs = json.modified === undefined ? undefined : asCount(json.modified, `the time in ${what}`, 0);
  return { factors, voxels, ...(modifiedMs !== undefined && { modifiedMs }) };
}
