import type { GpuScope } from '../../../core/gpu/scope.ts';

/** More than all pictures that are drawn in one submit need, so that none is overwritten before it is drawn. */
const capacity = 64;

/**
 * Uniform buffers by what they hold: whoever asks for the same words gets the same buffer, and nothing is written. Those
 * asked for longest ago are written anew.
 */
export class UniformCache {
  readonly #device: GPUDevice;
  readonly #scope: GpuScope;
  readonly #bytes: number;
  /** The least recently used first. */
  readonly #buffers = new Map<string, GPUBuffer>();

  /** @param bytes of every buffer */
  constructor(device: GPUDevice, scope: GpuScope, bytes: number) {
    this.#device = device;
    this.#scope = scope;
    this.#bytes = bytes;
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

  /** Takes the least recently used buffer out, once there are enough. */
  #oldest(): GPUBuffer | undefined {
    const [entry] = this.#buffers;
    if (!entry || this.#buffers.size < capacity) return undefined;
    this.#buffers.delete(entry[0]);
    return entry[1];
  }
}
