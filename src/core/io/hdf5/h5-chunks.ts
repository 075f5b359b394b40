import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { crc32 } from '../common/crc32.ts';
import { decodedFilterName, decodeFilter } from './filters/decode-filter.ts';
import type { H5Filter } from './h5-filters.ts';

interface FilteredChunk {
  readonly filter: number;
  readonly bytes: Uint8Array;
  readonly length: number;
  content?: Uint8Array;
}

/** `H5Z_FILTER_FLETCHER32`: four bytes of checksum behind the values. */
const fletcher32 = 3;
const checksumBytes = 4;

/**
 * The chunks of one read that went through filters which Stria decodes itself. The library calls filters synchronously, but some decoders
 * are asynchronous. So a call first gathers the chunks and gets zeros for them; they are decoded, and the call is repeated.
 */
export class FilteredChunks {
  /** The filters that the library must call. */
  readonly filters: readonly number[];
  readonly #lengths: ReadonlyMap<number, number>;
  readonly #parameters: ReadonlyMap<number, readonly number[]>;
  /** By their checksum: a read of tiny chunks has tens of thousands. */
  readonly #chunks = new Map<number, FilteredChunk[]>();

  /** @param chunkBytes bytes of a chunk's values */
  constructor(filters: readonly H5Filter[], chunkBytes: number) {
    const decoded = filters.filter(({ id }) => decodedFilterName(id) !== undefined);
    this.filters = decoded.map(({ id }) => id);
    this.#parameters = new Map(decoded.map(({ id, parameters }) => [id, parameters]));
    const lengths = new Map<number, number>();
    let length = chunkBytes;
    for (const { id } of filters) {
      lengths.set(id, length);
      if (id === fletcher32) length += checksumBytes;
    }
    this.#lengths = lengths;
  }

  /** The content of a chunk, or zeros if it has yet to be decoded. */
  contentOf(filter: number, bytes: Uint8Array): Uint8Array {
    const key = crc32(bytes);
    const alike = this.#chunks.get(key) ?? [];
    const known = alike.find((chunk) => chunk.filter === filter && isSame(chunk.bytes, bytes));
    const length = this.#lengths.get(filter) ?? 0;
    if (known === undefined) this.#chunks.set(key, [...alike, { filter, bytes, length }]);
    return known?.content ?? new Uint8Array(length);
  }

  #all(): FilteredChunk[] {
    return [...this.#chunks.values()].flat();
  }

  get isComplete(): boolean {
    return this.#all().every(({ content }) => content !== undefined);
  }

  /** @throws StriaError `corrupt`, `unsupported`, `aborted` */
  async decode({ signal }: JobOptions): Promise<void> {
    for (const chunk of this.#all()) {
      throwIfAborted(signal);
      chunk.content ??= await decodeFilter(chunk.filter, chunk.bytes, this.#parameters.get(chunk.filter) ?? [], chunk.length);
    }
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.byteLength !== other.byteLength) return false;
  for (let at = 0; at < one.byteLength; at++) if (one[at] !== other[at]) return false;
  return true;
}
