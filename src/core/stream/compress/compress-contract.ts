import type { Backend, DeviceReport, EncodeChoice } from '../../chunks/backend.ts';
import type { ChunkShare } from '../../chunks/chunk-tally.ts';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import type { LevelsOf } from '../../format/levels-of.ts';
import type { PartChoice } from '../../shared/part-choice.ts';
import type { Dims4 } from '../../shared/volume.ts';
import type { LevelChoice } from '../levels/level-choice.ts';
import type { LevelCounts, LevelLimits } from '../levels/leveled-writer.ts';
import type { KernelTimes, StageSpan } from '../stage-times.ts';

export interface CompressSettings {
  readonly backend: Backend;
  readonly choice: EncodeChoice;
  /** In codec elements (an f64 voxel is two along x). Default: from `chunkShapeOf` or, with a time group, `interleavedShape`. */
  readonly chunkShape?: ChunkShape | undefined;
  /** Whether the report has `kernelTimes`, which take some milliseconds for each box. Default true. */
  readonly timesKernels?: boolean | undefined;
  /** Write only a part of a volume, which `mergeParts` joins with the others. */
  readonly part?: PartChoice | undefined;
  /** How many time points chunks interleave, unless `chunkShape` is given; 1: none. Default: see `chooseTimeGroup`. */
  readonly timeGroup?: number | undefined;
  /**
   * Whether the file also holds the volume at lower resolutions. Default: if it has more than `leastBytesForLevels`, chunks of one
   * time point each, and is no part.
   */
  readonly levels?: LevelChoice;
  /** Default: those of docs/FORMAT.md, 'Levels'. */
  readonly levelLimits?: LevelLimits | undefined;
  /** Set if the volume is a lower resolution of another file's. */
  readonly levelsOf?: LevelsOf | undefined;
}

export const compressStages = ['read', 'upload', 'analyze', 'encode', 'readback', 'write', 'save'] as const;
export type CompressStage = (typeof compressStages)[number];

export interface CompressReport extends LevelCounts {
  /** Size of the uncompressed source: its voxels, headers and everything else it holds. Of a part, the voxels alone. */
  readonly bytesIn: number;
  readonly voxelBytes: number;
  /** Size of the container. */
  readonly bytesOut: number;
  /** `bytesIn / bytesOut`. */
  readonly ratio: number;
  readonly chunkCount: number;
  readonly chunkShape: Dims4;
  readonly chunks: readonly ChunkShare[];
  /** `part 3 of 7`, if it is one. */
  readonly part?: string | undefined;
  /** Wall time of each stage. Stages overlap (`analyze` runs in several threads), so they may sum to more than `total`. */
  readonly timesMs: Readonly<Record<CompressStage | 'total', number>>;
  /**
   * When each stage ran, from the start of the work, and how many bytes it handled: voxels read, analyzed or encoded, chunks
   * written. `analyze` (changes, checksum and, for `auto`, the survey, in one pass) is part of `encode`, as are `upload` and
   * `readback` on a GPU. `save` ends the writing: buffered bytes are synced to the disk, and the file gets its name.
   */
  readonly timeline: readonly StageSpan<CompressStage>[];
  /** Undefined on the CPU, and if they were not asked for. */
  readonly kernelTimes?: KernelTimes | undefined;
  readonly device: DeviceReport;
  /** Voxel bytes divided by the total time, and by the time spent encoding. */
  readonly gigabytesPerSecond: { readonly total: number; readonly encode: number };
}
