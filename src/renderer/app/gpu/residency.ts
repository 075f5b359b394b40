import { type ChunkShare, ChunkTally } from '../../../core/chunks/chunk-tally.ts';
import type { ChunkOutline, EncodedChunk } from '../../../core/format/chunk.ts';
import type { ChunkShape } from '../../../core/format/chunk-grid.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../../core/shared/job.ts';
import { volumeBytes } from '../../../core/shared/volume.ts';
import type { VolumeLevel } from '../../../core/shared/volume-level.ts';
import { type CompressedSource, CompressedVolume } from '../../../core/volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type { HeldBytes, Residency, ResidencyState } from '../state/residency-state.ts';
import type { Engine } from './gpu-life.ts';

export type KeptVolume = ResidentVolume | CompressedVolume;

export function residencyOf(kept: KeptVolume): Residency {
  return kept instanceof CompressedVolume ? 'compressed' : 'raw';
}

/** @param chunks the compressed volume, if there is one */
export function residencyState(
  { gpu, budgetBytes }: Pick<Engine, 'gpu' | 'budgetBytes'>,
  kept: KeptVolume,
  chunkShape: ChunkShape,
  chunks: readonly ChunkOutline[] | undefined,
): ResidencyState {
  const { info } = kept;
  return {
    kept: residencyOf(kept),
    rawBytes: volumeBytes(info),
    asFile: asFile(chunks),
    inGpu: kept instanceof CompressedVolume ? heldBytes(kept.shares) : undefined,
    canBeRaw: ResidentVolume.fits(gpu, info, { chunkShape, budgetBytes }),
    canBeCompressed: kept.decimation === 1,
    progress: undefined,
  };
}

/** The compressed bytes as in a file. Undefined if the volume is not compressed. */
export function asFile(chunks: readonly ChunkOutline[] | undefined): HeldBytes | undefined {
  if (!chunks) return undefined;
  const tally = new ChunkTally();
  for (const chunk of chunks) tally.addChunk(chunk);
  return heldBytes(tally.shares());
}

function heldBytes(shares: readonly ChunkShare[]): HeldBytes {
  return { bytes: shares.reduce((sum, { bytes }) => sum + bytes, 0), shares };
}

/** The parts of the engine needed to load volumes into GPU memory. */
export type LoadingEngine = Pick<Engine, 'gpu' | 'backend' | 'budgetBytes' | 'brickBudgets'>;

export interface CompressedBytes extends CompressedSource {
  /** The level that the chunks belong to, if it is not the volume itself. They are then kept as voxels. */
  readonly level?: VolumeLevel | undefined;
}

/**
 * Uploads compressed bytes to GPU memory, compressed or as voxels. The caller frees the volume.
 * @param verify whether to compare checksums of compressed chunks. Those of voxels are always compared.
 * @throws StriaError `corrupt`, `out-of-memory`, `aborted`, `device-lost`
 */
export async function keepAs(
  { gpu, backend, budgetBytes }: LoadingEngine,
  residency: Residency,
  source: CompressedBytes,
  { verify, statistics, ...job }: JobOptions & { readonly verify: boolean; readonly statistics?: VolumeStatistics | undefined },
): Promise<KeptVolume> {
  // The volume needs memory more than the next Compress does.
  gpu.spare.free();
  if (residency === 'compressed') return CompressedVolume.create(gpu, source, { ...job, verify, statistics });
  const { info, chunkShape, chunks, level } = source;
  const resident = await ResidentVolume.create(gpu, info, { chunkShape, budgetBytes, level });
  try {
    throwIfAborted(job.signal);
    if (!resident.keepsAll)
      throw new StriaError('out-of-memory', 'the GPU does not have enough memory for the uncompressed volume');
    const total = volumeBytes({ dims: level?.dims ?? info.dims, type: info.type });
    let before = 0;
    await resident.fillBoxes(async (box) => {
      const inBox = box.chunkNumbers.map((number) => chunks[number] as EncodedChunk);
      let done = 0;
      await backend.decodeResident(inBox, box, {
        signal: job.signal,
        firstChunk: box.chunkNumbers[0],
        onProgress: (progress) => {
          done = progress.done;
          job.onProgress?.({ stage: 'Decompressing', done: before + done, total });
        },
      });
      before += done;
    });
    return resident;
  } catch (error) {
    resident.destroy();
    throw error;
  }
}
