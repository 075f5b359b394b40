import type { ByteSource } from '../shared/bytes.ts';
import { StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { type ChunkGrid, chunkGridOf, codecElementBytes } from './chunk-grid.ts';
import { ChunkIndex } from './chunk-index.ts';
import type { ContainerHeader } from './header.ts';
import { recordHeadLength, recordTypes } from './layout.ts';
import { checkLevels, type LevelHeader, levelVolume, maxLevels, parseLevelHeader } from './level.ts';
import { parseRecord, parseRecordHead, readExactly, recordEnd } from './record.ts';

/** A level as its `levl` record describes it. */
export interface FoundLevel {
  readonly level: LevelHeader;
  /** The header of the level's volume. */
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  readonly index: ChunkIndex;
}

/** The records between INDX and TAIL, and where chunk records can lie. */
export interface LevelBounds {
  readonly firstChunk: number;
  readonly lastChunk: number;
  readonly start: number;
  readonly end: number;
}

const blockLength = 65_536;

/**
 * Reads the levels of a container. @param header of the volume
 * @throws StriaError `corrupt`, in the context of the level; `not-readable`, `aborted`
 */
export async function readLevels(
  source: ByteSource,
  header: ContainerHeader,
  { firstChunk, lastChunk, start, end }: LevelBounds,
  options?: JobOptions,
): Promise<FoundLevel[]> {
  const levels: FoundLevel[] = [];
  for (let at = start; at < end; ) {
    throwIfAborted(options?.signal);
    const block = await readExactly(source, at, Math.min(blockLength, end - at), options);
    const head = parseRecordHead(block, at);
    if (head === undefined || recordEnd(head) > end) {
      throw new StriaError('corrupt', `the record at byte ${at}, between the index and the end, is damaged`);
    }
    const length = recordEnd(head) - at;
    if (head.type === recordTypes.level) {
      if (levels.length === maxLevels) throw new StriaError('corrupt', `the file has more than ${maxLevels} levels`);
      const bytes = length <= block.byteLength ? block.subarray(0, length) : await readExactly(source, at, length, options);
      const { body } = parseRecord(bytes, at, recordTypes.level);
      const level = parseLevelHeader(head);
      const found = parseLevel(header, level);
      const index = ChunkIndex.parse(body, {
        chunkCount: found.grid.count,
        elementBytes: codecElementBytes(header.volume.type),
        start: firstChunk,
        end: lastChunk,
      });
      levels.push({ ...found, level, index });
    }
    at += Math.max(recordHeadLength, length);
  }
  checkLevels(levels.map(({ level }) => level));
  if (levels.length > 0 && header.part) throw new StriaError('corrupt', 'a part of a volume has levels');
  return levels;
}

function parseLevel(header: ContainerHeader, { number, factors, chunkShape }: LevelHeader): Pick<FoundLevel, 'header' | 'grid'> {
  const volume = levelVolume(header.volume, factors);
  try {
    const grid = chunkGridOf(volume, chunkShape);
    return { header: { ...header, volume, chunkShape: [...chunkShape, 1] }, grid };
  } catch (error) {
    throw new StriaError('corrupt', `level ${number} is impossible: ${toStriaError(error).message}`, { cause: error });
  }
}
