import type { Gpu } from '../gpu/gpu.ts';
import { wholeWords } from '../gpu/lent-bytes.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { uploadUsage } from '../gpu/spare-buffers.ts';

/** The bytes of a block, and the number of blocks: one is filled while the GPU copies from the others. */
const [blockBytes, blockCount] = [2 ** 22, 3];

interface Block {
  readonly buffer: GPUBuffer;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly copies: { readonly target: GPUBuffer; readonly from: number; readonly to: number; readonly size: number }[];
  used: number;
}

/**
 * Memory that the CPU fills and the GPU copies from, kept from one upload to the next: `GPUQueue.writeBuffer` allocates such memory for much
 * data, which takes longer than filling it.
 */
export class PayloadUploads {
  readonly #gpu: Gpu;
  /** Mapped blocks. */
  readonly #idle: GPUBuffer[] = [];
  #block: Block | undefined;

  /** @param scope owns the blocks */
  constructor(gpu: Gpu, scope: GpuScope) {
    this.#gpu = gpu;
    for (let at = 0; at < blockCount; at++) {
      const buffer = scope.reused('uploads', blockBytes, uploadUsage());
      this.#keep(buffer, gpu.spare.mapForWriting(buffer));
    }
  }

  /** Whether `write` needs no new memory for a payload. */
  hasRoomFor(byteLength: number): boolean {
    if (byteLength > blockBytes) return false;
    const used = this.#block?.used;
    return (used !== undefined && used + byteLength <= blockBytes) || this.#idle.length > 0;
  }

  /** Writes a payload, with zeros up to whole words (`wholeWords`). Work that is submitted after the next `flush` sees it. */
  write(target: GPUBuffer, offset: number, payload: Uint8Array): void {
    const size = wholeWords(payload.byteLength);
    if (this.#block && this.#block.used + size > blockBytes) this.flush();
    const block = size > blockBytes ? undefined : (this.#block ?? this.#take());
    if (!block) {
      // Earlier copies come first, because they may go to the same place.
      this.flush();
      this.#gpu.device.queue.writeBuffer(target, offset, padded(payload, size));
      return;
    }
    this.#block = block;
    block.bytes.set(payload, block.used);
    block.bytes.fill(0, block.used + payload.byteLength, block.used + size);
    block.copies.push({ target, from: block.used, to: offset, size });
    block.used += size;
  }

  /** Submits the copies of what was written. */
  flush(): void {
    if (!this.#block) return;
    const { buffer, copies } = this.#block;
    this.#block = undefined;
    buffer.unmap();
    const encoder = this.#gpu.device.createCommandEncoder({ label: 'payloads' });
    for (const { target, from, to, size } of copies) encoder.copyBufferToBuffer(buffer, from, target, to, size);
    this.#gpu.device.queue.submit([encoder.finish()]);
    this.#keep(buffer, buffer.mapAsync(GPUMapMode.WRITE));
  }

  #take(): Block | undefined {
    const buffer = this.#idle.pop();
    return buffer && { buffer, bytes: new Uint8Array(buffer.getMappedRange(0, blockBytes)), copies: [], used: 0 };
  }

  /** @param mapped resolves once the GPU has finished with the block; fails if the block was freed or the device was lost */
  #keep(buffer: GPUBuffer, mapped: Promise<void>): void {
    mapped.then(
      () => this.#idle.push(buffer),
      () => {},
    );
  }
}

function padded(payload: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  bytes.set(payload);
  return bytes;
}
