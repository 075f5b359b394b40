import type { ByteSource } from '../shared/bytes.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext, StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { rangeWords } from '../shared/number-ranges.ts';
import type { SourceDescription } from '../shared/source.ts';
import type { ComputedChunk, EncodedChunk } from './chunk.ts';
import { type ChunkGrid, type ChunkSpan, codecElementBytes } from './chunk-grid.ts';
import { ChunkIndex } from './chunk-index.ts';
import { parseChunkMeta, parseChunkRecord } from './chunk-record.ts';
import { computedChunkAt, computedRuns } from './computed-run.ts';
import { FoundChunks, type FoundSpan } from './found-chunks.ts';
import { type ContainerHeader, encodePrologue, type ParsedHeader, parseHeader } from './header.ts';
import { align8, maxPayloadLength, maxTextLength, prologueLength, recordHeadLength, recordTypes } from './layout.ts';
import { NumberList } from './number-list.ts';
import { countOf, intersection, ownSpans, partName } from './part.ts';
import { Problems } from './problems.ts';
import { isCritical, parseRecord, type RecordHead, readExactly, recordEnd, type StriaRecord } from './record.ts';
import { bodyFault, scanRecords } from './record-scan.ts';
import { blobPlaces, checkSource, joinSource, parseSource, readBlob } from './source-record.ts';
import type { RecordPlace } from './tail.ts';

/** The intact contents of a damaged container. */
export interface RecoveredContainer {
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  /** Number of intact chunks, of `grid.count`. */
  readonly wholeCount: number;
  /** The number of chunks that the file should hold, and the chunks that were not found. */
  readonly ownCount: number;
  lost(): Iterable<ChunkSpan>;
  has(number: number): boolean;
  /** All chunks in order, as runs of one kind or runs of chunks that are not intact. */
  spans(): Iterable<FoundSpan>;
  /**
   * Undefined if the chunk is not intact. @throws StriaError `corrupt` if the file has changed since the scan; `not-readable`,
   * `aborted`
   */
  readChunk(number: number, options?: JobOptions): Promise<EncodedChunk | undefined>;
  /**
   * The source's header and the other bytes around its voxels; undefined if they are lost. If only the bytes after the voxels
   * are lost, they are empty here (`problems` says so).
   */
  readonly source: SourceDescription | undefined;
  /** Whether the file has levels. They are not recovered, because they can be computed again. */
  readonly hasLevels: boolean;
  /** What is damaged or missing, in sentences. Empty for an intact file. */
  readonly problems: readonly string[];
}

/**
 * Finds the intact parts of a damaged file from the records themselves, without trusting any index. Reads the whole file once.
 * A chunk is intact if its head and its encoded bytes match their checksums. `onProgress` counts bytes of the file.
 * @throws StriaError `corrupt` if no header is left to describe the volume; `unsupported`, `not-readable`, `aborted`
 */
export async function recoverContainer(source: ByteSource, options?: JobOptions): Promise<RecoveredContainer> {
  const problems = new Problems();
  const found = await findRecords(source, problems, options);
  const { header, grid, version } = await readHeader(source, found, problems, options);
  const prologue = await readExactly(source, 0, prologueLength, options);
  if (encodePrologue(version).some((byte, at) => byte !== prologue[at])) {
    problems.add("The file's first bytes, which name its format, are damaged.");
  }
  const elementBytes = codecElementBytes(header.volume.type);

  const { chunks } = found;
  for (let at = 0; at < found.computedOffsets.length; at++) {
    const offset = found.computedOffsets.at(at);
    const record = await readComputed(source, { offset, length: found.computedLengths.at(at) }, options);
    const runs = () => computedRuns(record, grid.count, elementBytes);
    problems.attempt(() => {
      // A record with any fault is ignored completely.
      for (const _ of runs());
      chunks.addReader((place, first, number) =>
        computedChunkAt(kindOfRuns(record), record.body, place, number - first, elementBytes),
      );
      for (const { run, place } of runs()) chunks.addRun(run.kind, run, place);
    });
  }
  const lastIndex = found.index;
  if (lastIndex !== undefined) {
    const { body } = await readWhole(source, lastIndex, options);
    const bounds = { chunkCount: grid.count, elementBytes, start: prologueLength, end: lastIndex.offset };
    const index = problems.attempt(() => ChunkIndex.parse(body, bounds));
    chunks.addReader((_place, _first, number) => index?.entry(number) as ComputedChunk);
    for (const span of index?.spans() ?? [])
      if (span.kind === 'constant' || span.kind === 'ramp') chunks.addRun(span.kind, span, 0);
  }
  chunks.sort(grid.count, (number, isTwice) => {
    if (isTwice) problems.add(`Chunk ${number + 1} occurs twice; the first was used.`);
    else problems.add('Some records belong to chunks that the volume does not have, or that were found already.');
  });

  const wholeCount = chunks.count;
  const description = await recoverSource(source, found.source, header, problems, options);
  if (!found.tail) problems.add("The file's end is missing or damaged.");
  const lost = () => intersection(lostSpans(chunks.spans(grid.count)), ownSpans(grid, header.part));
  const ownCount = countOf(ownSpans(grid, header.part));
  if (header.part && countOf(lost()) !== ownCount - wholeCount) {
    throw new StriaError('corrupt', `it holds chunks that do not belong to ${partName(header.part, header.volume.type)}`);
  }
  if (wholeCount < ownCount)
    problems.add(`Chunks lost: ${ownCount - wholeCount} of ${ownCount} (${rangeWords(fromOne(lost()))}).`);

  return {
    header,
    grid,
    ownCount,
    wholeCount,
    lost,
    has: (number) => chunks.has(number),
    spans: () => chunks.spans(grid.count),
    async readChunk(number, readOptions) {
      throwIfAborted(readOptions?.signal);
      const found = chunks.chunk(number);
      if (found?.kind !== 'coded') return found;
      try {
        return parseChunkRecord(await readPadded(source, found.place, readOptions), found.place.offset, number);
      } catch (error) {
        throw inContext(chunkName(number), error);
      }
    },
    source: description,
    hasLevels: found.hasLevels,
    problems: problems.sentences,
  };
}

/** The maximum number of headers to try. */
const mostHeaders = 16;

/** The records that a scan found, all intact. */
interface FoundRecords {
  /** The first few; usually there are two. */
  readonly headers: RecordHead[];
  readonly chunks: FoundChunks;
  /** Offsets of the records of chunks without payload. */
  readonly computedOffsets: NumberList;
  readonly computedLengths: NumberList;
  source: RecordHead | undefined;
  index: RecordHead | undefined;
  tail: boolean;
  hasLevels: boolean;
}

async function findRecords(source: ByteSource, problems: Problems, options?: JobOptions): Promise<FoundRecords> {
  const found: FoundRecords = {
    headers: [],
    chunks: new FoundChunks(),
    computedOffsets: new NumberList(),
    computedLengths: new NumberList(),
    source: undefined,
    index: undefined,
    tail: false,
    hasLevels: false,
  };
  for await (const each of scanRecords(source, options)) {
    if (each.kind === 'damaged') {
      problems.add(`The bytes from ${each.offset} to ${each.end} belong to no intact record.`);
    } else if (each.kind === 'cut') {
      problems.add(`The file ends within ${recordName(each.head)}.`);
    } else {
      const fault = await bodyFault(source, each.head, options);
      if (fault !== undefined) problems.add(`Damage in ${recordName(each.head)}: ${fault.message}.`);
      if (fault === undefined || fault.whole) problems.attempt(() => sortIn(found, each.head, source.size, problems));
    }
  }
  return found;
}

function sortIn(found: FoundRecords, head: RecordHead, fileSize: number, problems: Problems): void {
  switch (head.type) {
    case recordTypes.header:
    case recordTypes.headerCopy:
      if (found.headers.length < mostHeaders) found.headers.push(head);
      return;
    case recordTypes.chunk: {
      const { number } = parseChunkMeta(head);
      if (head.bodyLength > maxPayloadLength) problems.add(`The record of ${chunkName(number)} is longer than a chunk can be.`);
      else found.chunks.addRecord(number, unpadded(head));
      return;
    }
    case recordTypes.constants:
    case recordTypes.ramps:
      found.computedOffsets.push(head.offset);
      found.computedLengths.push(unpadded(head).length);
      return;
    case recordTypes.source:
      found.source = head;
      return;
    case recordTypes.index:
      found.index = head;
      return;
    case recordTypes.tail:
      found.tail = recordEnd(head) === fileSize;
      return;
    case recordTypes.blob:
      return;
    case recordTypes.levelChunk:
    case recordTypes.level:
      found.hasLevels = true;
      return;
    default:
      if (isCritical(head.type)) problems.add(`This version of Stria does not know ${recordName(head)}, and left it out.`);
  }
}

function recordName(head: RecordHead): string {
  let name = `the ${head.type} record`;
  if (head.type === recordTypes.chunk && head.meta.byteLength >= 8) {
    name = chunkName(Number(new DataView(head.meta.buffer, head.meta.byteOffset).getBigUint64(0, true)));
  }
  return `${name} at byte ${head.offset}`;
}

async function readHeader(
  source: ByteSource,
  found: FoundRecords,
  problems: Problems,
  options?: JobOptions,
): Promise<ParsedHeader> {
  let fault: StriaError | undefined;
  for (const head of found.headers) {
    if (head.bodyLength > maxTextLength) continue;
    const { body } = await readWhole(source, head, options);
    try {
      const parsed = parseHeader(body);
      if (head.offset !== prologueLength) problems.add('The header at the start is damaged; its copy near the end was used.');
      return parsed;
    } catch (error) {
      fault = toStriaError(error);
      if (fault.tag === 'unsupported') throw error;
      problems.add(`The ${head.type} record at byte ${head.offset} cannot be used: ${fault.message}.`);
    }
  }
  throw fault ?? new StriaError('corrupt', 'neither the header nor its copy is left, so the volume is unknown');
}

async function recoverSource(
  source: ByteSource,
  head: RecordHead | undefined,
  header: ContainerHeader,
  problems: Problems,
  options?: JobOptions,
): Promise<SourceDescription | undefined> {
  try {
    if (head === undefined || head.bodyLength > maxTextLength) throw new StriaError('corrupt', 'its description is missing');
    const layout = parseSource(await readWhole(source, head, options));
    checkSource(layout, header);
    return await joinSource(layout, blobPlaces(layout, recordEnd(head)), async (place) => {
      try {
        return await readBlob(source, place, options);
      } catch (error) {
        if (place.side === 'before' || toStriaError(error).tag !== 'corrupt') throw error;
        problems.add('The bytes after the voxels in the source file are lost.');
        return new Uint8Array(0);
      }
    });
  } catch (error) {
    const { tag, message } = toStriaError(error);
    if (tag !== 'corrupt' && tag !== 'unsupported') throw error;
    problems.add(`The source file's own header is lost: ${message}.`);
    return undefined;
  }
}

/** The place of a record's head, meta bytes and body. */
function unpadded(head: RecordHead): RecordPlace {
  return { offset: head.offset, length: recordHeadLength + head.meta.byteLength + head.bodyLength };
}

/** A record with correct padding; the padding in the file may be damaged or cut off. */
async function readPadded(source: ByteSource, place: RecordPlace, options?: JobOptions): Promise<Uint8Array> {
  const bytes = new Uint8Array(align8(place.length));
  bytes.set(await readExactly(source, place.offset, place.length, options));
  return bytes;
}

/** Reads a record of chunks without payload that the scan found. */
async function readComputed(source: ByteSource, place: RecordPlace, options?: JobOptions): Promise<StriaRecord> {
  const bytes = await readPadded(source, place, options);
  const type = String.fromCharCode(...bytes.subarray(0, 4));
  return parseRecord(bytes, place.offset, type);
}

function kindOfRuns({ type }: StriaRecord): ComputedChunk['kind'] {
  return type === recordTypes.ramps ? 'ramp' : 'constant';
}

/** Reads a record that the scan found to be intact. */
async function readWhole(source: ByteSource, head: RecordHead, options?: JobOptions): Promise<StriaRecord> {
  return parseRecord(await readPadded(source, unpadded(head), options), head.offset, head.type);
}

function* lostSpans(spans: Iterable<FoundSpan>): Generator<ChunkSpan> {
  for (const span of spans) if (span.kind === 'lost') yield span;
}

/** Chunk numbers for messages, which count from 1. */
function* fromOne(spans: Iterable<ChunkSpan>): Generator<ChunkSpan> {
  for (const { first, count } of spans) yield { first: first + 1, count };
}
