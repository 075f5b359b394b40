import type { ByteSource } from '../shared/bytes.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext, StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import type { SourceDescription } from '../shared/source.ts';
import { sameChecksum } from './checksum.ts';
import type { CodedChunk, EncodedChunk } from './chunk.ts';
import { type ChunkGrid, type ChunkSpan, codecElementBytes } from './chunk-grid.ts';
import type { ChunkEntry, ChunkIndex, CodedEntry, IndexSpan, MethodUse } from './chunk-index.ts';
import { encodeStages, parseChunkMeta, parseChunkRecord, parseUncheckedRecord } from './chunk-record.ts';
import { computedRuns } from './computed-run.ts';
import { ContainerOutline } from './container-outline.ts';
import { edgeLength } from './container-start.ts';
import type { ContainerHeader } from './header.ts';
import { recordTypes } from './layout.ts';
import { type LevelHeader, placeOfNumber } from './level.ts';
import type { FoundLevel } from './level-records.ts';
import { LostChunks } from './lost-chunks.ts';
import { countOf, intersection, ownSpans, partName } from './part.ts';
import { isCritical, type RecordHead, readExactly, readRecord, recordEnd } from './record.ts';
import { bodyFault, scanRecords } from './record-scan.ts';

export type { ChunkEntry, CodedEntry } from './chunk-index.ts';

/** Neighbouring chunks are read together, up to this many bytes at once. */
const maxReadBytes = 2 ** 24;

/** Reads an undamaged container. It keeps only the index in memory. */
export class ContainerReader {
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  /** Chunks that were lost in the file from which this one was recovered. */
  readonly lostCount: number;
  /** The number of chunks that the file should hold: fewer than the volume's if the file is a part. */
  readonly ownCount: number;
  readonly #source: ByteSource;
  readonly #outline: ContainerOutline;
  readonly #index: ChunkIndex;
  readonly #lost: LostChunks;
  /** Set if this is a level of the file's volume, not the volume itself. */
  readonly level: LevelHeader | undefined;
  #levels: Promise<readonly ContainerReader[]> | undefined;

  private constructor(
    outline: ContainerOutline,
    { header, grid, index, level }: Pick<FoundLevel, 'header' | 'grid' | 'index'> & { readonly level?: LevelHeader },
  ) {
    this.#source = outline.source;
    this.#outline = outline;
    this.header = header;
    this.grid = grid;
    this.#index = index;
    this.level = level;
    this.#lost = new LostChunks(codecElementBytes(this.header.volume.type));
    const { part } = this.header;
    const presentCount = countOf(this.presentSpans());
    this.ownCount = countOf(ownSpans(this.grid, part));
    this.lostCount = this.ownCount - presentCount;
    if (part && countOf(intersection(this.presentSpans(), ownSpans(this.grid, part))) !== presentCount) {
      throw new StriaError('corrupt', `the file holds chunks that do not belong to ${partName(part, this.header.volume.type)}`);
    }
  }

  /** The chunks that the file holds, as spans in order. Reads nothing. */
  *presentSpans(): Generator<ChunkSpan> {
    for (const span of this.#index.spans()) if (span.kind !== 'lost') yield span;
  }

  /** Reads header, tail and index. @throws StriaError as `ContainerOutline.open` */
  static async open(source: ByteSource, options?: JobOptions): Promise<ContainerReader> {
    return ContainerReader.of(await ContainerOutline.open(source, options), options);
  }

  /** Reads the index. @throws StriaError `corrupt`, `not-readable`, `aborted` */
  static async of(outline: ContainerOutline, options?: JobOptions): Promise<ContainerReader> {
    const { header, grid } = outline;
    return new ContainerReader(outline, { header, grid, index: await outline.readIndex(options) });
  }

  /**
   * The volume at lower resolutions, from the finest to the coarsest; none if the file has no levels. Each is read like the volume,
   * whose own index is not needed.
   * @throws StriaError `corrupt` if the records of the levels are damaged, which does not affect the volume; `not-readable`,
   * `aborted`
   */
  static async levelsOf(outline: ContainerOutline, options?: JobOptions): Promise<readonly ContainerReader[]> {
    return (await outline.readLevels(options)).map((found) => new ContainerReader(outline, found));
  }

  /** As `levelsOf`, read once. @throws StriaError as `levelsOf` */
  async levels(options?: JobOptions): Promise<readonly ContainerReader[]> {
    if (this.level) return [];
    this.#levels ??= ContainerReader.levelsOf(this.#outline, options);
    // A read that failed or was aborted is tried again.
    this.#levels.catch(() => {
      this.#levels = undefined;
    });
    return this.#levels;
  }

  /** Of the whole file, in bytes. */
  get byteLength(): number {
    return this.#source.size;
  }

  get chunkCount(): number {
    return this.grid.count;
  }

  /** The index entry of a chunk. Reads nothing. */
  entry(number: number): ChunkEntry {
    return this.#index.entry(number);
  }

  /** All runs of consecutive chunks of one kind, in order. Reads nothing. */
  spans(): Iterable<IndexSpan> {
    return this.#index.spans();
  }

  /** How chunks were encoded. Reads nothing. */
  uses(): readonly MethodUse[] {
    return this.#index.uses();
  }

  /** @throws StriaError `corrupt` in the context of `chunk N`; `not-readable`, `aborted` */
  async readChunk(number: number, options?: JobOptions): Promise<EncodedChunk> {
    const [chunk] = await this.readChunks(number, 1, options);
    return chunk as EncodedChunk;
  }

  /**
   * Reads consecutive chunks with few reads. Each payload has a buffer of its own; lost chunks are returned as zeros. @throws
   * StriaError as readChunk
   */
  async readChunks(first: number, count: number, options?: JobOptions): Promise<EncodedChunk[]> {
    const chunks: EncodedChunk[] = [];
    while (chunks.length < count) {
      throwIfAborted(options?.signal);
      const number = first + chunks.length;
      const entry = this.entry(number);
      if (entry.kind === 'lost') chunks.push(this.#lost.ofShape(this.grid.box(number).shape));
      else if (entry.kind !== 'coded') chunks.push(entry);
      else for (const chunk of await this.#readNeighbours(number, entry, first + count, options)) chunks.push(chunk);
    }
    return chunks;
  }

  /**
   * Like `readChunks`, but in one read into memory that the caller provides (the start of its buffer), where the payloads then lie.
   * Does not compare payloads with their checksums; the decoder must do that. Undefined if the chunks are scattered over the file, so
   * that `readChunks` reads less.
   * @throws StriaError as readChunk
   */
  async readUnchecked(
    first: number,
    count: number,
    memory: (byteLength: number) => Uint8Array<ArrayBuffer>,
    options?: JobOptions,
  ): Promise<EncodedChunk[] | undefined> {
    const entries = Array.from({ length: count }, (_, at) => this.entry(first + at));
    const coded = entries.filter((entry) => entry.kind === 'coded');
    const start = Math.min(...coded.map(({ recordOffset }) => recordOffset));
    const end = Math.max(...coded.map(({ recordOffset, recordLength }) => recordOffset + recordLength));
    const needed = coded.reduce((sum, { recordLength }) => sum + recordLength, 0);
    if (coded.length > 0 && end - start > needed + edgeLength) return undefined;
    const read = () => readExactly(this.#source, start, end - start, { ...options, into: memory(end - start).buffer });
    const bytes = coded.length > 0 ? await read() : new Uint8Array(0);
    return entries.map((entry, at) => {
      const number = first + at;
      if (entry.kind === 'lost') return this.#lost.ofShape(this.grid.box(number).shape);
      if (entry.kind !== 'coded') return entry;
      try {
        const from = entry.recordOffset - start;
        return this.#parse(bytes.subarray(from, from + entry.recordLength), entry, number, parseUncheckedRecord);
      } catch (error) {
        throw inContext(chunkName(number), error);
      }
    });
  }

  /**
   * Reads coded chunks that lie near each other in the file, in one read from the first to the last. Each payload has a buffer of
   * its own. A damaged chunk is returned as a fault and does not affect the others.
   * @throws StriaError `corrupt`, `not-readable`, `aborted`, if the read as a whole fails
   */
  async readTogether(numbers: readonly number[], options?: JobOptions): Promise<(EncodedChunk | StriaError)[]> {
    const entries = numbers.map((number) => this.entry(number));
    const coded = entries.filter((entry) => entry.kind === 'coded');
    const start = Math.min(...coded.map(({ recordOffset }) => recordOffset));
    const end = Math.max(...coded.map(({ recordOffset, recordLength }) => recordOffset + recordLength));
    const bytes = coded.length > 0 ? await readExactly(this.#source, start, end - start, options) : new Uint8Array(0);
    return entries.map((entry, at) => {
      const number = numbers[at] as number;
      if (entry.kind === 'lost') return this.#lost.ofShape(this.grid.box(number).shape);
      if (entry.kind !== 'coded') return entry;
      try {
        const from = entry.recordOffset - start;
        return this.#parse(bytes.subarray(from, from + entry.recordLength), entry, number);
      } catch (error) {
        return toStriaError(error);
      }
    });
  }

  /** As `ContainerOutline.sourceDescription`. @throws StriaError `corrupt`, `not-readable`, `aborted` */
  sourceDescription(options?: JobOptions): Promise<SourceDescription> {
    return this.#outline.sourceDescription(options);
  }

  /**
   * Checks every byte that opening the file and reading its chunks do not cover: that records are contiguous and intact, and
   * that the records for `recover` agree with the index. For `stria verify`.
   * @throws StriaError `corrupt`; `unsupported` for an unknown record that must not be skipped; `not-readable`, `aborted`
   */
  async checkRecords(options?: JobOptions): Promise<void> {
    await this.sourceDescription(options);
    for await (const found of scanRecords(this.#source, options)) {
      if (found.kind !== 'record') {
        throw new StriaError('corrupt', `the bytes from ${found.offset} on belong to no intact record`);
      }
      await this.#checkRecord(found.head, options);
    }
  }

  async #checkRecord(head: RecordHead, options?: JobOptions): Promise<void> {
    const { type, offset } = head;
    const known = Object.values<string>(recordTypes).includes(type);
    if (!known && isCritical(type)) {
      throw new StriaError('unsupported', `the file has a ${type} record at byte ${offset}, which this Stria does not know`);
    }
    if (type === recordTypes.chunk) {
      const { number } = parseChunkMeta(head);
      const entry = number < this.chunkCount ? this.entry(number) : undefined;
      if (entry?.kind !== 'coded' || entry.recordOffset !== offset) {
        throw new StriaError('corrupt', `the index lacks the record at byte ${offset}, of ${chunkName(number)}`);
      }
    } else if (type === recordTypes.levelChunk) {
      await this.#checkLevelChunk(head, options);
    } else if (type === recordTypes.constants || type === recordTypes.ramps) {
      const record = await readRecord(this.#source, type, offset, recordEnd(head) - offset, options);
      for (const { run } of computedRuns(record, this.chunkCount, codecElementBytes(this.header.volume.type))) {
        if (this.#index.agreesWith(run)) continue;
        throw new StriaError('corrupt', `the index and the record at byte ${offset} disagree about ${chunkName(run.first)}`);
      }
    } else {
      const same = sameChecksum(head.bodyChecksum, this.#outline.headerRecord.bodyChecksum);
      if (type === recordTypes.headerCopy && (!same || head.bodyLength !== this.#outline.headerRecord.bodyLength)) {
        throw new StriaError('corrupt', `the header's copy at byte ${offset} differs from the header`);
      }
      const fault = await bodyFault(this.#source, head, options);
      if (fault !== undefined)
        throw new StriaError('corrupt', `the ${type} record at byte ${offset} is damaged: ${fault.message}`);
    }
  }

  async #checkLevelChunk(head: RecordHead, options?: JobOptions): Promise<void> {
    const { level, number } = placeOfNumber(parseChunkMeta(head).number);
    const reader = (await this.levels(options))[level - 1];
    const entry = reader && number < reader.chunkCount ? reader.entry(number) : undefined;
    if (entry?.kind === 'coded' && entry.recordOffset === head.offset) return;
    throw new StriaError('corrupt', `no level has the record at byte ${head.offset}, of ${chunkName(number)} of level ${level}`);
  }

  /** The chunk and those whose records directly follow it, up to `end` or the size of one read. */
  async #readNeighbours(number: number, entry: CodedEntry, end: number, options?: JobOptions): Promise<CodedChunk[]> {
    const entries = [entry];
    let length = entry.recordLength;
    for (let next = number + 1; next < end; next++) {
      const neighbour = this.entry(next);
      if (neighbour.kind !== 'coded' || neighbour.recordOffset !== entry.recordOffset + length) break;
      if (length + neighbour.recordLength > maxReadBytes) break;
      entries.push(neighbour);
      length += neighbour.recordLength;
    }
    const read = readExactly(this.#source, entry.recordOffset, length, options);
    const bytes = await read.catch((error: unknown) => Promise.reject(inContext(chunkName(number), error)));
    return entries.map((each, at) => {
      try {
        const from = each.recordOffset - entry.recordOffset;
        return this.#parse(bytes.subarray(from, from + each.recordLength), each, number + at);
      } catch (error) {
        throw inContext(chunkName(number + at), error);
      }
    });
  }

  /** Parses the chunk of an index entry, and checks that its record agrees with the entry. */
  #parse(bytes: Uint8Array, entry: CodedEntry, number: number, parse = parseChunkRecord): CodedChunk {
    const chunk = parse(bytes, entry.recordOffset, number, this.level?.number);
    const stages = encodeStages(entry.stages);
    const found = encodeStages(chunk.stages);
    if (
      chunk.payload.byteLength !== entry.payloadLength ||
      stages.length !== found.length ||
      stages.some((byte, at) => byte !== found[at])
    ) {
      throw new StriaError('corrupt', 'its record and the index disagree about its codec or its length');
    }
    return chunk;
  }
}
