import { type ByteSink, writeParts } from '../shared/bytes.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { StriaError, toStriaError } from '../shared/errors.ts';
import type { SourceDescription } from '../shared/source.ts';
import type { StoredVoxels } from '../shared/stored-voxels.ts';
import type { ChunkOutline, CodedChunk, CodedOutline, ConstantChunk, EncodedChunk, RampChunk } from './chunk.ts';
import { type ChunkGrid, codecElementBytes } from './chunk-grid.ts';
import { chunkRecordLength, chunkRecordParts } from './chunk-record.ts';
import { type ConstantRun, rampFault, sameComputed } from './computed-run.ts';
import {
  type ContainerHeader,
  deflatedFeature,
  encodeHeader,
  encodePrologue,
  featuresOf,
  parseHeader,
  storedFeature,
  writerName,
} from './header.ts';
import { IndexBuilder } from './index-builder.ts';
import { formatVersion, maxPayloadLength, recordTypes } from './layout.ts';
import { encodeLevel, type LevelHeader } from './level.ts';
import { LevelEntries } from './level-entries.ts';
import { PendingRuns } from './pending-runs.ts';
import { encodeRecord } from './record.ts';
import { encodeSource } from './source-record.ts';
import { encodeTail, type RecordPlace } from './tail.ts';

const nowhere: ByteSink = { write: async () => {}, writeParts: async () => {}, close: async () => {}, abort: async () => {} };

/** The parameters of a new container. `writer` is for tests of exact bytes; by default it is this program. */
export type NewContainer = Pick<ContainerHeader, 'volume' | 'chunkShape' | 'sourceFormat'> &
  Partial<Pick<ContainerHeader, 'writer' | 'part' | 'levelsOf'>> & {
    readonly stored?: StoredVoxels | undefined;
    /** Whether long headers of the source are deflated, which readers must then support. Default: false. */
    readonly deflatesSource?: boolean | undefined;
  };

/**
 * The maximum number of flushes of chunks without payload. They happen after each layer, or after several if there are more
 * layers than this.
 */
const maxFlushes = 4096;

/**
 * Writes a container front to back. The same calls give the same bytes: it writes no dates and no device names. After a fault
 * of the sink the writer is unusable.
 */
export class ContainerWriter {
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  readonly #sink: ByteSink;
  readonly #headerBody: Uint8Array;
  readonly #index = new IndexBuilder();
  readonly #pending = new PendingRuns();
  #lastRun: ConstantRun | undefined;
  #nextChunk = 0;
  /** Number of chunks between flushes of chunks without payload, in whole layers. */
  readonly #chunksPerFlush: number;
  #bytesWritten = 0;
  /** By level, from 1. */
  readonly #levels: LevelEntries[] = [];
  #levelBytes = 0;
  /** Bytes that `chunks` still has to write. */
  #batch: Uint8Array[] | undefined;

  private constructor(sink: ByteSink | undefined, header: ContainerHeader, grid: ChunkGrid, headerBody: Uint8Array) {
    this.#sink = sink ?? nowhere;
    this.header = header;
    this.grid = grid;
    this.#headerBody = headerBody;
    this.#chunksPerFlush = grid.chunksPerLayer * Math.ceil(grid.layerCount / maxFlushes);
  }

  /**
   * Writes the start of the file.
   * @param sink undefined to count the file's bytes only
   * @throws StriaError `invalid-input` for a volume or chunk shape that no container can have
   */
  static async create(sink: ByteSink | undefined, newContainer: NewContainer): Promise<ContainerWriter> {
    const { volume, chunkShape, sourceFormat, stored, part, levelsOf, writer = writerName, deflatesSource } = newContainer;
    const requires = featuresOf(sourceFormat, chunkShape, stored, part, deflatesSource);
    const body = encodeHeader({ volume, chunkShape, sourceFormat, writer, requires, part, levelsOf });
    let container: ContainerWriter;
    try {
      const { header, grid } = parseHeader(body);
      container = new ContainerWriter(sink, header, grid, body);
    } catch (error) {
      throw new StriaError('invalid-input', toStriaError(error).message, { cause: error });
    }
    await container.#write(encodePrologue(formatVersion));
    await container.#write(encodeRecord({ type: recordTypes.header, offset: container.#bytesWritten, body }));
    return container;
  }

  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  /** Bytes of the levels: the records of their chunks, and their indices. */
  get levelBytes(): number {
    return this.#levelBytes;
  }

  /** The next chunk of the volume. */
  get nextChunk(): number {
    return this.#nextChunk;
  }

  /**
   * Adds consecutive chunks of a level, in one write. Each level's chunks must come in order, all of a layer together.
   * @param level from 1 @throws StriaError `internal` out of order, `not-writable`
   */
  async levelChunks(level: number, first: number, chunks: readonly EncodedChunk[]): Promise<void> {
    while (this.#levels.length < level) this.#levels.push(new LevelEntries());
    const entries = this.#levels[level - 1] as LevelEntries;
    if (entries.count !== first) {
      throw new StriaError(
        'internal',
        `${chunkName(first)} of level ${level} was written instead of ${chunkName(entries.count)}`,
      );
    }
    const start = this.#bytesWritten;
    const parts: Uint8Array[] = [];
    for (const [at, chunk] of chunks.entries()) {
      if (chunk.kind !== 'coded') {
        entries.add(chunk, undefined);
        continue;
      }
      const { head, body, padding } = chunkRecordParts(first + at, chunk, this.#bytesWritten, level);
      const length = head.byteLength + body.byteLength + padding.byteLength;
      entries.add(chunk, { offset: this.#bytesWritten, length });
      this.#bytesWritten += length;
      parts.push(head, body, padding);
    }
    this.#levelBytes += this.#bytesWritten - start;
    if (parts.length > 0) await writeParts(this.#sink, parts);
  }

  /**
   * Adds a chunk. Chunks must come in order: 0, 1, 2 … Those without payload are flushed after each layer, so that they survive
   * if the file's end is lost. @throws StriaError `internal` out of order, `not-writable`
   */
  async chunk(number: number, chunk: EncodedChunk): Promise<void> {
    if (chunk.kind === 'constant') return this.repeat(number, 1, chunk);
    this.#take(number, 1);
    if (chunk.kind === 'coded') await this.#write(...this.#coded(number, chunk));
    else await this.#ramp(number, chunk);
    if (this.#nextChunk % this.#chunksPerFlush === 0) await this.#flushIndex();
  }

  /** Like `chunk`, for consecutive chunks, in one write. Their payloads are in use until then. @throws StriaError as `chunk` */
  async chunks(first: number, chunks: readonly EncodedChunk[]): Promise<void> {
    const batch: Uint8Array[] = [];
    this.#batch = batch;
    try {
      for (const [at, chunk] of chunks.entries()) {
        const number = first + at;
        // Most chunks, for which nothing is awaited.
        if (chunk.kind === 'coded' && (number + 1) % this.#chunksPerFlush !== 0) {
          this.#take(number, 1);
          this.#gather(batch, this.#coded(number, chunk));
        } else await this.chunk(number, chunk);
      }
    } finally {
      this.#batch = undefined;
    }
    await writeParts(this.#sink, batch);
  }

  /** Counts the bytes of consecutive chunks as if they were written, in a fraction of the time. @throws StriaError `internal` out of order */
  async countChunks(first: number, chunks: readonly ChunkOutline[]): Promise<void> {
    for (const [at, chunk] of chunks.entries()) {
      const number = first + at;
      if (chunk.kind !== 'coded') {
        await this.chunk(number, chunk);
        continue;
      }
      this.#take(number, 1);
      this.#bytesWritten += this.#enter(number, chunk);
      if (this.#nextChunk % this.#chunksPerFlush === 0) await this.#flushIndex();
    }
  }

  /** Like `chunk`, for `count` equal chunks, in constant time. @throws StriaError as `chunk` */
  async repeat(first: number, count: number, chunk: ConstantChunk): Promise<void> {
    this.#take(first, count);
    for (let done = 0; done < count; ) {
      const number = first + done;
      const here = Math.min(count - done, this.#chunksPerFlush - (number % this.#chunksPerFlush));
      if (chunk.isLost) this.#lose(here);
      else await this.#constant(number, here, chunk);
      done += here;
      if ((first + done) % this.#chunksPerFlush === 0) await this.#flushIndex();
    }
  }

  /** Records that the next chunks, up to `end`, are in other parts of the volume. @throws StriaError `internal` out of order */
  async skip(end: number): Promise<void> {
    const count = end - this.#nextChunk;
    if (count === 0) return;
    this.#take(this.#nextChunk, count);
    this.#lose(count);
    await this.#flushIndex();
  }

  #take(first: number, count: number): void {
    if (first !== this.#nextChunk || first + count > this.grid.count) {
      throw new StriaError(
        'internal',
        `${chunkName(first)} was written instead of ${chunkName(this.#nextChunk)} of ${this.grid.count}`,
      );
    }
    this.#nextChunk += count;
  }

  /** Writes the chunks without payload that were held back. */
  async #flushIndex(): Promise<void> {
    for (const { type, body } of this.#pending.take()) await this.#record(type, body);
  }

  /**
   * Writes the rest of the file. Does not close the sink.
   * @param levels the levels whose chunks have all been written
   * @throws StriaError `internal` if chunks are missing, `not-writable`
   */
  async finish(source: SourceDescription, levels: readonly LevelHeader[] = []): Promise<void> {
    const chunkCount = this.grid.count;
    if (this.#nextChunk !== chunkCount) {
      throw new StriaError('internal', `the container was finished after ${this.#nextChunk} of ${chunkCount} chunks`);
    }
    if (source.format !== this.header.sourceFormat) {
      throw new StriaError('internal', `a ${source.format} source was given for a container of ${this.header.sourceFormat}`);
    }
    if ((source.stored !== undefined) !== this.header.requires.includes(storedFeature)) {
      throw new StriaError('internal', 'the header and the description of the source differ in how voxels are stored');
    }
    await this.#flushIndex();
    let sourcePlace: RecordPlace | undefined;
    const deflates = this.header.requires.includes(deflatedFeature);
    for (const record of encodeSource(source, this.#bytesWritten, deflates)) {
      sourcePlace ??= { offset: this.#bytesWritten, length: record.byteLength };
      await this.#write(record);
    }
    if (sourcePlace === undefined) throw new StriaError('internal', 'the source was not written');
    await this.#write(encodeRecord({ type: recordTypes.headerCopy, offset: this.#bytesWritten, body: this.#headerBody }));
    const indexRecord = encodeRecord({ type: recordTypes.index, offset: this.#bytesWritten, body: this.#index.build() });
    const index = { offset: this.#bytesWritten, length: indexRecord.byteLength };
    await this.#write(indexRecord);
    for (const level of levels) {
      const entries = this.#levels[level.number - 1];
      if (!entries) throw new StriaError('internal', `level ${level.number} has no chunks`);
      const record = encodeLevel(level, entries.build(), this.#bytesWritten);
      this.#levelBytes += record.byteLength;
      await this.#write(record);
    }
    await this.#write(encodeTail({ chunkCount, index, source: sourcePlace }, this.#bytesWritten));
  }

  /** Adds a chunk to the index. @returns the parts of its record, which must be written next */
  #coded(number: number, chunk: CodedChunk): readonly Uint8Array[] {
    const offset = this.#bytesWritten;
    this.#enter(number, chunk);
    const { head, body, padding } = chunkRecordParts(number, chunk, offset);
    return [head, body, padding];
  }

  /** Adds a chunk to the index. @returns the length of its record */
  #enter(number: number, chunk: CodedOutline): number {
    if (chunk.payload.byteLength > maxPayloadLength) {
      throw new StriaError(
        'internal',
        `${chunkName(number)} was encoded to ${chunk.payload.byteLength} bytes; the limit is ${maxPayloadLength}`,
      );
    }
    const length = chunkRecordLength(chunk);
    this.#lastRun = undefined;
    this.#index.addCoded(this.#bytesWritten, length, chunk.stages, chunk.payload.byteLength);
    return length;
  }

  /** Only the index lists lost chunks; without it, missing chunks count as lost. */
  #lose(count: number): void {
    this.#lastRun = undefined;
    this.#index.addLost(count);
  }

  async #constant(number: number, count: number, chunk: ConstantChunk): Promise<void> {
    this.#checkWidth(number, chunk.element);
    const { element, decodedChecksum } = chunk;
    if (this.#lastRun !== undefined && sameComputed(this.#lastRun, chunk)) {
      this.#lastRun = { ...this.#lastRun, count: this.#lastRun.count + count };
      this.#index.replaceConstant(this.#lastRun);
    } else {
      this.#lastRun = { kind: 'constant', first: number, count, element: element.slice(), decodedChecksum };
      this.#index.addConstant(this.#lastRun);
    }
    this.#pending.addConstants({ ...this.#lastRun, first: number, count });
    if (this.#pending.isFull) await this.#flushIndex();
  }

  async #ramp(number: number, chunk: RampChunk): Promise<void> {
    const fault = rampFault(chunk, this.#checkWidth(number, chunk.element), chunk.element);
    if (fault !== undefined) throw new StriaError('internal', `${chunkName(number)} ${fault}`);
    this.#lastRun = undefined;
    this.#index.addRamp(number, chunk);
    this.#pending.addRamp(number, chunk);
    if (this.#pending.isFull) await this.#flushIndex();
  }

  /** Checks that `element` has the width of the volume's elements, and returns it. */
  #checkWidth(number: number, { byteLength }: Uint8Array): number {
    const width = codecElementBytes(this.header.volume.type);
    if (byteLength === width) return width;
    throw new StriaError('internal', `${chunkName(number)} repeats an element of ${byteLength} bytes, not ${width}`);
  }

  #gather(batch: Uint8Array[], parts: readonly Uint8Array[]): void {
    for (const part of parts) {
      this.#bytesWritten += part.byteLength;
      batch.push(part);
    }
  }

  #record(type: string, body: Uint8Array): Promise<void> {
    return this.#write(encodeRecord({ type, offset: this.#bytesWritten, body }));
  }

  async #write(...parts: readonly Uint8Array[]): Promise<void> {
    if (this.#batch) {
      this.#gather(this.#batch, parts);
      return;
    }
    for (const { byteLength } of parts) this.#bytesWritten += byteLength;
    if (parts.length === 1) await this.#sink.write(parts[0] as Uint8Array);
    else await writeParts(this.#sink, parts);
  }
}
