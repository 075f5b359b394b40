import { StriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import { type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import { Stopwatch } from '../../../core/stream/stage-times.ts';
import { compressedDisplayBytes } from '../../../core/volume/compressed-display.ts';
import { displayBytes } from '../../../core/volume/display-texture.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { type LoadedVolume, type loadResident, type OpenRequest, openStages } from '../loading/load-resident.ts';
import { whyNoRoom } from '../loading/room.ts';
import { type JobProgress, nextProgress, startProgress, throttleProgress } from '../state/progress.ts';

/** Loads a volume; tests replace it. */
export type LayerLoader = typeof loadResident;

export interface LoadedLayer extends LoadedVolume {
  readonly statistics: VolumeStatistics;
}

export interface LayerJob {
  readonly signal: AbortSignal;
  /** Called until the signal is aborted. */
  readonly onProgress: (progress: JobProgress) => void;
}

/** Loads a layer's volume. The caller frees it. @throws StriaError like the readers, `out-of-memory`, `aborted` */
export async function loadLayer(
  load: LayerLoader,
  engine: Engine,
  request: OpenRequest,
  { signal, onProgress }: LayerJob,
): Promise<LoadedLayer> {
  let progress = startProgress('Opening', undefined, performance.now());
  const report = throttleProgress((next) => {
    progress = nextProgress(progress, next, performance.now());
    if (!signal.aborted) onProgress(progress);
  });
  let keepsVoxels = true;
  const onInfo = (info: VolumeInfo, payloadBytes: number | undefined) => {
    const problem = whyNoRoom(engine, volumeBytes(info) + displayBytes(info), 'the layer');
    if (problem === undefined) return;
    if (payloadBytes === undefined)
      throw new StriaError(
        'out-of-memory',
        `${problem}. Compress the file to a .stria and add that: it can stay compressed as a layer`,
      );
    const stillProblem = whyNoRoom(engine, payloadBytes + compressedDisplayBytes(info), 'the compressed layer');
    if (stillProblem !== undefined) throw new StriaError('out-of-memory', stillProblem);
    keepsVoxels = false;
  };
  const job = { signal, onProgress: report, onInfo, keepsVoxels: () => keepsVoxels, isWhole: true };
  const loaded = await load(engine, request, job, new Stopwatch(openStages));
  try {
    if (loaded.kept.decimation > 1)
      throw new StriaError('out-of-memory', 'the GPU does not have enough memory for a layer of this size');
    const statistics = await loaded.kept.statistics();
    throwIfAborted(signal);
    return { ...loaded, statistics };
  } catch (error) {
    loaded.kept.destroy();
    throw error;
  }
}
