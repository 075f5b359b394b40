import type { VolumeInfo } from '../../shared/volume.ts';
import { isUsableAffine } from '../common/affine.ts';
import { objectOf } from './array-metadata.ts';
import type { OmeImage } from './ome-metadata.ts';

const unitLimit = 64;

type OwnFacts = Partial<Pick<VolumeInfo, 'slope' | 'intercept' | 'valueUnit' | 'affine'>>;

/**
 * Stria's own attributes beside OME's metadata, for facts that OME-Zarr cannot store: scaling, the unit of values, and oblique axes.
 * Invalid attributes are ignored.
 * @param level the level whose affine is returned; the stored one belongs to the image's first level
 */
export function ownFacts(
  attributes: Readonly<Record<string, unknown>>,
  image: OmeImage | undefined,
  level: OmeImage['levels'][number] | undefined,
): OwnFacts {
  const own = objectOf(attributes.stria);
  if (own === undefined || image === undefined) return {};
  const { slope, intercept, valueUnit, affine } = own;
  const isScaled = typeof slope === 'number' && typeof intercept === 'number' && slope !== 0;
  const isUnit = typeof valueUnit === 'string' && valueUnit !== '' && valueUnit.length <= unitLimit;
  const isAffine = Array.isArray(affine) && isUsableAffine(affine as number[]);
  return {
    ...(isScaled && { slope, intercept }),
    ...(isUnit && { valueUnit }),
    ...(isAffine && { affine: affineOfLevel(affine as number[], factorsOf(image, level)) }),
  };
}

/** How many voxels of the first level each voxel of this level represents along x, y and z. */
function factorsOf(image: OmeImage, level: OmeImage['levels'][number] | undefined): readonly number[] {
  const axes = image.axes?.map(({ name }) => name) ?? [];
  return ['x', 'y', 'z'].map((name) => {
    const axis = axes.indexOf(name);
    const factor = (level?.scale?.[axis] ?? 1) / (image.levels[0]?.scale?.[axis] ?? 1);
    return factor > 0 && Number.isFinite(factor) ? factor : 1;
  });
}

function affineOfLevel(affine: readonly number[], factors: readonly number[]): readonly number[] {
  return affine.map((number, at) => {
    const row = at - (at % 4);
    if (at % 4 < 3) return number * (factors[at % 4] as number);
    // The centre of a voxel is the centre of those that it represents.
    return factors.reduce((sum, factor, axis) => sum + ((factor - 1) / 2) * (affine[row + axis] as number), number);
  });
}
