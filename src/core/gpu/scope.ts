import { StriaError } from '../shared/errors.ts';
import { wholeWords } from './lent-bytes.ts';
import type { MemoryLedger } from './memory-ledger.ts';
import { type SpareBuffers, spareUsage } from './spare-buffers.ts';

/**
 * Owns buffers and textures, and frees them when it is destroyed. Scopes nest: destroying a parent destroys its children.
 * `using scope = gpu.scope('…')` frees at the end of the block.
 */
export class GpuScope implements Disposable {
  readonly label: string;
  readonly #device: GPUDevice;
  readonly #ledger: MemoryLedger;
  readonly #spare: SpareBuffers;
  readonly #owned = new Map<GPUBuffer | GPUTexture, { label: string; bytes: number; end: () => void }>();
  readonly #children = new Set<GpuScope>();
  readonly #parent: GpuScope | undefined;
  #destroyed = false;

  constructor(device: GPUDevice, ledger: MemoryLedger, spare: SpareBuffers, label: string, parent?: GpuScope) {
    this.#device = device;
    this.#ledger = ledger;
    this.#spare = spare;
    this.label = label;
    this.#parent = parent;
    if (parent) parent.#children.add(this);
  }

  /** A child scope. Its labels start with this scope's label. */
  scope(label: string): GpuScope {
    return new GpuScope(this.#device, this.#ledger, this.#spare, `${this.label}.${label}`, this);
  }

  /**
   * A buffer of `size` bytes, rounded up to a multiple of 4. It starts with `data`, and is zero behind it.
   * @throws StriaError `limit-too-small` if the device cannot hold it, with the needed and available bytes
   */
  buffer(label: string, size: number, usage: GPUBufferUsageFlags, data?: BufferSource): GPUBuffer {
    const { fullLabel, bytes } = this.#allowed(label, size, usage);
    const buffer = this.#device.createBuffer({ label: fullLabel, size: bytes, usage: usage | GPUBufferUsage.COPY_DST });
    this.#own(buffer, fullLabel, bytes);
    if (data) this.#device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  /** A buffer with usage STORAGE | COPY_SRC | COPY_DST. */
  storage(label: string, size: number, data?: BufferSource): GPUBuffer {
    return this.buffer(label, size, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC, data);
  }

  /**
   * As `storage`, but possibly longer and with undefined contents, for kernels that write every word that is read. Takes a spare
   * buffer if there is one, and gives it back when the scope is destroyed.
   */
  reused(label: string, size: number, usage = spareUsage(), isMapped = false): GPUBuffer {
    const { fullLabel, bytes } = this.#allowed(label, size, usage);
    const buffer = this.#spare.take(bytes, fullLabel, usage, isMapped);
    this.#own(buffer, fullLabel, buffer.size, () => this.#giveBack(buffer));
    return buffer;
  }

  #giveBack(buffer: GPUBuffer): void {
    // A map that is still pending was given up: the job failed.
    if (buffer.mapState === 'pending') {
      buffer.destroy();
      return;
    }
    if (buffer.mapState === 'mapped') buffer.unmap();
    this.#spare.keep(buffer);
  }

  /** A uniform buffer that holds `words`. */
  uniform(label: string, words: readonly number[]): GPUBuffer {
    const size = Math.ceil(words.length / 4) * 16;
    return this.buffer(label, size, GPUBufferUsage.UNIFORM, new Uint32Array(words));
  }

  /** @param bytes its size, for the ledger */
  texture(label: string, bytes: number, descriptor: GPUTextureDescriptor): GPUTexture {
    this.#assertAlive();
    const fullLabel = `${this.label}.${label}`;
    const texture = this.#device.createTexture({ ...descriptor, label: fullLabel });
    this.#own(texture, fullLabel, bytes);
    return texture;
  }

  /** Frees one of this scope's resources now. */
  free(resource: GPUBuffer | GPUTexture): void {
    const entry = this.#owned.get(resource);
    if (!entry) throw new StriaError('internal', `scope ${this.label} does not own what it is asked to free`);
    this.#owned.delete(resource);
    this.#ledger.add(entry.label, -entry.bytes);
    entry.end();
  }

  /** Frees everything, once. */
  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    for (const child of [...this.#children]) child.destroy();
    for (const resource of [...this.#owned.keys()]) this.free(resource);
    if (this.#parent) this.#parent.#children.delete(this);
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  #own(resource: GPUBuffer | GPUTexture, label: string, bytes: number, end = () => resource.destroy()): void {
    this.#owned.set(resource, { label, bytes, end });
    this.#ledger.add(label, bytes);
  }

  /** @throws StriaError `limit-too-small` */
  #allowed(label: string, size: number, usage: GPUBufferUsageFlags) {
    this.#assertAlive();
    const bytes = wholeWords(size);
    const { maxBindingBytes, maxBufferBytes } = this.#spare;
    const limit = usage & GPUBufferUsage.STORAGE ? maxBindingBytes : maxBufferBytes;
    const fullLabel = `${this.label}.${label}`;
    if (bytes > limit) {
      throw new StriaError('limit-too-small', `${fullLabel} needs ${bytes} bytes in one buffer; this GPU allows ${limit}`);
    }
    return { fullLabel, bytes };
  }

  #assertAlive(): void {
    if (this.#destroyed) throw new StriaError('internal', `scope ${this.label} is used after it was destroyed`);
  }
}
