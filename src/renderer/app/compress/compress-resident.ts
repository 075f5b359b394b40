import type { EncodeChoice } from '../../../core/chunks/backend.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import type { GpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import { decodesSlowly } from '../../../core/gpu-chunks/gpu-transcoder.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import { sourceBytes } from '../../../core/shared/source.ts';
import { volumeBytes } from '../../../core/shared/volume.ts';
import { type Compressible, compressResident as compress } from '../../../core/volume/compress-resident.ts';
import { type CompressionResult, stageClock } from '../state/result.ts';

export interface Compressed {
  /** In order of their numbers. */
  readonly chunks: readonly EncodedChunk[];
  readonly choice: EncodeChoice;
  readonly result: CompressionResult;
}

/** As `compressResident` of the engine, with what the result card shows. @throws as it */
export async function compressResident(
  backend: GpuBackend,
  volume: Compressible,
  choice: EncodeChoice,
  job: JobOptions,
): Promise<Compressed> {
  const { info } = volume.kept;
  const { chunks, shares, bytesOut, paddedBytes, encode, check, timeline } = await compress(backend, volume, choice, job);
  return {
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
