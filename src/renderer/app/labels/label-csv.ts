import { csvText } from '../../../core/shared/csv.ts';
import { displayText } from '../../../core/shared/display-text.ts';
import type { LabelTable } from '../../../core/shared/label-table.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { LabelStatistics } from '../../../core/volume/label-statistics.ts';
import { volumeColumn } from '../../../core/volume/voxel-volume.ts';
import { labelName } from './label-tables.ts';

/**
 * Statistics of an image inside labels as CSV. `voxels` and the volume, as in `stria stats`, are the size of the label; `count` is the
 * number of its voxels with a finite value in the image. @param info of the labels
 */
export function labelStatisticsCsv(
  rows: readonly LabelStatistics[],
  table: LabelTable,
  info: Pick<VolumeInfo, 'affine' | 'spatialUnit'>,
): string {
  const column = volumeColumn(info);
  const columns = [
    ...['label', 'name', 'voxels', ...(column ? [column.name] : [])],
    ...['count', 'outside', 'not_finite', 'mean', 'deviation', 'min', 'max'],
  ];
  const text = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? '' : String(value));
  const lines = rows.map(({ number, count, outside, notFinite, mean, deviation, min, max }) => {
    const voxels = count + outside + notFinite;
    const numbers = [voxels, ...(column ? [column.of(voxels)] : []), count, outside, notFinite, mean, deviation, min, max];
    const name = displayText(labelName(table, number) ?? '');
    return [String(number), name, ...numbers.map(text)];
  });
  return csvText([columns, ...lines]);
}
