import type { GpuScope } from '../gpu/scope.ts';

/**
 * Caches uniform buffers by content: equal contents share a buffer and need no write. The least recently used buffer is
 * overwritten first.
 */
export class UniformCache {
  readonly #device: GPUDevice;
  readonly #scope: GpuScope;
  readonly #bytes: number;
  readonly #capacity: number;
  /** The least recently used first. */
  readonly #buffers = new Map<string, GPUBuffer>();

  /**
   * @param bytes size of every buffer
   * @param capacity at least the number of buffers that one submit needs, so that none is overwritten before it is used
   */
  constructor(device: GPUDevice, scope: GpuScope, bytes: number, capacity: number) {
    this.#device = device;
    this.#scope = scope;
    this.#bytes = bytes;
    this.#capacity = capacity;
  }

  get(words: Uint32Array<ArrayBuffer>): GPUBuffer {
    const key = words.join();
    const known = this.#buffers.get(key);
    const buffer = known ?? this.#oldest() ?? this.#scope.buffer('uniforms', this.#bytes, GPUBufferUsage.UNIFORM);
    if (!known) this.#device.queue.writeBuffer(buffer, 0, words);
    this.#buffers.delete(key);
    this.#buffers.set(key, buffer);
    return buffer;
  }

  /** Removes the least recently used buffer once the cache is full. */
  #oldest(): GPUBuffer | undefined {
    const [entry] = this.#buffers;
    if (!entry || this.#buffers.size < this.#capacity) return undefined;
    this.#buffers.delete(entry[0]);
    return entry[1];
  }
}
