import type { EncodeChoice } from '../../../core/chunks/backend.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import { decodesSlowly } from '../../../core/gpu-chunks/gpu-transcoder.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import { sourceBytes } from '../../../core/shared/source.ts';
import { volumeBytes } from '../../../core/shared/volume.ts';
import { compressResident as compress } from '../../../core/volume/compress-resident.ts';
import type { CutChunks } from '../../../core/volume/compressed-volume.ts';
import { PayloadMemory } from '../../../core/volume/payload-memory.ts';
import { inTimeGroups, type KeptSeries } from '../../../core/volume/time-groups.ts';
import { type CompressionResult, stageClock } from '../state/result.ts';

export interface Compressed extends CutChunks {
  readonly choice: EncodeChoice;
  readonly result: CompressionResult;
}

/** How long memory for the next result is held, in case that the user tries other settings. */
const memoryKeptMs = 30_000;

const memory = new PayloadMemory();
let forgetting: ReturnType<typeof setTimeout> | undefined;

function prepareForNext(): void {
  void memory.refill();
  clearTimeout(forgetting);
  forgetting = setTimeout(() => memory.free(), memoryKeptMs);
}

/**
 * Compresses a volume in GPU memory like the engine's `compressResident`, in groups of time points if they pay, and collects what the
 * result card shows. @throws StriaError like the engine's `compressResident`
 */
export async function compressResident(
  { gpu, backend }: { readonly gpu: Gpu; readonly backend: GpuBackend },
  volume: KeptSeries,
  choice: EncodeChoice,
  job: JobOptions,
): Promise<Compressed> {
  const { info } = volume.kept;
  const grouped = await inTimeGroups(gpu, volume, choice, job);
  const allocate = (byteLength: number) => memory.take(byteLength);
  const compressed = await compress(backend, grouped, choice, { ...job, allocate }).finally(prepareForNext);
  const { chunks, shares, bytesOut, paddedBytes, encode, check, timeline } = compressed;
  return {
    chunkShape: grouped.chunkShape,
    chunks,
    choice,
    result: {
      bytesIn: sourceBytes(info, volume.source),
      voxelBytes: volumeBytes(info),
      bytesOut,
      shares,
      encode: stageClock(encode.kernels, () => true, encode.wallMs),
      decode: check && stageClock(check.kernels, (name) => name !== 'check', check.wallMs),
      isExact: check !== undefined,
      timeline,
      gpuBytes: chunks.some(decodesSlowly)
        ? undefined
        : {
            before: paddedBytes,
            after: chunks.reduce((sum, chunk) => sum + (chunk.kind === 'coded' ? chunk.payload.byteLength : 0), 0),
          },
    },
  };
}
