import { StriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import { type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import { Stopwatch } from '../../../core/stream/stage-times.ts';
import { compressedDisplayBytes } from '../../../core/volume/compressed/compressed-display.ts';
import { displayBytes } from '../../../core/volume/display-texture.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import {
  type LoadedVolume,
  type LoadOptions,
  type loadResident,
  type OpenRequest,
  openStages,
} from '../loading/load-resident.ts';
import { roomBytes, whyNoRoom } from '../loading/room.ts';
import { type JobProgress, nextProgress, startProgress, throttleProgress } from '../state/progress.ts';

/** Loads a volume; tests replace it. */
export type LayerLoader = typeof loadResident;

export interface LoadedLayer extends LoadedVolume {
  readonly statistics: VolumeStatistics;
}

interface LayerJob {
  readonly signal: AbortSignal;
  /** Called until the signal is aborted. */
  readonly onProgress: (progress: JobProgress) => void;
}

/** With less room, even a coarse level of a layer would hide what the layer shows. */
const leastRoomBytes = 2 ** 20;
const advice = 'Compress the file to a .stria and add that: it can stay compressed as a layer';

/**
 * Loads a layer's volume: its voxels if they fit, else its compressed chunks, else the finest of its levels that fits, whose missing voxels
 * slices and bricks read from the file. The caller frees it (`freeLayer`). @throws StriaError like the readers, `out-of-memory`, `aborted`
 */
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
  let levelBytes: number | undefined;
  const onInfo = (info: VolumeInfo, payloadBytes: number | undefined, readsBoxes: boolean) => {
    const [voxels, display] = [volumeBytes(info), displayBytes(info)];
    const problem = whyNoRoom(engine, voxels + display, 'the layer');
    if (problem === undefined) return;
    const compressed = payloadBytes === undefined ? undefined : payloadBytes + compressedDisplayBytes(info);
    const stillProblem = compressed === undefined ? problem : whyNoRoom(engine, compressed, 'the compressed layer');
    if (stillProblem === undefined) {
      keepsVoxels = false;
      return;
    }
    const room = roomBytes(engine);
    if (readsBoxes && room >= leastRoomBytes) levelBytes = Math.floor((room * voxels) / (voxels + display));
    else throw new StriaError('out-of-memory', readsBoxes || compressed !== undefined ? stillProblem : `${problem}. ${advice}`);
  };
  const job: LoadOptions = {
    signal,
    onProgress: report,
    onInfo,
    keepsVoxels: () => keepsVoxels,
    isWhole: true,
    levelBytes: () => levelBytes,
  };
  const loaded = await load(engine, request, job, new Stopwatch(openStages));
  try {
    const { decimation, file }: VolumeSource = loaded.kept;
    if (decimation > 1 && !file)
      throw new StriaError('out-of-memory', 'the GPU does not have enough memory for a layer of this size');
    const statistics = await loaded.kept.statistics();
    throwIfAborted(signal);
    return { ...loaded, statistics };
  } catch (error) {
    freeLayer(loaded);
    throw error;
  }
}

/** Frees a layer's volume, and closes its bricks. */
export function freeLayer({ kept, bricks }: Pick<LoadedVolume, 'kept' | 'bricks'>): void {
  bricks?.close();
  kept.destroy();
}
