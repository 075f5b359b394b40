import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { hasOrientation, worldOf } from '../../viewer/model/orientation.ts';
import type { Voxel } from '../../viewer/model/slice-geometry.ts';
import { formatNumber, lengthUnit, thinSpace } from './units.ts';

const letters = [
  ['R', 'L'],
  ['A', 'P'],
  ['S', 'I'],
] as const;

/**
 * Where a voxel's middle lies in the world: `R 12.5  P 3  S 40 mm` (to the patient's right, back, head), or by x, y and z
 * where the file says nothing of a patient. Undefined where its numbers would have no unit and no direction.
 */
export function worldWords(info: VolumeInfo, voxel: Voxel): string | undefined {
  const isOriented = hasOrientation(info);
  if (!isOriented && info.spatialUnit === 'unknown') return undefined;
  const places = worldOf(info, voxel).map((place, axis) => {
    if (!isOriented) return `${'xyz'[axis]} ${formatNumber(place, 6)}`;
    return `${letters[axis]?.[place < 0 ? 1 : 0]} ${formatNumber(Math.abs(place), 6)}`;
  });
  const unit = lengthUnit(info);
  return `${places.join('  ')}${unit === '' ? '' : `${thinSpace}${unit}`}`;
}
