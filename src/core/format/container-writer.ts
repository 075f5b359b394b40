import type { ByteSink } from '../shared/bytes.ts';
import type { SourceDescription } from '../shared/source.ts';
import type { EncodedChunk } from './chunk.ts';
import type { ChunkGrid } from './chunk-grid.ts';
import type { ContainerHeader } from './header.ts';

export type NewContainer = Pick<ContainerHeader, 'volume' | 'chunkShape' | 'sourceFormat'> &
  Partial<Pick<ContainerHeader, 'writer'>>;

export declare class ContainerWriter {
  static create(sink: ByteSink, header: NewContainer): Promise<ContainerWriter>;
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  get bytesWritten(): number;
  /** Chunks come in order: 0, 1, 2 … */
  chunk(number: number, chunk: EncodedChunk): Promise<void>;
  /** Makes what was given so far safe against a missing end. Call it after each layer. */
  flushIndex(): Promise<void>;
  /** Writes what remains. Does not close the sink. */
  finish(source: SourceDescription): Promise<void>;
}
