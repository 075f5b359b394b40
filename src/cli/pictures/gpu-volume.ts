import { chunkShapeOf } from '../../core/chunks/chunk-shape.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { OpenVolume } from '../../core/io/common/volume-reader.ts';
import { type JobOptions, throwIfAborted } from '../../core/shared/job.ts';
import { isPictureFormat } from '../../core/shared/source.ts';
import { volumeBytes } from '../../core/shared/volume.ts';
import type { VolumeLevel } from '../../core/shared/volume-level.ts';
import { ResidentVolume } from '../../core/volume/resident/resident-volume.ts';
import { shownInfo } from '../../renderer/viewer/model/shown-info.ts';

/** Bytes to upload before waiting for the GPU. */
const uploadBytes = 2 ** 26;

/** A volume at lower resolutions. */
export interface CoarserLevels {
  /** From the finest to the coarsest. */
  readonly levels: readonly VolumeLevel[];
  /** Why those beside the file are not used. */
  readonly fault?: string | undefined;
  /** All voxels of one of `levels`, in order. */
  voxels(index: number): AsyncIterable<Uint8Array>;
}

export interface LoadedOnGpu {
  readonly resident: ResidentVolume;
  /** What a reader of the picture should know about its resolution; undefined if all voxels are in GPU memory. */
  readonly note: string | undefined;
}

/**
 * Reads a volume into GPU memory. If it is too large, its finest level that fits is read instead, if it has one; if nothing fits, the GPU
 * keeps one voxel in several. The caller destroys it.
 * @param coarser is called if the volume is too large
 * @param budgetBytes default: as `ResidentOptions`
 * @throws StriaError `out-of-memory`, `aborted`, `device-lost`, and the readers' errors
 */
export async function loadOnGpu(
  gpu: Gpu,
  volume: OpenVolume,
  coarser: (() => Promise<CoarserLevels>) | undefined,
  job: JobOptions,
  budgetBytes?: number,
): Promise<LoadedOnGpu> {
  const info = shownInfo(volume.info, volume.format);
  const chunkShape = chunkShapeOf(info, isPictureFormat(volume.format));
  const fits = ({ dims }: Pick<VolumeLevel, 'dims'>) =>
    ResidentVolume.fits(gpu, { dims, type: info.type }, { chunkShape, budgetBytes });
  const found = fits(info) ? undefined : await coarser?.();
  const finest = found?.levels.findIndex(fits) ?? -1;
  const index = finest < 0 ? (found?.levels.length ?? 0) - 1 : finest;
  const level = found?.levels[index];
  const resident = await ResidentVolume.create(gpu, info, { chunkShape, budgetBytes, level });
  try {
    const total = volumeBytes({ dims: level?.dims ?? info.dims, type: info.type });
    let [done, waiting] = [0, 0];
    for await (const piece of found && level ? found.voxels(index) : volume.voxels(job)) {
      throwIfAborted(job.signal);
      // Decoded voxels are in shared memory. Dawn crashes when it uploads from shared memory.
      resident.append(piece.buffer instanceof ArrayBuffer ? piece : piece.slice());
      done += piece.byteLength;
      waiting += piece.byteLength;
      job.onProgress?.({ stage: 'Reading', done, total });
      if (waiting < uploadBytes) continue;
      await gpu.finish();
      waiting = 0;
    }
    await gpu.finish();
    const from = level && found && resident.keepsAll ? `level ${index + 1} of ${found.levels.length}, ` : '';
    const used = `the volume is too large for this GPU; the picture uses ${from}one voxel in ${resident.decimation} along each axis`;
    const words = resident.decimation > 1 ? [used, ...(found?.fault === undefined ? [] : [found.fault])] : [];
    return { resident, note: words.length > 0 ? words.join('; ') : undefined };
  } catch (error) {
    resident.destroy();
    throw error;
  }
}
