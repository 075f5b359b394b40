import { chunkShapeOf } from '../../core/chunks/chunk-shape.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { OpenVolume } from '../../core/io/common/volume-reader.ts';
import { type JobOptions, throwIfAborted } from '../../core/shared/job.ts';
import { isPictureFormat } from '../../core/shared/source.ts';
import { volumeBytes } from '../../core/shared/volume.ts';
import { ResidentVolume } from '../../core/volume/resident-volume.ts';
import { shownInfo } from '../../renderer/viewer/model/shown-info.ts';

/** Bytes to upload before waiting for the GPU. */
const uploadBytes = 2 ** 26;

/**
 * Reads a volume into GPU memory, at a lower resolution (`decimation`) if it is too large. The caller destroys it.
 * @throws StriaError `out-of-memory`, `aborted`, `device-lost`, and the readers' errors
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
    return resident;
  } catch (error) {
    resident.destroy();
    throw error;
  }
}
