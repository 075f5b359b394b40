import type { ByteSource } from '../shared/bytes.ts';
import type { JobOptions } from '../shared/job.ts';
import type { SourceDescription } from '../shared/source.ts';
import type { EncodedChunk } from './chunk.ts';
import type { ChunkGrid } from './chunk-grid.ts';
import type { ContainerHeader } from './header.ts';

/** What a damaged container still holds. */
export interface RecoveredContainer {
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  /** Number of whole chunks, of `grid.count`. */
  readonly wholeCount: number;
  has(number: number): boolean;
  /** Undefined where the chunk is not whole. */
  readChunk(number: number, options?: JobOptions): Promise<EncodedChunk | undefined>;
  /** The source's own header and what else stood around its voxels; undefined where that is lost. */
  readonly source: SourceDescription | undefined;
  /** What is damaged or missing, in sentences. Empty for a whole file. */
  readonly problems: readonly string[];
}

export declare function recoverContainer(source: ByteSource, options?: JobOptions): Promise<RecoveredContainer>;
