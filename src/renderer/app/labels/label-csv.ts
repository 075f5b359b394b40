import { csvText } from '../../../core/shared/csv.ts';
import { displayText } from '../../../core/shared/display-text.ts';
import type { LabelTable } from '../../../core/shared/label-table.ts';
import type { LabelStatistics } from '../../../core/volume/label-statistics.ts';
import { labelName } from './label-tables.ts';

const columns = ['label', 'name', 'voxels', 'volume_mm3', 'count', 'outside', 'not_finite', 'mean', 'deviation', 'min', 'max'];

/**
 * Statistics of an image inside labels as CSV. `voxels` and `volume_mm3` are the size of the label; `count` is the number of its voxels
 * with a finite value in the image. @param voxelMm3 volume of one voxel of the labels in mm³; undefined if its unit is unknown
 */
export function labelStatisticsCsv(rows: readonly LabelStatistics[], table: LabelTable, voxelMm3: number | undefined): string {
  const text = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? '' : String(value));
  const lines = rows.map(({ number, count, outside, notFinite, mean, deviation, min, max }) => {
    const voxels = count + outside + notFinite;
    const volume = voxelMm3 === undefined ? undefined : voxels * voxelMm3;
    const name = displayText(labelName(table, number) ?? '');
    return [String(number), name, ...[voxels, volume, count, outside, notFinite, mean, deviation, min, max].map(text)];
  });
  return csvText([columns, ...lines]);
}
