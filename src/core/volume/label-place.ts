import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import type { Dims3 } from '../shared/volume.ts';
import { labelNumbers } from './label-number.ts';
import type { ExactVoxels } from './volume-source.ts';

/** Consecutive voxels of a label along x. */
interface Run {
  readonly first: number;
  readonly last: number;
  readonly y: number;
  readonly z: number;
}

/** The maximum number of runs that are kept in memory. */
const mostKeptRuns = 2 ** 20;

/**
 * A voxel in the middle of a label: the one nearest to its centroid, measured with the voxels' spacing. Undefined if the label has
 * no voxel at the time point. Reads the volume a second time if the label has more than `mostKept` runs.
 * @throws StriaError like `readBox`, `aborted`
 */
export async function labelPlace(
  volume: ExactVoxels,
  number: number,
  timePoint: number,
  { signal }: Pick<JobOptions, 'signal'> = {},
  mostKept = mostKeptRuns,
): Promise<Dims3 | undefined> {
  const { spacing } = volume.info;
  const kept: Run[] = [];
  const sums = [0, 0, 0];
  let [count, runs] = [0, 0];
  await forEachRun(volume, number, timePoint, signal, (run) => {
    const length = run.last - run.first + 1;
    count += length;
    if (++runs <= mostKept) kept.push(run);
    [(run.first + run.last) / 2, run.y, run.z].forEach((middle, axis) => {
      sums[axis] = (sums[axis] as number) + length * middle;
    });
  });
  const [x, y, z] = sums.map((sum) => sum / count) as [number, number, number];
  let [nearest, least]: [Dims3 | undefined, number] = [undefined, Infinity];
  const compare = (run: Run): void => {
    const at = Math.min(run.last, Math.max(run.first, Math.round(x)));
    const distance = Math.hypot((at - x) * spacing[0], (run.y - y) * spacing[1], (run.z - z) * spacing[2]);
    if (distance < least) [nearest, least] = [[at, run.y, run.z], distance];
  };
  if (runs <= mostKept) kept.forEach(compare);
  else await forEachRun(volume, number, timePoint, signal, compare);
  return nearest;
}

/** Visits the runs of a label, piece by piece. */
async function forEachRun(
  volume: ExactVoxels,
  number: number,
  timePoint: number,
  signal: AbortSignal | undefined,
  visit: (run: Run) => void,
): Promise<void> {
  const { dims, type } = volume.info;
  const numberOf = labelNumbers(type);
  await volume.readBox({ first: [0, 0, 0], size: [dims[0], dims[1], dims[2]], timePoint }, (piece) => {
    throwIfAborted(signal);
    for (let z = 0; z < piece.size[2]; z++) {
      for (let y = 0; y < piece.size[1]; y++) {
        const start = (z * piece.size[1] + y) * piece.rowLength;
        for (let x = 0; x < piece.size[0]; x++) {
          if (numberOf(piece.values[start + x] as number) !== number) continue;
          const first = x;
          while (x + 1 < piece.size[0] && numberOf(piece.values[start + x + 1] as number) === number) x++;
          visit({ first: piece.first[0] + first, last: piece.first[0] + x, y: piece.first[1] + y, z: piece.first[2] + z });
        }
      }
    }
  });
}
