import type { ByteSource } from '../shared/bytes.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext, StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import type { SourceDescription } from '../shared/source.ts';
import type { EncodedChunk } from './chunk.ts';
import { type ChunkGrid, codecElementBytes } from './chunk-grid.ts';
import { ChunkIndex } from './chunk-index.ts';
import { parseChunkMeta, parseChunkRecord } from './chunk-record.ts';
import { type ComputedRun, chunkOfRun, parseComputed, runFrom } from './computed-run.ts';
import { type ContainerHeader, encodePrologue, type ParsedHeader, parseHeader } from './header.ts';
import { align8, maxPayloadLength, maxTextLength, prologueLength, recordHeadLength, recordTypes } from './layout.ts';
import { isCritical, parseRecord, type RecordHead, readExactly, recordEnd, type StriaRecord } from './record.ts';
import { bodyFault, scanRecords } from './record-scan.ts';
import { blobPlaces, joinSource, parseSource, readBlob } from './source-record.ts';
import type { RecordPlace } from './tail.ts';

/** What a damaged container still holds. */
export interface RecoveredContainer {
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  /** Number of whole chunks, of `grid.count`. */
  readonly wholeCount: number;
  has(number: number): boolean;
  /** Undefined where the chunk is not whole. @throws StriaError `corrupt` where the file has changed since, `not-readable`, `aborted` */
  readChunk(number: number, options?: JobOptions): Promise<EncodedChunk | undefined>;
  /**
   * The source's own header and what else stood around its voxels; undefined where that is lost. What stood behind the
   * voxels is empty where only that is lost (`problems` says so).
   */
  readonly source: SourceDescription | undefined;
  /** What is damaged or missing, in sentences. Empty for a whole file. */
  readonly problems: readonly string[];
}

/**
 * Finds what is whole in a damaged file, from the records themselves: no index is trusted. Reads the whole file once.
 * A chunk is whole when its head and its encoded bytes match their checksums. `onProgress` counts bytes of the file.
 * @throws StriaError `corrupt` where no header is left to say what the volume is; `unsupported`, `not-readable`, `aborted`
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

  const runs: ComputedRun[][] = [];
  for (const head of found.computed) {
    const record = await readWhole(source, head, options);
    runs.push(problems.attempt(() => parseComputed(record, grid.count, elementBytes)) ?? []);
  }
  const lastIndex = found.index;
  if (lastIndex !== undefined) {
    const { body } = await readWhole(source, lastIndex, options);
    const bounds = { chunkCount: grid.count, elementBytes, start: prologueLength, end: lastIndex.offset };
    runs.push(problems.attempt(() => ChunkIndex.parse(body, bounds))?.computedRuns() ?? []);
  }
  const computed = disjoint(runs.flat());
  const coded = new Map([...found.chunks].filter(([number]) => number < grid.count && runAt(computed, number) === undefined));
  if (coded.size < found.chunks.size) problems.add('Some records are of chunks that the volume does not have, or has already.');

  const wholeCount = coded.size + computed.reduce((sum, run) => sum + run.count, 0);
  const description = await recoverSource(source, found.source, header, problems, options);
  if (!found.tail) problems.add("The file's end is missing or damaged.");
  if (wholeCount < grid.count) {
    const has = (number: number) => coded.has(number) || runAt(computed, number) !== undefined;
    problems.add(`Chunks lost: ${grid.count - wholeCount} of ${grid.count} (${missingNumbers(grid.count, has)}).`);
  }

  return {
    header,
    grid,
    wholeCount,
    has: (number) => coded.has(number) || runAt(computed, number) !== undefined,
    async readChunk(number, readOptions) {
      throwIfAborted(readOptions?.signal);
      const run = runAt(computed, number);
      if (run !== undefined) return chunkOfRun(run, number);
      const place = coded.get(number);
      if (place === undefined) return undefined;
      try {
        return parseChunkRecord(await readPadded(source, place, readOptions), place.offset, number);
      } catch (error) {
        throw inContext(chunkName(number), error);
      }
    },
    source: description,
    problems: problems.sentences,
  };
}

/** What a scan came upon. All of these are whole. */
interface FoundRecords {
  readonly headers: RecordHead[];
  /** By chunk number; the places without padding. */
  readonly chunks: Map<number, RecordPlace>;
  /** Those of chunks without payload. */
  readonly computed: RecordHead[];
  source: RecordHead | undefined;
  index: RecordHead | undefined;
  tail: boolean;
}

async function findRecords(source: ByteSource, problems: Problems, options?: JobOptions): Promise<FoundRecords> {
  const found: FoundRecords = { headers: [], chunks: new Map(), computed: [], source: undefined, index: undefined, tail: false };
  for await (const each of scanRecords(source, options)) {
    if (each.kind === 'damaged') {
      problems.add(`The bytes from ${each.offset} to ${each.end} belong to no whole record.`);
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
      found.headers.push(head);
      return;
    case recordTypes.chunk: {
      const { number } = parseChunkMeta(head);
      if (found.chunks.has(number)) problems.add(`Chunk ${number} is there twice; the first was taken.`);
      else if (head.bodyLength > maxPayloadLength) problems.add(`Chunk ${number} is longer than a chunk can be.`);
      else found.chunks.set(number, unpadded(head));
      return;
    }
    case recordTypes.constants:
    case recordTypes.ramps:
      found.computed.push(head);
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
    default:
      if (isCritical(head.type)) problems.add(`This Stria does not know what ${recordName(head)} is for, and left it out.`);
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
  throw fault ?? new StriaError('corrupt', 'neither the header nor its copy is left, so there is no telling what the volume is');
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
    if (layout.format !== header.sourceFormat) throw new StriaError('corrupt', 'its description is of another format');
    return await joinSource(layout, blobPlaces(layout, recordEnd(head)), async (place) => {
      try {
        return await readBlob(source, place, options);
      } catch (error) {
        if (place.side === 'before' || toStriaError(error).tag !== 'corrupt') throw error;
        problems.add('What stood behind the voxels in the source file is lost.');
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

/** Where a record's head, meta and body lie. */
function unpadded(head: RecordHead): RecordPlace {
  return { offset: head.offset, length: recordHeadLength + head.meta.byteLength + head.bodyLength };
}

/** A record with padding as it should be: what stands in the file may be damaged or cut off. */
async function readPadded(source: ByteSource, place: RecordPlace, options?: JobOptions): Promise<Uint8Array> {
  const bytes = new Uint8Array(align8(place.length));
  bytes.set(await readExactly(source, place.offset, place.length, options));
  return bytes;
}

/** A record that the scan found whole. */
async function readWhole(source: ByteSource, head: RecordHead, options?: JobOptions): Promise<StriaRecord> {
  return parseRecord(await readPadded(source, unpadded(head), options), head.offset, head.type);
}

/** Sentences for people, no more than they can read. */
class Problems {
  static readonly most = 50;
  readonly #sentences = new Set<string>();
  #left = 0;

  add(sentence: string): void {
    if (this.#sentences.size < Problems.most) this.#sentences.add(sentence);
    else this.#left++;
  }

  /** What `work` gives; a `corrupt` fault becomes a sentence, and undefined. */
  attempt<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      const fault = toStriaError(error);
      if (fault.tag !== 'corrupt') throw error;
      this.add(`${fault.message.charAt(0).toUpperCase()}${fault.message.slice(1)}.`);
      return undefined;
    }
  }

  get sentences(): string[] {
    return this.#left === 0 ? [...this.#sentences] : [...this.#sentences, `And ${this.#left} more.`];
  }
}

/** The runs in rising order without overlaps; where two overlap, the one that begins first has the chunks. */
function disjoint(runs: readonly ComputedRun[]): ComputedRun[] {
  const kept: ComputedRun[] = [];
  let next = 0;
  for (const run of [...runs].sort((a, b) => a.first - b.first || b.count - a.count)) {
    const first = Math.max(run.first, next);
    const end = run.first + run.count;
    if (end <= first) continue;
    kept.push(runFrom(run, first));
    next = end;
  }
  return kept;
}

function runAt(runs: readonly ComputedRun[], number: number): ComputedRun | undefined {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const run = runs[middle] as ComputedRun;
    if (number < run.first) high = middle;
    else if (number >= run.first + run.count) low = middle + 1;
    else return run;
  }
  return undefined;
}

/** `4, 7 to 8, …`, by at most 12 ranges. */
function missingNumbers(count: number, has: (number: number) => boolean): string {
  const ranges: string[] = [];
  for (let number = 0; number < count; number++) {
    if (has(number)) continue;
    const first = number;
    while (number + 1 < count && !has(number + 1)) number++;
    if (ranges.length === 12) return `${ranges.join(', ')} and more`;
    ranges.push(first === number ? `${first}` : `${first} to ${number}`);
  }
  return ranges.join(', ');
}
