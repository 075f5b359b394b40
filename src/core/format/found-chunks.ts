import type { ComputedChunk } from './chunk.ts';
import type { ChunkSpan } from './chunk-grid.ts';
import { NumberList } from './number-list.ts';
import type { RecordPlace } from './tail.ts';

/** Reads chunk `number` of a run of chunks without payload. The run begins with chunk `first`, at `place`. */
export type RunReader = (place: number, first: number, number: number) => ComputedChunk;

/** Consecutive chunks of one kind, or consecutive missing chunks. */
export interface FoundSpan extends ChunkSpan {
  readonly kind: 'constant' | 'ramp' | 'coded' | 'lost';
}

/** A found chunk: the place of its record, without padding, or its contents if it has no payload. */
export type FoundChunk = { readonly kind: 'coded'; readonly place: RecordPlace } | ComputedChunk;

const kinds = ['constant', 'ramp', 'coded'] as const;

/**
 * The chunks that a scan found: records, and runs without payload, in any order. Each takes a few numbers, so that millions fit
 * in memory. Call `sort` after the last one was added.
 */
export class FoundChunks {
  readonly #numbers = new NumberList();
  readonly #offsets = new NumberList();
  readonly #lengths = new NumberList();

  readonly #runFirsts = new NumberList();
  readonly #runEnds = new NumberList();
  readonly #runPlaces = new NumberList();
  readonly #runKinds = new NumberList();
  readonly #runReaders = new NumberList();
  readonly #readers: RunReader[] = [];

  // In order: chunk numbers, kinds, and the index of the record or run.
  readonly #firsts = new NumberList();
  readonly #ends = new NumberList();
  readonly #kinds = new NumberList();
  readonly #sources = new NumberList();
  #count = 0;

  /** @param place without padding */
  addRecord(number: number, { offset, length }: RecordPlace): void {
    this.#numbers.push(number);
    this.#offsets.push(offset);
    this.#lengths.push(length);
  }

  /** Sets the reader of the runs that are added from now on. */
  addReader(reader: RunReader): void {
    this.#readers.push(reader);
  }

  addRun(kind: ComputedChunk['kind'], { first, count }: ChunkSpan, place: number): void {
    this.#runFirsts.push(first);
    this.#runEnds.push(first + count);
    this.#runPlaces.push(place);
    this.#runKinds.push(kinds.indexOf(kind));
    this.#runReaders.push(this.#readers.length - 1);
  }

  /**
   * Sorts everything. If runs overlap, the one that begins first wins; runs win over records.
   * @param chunkCount of the volume
   * @param onDropped called with each unused record, and whether the same chunk was already taken
   */
  sort(chunkCount: number, onDropped: (number: number, isTwice: boolean) => void): void {
    const runs = this.#runFirsts.order();
    const records = this.#numbers.order();
    let [run, record, next] = [0, 0, 0];
    let lastRecord = -1;
    while (run < runs.length || record < records.length) {
      const runIndex = runs[run] as number;
      const end = run < runs.length ? this.#runEnds.at(runIndex) : Number.POSITIVE_INFINITY;
      if (end <= next) {
        run++;
        continue;
      }
      const first = run < runs.length ? Math.max(next, this.#runFirsts.at(runIndex)) : Number.POSITIVE_INFINITY;
      const recordIndex = records[record] as number;
      const number = record < records.length ? this.#numbers.at(recordIndex) : Number.POSITIVE_INFINITY;
      if (record < records.length && (number < next || number >= chunkCount)) {
        onDropped(number, number === lastRecord);
        record++;
      } else if (number < first) {
        this.#take(number, number + 1, kinds.indexOf('coded'), recordIndex);
        lastRecord = number;
        next = number + 1;
        record++;
      } else {
        this.#take(first, end, this.#runKinds.at(runIndex), runIndex);
        next = end;
        run++;
      }
    }
  }

  #take(first: number, end: number, kind: number, source: number): void {
    this.#firsts.push(first);
    this.#ends.push(end);
    this.#kinds.push(kind);
    this.#sources.push(source);
    this.#count += end - first;
  }

  /** How many chunks were found. */
  get count(): number {
    return this.#count;
  }

  /** All chunks up to `chunkCount` in order, including missing ones. */
  *spans(chunkCount: number): Generator<FoundSpan> {
    let next = 0;
    for (let at = 0; at < this.#firsts.length; at++) {
      const [first, end] = [this.#firsts.at(at), this.#ends.at(at)];
      if (first > next) yield { kind: 'lost', first: next, count: first - next };
      yield { kind: kinds[this.#kinds.at(at)] as FoundSpan['kind'], first, count: end - first };
      next = end;
    }
    if (next < chunkCount) yield { kind: 'lost', first: next, count: chunkCount - next };
  }

  has(number: number): boolean {
    return this.#spanOf(number) !== undefined;
  }

  /** Undefined if it was not found. */
  chunk(number: number): FoundChunk | undefined {
    const span = this.#spanOf(number);
    if (span === undefined) return undefined;
    const source = this.#sources.at(span);
    if (kinds[this.#kinds.at(span)] === 'coded') {
      return { kind: 'coded', place: { offset: this.#offsets.at(source), length: this.#lengths.at(source) } };
    }
    const reader = this.#readers[this.#runReaders.at(source)] as RunReader;
    return reader(this.#runPlaces.at(source), this.#runFirsts.at(source), number);
  }

  #spanOf(number: number): number | undefined {
    let [low, high] = [0, this.#firsts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (number < this.#firsts.at(middle)) high = middle;
      else if (number >= this.#ends.at(middle)) low = middle + 1;
      else return middle;
    }
    return undefined;
  }
}
