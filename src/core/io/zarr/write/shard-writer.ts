import { crc32c } from '../crc32c.ts';

const noChunk = 2n ** 64n - 1n;

/**
 * Assembles a shard: the compressed chunks, then the index of their offsets and lengths with its CRC-32C.
 * Source: Zarr's `sharding_indexed` codec, index_location 'end'.
 */
export class ShardWriter {
  readonly #index: DataView;
  readonly #parts: Uint8Array[] = [];
  #next = 0;
  #length = 0;

  /** @param chunkCount chunks per shard, even if the shard extends beyond the array */
  constructor(chunkCount: number) {
    this.#index = new DataView(new ArrayBuffer(chunkCount * 16 + 4));
  }

  /** Adds the next chunk in the order of the shard; undefined for one that has only the fill value. */
  add(chunk: Uint8Array | undefined): void {
    this.#setEntry(
      chunk === undefined ? noChunk : BigInt(this.#length),
      chunk === undefined ? noChunk : BigInt(chunk.byteLength),
    );
    if (chunk === undefined) return;
    this.#parts.push(chunk);
    this.#length += chunk.byteLength;
  }

  /** The shard's bytes; undefined if all chunks are empty. Chunks that were not added are missing. */
  finish(): readonly Uint8Array[] | undefined {
    if (this.#parts.length === 0) return undefined;
    const bytes = new Uint8Array(this.#index.buffer);
    while (this.#next * 16 + 4 < bytes.byteLength) this.#setEntry(noChunk, noChunk);
    this.#index.setUint32(bytes.byteLength - 4, crc32c(bytes.subarray(0, -4)), true);
    return [...this.#parts, bytes];
  }

  #setEntry(offset: bigint, length: bigint): void {
    this.#index.setBigUint64(this.#next * 16, offset, true);
    this.#index.setBigUint64(this.#next * 16 + 8, length, true);
    this.#next++;
  }
}
