import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { CutPlane } from '../../viewer/model/cut-plane.ts';
import { unitsPerLength } from '../../viewer/model/orientation.ts';
import { formatNumber, lengthUnit, shownLength, thinSpace } from './units.ts';

/** `12 mm from the centre`. */
export function cutDistanceWords({ offset }: Pick<CutPlane, 'offset'>, info: VolumeInfo): string {
  const distance = shownLength(offset * unitsPerLength(info), info);
  return `${formatNumber(distance, 3)}${thinSpace}${lengthUnit(info)} from the centre`;
}
