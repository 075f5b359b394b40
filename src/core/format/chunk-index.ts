import { chunkName } from '../shared/chunk-name.ts';
import { StriaError } from '../shared/errors.ts';
import { ByteBuilder, ByteCursor } from './byte-cursor.ts';
import type { ChunkStage, ComputedChunk, RampChunk } from './chunk.ts';
import { chunkMetaLength, decodeStages, encodeStages } from './chunk-record.ts';
import {
  type ComputedRun,
  type ConstantRun,
  chunkOfRun,
  decodeConstantRun,
  decodeRampRun,
  encodeConstantRun,
  encodeRampRun,
  GrowingRamps,
  sameComputed,
} from './computed-run.ts';
import { maxPayloadLength } from './layout.ts';
import { recordLength } from './record.ts';

/** What the index knows of a chunk. */
export type ChunkEntry = ComputedChunk | CodedEntry;

export interface CodedEntry {
  readonly kind: 'coded';
  readonly stages: readonly ChunkStage[];
  /** Where the chunk's record begins in the file, and its length with head and padding, in bytes. */
  readonly recordOffset: number;
  readonly recordLength: number;
  readonly payloadLength: number;
}

const runKinds = { constant: 0, coded: 1, ramp: 2 } as const;
const codedEntryBytes = 8;

/** Collects the entries of all chunks in their order. docs/FORMAT.md, 'INDX'. */
export class IndexBuilder {
  readonly #methodNumbers = new Map<string, number>();
  readonly #methods = new ByteBuilder();
  readonly #runs = new ByteBuilder();
  #runCount = 0;
  #constant: ConstantRun | undefined;
  #ramps: GrowingRamps | undefined;
  #coded: { first: number; end: number; count: number; entries: ByteBuilder } | undefined;

  addConstant(run: ConstantRun): void {
    this.#endRun();
    this.#constant = run;
  }

  /** A longer run in the place of the one that was added last. */
  replaceConstant(run: ConstantRun): void {
    this.#constant = run;
  }

  addRamp(number: number, chunk: RampChunk): void {
    if (this.#ramps?.add(number, chunk)) return;
    this.#endRun();
    this.#ramps = new GrowingRamps(number, chunk);
  }

  /** @param length of the whole record */
  addCoded(recordOffset: number, length: number, stages: readonly ChunkStage[], payloadLength: number): void {
    if (this.#coded?.end !== recordOffset) this.#endRun();
    this.#coded ??= { first: recordOffset, end: recordOffset, count: 0, entries: new ByteBuilder() };
    this.#coded.entries.u32(this.#methodNumber(stages)).u32(payloadLength);
    this.#coded.end += length;
    this.#coded.count++;
  }

  build(): Uint8Array<ArrayBuffer> {
    this.#endRun();
    const methodCount = this.#methodNumbers.size;
    return new ByteBuilder().u32(methodCount).u32(this.#runCount).bytes(this.#methods.build()).bytes(this.#runs.build()).build();
  }

  #methodNumber(stages: readonly ChunkStage[]): number {
    const key = stages.map(({ codecId, parameters }) => `${codecId} ${parameters}`).join('+');
    const known = this.#methodNumbers.get(key);
    if (known !== undefined) return known;
    this.#methods.bytes(encodeStages(stages));
    this.#methodNumbers.set(key, this.#methodNumbers.size);
    return this.#methodNumbers.size - 1;
  }

  /** Writes the run of whichever kind that the chunks so far end with. */
  #endRun(): void {
    if (this.#constant) {
      encodeConstantRun(this.#runs.u8(runKinds.constant), this.#constant);
    } else if (this.#ramps) {
      encodeRampRun(this.#runs.u8(runKinds.ramp), this.#ramps.run());
    } else if (this.#coded) {
      const { first, count, entries } = this.#coded;
      this.#runs.u8(runKinds.coded).u32(count).u64(first).bytes(entries.build());
    } else {
      return;
    }
    this.#runCount++;
    this.#constant = undefined;
    this.#ramps = undefined;
    this.#coded = undefined;
  }
}

interface CodedRun {
  readonly kind: 'coded';
  readonly first: number;
  readonly count: number;
  /** Offsets of the records, and behind them the end of the last: `count + 1`. */
  readonly offsets: Float64Array;
  readonly methods: Uint32Array;
  readonly payloadLengths: Uint32Array;
}

/** What an index is measured against: the volume, and the part of the file in which chunk records can lie. */
export interface IndexBounds {
  readonly chunkCount: number;
  readonly elementBytes: number;
  readonly start: number;
  readonly end: number;
}

/** The entries of all chunks, by number. */
export class ChunkIndex {
  readonly #methods: readonly (readonly ChunkStage[])[];
  readonly #runs: readonly (ComputedRun | CodedRun)[];

  private constructor(methods: readonly (readonly ChunkStage[])[], runs: readonly (ComputedRun | CodedRun)[]) {
    this.#methods = methods;
    this.#runs = runs;
  }

  /**
   * Reads the body of INDX, trusting nothing in it: nothing is allocated that the body's own length does not justify.
   * @throws StriaError `corrupt` unless it has exactly one entry a chunk, and records that follow each other within the bounds
   */
  static parse(body: Uint8Array, bounds: IndexBounds): ChunkIndex {
    const cursor = new ByteCursor(body, 'the index');
    const methodCount = cursor.u32();
    const runCount = cursor.u32();
    const methods: ChunkStage[][] = [];
    while (methods.length < methodCount) methods.push(decodeStages(cursor));
    const metaLengths = methods.map((stages) => chunkMetaLength(encodeStages(stages).byteLength));
    const runs: (ComputedRun | CodedRun)[] = [];
    let next = 0;
    let end = bounds.start;
    while (runs.length < runCount) {
      const kind = cursor.u8();
      if (kind === runKinds.constant) {
        runs.push(decodeConstantRun(cursor, next, bounds.elementBytes));
      } else if (kind === runKinds.ramp) {
        runs.push(decodeRampRun(cursor, next, bounds.elementBytes));
      } else if (kind === runKinds.coded) {
        const run = parseCodedRun(cursor, next, metaLengths, end, bounds.end);
        end = run.offsets[run.count] as number;
        runs.push(run);
      } else {
        throw cursor.corrupt(`has a run of kind ${kind}, which version 1 does not know`);
      }
      next += runs.at(-1)?.count ?? 0;
      if (next > bounds.chunkCount) throw cursor.corrupt(`has more entries than the volume has chunks, ${bounds.chunkCount}`);
    }
    cursor.zeros(0);
    if (next !== bounds.chunkCount) throw cursor.corrupt(`has ${next} entries for ${bounds.chunkCount} chunks`);
    return new ChunkIndex(methods, runs);
  }

  /** @throws StriaError `internal` for a number that the volume does not have */
  entry(number: number): ChunkEntry {
    const run = this.#runOf(number);
    if (run.kind !== 'coded') return chunkOfRun(run, number);
    const at = number - run.first;
    const recordOffset = run.offsets[at] as number;
    return {
      kind: 'coded',
      stages: this.#methods[run.methods[at] as number] as readonly ChunkStage[],
      recordOffset,
      recordLength: (run.offsets[at + 1] as number) - recordOffset,
      payloadLength: run.payloadLengths[at] as number,
    };
  }

  /** The chunks without payload. */
  computedRuns(): ComputedRun[] {
    return this.#runs.filter((run) => run.kind !== 'coded');
  }

  /** Whether each chunk of the run is as the index has it. */
  agreesWith(run: ComputedRun): boolean {
    for (let number = run.first; number < run.first + run.count; ) {
      const entry = this.#runOf(number);
      if (entry.kind === 'coded' || !sameComputed(chunkOfRun(entry, number), chunkOfRun(run, number))) return false;
      number = entry.kind === 'constant' ? entry.first + entry.count : number + 1;
    }
    return true;
  }

  #runOf(number: number): ComputedRun | CodedRun {
    let low = 0;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { first, count } = this.#runs[middle] as ComputedRun | CodedRun;
      if (number < first) high = middle;
      else if (number >= first + count) low = middle + 1;
      else return this.#runs[middle] as ComputedRun | CodedRun;
    }
    throw new StriaError('internal', `there is no ${chunkName(number)}`);
  }
}

function parseCodedRun(cursor: ByteCursor, first: number, metaLengths: number[], start: number, end: number): CodedRun {
  const count = cursor.u32();
  let offset = cursor.u64();
  if (count === 0) throw cursor.corrupt('has a run of no chunks');
  if (count > cursor.remaining / codedEntryBytes) throw cursor.corrupt('ends early');
  const offsets = new Float64Array(count + 1);
  const methods = new Uint32Array(count);
  const payloadLengths = new Uint32Array(count);
  if (offset % 8 !== 0 || offset < start) {
    throw cursor.corrupt(`puts ${chunkName(first)} at byte ${offset}, where no record of its can be`);
  }
  offsets[0] = offset;
  for (let at = 0; at < count; at++) {
    const method = cursor.u32();
    const payloadLength = cursor.u32();
    const metaLength = metaLengths[method];
    if (metaLength === undefined) throw cursor.corrupt(`has no method ${method}, which ${chunkName(first + at)} names`);
    if (payloadLength > maxPayloadLength) {
      throw cursor.corrupt(`gives ${chunkName(first + at)} ${payloadLength} bytes; ${maxPayloadLength} is the most`);
    }
    offset += recordLength(metaLength, payloadLength);
    if (offset > end) throw cursor.corrupt(`puts ${chunkName(first + at)} behind the last chunk's place, byte ${end}`);
    methods[at] = method;
    payloadLengths[at] = payloadLength;
    offsets[at + 1] = offset;
  }
  return { kind: 'coded', first, count, offsets, methods, payloadLengths };
}
