import type { MemoryLedger } from './memory-ledger.ts';

/** Usage STORAGE | COPY_SRC | COPY_DST: what every buffer that is used again has. */
export function spareUsage(): GPUBufferUsageFlags {
  return GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
}

const spareLabel = 'spare';
const mostSpareBytes = 2 ** 28;

/**
 * Buffers that nobody uses at the moment, kept for the next one who needs as much: WebGPU clears a fresh buffer when it is
 * first used, which takes as long as writing it. What a buffer holds is what was there. They count as `spare` in the ledger,
 * and are never more than 256 MiB in all: the one that has waited longest goes first.
 */
export class SpareBuffers {
  /** Called with each buffer that `take` hands out. Tests poison reused buffers with it, so that nothing relies on old contents. */
  beforeUse: ((buffer: GPUBuffer) => void) | undefined;
  readonly #device: GPUDevice;
  readonly #ledger: MemoryLedger;
  /** The one that has waited longest comes first. */
  readonly #idle: GPUBuffer[] = [];
  #closed = false;

  constructor(device: GPUDevice, ledger: MemoryLedger) {
    this.#device = device;
    this.#ledger = ledger;
  }

  /** @param bytes a multiple of 4 that the device can bind @returns a buffer of at least as many, and less than twice as many */
  take(bytes: number, label: string): GPUBuffer {
    let best: GPUBuffer | undefined;
    for (const buffer of this.#idle) {
      const fits = buffer.size >= bytes && buffer.size < 2 * bytes;
      if (fits && buffer.size < (best?.size ?? Number.POSITIVE_INFINITY)) best = buffer;
    }
    const buffer = best ?? this.#device.createBuffer({ label, size: this.#roomFor(bytes), usage: spareUsage() });
    if (best) this.#remove(best);
    buffer.label = label;
    this.beforeUse?.(buffer);
    return buffer;
  }

  /** Gives a buffer that `take` gave. Work that was submitted may still use it: the queue goes in order. */
  keep(buffer: GPUBuffer): void {
    if (this.#closed || buffer.size > mostSpareBytes) {
      buffer.destroy();
      return;
    }
    buffer.label = spareLabel;
    this.#idle.push(buffer);
    this.#ledger.add(spareLabel, buffer.size);
    let bytes = this.#idle.reduce((sum, { size }) => sum + size, 0);
    while (bytes > mostSpareBytes) bytes -= this.#drop(this.#idle[0] as GPUBuffer);
  }

  /** Frees all that wait. For whoever needs the memory, or ends a job. */
  free(): void {
    while (this.#idle.length > 0) this.#drop(this.#idle[0] as GPUBuffer);
  }

  /** Frees all that wait, and what is given from now on. */
  close(): void {
    this.#closed = true;
    this.free();
  }

  /** Batches differ by a little: an eighth of a power of two more is made than is asked for, at most. */
  #roomFor(bytes: number): number {
    const { maxBufferSize, maxStorageBufferBindingSize } = this.#device.limits;
    const step = Math.max(4, 2 ** (Math.floor(Math.log2(bytes)) - 3));
    return Math.max(bytes, Math.min(Math.ceil(bytes / step) * step, maxBufferSize, maxStorageBufferBindingSize));
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
