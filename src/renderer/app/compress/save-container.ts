import type { Backend, EncodeChoice } from '../../../core/chunks/backend.ts';
import { createCpuBackend } from '../../../core/cpu/cpu-backend.ts';
import type { ByteSink } from '../../../core/shared/bytes.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import type { CutChunks } from '../../../core/volume/compressed/compressed-volume.ts';
import { type Compressible, writeContainer } from '../../../core/volume/resident/compress-resident.ts';
import { createWebTaskPool } from '../threads/web-task-pool.ts';
import { lastingBackend } from './lasting-backend.ts';

/**
 * Writes a compressed volume as a .stria file, with levels if it is large. Does not close the sink.
 * @param gpu undefined while there is none
 */
export async function saveContainer(
  sink: ByteSink,
  { kept, source }: Omit<Compressible, 'chunkShape'>,
  { chunkShape, chunks, choice }: CutChunks & { readonly choice: EncodeChoice },
  gpu: Backend | undefined,
  job: JobOptions,
): Promise<number> {
  const backend = lastingBackend(gpu, () => createCpuBackend(createWebTaskPool()));
  try {
    return await writeContainer(sink, { kept, source, chunkShape }, chunks, job, { backend, choice });
  } finally {
    await backend.destroy();
  }
}
