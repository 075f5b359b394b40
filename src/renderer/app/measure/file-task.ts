import type { JobOptions } from '../../../core/shared/job.ts';
import type { Dims3 } from '../../../core/shared/volume.ts';
import type { LabelCounts } from '../../../core/volume/label-counts.ts';
import { labelPlace } from '../../../core/volume/label-place.ts';
import type { RegionStatistics } from '../../../core/volume/region-statistics.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { streamedLabelCounts } from '../../../core/volume/streamed-label-counts.ts';
import { streamedStatistics } from '../../../core/volume/streamed-statistics.ts';
import type { ExactVoxels } from '../../../core/volume/volume-source.ts';
import { watchedVoxels } from '../../../core/volume/watched-voxels.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import { regionOfVoxels } from './region-of-voxels.ts';

/** The tasks that read a volume's file at full resolution. */
interface FileTasks {
  /** Undefined if the region contains no voxel. */
  readonly region: { readonly given: { readonly measurement: Measurement }; readonly result: RegionStatistics | undefined };
  /** Statistics of all voxels of all time points. */
  readonly statistics: { readonly given: object; readonly result: VolumeStatistics };
  readonly 'label-counts': { readonly given: { readonly timePoint: number }; readonly result: LabelCounts };
  /** Undefined if the label has no voxel. */
  readonly 'label-place': {
    readonly given: { readonly number: number; readonly timePoint: number };
    readonly result: Dims3 | undefined;
  };
}
type Kind = keyof FileTasks;

export type FileTaskOf<K extends Kind> = { readonly kind: K } & FileTasks[K]['given'];
export type FileTask = { readonly [K in Kind]: FileTaskOf<K> }[Kind];
export type FileResultOf<K extends Kind> = FileTasks[K]['result'];
export type FileResult = FileResultOf<Kind>;

/** Measures the open volume at full resolution by reading its file. @throws StriaError like the readers, and `aborted` */
export type FileMeasurer = <K extends Kind>(task: FileTaskOf<K>, job: JobOptions) => Promise<FileResultOf<K>>;

/** Performs a task on the voxels of a file. @throws StriaError `aborted`; errors of `readBox` and of the task */
export async function performTask(voxels: ExactVoxels, task: FileTask, job: JobOptions = {}): Promise<FileResult> {
  switch (task.kind) {
    case 'region':
      return regionOfVoxels(watchedVoxels(voxels, { ...job, stage: 'Measuring' }), task.measurement);
    case 'statistics':
      return streamedStatistics(voxels, job);
    case 'label-counts':
      return streamedLabelCounts(voxels, task.timePoint, job);
    case 'label-place':
      return labelPlace(watchedVoxels(voxels, { ...job, stage: 'Searching' }), task.number, task.timePoint);
  }
}
