import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { hasOrientation, worldOf } from '../../viewer/model/orientation.ts';
import type { Voxel } from '../../viewer/model/slice-geometry.ts';
import { formatNumber, lengthUnit, shownLength, thinSpace } from './units.ts';

const letters = [
  ['R', 'L'],
  ['A', 'P'],
  ['S', 'I'],
] as const;

/**
 * World position of a voxel's centre: `R 12.5  P 3  S 40 mm` (towards the patient's right, back and head), or x, y and z
 * if the file gives no patient orientation. Undefined if the numbers would have neither unit nor direction.
 */
export function worldWords(info: VolumeInfo, voxel: Voxel): string | undefined {
  const isOriented = hasOrientation(info);
  if (!isOriented && info.spatialUnit === 'unknown') return undefined;
  const places = worldOf(info, voxel).map((length, axis) => {
    const place = shownLength(length, info);
    if (!isOriented) return `${'xyz'[axis]} ${formatNumber(place, 6)}`;
    return `${letters[axis]?.[place < 0 ? 1 : 0]} ${formatNumber(Math.abs(place), 6)}`;
  });
  const unit = lengthUnit(info);
  return `${places.join('  ')}${unit === '' ? '' : `${thinSpace}${unit}`}`;
}
