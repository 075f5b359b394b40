import type { EncodeChoice } from '../../chunks/backend.ts';
import { defaultTimeGroup, interleavedShape } from '../../chunks/chunk-shape.ts';
import { ChunkGrid, type ChunkShape, codecElementBytes, codecElementDims, isInterleaved } from '../../format/chunk-grid.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { JobOptions } from '../../shared/job.ts';
import { interleavesTime, isSteady, surveyedBytes } from '../../stream/compress/time-survey.ts';
import { readBlock } from '../read-block.ts';
import type { VolumeSource } from '../volume-source.ts';
import type { Compressible } from './compress-resident.ts';
import { bytesOfChunkRow, InterleavedBoxes } from './interleaved-boxes.ts';

/** A volume in GPU memory, compressed or not, with all its voxels. */
export interface KeptSeries extends Compressible {
  readonly kept: Pick<VolumeSource, 'info' | 'forEachBox' | 'readBox' | 'planeReader'> & { readonly chunkShape: ChunkShape };
}

/**
 * The volume in chunks of the shape that suits the choice of codec: groups of time points, as `compressVolume` forms them for a
 * series, or else the volume's `chunkShape`. No groups are formed if the GPU cannot bind a row of their chunks. Voxels are copied into
 * temporary memory, at most one group at a time.
 * @throws StriaError `aborted`, `device-lost`
 */
export async function inTimeGroups(gpu: Gpu, volume: KeptSeries, choice: EncodeChoice, job: JobOptions): Promise<Compressible> {
  const { kept, source } = volume;
  const chunkShape = (await groupedShape(gpu, volume, choice, job)) ?? volume.chunkShape;
  if (chunkShape.join() === kept.chunkShape.join()) return { kept, source, chunkShape };
  const forEachBox: VolumeSource['forEachBox'] = async (visit) => {
    const planes = kept.planeReader();
    try {
      await new InterleavedBoxes(gpu, kept.info, chunkShape, planes).forEach('read', visit);
    } finally {
      planes.destroy();
    }
  };
  return { kept: { info: kept.info, forEachBox }, source, chunkShape };
}

/** The chunk shape of groups. Undefined if the volume already has groups, or if groups are not wanted or not possible. */
async function groupedShape(
  gpu: Gpu,
  { kept, source, chunkShape }: KeptSeries,
  choice: EncodeChoice,
  job: JobOptions,
): Promise<ChunkShape | undefined> {
  const { info } = kept;
  const timeGroup = defaultTimeGroup(info);
  if (timeGroup === 1 || isInterleaved(chunkShape)) return undefined;
  const shape = interleavedShape(info, timeGroup);
  const bytesOfRow = bytesOfChunkRow(new ChunkGrid(codecElementDims(info), shape), codecElementBytes(info.type));
  if (bytesOfRow > gpu.maxBindingBytes) return undefined;
  const isWanted = await interleavesTime({ info, format: source.format }, choice, () => isSteadyOnGpu(kept, job));
  return isWanted ? shape : undefined;
}

async function isSteadyOnGpu(kept: KeptSeries['kept'], { signal }: JobOptions): Promise<boolean> {
  const { info } = kept;
  const byteLength = surveyedBytes(info);
  if (byteLength === undefined) return false;
  const [width, height, depth] = info.dims;
  const bytes = new Uint8Array(byteLength);
  for (const timePoint of [0, 1]) {
    const box = { first: [0, 0, 0], size: [width, height, depth], timePoint } as const;
    const half = bytes.subarray((timePoint * byteLength) / 2, ((timePoint + 1) * byteLength) / 2);
    await readBlock(kept, box, { signal, bytes: half });
  }
  return isSteady(info, bytes);
}
