import type { ByteSource } from '../shared/bytes.ts';
import type { JobOptions } from '../shared/job.ts';
import type { SourceDescription } from '../shared/source.ts';
import type { ChunkStage, ConstantChunk, EncodedChunk } from './chunk.ts';
import type { ChunkGrid } from './chunk-grid.ts';
import type { ContainerHeader } from './header.ts';

export type ChunkEntry =
  | ConstantChunk
  | {
      readonly kind: 'coded';
      readonly stages: readonly ChunkStage[];
      readonly recordOffset: number;
      readonly recordLength: number;
      readonly payloadLength: number;
    };

export declare class ContainerReader {
  static open(source: ByteSource, options?: JobOptions): Promise<ContainerReader>;
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  readonly chunkCount: number;
  entry(number: number): ChunkEntry;
  readChunk(number: number, options?: JobOptions): Promise<EncodedChunk>;
  /** Consecutive chunks with as few reads as possible. */
  readChunks(first: number, count: number, options?: JobOptions): Promise<EncodedChunk[]>;
  sourceDescription(options?: JobOptions): Promise<SourceDescription>;
  /** Reads and checks all records that opening and reading chunks do not touch. For `stria verify`. */
  checkRecords(options?: JobOptions): Promise<void>;
}

/** Whether a file's first bytes (8 at least) are those of a container. */
export declare function isContainer(head: Uint8Array): boolean;
