import type { EncodeChoice } from '../../../core/chunks/backend.ts';
import { ChunkGrid, codecElementBytes, codecElementDims } from '../../../core/format/chunk-grid.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import { decodesSlowly } from '../../../core/gpu-chunks/gpu-transcoder.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import { sourceBytes } from '../../../core/shared/source.ts';
import { totalOf } from '../../../core/shared/total.ts';
import { volumeBytes } from '../../../core/shared/volume.ts';
import type { CutChunks } from '../../../core/volume/compressed/compressed-volume.ts';
import type { Payloads } from '../../../core/volume/payloads.ts';
import { type Compressible, compressResident as compress } from '../../../core/volume/resident/compress-resident.ts';
import { inTimeGroups, type KeptSeries } from '../../../core/volume/resident/time-groups.ts';
import { type CompressionResult, stageClock } from '../state/result.ts';

/** A compressed volume, whose payloads may still be in GPU memory. */
export interface Compressed extends Pick<CutChunks, 'chunkShape'> {
  readonly payloads: Pick<Payloads, 'outlines' | 'bytesInGpu' | 'inHost' | 'release'>;
  readonly choice: EncodeChoice;
  readonly result: CompressionResult;
  /** When the result's timeline begins, by `performance.now()`. */
  readonly startMs: number;
}

interface Device {
  readonly gpu: Gpu;
  /** For volumes, in bytes. */
  readonly budgetBytes: number;
}

/** The share of the budget for volumes that payloads in GPU memory may take. */
const keptShare = 1 / 8;

/**
 * Compresses a volume in GPU memory like the engine's `compressResident`, in groups of time points if they pay, and collects what the
 * result card shows. The caller reads the payloads back. @throws StriaError like the engine's `compressResident`
 */
export async function compressResident(
  { gpu, backend, budgetBytes }: Device & { readonly backend: GpuBackend },
  volume: KeptSeries,
  choice: EncodeChoice,
  job: JobOptions,
): Promise<Compressed> {
  const { info } = volume.kept;
  const grouped = await inTimeGroups(gpu, volume, choice, job);
  const compressed = await compress(backend, grouped, choice, { ...job, keptBytes: keptShare * budgetBytes });
  const { payloads, shares, bytesOut, paddedBytes, encode, check, timeline, startMs } = compressed;
  const { outlines } = payloads;
  return {
    chunkShape: grouped.chunkShape,
    payloads,
    choice,
    startMs,
    result: {
      bytesIn: sourceBytes(info, volume.source),
      voxelBytes: volumeBytes(info),
      bytesOut,
      shares,
      encode: stageClock(encode.kernels, () => true, encode.wallMs),
      decode: check && stageClock(check.kernels, (name) => name !== 'check', check.wallMs),
      isExact: check !== undefined,
      timeline,
      gpuBytes: outlines.some(decodesSlowly)
        ? undefined
        : { before: paddedBytes, after: totalOf(outlines.map((one) => (one.kind === 'coded' ? one.payload.byteLength : 0))) },
    },
  };
}

/** Compiles what compressing and checking the volume will probably need, so that the first Compress need not wait for it. Never throws. */
export async function prepareCompress(
  { backend }: { readonly backend: Pick<GpuBackend, 'prepareEncode' | 'prepareCheck'> },
  { kept: { info }, chunkShape }: Pick<Compressible, 'chunkShape'> & { readonly kept: Pick<Compressible['kept'], 'info'> },
  choice: EncodeChoice,
): Promise<void> {
  const grid = new ChunkGrid(codecElementDims(info), chunkShape);
  const shapes = [grid.box(0).shape, grid.box(grid.count - 1).shape];
  const width = codecElementBytes(info.type);
  await backend.prepareEncode?.(shapes, width, choice);
  await backend.prepareCheck(shapes, width, choice);
}

/** Frees GPU memory that is kept for the next Compress, if it does not fit in the budget beside the volume. */
export function trimSpare({ gpu, budgetBytes }: Device): void {
  if (gpu.memory.liveBytes() > budgetBytes) gpu.spare.free();
}
