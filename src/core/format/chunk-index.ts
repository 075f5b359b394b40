import { chunkName } from '../shared/chunk-name.ts';
import { StriaError } from '../shared/errors.ts';
import { ByteCursor } from './byte-cursor.ts';
import type { ChunkStage, ComputedChunk } from './chunk.ts';
import type { ChunkSpan } from './chunk-grid.ts';
import { chunkMetaLength, decodeStages, encodeStages } from './chunk-record.ts';
import { type ComputedRun, chunkOfRun, computedChunkAt, decodeConstantRun, decodeRampRun, sameComputed } from './computed-run.ts';
import { maxPayloadLength, runKinds } from './layout.ts';
import { recordLength } from './record.ts';

/** What the index records about a chunk. */
export type ChunkEntry = ComputedChunk | CodedEntry | LostEntry;

/** The chunk was lost in the file from which this one was recovered, so its voxels are unknown. */
export interface LostEntry {
  readonly kind: 'lost';
}

export interface CodedEntry {
  readonly kind: 'coded';
  readonly stages: readonly ChunkStage[];
  /** The offset of the chunk's record in the file and its length including head and padding, in bytes. */
  readonly recordOffset: number;
  readonly recordLength: number;
  readonly payloadLength: number;
}

const kindNames = Object.keys(runKinds) as readonly ChunkEntry['kind'][];
/** Kind, number of chunks and the first record's offset, followed by each chunk's method and payload length. */
const codedRunHeadBytes = 13;
const codedEntryBytes = 8;
/** A lost run: kind and number of chunks. */
const leastRunBytes = 5;

/** The bounds that an index is checked against: the volume, and the part of the file that can hold chunk records. */
export interface IndexBounds {
  readonly chunkCount: number;
  readonly elementBytes: number;
  readonly start: number;
  readonly end: number;
}

/** Consecutive chunks of one kind. */
export interface IndexSpan extends ChunkSpan {
  readonly kind: ChunkEntry['kind'];
}

/** Chunks that were encoded in the same way. */
export interface MethodUse {
  readonly how: readonly ChunkStage[] | Exclude<ChunkEntry['kind'], 'coded'>;
  readonly count: number;
  /** Total length of their payloads. */
  readonly bytes: number;
}

/** A coded run remembers one record offset per this many chunks; those in between follow from the lengths in the index. */
const chunksPerOffset = 64;

/**
 * The entries of all chunks, by number. It keeps the record's bytes and a few numbers per run, so a chunk takes no more memory
 * than it takes in the file.
 */
export class ChunkIndex {
  readonly #body: Uint8Array;
  readonly #view: DataView;
  readonly #elementBytes: number;
  readonly #methods: readonly (readonly ChunkStage[])[];
  readonly #metaLengths: readonly number[];
  /**
   * For each run: its first chunk, its position in the body, and the index of its first entry in `#offsets`. A final entry
   * marks the end.
   */
  readonly #firsts: Uint32Array;
  readonly #places: Uint32Array;
  readonly #offsetNumbers: Uint32Array;
  readonly #offsets: Float64Array;

  /**
   * Parses the untrusted body of INDX. Allocates no more than the body's own length justifies.
   * @throws StriaError `corrupt` unless it has exactly one entry per chunk, and consecutive records within the bounds
   */
  static parse(body: Uint8Array, bounds: IndexBounds): ChunkIndex {
    return new ChunkIndex(body, bounds);
  }

  private constructor(body: Uint8Array, { chunkCount, elementBytes, start, end: last }: IndexBounds) {
    this.#body = body;
    this.#view = new DataView(body.buffer, body.byteOffset, body.byteLength);
    this.#elementBytes = elementBytes;
    const cursor = new ByteCursor(body, 'the index');
    const methodCount = cursor.u32();
    const runCount = cursor.u32();
    const methods: ChunkStage[][] = [];
    while (methods.length < methodCount) methods.push(decodeStages(cursor));
    this.#methods = methods;
    this.#metaLengths = methods.map((stages) => chunkMetaLength(encodeStages(stages).byteLength));
    if (runCount > cursor.remaining / leastRunBytes) throw cursor.corrupt('ends early');
    this.#firsts = new Uint32Array(runCount + 1);
    this.#places = new Uint32Array(runCount);
    this.#offsetNumbers = new Uint32Array(runCount);
    const offsets: number[] = [];
    let next = 0;
    let end = start;
    for (let run = 0; run < runCount; run++) {
      this.#firsts[run] = next;
      this.#places[run] = cursor.offset;
      this.#offsetNumbers[run] = offsets.length;
      const kind = kindOf(cursor);
      if (kind === 'coded') {
        const coded = this.#checkCodedRun(cursor, next, offsets, end, last);
        next += coded.count;
        end = coded.end;
      } else {
        next += skipRun(kind, cursor, next, elementBytes);
      }
      if (next > chunkCount) throw cursor.corrupt(`has more entries than the volume's ${chunkCount} chunks`);
    }
    this.#firsts[runCount] = next;
    cursor.zeros(0);
    if (next !== chunkCount) throw cursor.corrupt(`has ${next} entries for ${chunkCount} chunks`);
    this.#offsets = Float64Array.from(offsets);
  }

  /** @throws StriaError `internal` for a number that the volume does not have */
  entry(number: number): ChunkEntry {
    const run = this.#runOf(number);
    const kind = this.#kindOf(run);
    const at = number - (this.#firsts[run] as number);
    if (kind === 'coded') return this.#codedEntry(run, at);
    if (kind === 'lost') return { kind };
    return computedChunkAt(kind, this.#body, (this.#places[run] as number) + 1, at, this.#elementBytes);
  }

  /** All runs in order. */
  *spans(): Generator<IndexSpan> {
    for (let run = 0; run < this.#places.length; run++) {
      const first = this.#firsts[run] as number;
      yield { kind: this.#kindOf(run), first, count: (this.#firsts[run + 1] as number) - first };
    }
  }

  /** How chunks were encoded, in order of first occurrence. */
  uses(): MethodUse[] {
    const uses = new Map<number | string, { how: MethodUse['how']; count: number; bytes: number }>();
    const add = (key: number | string, how: MethodUse['how'], count: number, bytes: number) => {
      const use = uses.get(key) ?? { how, count: 0, bytes: 0 };
      use.count += count;
      use.bytes += bytes;
      uses.set(key, use);
    };
    let run = 0;
    for (const { kind, count } of this.spans()) {
      const place = (this.#places[run++] as number) + codedRunHeadBytes;
      if (kind !== 'coded') add(kind, kind, count, 0);
      for (let at = 0; kind === 'coded' && at < count; at++) {
        const method = this.#view.getUint32(place + at * codedEntryBytes, true);
        add(method, this.#methods[method] ?? [], 1, this.#view.getUint32(place + at * codedEntryBytes + 4, true));
      }
    }
    return [...uses.values()];
  }

  /** Whether the run agrees with the index for each of its chunks. */
  agreesWith(run: ComputedRun): boolean {
    for (let number = run.first; number < run.first + run.count; ) {
      const entry = this.entry(number);
      if (entry.kind === 'coded' || entry.kind === 'lost' || !sameComputed(entry, chunkOfRun(run, number))) return false;
      number = entry.kind === 'constant' ? (this.#firsts[this.#runOf(number) + 1] as number) : number + 1;
    }
    return true;
  }

  #codedEntry(run: number, at: number): CodedEntry {
    const entries = (this.#places[run] as number) + codedRunHeadBytes;
    const block = Math.floor(at / chunksPerOffset);
    let recordOffset = this.#offsets[(this.#offsetNumbers[run] as number) + block] as number;
    for (let before = block * chunksPerOffset; before < at; before++) recordOffset += this.#recordLength(entries, before);
    const place = entries + at * codedEntryBytes;
    return {
      kind: 'coded',
      stages: this.#methods[this.#view.getUint32(place, true)] as readonly ChunkStage[],
      recordOffset,
      recordLength: this.#recordLength(entries, at),
      payloadLength: this.#view.getUint32(place + 4, true),
    };
  }

  #recordLength(entries: number, at: number): number {
    const place = entries + at * codedEntryBytes;
    const method = this.#view.getUint32(place, true);
    return recordLength(this.#metaLengths[method] as number, this.#view.getUint32(place + 4, true));
  }

  #kindOf(run: number): ChunkEntry['kind'] {
    return kindNames[this.#body[this.#places[run] as number] as number] as ChunkEntry['kind'];
  }

  #runOf(number: number): number {
    const runs = this.#places.length;
    if (!Number.isInteger(number) || number < 0 || number >= (this.#firsts[runs] as number)) {
      throw new StriaError('internal', `there is no ${chunkName(number)}`);
    }
    let low = 0;
    let high = runs - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#firsts[middle] as number) <= number) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Appends the offset of every `chunksPerOffset`-th record to `offsets`. */
  #checkCodedRun(cursor: ByteCursor, first: number, offsets: number[], start: number, last: number) {
    const count = cursor.u32();
    let offset = cursor.u64();
    if (count === 0) throw cursor.corrupt('has a run without chunks');
    if (count > cursor.remaining / codedEntryBytes) throw cursor.corrupt('ends early');
    if (offset % 8 !== 0 || offset < start) {
      throw cursor.corrupt(`puts ${chunkName(first)} at byte ${offset}, where no record of it can be`);
    }
    for (let at = 0; at < count; at++) {
      if (at % chunksPerOffset === 0) offsets.push(offset);
      const method = cursor.u32();
      const payloadLength = cursor.u32();
      const metaLength = this.#metaLengths[method];
      if (metaLength === undefined) throw cursor.corrupt(`lacks method ${method}, which ${chunkName(first + at)} names`);
      if (payloadLength > maxPayloadLength) {
        throw cursor.corrupt(`gives ${chunkName(first + at)} ${payloadLength} bytes; the limit is ${maxPayloadLength}`);
      }
      offset += recordLength(metaLength, payloadLength);
      if (offset > last) throw cursor.corrupt(`puts ${chunkName(first + at)} after byte ${last}, the end of the chunk records`);
    }
    return { count, end: offset };
  }
}

function kindOf(cursor: ByteCursor): ChunkEntry['kind'] {
  const kind = cursor.u8();
  const name = kindNames[kind];
  if (name === undefined) throw cursor.corrupt(`has a run of kind ${kind}, which version 1 does not know`);
  return name;
}

/** Checks a run and returns its number of chunks. */
function skipRun(kind: Exclude<ChunkEntry['kind'], 'coded'>, cursor: ByteCursor, first: number, elementBytes: number): number {
  if (kind === 'constant') return decodeConstantRun(cursor, first, elementBytes).count;
  if (kind === 'ramp') return decodeRampRun(cursor, first, elementBytes).count;
  const count = cursor.u32();
  if (count === 0) throw cursor.corrupt('has a run without chunks');
  return count;
}
