import { codecOfChunk } from '../chunks/choose.ts';
import type { ChunkGeometry } from '../codec/codec.ts';
import type { CodedChunk } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { wholeWords } from '../gpu/lent-bytes.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { StoredChunk } from '../gpu-chunks/decode-planner.ts';
import { StriaError } from '../shared/errors.ts';
import { LeastRecent } from '../shared/least-recent.ts';
import type { BrickKey } from './brick.ts';
import { FreeRanges } from './free-ranges.ts';
import { PayloadUploads } from './payload-uploads.ts';

/**
 * The pool begins with a buffer of this size. Each further one is as large as all before it, as far as the budget allows: the fewer
 * buffers, the fewer dispatches decode a batch, because a dispatch reads one buffer.
 */
const firstBufferBytes = 2 ** 26;

interface PoolBuffer {
  readonly buffer: GPUBuffer;
  readonly free: FreeRanges;
}

interface Pooled {
  readonly home: PoolBuffer;
  readonly byteOffset: number;
  readonly bytes: number;
  readonly stored: StoredChunk;
}

/** Compressed bricks in GPU memory. The least recently used are evicted to make room for new ones. */
export class PayloadPool {
  readonly budget: number;
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #buffers: PoolBuffer[] = [];
  readonly #pooled = new LeastRecent<BrickKey, Pooled>();
  readonly #uploads: PayloadUploads;
  #bufferBytes = 0;

  /** @param scope owns the buffers */
  constructor(gpu: Gpu, scope: GpuScope, budget: number) {
    this.#gpu = gpu;
    this.#scope = scope;
    this.budget = Math.floor(budget / 4) * 4;
    this.#uploads = new PayloadUploads(gpu, scope);
  }

  /** Bytes of payloads, and of the buffers that hold them. */
  get use(): { readonly bytes: number; readonly allocatedBytes: number; readonly count: number } {
    return { bytes: this.#pooled.bytes, allocatedBytes: this.#bufferBytes, count: this.#pooled.size };
  }

  has(key: BrickKey): boolean {
    return this.#pooled.has(key);
  }

  /** A brick's payload, which is marked as recently used. Undefined if the pool does not hold it. */
  get(key: BrickKey): StoredChunk | undefined {
    return this.#pooled.get(key)?.stored;
  }

  /**
   * Uploads a payload with the next `flush`. Work that was submitted earlier still sees the payload that it replaces; work that is
   * recorded but not yet submitted does not.
   * @throws StriaError `limit-too-small` if it is larger than the pool; `corrupt`, `unsupported` if no codec can decode it
   */
  put(key: BrickKey, chunk: CodedChunk, geometry: ChunkGeometry): void {
    if (this.has(key)) return;
    const decodedBy = codecOfChunk(chunk, geometry);
    const { payload } = chunk;
    const bytes = wholeWords(payload.byteLength);
    const place = this.#take(bytes);
    const { buffer } = place.home;
    this.#uploads.write(buffer, place.byteOffset, payload);
    const stored = { kind: 'coded', ...decodedBy, buffer, byteOffset: place.byteOffset, byteLength: payload.byteLength } as const;
    this.#pooled.set(key, { ...place, bytes, stored }, bytes);
  }

  /** Whether `put` is fast for a payload of this size. */
  hasRoomFor(byteLength: number): boolean {
    return this.#uploads.hasRoomFor(byteLength);
  }

  /** Submits the copies of new payloads. */
  flush(): void {
    this.#uploads.flush();
  }

  /** The bricks in the pool. */
  get keys(): readonly BrickKey[] {
    return [...this.#pooled.oldest()].map(([key]) => key);
  }

  delete(key: BrickKey): void {
    const pooled = this.#pooled.delete(key);
    pooled?.home.free.give(pooled.byteOffset, pooled.bytes);
  }

  #take(bytes: number): Pick<Pooled, 'home' | 'byteOffset'> {
    const most = Math.min(this.budget, this.#largestBuffer);
    if (bytes > most) throw new StriaError('limit-too-small', `it has ${bytes} bytes, and the pool on the GPU ${most}`);
    for (;;) {
      for (const home of this.#buffers) {
        const byteOffset = home.free.take(bytes);
        if (byteOffset !== undefined) return { home, byteOffset };
      }
      if (this.#grow(bytes)) continue;
      const [oldest] = this.#pooled.oldest();
      if (oldest) this.delete(oldest[0]);
      // All buffers are empty and too small, because they were created for smaller payloads.
      else {
        this.flush();
        this.#freeBuffers();
      }
    }
  }

  get #largestBuffer(): number {
    return Math.floor(this.#gpu.maxBindingBytes / 4) * 4;
  }

  #grow(bytes: number): boolean {
    const room = this.budget - this.#bufferBytes;
    const size = Math.min(room, this.#largestBuffer, Math.max(bytes, firstBufferBytes, this.#bufferBytes));
    if (size < bytes) return false;
    this.#buffers.push({ buffer: this.#scope.storage('payloads', size), free: new FreeRanges(size) });
    this.#bufferBytes += size;
    return true;
  }

  #freeBuffers(): void {
    for (const { buffer } of this.#buffers.splice(0)) this.#scope.free(buffer);
    this.#bufferBytes = 0;
  }
}
