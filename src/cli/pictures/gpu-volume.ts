import { chunkShapeOf } from '../../core/chunks/chunk-shape.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { OpenVolume } from '../../core/io/common/volume-reader.ts';
import { type JobOptions, throwIfAborted } from '../../core/shared/job.ts';
import { isPictureFormat } from '../../core/shared/source.ts';
import { volumeBytes } from '../../core/shared/volume.ts';
import { ResidentVolume } from '../../core/volume/resident-volume.ts';
import { shownInfo } from '../../renderer/viewer/model/shown-info.ts';

/** How much is uploaded before the GPU must have taken it. */
const uploadBytes = 2 ** 26;

/**
 * Reads a volume into GPU memory; one that is too large at a lower resolution (`decimation`). The caller destroys it. @throws
 * StriaError like the readers, `out-of-memory`, `aborted`, `device-lost`
 */
export async function loadOnGpu(gpu: Gpu, volume: OpenVolume, job: JobOptions): Promise<ResidentVolume> {
  const info = shownInfo(volume.info, volume.format);
  const chunkShape = chunkShapeOf(info, isPictureFormat(volume.format));
  const resident = await ResidentVolume.create(gpu, info, { chunkShape });
  try {
    const total = volumeBytes(info);
    let [done, waiting] = [0, 0];
    for await (const piece of volume.voxels(job)) {
      throwIfAborted(job.signal);
      // Decoded voxels lie in memory that threads share, from which Dawn cannot upload: it crashes.
      resident.append(piece.buffer instanceof ArrayBuffer ? piece : piece.slice());
      done += piece.byteLength;
      waiting += piece.byteLength;
      job.onProgress?.({ stage: 'Reading', done, total });
      if (waiting < uploadBytes) continue;
      await gpu.device.queue.onSubmittedWorkDone();
      waiting = 0;
    }
    await gpu.device.queue.onSubmittedWorkDone();
    gpu.checkAlive();
    return resident;
  } catch (error) {
    resident.destroy();
    throw error;
  }
}
