import { type ChunkPlace, placeOf } from '../../chunks/chunk-place.ts';
import type { ConstantChunk } from '../../format/chunk.ts';
import { codecElementBytes } from '../../format/chunk-grid.ts';
import { ContainerWriter } from '../../format/container-writer.ts';
import { deflatedFeature } from '../../format/header.ts';
import { LostChunks } from '../../format/lost-chunks.ts';
import { partName } from '../../format/part.ts';
import { type RecoveredContainer, recoverContainer } from '../../format/recover.ts';
import type { ByteSink, ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import type { SourceDescription } from '../../shared/source.ts';
import { nextTurn } from '../../shared/turn.ts';
import { volumeBytes } from '../../shared/volume.ts';
import { maxListed } from '../damage-list.ts';
import { rawSource } from '../memory-volume.ts';
import { writingTo } from '../pipeline.ts';
import { checkSource } from './check-source.ts';

export interface RecoverReport {
  readonly chunkCount: number;
  readonly wholeCount: number;
  readonly lostCount: number;
  /** The first `maxListed` lost chunks, in order. */
  readonly lost: readonly ChunkPlace[];
  /** Whether lost chunks became zeros instead of gaps that the new file marks. */
  readonly isFilled: boolean;
  /** Whether the damaged file has levels, which the new one has not. */
  readonly hadLevels: boolean;
  /** Whether the source's own header was kept. If not, the new file describes a raw source. */
  readonly sourceKept: boolean;
  /** What was damaged or missing, in sentences. */
  readonly problems: readonly string[];
  readonly voxelBytes: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export interface RecoverSettings {
  /** Write zeros for lost chunks, as if they had been there. Default: the new file marks the lost chunks. */
  readonly fill?: boolean | undefined;
}

/**
 * Writes a sound container from every intact chunk of a damaged one. Lost chunks are marked in its index, which takes almost no
 * space. The sink is closed once everything is written, or aborted once if anything fails.
 * @throws StriaError `corrupt` if no header or no chunk is left; `not-readable`, `not-writable`, `aborted`
 */
export function recoverVolume(
  source: ByteSource,
  sink: ByteSink,
  settings: RecoverSettings = {},
  job: JobOptions = {},
): Promise<RecoverReport> {
  return writingTo([sink], async () => {
    throwIfAborted(job.signal);
    const recovered = await recoverContainer(source, { signal: job.signal });
    if (recovered.wholeCount === 0) {
      throw new StriaError('corrupt', 'no chunk of the volume is intact, so there is nothing to save');
    }
    return rewrite(recovered, source.size, sink, settings, job);
  });
}

/** The description from which the source's files can be written; undefined if it is damaged or forged. */
function usableSource({ header, source }: RecoveredContainer): { source?: SourceDescription | undefined; problem?: string } {
  try {
    if (source) checkSource(header.volume, source);
    return { source };
  } catch (error) {
    if (!(error instanceof StriaError)) throw error;
    return { problem: error.fullMessage };
  }
}

async function rewrite(
  recovered: RecoveredContainer,
  bytesIn: number,
  sink: ByteSink,
  { fill = false }: RecoverSettings,
  { signal, onProgress }: JobOptions,
): Promise<RecoverReport> {
  const { grid } = recovered;
  const { volume, chunkShape, part, requires } = recovered.header;
  if (part && fill) {
    throw new StriaError(
      'invalid-input',
      `the file holds only ${partName(part, volume.type)}; recover it without --fill, merge all parts, and fill what is still lost`,
    );
  }
  const { source: own, problem } = usableSource(recovered);
  const source = own ?? rawSource('recovered.raw');
  const { format: sourceFormat, stored } = source;
  const deflatesSource = own !== undefined && requires.includes(deflatedFeature);
  const writer = await ContainerWriter.create(sink, { volume, chunkShape, sourceFormat, stored, part, deflatesSource });
  const lost: ChunkPlace[] = [];
  for (const { first, count } of recovered.lost()) {
    for (let number = first; number < first + count && lost.length < maxListed; number++) {
      lost.push(placeOf(grid, volume.type, number));
    }
    if (lost.length === maxListed) break;
  }
  const missing = new LostChunks(codecElementBytes(volume.type));
  const voxelBytes = volumeBytes(volume);
  const progress = (done: number) =>
    onProgress?.({ stage: 'Recovering', done: voxelBytes * (done / grid.count), total: voxelBytes });
  for (const { kind, first, count } of recovered.spans()) {
    throwIfAborted(signal);
    const end = first + count;
    if (kind === 'constant') {
      await writer.repeat(first, count, (await recovered.readChunk(first, { signal })) as ConstantChunk);
    } else if (kind === 'lost' && !fill) {
      await writer.repeat(first, count, missing.ofShape(grid.box(first).shape));
    } else {
      for (let number = first; number < end; number++) {
        if (number % chunksPerTurn === 0) await nextTurn();
        throwIfAborted(signal);
        const chunk = await recovered.readChunk(number, { signal });
        await writer.chunk(number, chunk ?? missing.zeros(grid.box(number).shape));
        progress(number + 1);
      }
    }
    progress(end);
  }
  await writer.finish(source);
  return {
    chunkCount: recovered.ownCount,
    wholeCount: recovered.wholeCount,
    lostCount: recovered.ownCount - recovered.wholeCount,
    lost,
    isFilled: fill,
    hadLevels: recovered.hasLevels,
    sourceKept: own !== undefined,
    problems: problem === undefined ? recovered.problems : [...recovered.problems, problem],
    voxelBytes,
    bytesIn,
    bytesOut: writer.bytesWritten,
  };
}

/** Constant chunks need no reads, so only this check lets an abort take effect. */
const chunksPerTurn = 1024;
