import { StriaError } from '../shared/errors.ts';
import { wholeWords } from './lent-bytes.ts';
import type { MemoryLedger } from './memory-ledger.ts';

/** The usage of every reused buffer: STORAGE | COPY_SRC | COPY_DST. */
export function spareUsage(): GPUBufferUsageFlags {
  return GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
}

/** The usage of memory that the CPU fills and the GPU copies from: MAP_WRITE | COPY_SRC. */
export function uploadUsage(): GPUBufferUsageFlags {
  return GPUBufferUsage.MAP_WRITE | GPUBufferUsage.COPY_SRC;
}

const spareLabel = 'spare';
/** Of one usage: memory of the GPU alone, enough for two batches of most codecs, and memory that the CPU shares. */
const mostSpareBytes = { own: 2 ** 29, shared: 2 ** 28 };
/** Memory of the GPU alone, if as much was in use at once. A batch of `wave` uses nearly all of this. */
const mostReturnedBytes = 2 ** 30;

/**
 * Freed buffers, kept for reuse: WebGPU clears a new buffer at its first use, which takes as long as writing it, and memory
 * that CPU and GPU share takes long to allocate. A reused buffer keeps its old contents. Spare buffers count as `spare` in the
 * ledger and take at most 512 MiB for each usage, memory that the CPU shares at most 256 MiB; the oldest is dropped first. If more
 * than 512 MiB were in use at once since `free`, as much may stay, up to 1 GiB.
 *
 * The device may have refused the memory of a buffer without having told yet. So a buffer is reused only once it is known to exist.
 */
export class SpareBuffers {
  /** Called with each buffer that `take` hands out. Tests poison reused buffers with it, so that nothing relies on old contents. */
  beforeUse: ((buffer: GPUBuffer) => void) | undefined;
  /** The device's largest buffer, in bytes. Kept, because in Node each look at `limits` reads all of them. */
  readonly maxBufferBytes: number;
  /** The largest buffer that a shader can bind whole, in bytes. */
  readonly maxBindingBytes: number;
  readonly #device: GPUDevice;
  readonly #ledger: MemoryLedger;
  /** Oldest first. */
  readonly #idle: GPUBuffer[] = [];
  /** Of memory that the CPU writes: it is mapped again as soon as the GPU has finished with it. */
  readonly #mapping = new WeakMap<GPUBuffer, Promise<void>>();
  /** Buffers that the device is known to have made. One that it refused looks like any other. */
  readonly #existing = new WeakSet<GPUBuffer>();
  /** Buffers that the device refused. */
  readonly #refused = new WeakSet<GPUBuffer>();
  /** Bytes of the GPU's own memory that are in use, and the most at once since `free`. */
  #usedBytes = 0;
  #mostUsedBytes = 0;
  #closed = false;

  constructor(device: GPUDevice, ledger: MemoryLedger) {
    this.#device = device;
    this.#ledger = ledger;
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
    this.maxBufferBytes = maxBufferSize;
    this.maxBindingBytes = Math.min(maxBufferSize, maxStorageBufferBindingSize);
  }

  /**
   * @param bytes a multiple of 4 that the device can bind
   * @param isMapped whether a new buffer is made mapped: to map it later takes a turn of the event loop, which may be busy. But a buffer
   * that is refused seems to be mapped, too, so the caller must ask for errors.
   * @returns a buffer of at least this size and less than twice this size @throws StriaError `out-of-memory` only if `isMapped`
   */
  take(bytes: number, label: string, usage: GPUBufferUsageFlags = spareUsage(), isMapped = false): GPUBuffer {
    const best = this.#bestOf(bytes, usage);
    const buffer = best ?? this.#make(this.#roomFor(bytes, usage), label, usage, isMapped);
    if (best) this.#remove(best);
    else this.#probe(buffer);
    buffer.label = label;
    if (!isShared(usage)) {
      this.#usedBytes += buffer.size;
      this.#mostUsedBytes = Math.max(this.#mostUsedBytes, this.#usedBytes);
    }
    if (usage & GPUBufferUsage.COPY_DST) this.beforeUse?.(buffer);
    return buffer;
  }

  #make(size: number, label: string, usage: GPUBufferUsageFlags, mappedAtCreation: boolean): GPUBuffer {
    try {
      return this.#device.createBuffer({ label, size, usage, mappedAtCreation });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new StriaError('out-of-memory', `the GPU does not have enough memory for ${size} bytes that the CPU writes`, {
        cause: error,
      });
    }
  }

  /**
   * Asks the device whether it has made a buffer: it is invalid to write even nothing to one that it has refused. The refusal itself
   * goes to the error scopes of whoever takes the buffer. Memory that the CPU writes is probed by `keep`, which maps it.
   */
  #probe(buffer: GPUBuffer): void {
    if (!(buffer.usage & GPUBufferUsage.COPY_DST)) return;
    this.#device.pushErrorScope('validation');
    this.#device.queue.writeBuffer(buffer, 0, new Uint8Array());
    this.#device.popErrorScope().then(
      (error) => {
        if (error) this.#refuse(buffer);
        else this.#existing.add(buffer);
      },
      () => {}, // The device was lost.
    );
  }

  #refuse(buffer: GPUBuffer): void {
    this.#refused.add(buffer);
    if (this.#idle.includes(buffer)) this.#drop(buffer);
  }

  /** Whether `take` would return memory of `uploadUsage` that the CPU can write at once. */
  holdsMapped(bytes: number): boolean {
    return this.#bestOf(wholeWords(bytes), uploadUsage())?.mapState === 'mapped';
  }

  /** Maps a buffer from `take` that the CPU writes, if it is not mapped yet. */
  async mapForWriting(buffer: GPUBuffer): Promise<void> {
    if (buffer.mapState !== 'mapped') await (this.#mapping.get(buffer) ?? buffer.mapAsync(GPUMapMode.WRITE));
  }

  /** The smallest one that fits; of equal ones, one that is mapped. */
  #bestOf(bytes: number, usage: GPUBufferUsageFlags): GPUBuffer | undefined {
    let best: GPUBuffer | undefined;
    for (const buffer of this.#idle) {
      if (!this.#existing.has(buffer) || buffer.usage !== usage || buffer.size < bytes || buffer.size >= 2 * bytes) continue;
      const isBetter = !best || buffer.size < best.size || (buffer.size === best.size && best.mapState !== 'mapped');
      if (isBetter) best = buffer;
    }
    return best;
  }

  /** Returns a buffer from `take`, unmapped. Submitted work may still use it, because the queue runs in order. */
  keep(buffer: GPUBuffer): void {
    const isOwn = !isShared(buffer.usage);
    if (isOwn) this.#usedBytes -= buffer.size;
    const most = isOwn ? this.#mostOwnBytes : mostSpareBytes.shared;
    if (this.#closed || buffer.size > most || this.#refused.has(buffer)) {
      buffer.destroy();
      return;
    }
    buffer.label = spareLabel;
    if (buffer.usage & GPUBufferUsage.MAP_WRITE) {
      // To map a refused buffer is invalid. That concerns no other call.
      const isProbe = !this.#existing.has(buffer);
      if (isProbe) this.#device.pushErrorScope('validation');
      const mapping = buffer.mapAsync(GPUMapMode.WRITE);
      if (isProbe) this.#device.popErrorScope().catch(() => {});
      // It fails if the buffer is dropped, too. Whoever has taken it awaits it.
      mapping.then(
        () => this.#existing.add(buffer),
        () => this.#refuse(buffer),
      );
      this.#mapping.set(buffer, mapping);
    }
    this.#idle.push(buffer);
    this.#ledger.add(spareLabel, buffer.size);
    const alike = this.#idle.filter(({ usage }) => usage === buffer.usage);
    let bytes = alike.reduce((sum, { size }) => sum + size, 0);
    while (bytes > most) bytes -= this.#drop(alike.shift() as GPUBuffer);
  }

  /** Ends when all memory that the CPU writes is mapped again. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#idle.map((buffer) => this.#mapping.get(buffer)));
  }

  /** Frees all spare buffers, to make room or at the end of a job. */
  free(): void {
    this.#mostUsedBytes = this.#usedBytes;
    while (this.#idle.length > 0) this.#drop(this.#idle[0] as GPUBuffer);
  }

  /** Frees all spare buffers, and from now on every buffer that is returned. */
  close(): void {
    this.#closed = true;
    this.free();
  }

  /**
   * Rounds up by at most an eighth of a power of two, because batches differ slightly in size; memory of the CPU, which takes
   * long to allocate (6 ms for 32 MiB), by at most a half.
   */
  #roomFor(bytes: number, usage: GPUBufferUsageFlags): number {
    const step = Math.max(4, 2 ** (Math.floor(Math.log2(bytes)) - (isShared(usage) ? 1 : 3)));
    return Math.max(bytes, Math.min(Math.ceil(bytes / step) * step, this.maxBindingBytes));
  }

  get #mostOwnBytes(): number {
    return Math.max(mostSpareBytes.own, Math.min(mostReturnedBytes, this.#mostUsedBytes));
  }

  #remove(buffer: GPUBuffer): void {
    this.#idle.splice(this.#idle.indexOf(buffer), 1);
    this.#ledger.add(spareLabel, -buffer.size);
  }

  #drop(buffer: GPUBuffer): number {
    this.#remove(buffer);
    buffer.destroy();
    return buffer.size;
  }
}

/** Whether the CPU reads or writes the memory. */
function isShared(usage: GPUBufferUsageFlags): boolean {
  return (usage & (GPUBufferUsage.MAP_READ | GPUBufferUsage.MAP_WRITE)) !== 0;
}
