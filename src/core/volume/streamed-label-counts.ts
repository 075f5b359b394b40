import type { JobOptions } from '../shared/job.ts';
import { mostLabels, tooManyLabels } from '../shared/label-table.ts';
import type { LabelCounts } from './label-counts.ts';
import { labelNumbers } from './label-number.ts';
import type { ExactVoxels } from './volume-source.ts';
import { watchedVoxels } from './watched-voxels.ts';

/**
 * The counts of `labelCounts`, computed on this thread from voxels that are read piece by piece, in ascending order of the numbers.
 * @throws StriaError `unsupported` if there are more numbers than a volume of labels has; `aborted`; errors of `readBox`
 */
export async function streamedLabelCounts(voxels: ExactVoxels, timePoint: number, job: JobOptions = {}): Promise<LabelCounts> {
  const { dims, type } = voxels.info;
  const numberOf = labelNumbers(type);
  const counts = new Map<number, number>();
  const add = (number: number, count: number): void => {
    const known = counts.get(number);
    if (known === undefined && counts.size === mostLabels) throw tooManyLabels();
    counts.set(number, (known ?? 0) + count);
  };
  const whole = { first: [0, 0, 0], size: [dims[0], dims[1], dims[2]], timePoint } as const;
  await watchedVoxels(voxels, { ...job, stage: 'Counting' }).readBox(whole, ({ size, values, rowLength }) => {
    const [columns, rows, planes] = size;
    for (let row = 0; row < rows * planes; row++) {
      const end = row * rowLength + columns;
      for (let at = row * rowLength; at < end; ) {
        const stored = values[at] as number;
        const first = at;
        while (at < end && values[at] === stored) at++;
        if (Number.isFinite(stored)) add(numberOf(stored), at - first);
        // NaN does not equal itself.
        else at = Math.max(at, first + 1);
      }
    }
  });
  return new Map([...counts].sort(([a], [b]) => a - b));
}
