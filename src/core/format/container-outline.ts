import type { ByteSource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import type { SourceDescription } from '../shared/source.ts';
import { type ChunkGrid, codecElementBytes } from './chunk-grid.ts';
import { ChunkIndex } from './chunk-index.ts';
import { edgeLength, readStart } from './container-start.ts';
import type { ContainerHeader } from './header.ts';
import { maxTextLength, recordTypes } from './layout.ts';
import { type FoundLevel, readLevels } from './level-records.ts';
import { parseRecord, type RecordHead, readExactly, readRecord, recordEnd } from './record.ts';
import { blobPlaces, checkSource, joinSource, parseSource, readBlob } from './source-record.ts';
import { type FoundTail, parseTail, tailOffset } from './tail.ts';

/** The header and the tail of an undamaged container. They tell where the index, the levels and the source's description lie. */
export class ContainerOutline {
  readonly source: ByteSource;
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  readonly headerRecord: RecordHead;
  readonly #tail: FoundTail;
  /** The last bytes of the file, which usually cover the levels and the index. */
  readonly #end: Uint8Array<ArrayBuffer>;

  private constructor(
    source: ByteSource,
    { header, grid, record }: Awaited<ReturnType<typeof readStart>>,
    tail: FoundTail,
    end: Uint8Array<ArrayBuffer>,
  ) {
    this.source = source;
    this.header = header;
    this.grid = grid;
    this.headerRecord = record;
    this.#tail = tail;
    this.#end = end;
  }

  /**
   * @throws StriaError `corrupt` for a damaged file or one without its end; `unsupported`, with the name, for a later version
   * or an unknown feature; `not-readable`, `aborted`
   */
  static async open(source: ByteSource, options?: JobOptions): Promise<ContainerOutline> {
    const start = await readStart(source, options);
    const edge = Math.max(0, source.size - edgeLength);
    const end = await readExactly(source, edge, source.size - edge, options);
    const offset = tailOffset(end, source.size);
    if (offset === undefined || offset < recordEnd(start.record) || source.size - offset > maxTextLength) {
      throw new StriaError('corrupt', "the file's end is missing or damaged; 'stria recover' can save every intact chunk");
    }
    const bytes = offset >= edge ? end.subarray(offset - edge) : await readExactly(source, offset, source.size - offset, options);
    const tail = parseTail(bytes, offset);
    if (tail.chunkCount !== start.grid.count) {
      throw new StriaError('corrupt', `the header describes ${start.grid.count} chunks, but the file has ${tail.chunkCount}`);
    }
    return new ContainerOutline(source, start, tail, end);
  }

  /** The index of the volume's chunks. @throws StriaError `corrupt`, `not-readable`, `aborted` */
  async readIndex(options?: JobOptions): Promise<ChunkIndex> {
    const { offset, length } = this.#tail.index;
    const { body } = parseRecord(await this.#read(offset, length, options), offset, recordTypes.index);
    return ChunkIndex.parse(body, {
      chunkCount: this.grid.count,
      elementBytes: codecElementBytes(this.header.volume.type),
      start: recordEnd(this.headerRecord),
      end: offset,
    });
  }

  /** The levels with their indexes, the finest first. @throws StriaError `corrupt`, `not-readable`, `aborted` */
  readLevels(options?: JobOptions): Promise<readonly FoundLevel[]> {
    const { index, offset } = this.#tail;
    const bounds = {
      firstChunk: recordEnd(this.headerRecord),
      lastChunk: index.offset,
      start: index.offset + index.length,
      end: offset,
    };
    return readLevels(this.source, this.header, bounds, options);
  }

  /** The description from which the source file can be written. @throws StriaError `corrupt`, `not-readable`, `aborted` */
  async sourceDescription(options?: JobOptions): Promise<SourceDescription> {
    const { offset, length } = this.#tail.source;
    const layout = parseSource(await readRecord(this.source, recordTypes.source, offset, length, options));
    checkSource(layout, this.header);
    return joinSource(layout, blobPlaces(layout, offset + length), (place) => readBlob(this.source, place, options));
  }

  /** Reads from the end that is already here, if it covers the range. */
  async #read(offset: number, length: number, options?: JobOptions): Promise<Uint8Array<ArrayBuffer>> {
    const edge = this.source.size - this.#end.byteLength;
    if (offset < edge || offset + length > this.source.size) return readExactly(this.source, offset, length, options);
    return this.#end.subarray(offset - edge, offset - edge + length);
  }
}
