import type { Gpu } from '../../../core/gpu/gpu.ts';
import { extractOnGpu } from '../../../core/mesh/gpu/gpu-surfaces.ts';
import type { ExtractedSurface } from '../../../core/mesh/surfaces.ts';
import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { extractInThread, finishInThread, type SurfaceJob } from './surface-thread.ts';

/** A volume in GPU memory from which surfaces are extracted. */
export type SurfaceVolume = Pick<VolumeSource, 'info' | 'readBox' | 'decimation' | 'planeReader'>;

export interface ShownJob extends SurfaceJob {
  /** The device that holds the voxels. */
  readonly gpu: Gpu | undefined;
  /** For tests: even a software GPU extracts, and nothing is left to the thread. */
  readonly onlyGpu?: boolean | undefined;
  /** Whether the volume is still open. */
  readonly isOpen: () => boolean;
}

type Settings = Parameters<typeof extractInThread>[2];

/**
 * Extracts surfaces on the GPU that holds the voxels, so that no voxels are read back; a thread finishes them. The thread also does what
 * the GPU cannot do or lacks memory for, and everything if the GPU is a software one, which is slower.
 * @returns the number of triangles @throws StriaError `aborted`, `device-lost`, and those of `extractSurfaces` and the volume
 */
export async function extractShown(volume: SurfaceVolume, timePoint: number, settings: Settings, job: ShownJob): Promise<number> {
  const { gpu, onlyGpu } = job;
  const found = gpu && (onlyGpu || !gpu.isSoftware) ? await foundOnGpu(gpu, volume, timePoint, settings, job) : undefined;
  if (found) return finishInThread(found, volume.info, settings, job);
  if (onlyGpu) throw new StriaError('internal', 'the GPU left the surfaces to the CPU');
  return extractInThread(volume, timePoint, settings, job);
}

async function foundOnGpu(
  gpu: Gpu,
  volume: SurfaceVolume,
  t: number,
  { surfaces }: Settings,
  { signal, onBytes, isOpen }: ShownJob,
): Promise<ExtractedSurface[] | undefined> {
  try {
    return await extractOnGpu(
      gpu,
      volume,
      { surfaces, t },
      { signal, isOpen, onProgress: ({ done, total }) => onBytes?.(done, total ?? done) },
    );
  } catch (error) {
    if (['out-of-memory', 'limit-too-small'].includes(toStriaError(error).tag)) return undefined;
    throw error;
  }
}
