import type { Gpu } from './gpu.ts';
import { type LentBytes, wholeWords } from './lent-bytes.ts';
import type { GpuScope } from './scope.ts';
import { uploadUsage } from './spare-buffers.ts';

const byBuffer = new WeakMap<ArrayBuffer, UploadMemory>();

/**
 * Memory that the CPU fills and the GPU copies from, so that a file can be read directly into it. It is reused, because
 * allocating it takes long.
 */
export class UploadMemory implements LentBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #buffer: GPUBuffer;

  private constructor(gpu: Gpu, scope: GpuScope, buffer: GPUBuffer, byteLength: number) {
    this.#gpu = gpu;
    this.#scope = scope;
    this.#buffer = buffer;
    this.bytes = new Uint8Array(buffer.getMappedRange(0, wholeWords(byteLength)), 0, byteLength);
    byBuffer.set(this.bytes.buffer, this);
  }

  /** Waits until the GPU has finished with the memory, which it usually has. The contents are undefined. @throws StriaError `device-lost` */
  static async take(gpu: Gpu, byteLength: number): Promise<UploadMemory> {
    gpu.checkAlive();
    const scope = gpu.scope('upload-memory');
    try {
      const buffer = scope.reused('bytes', byteLength, uploadUsage(), true);
      await gpu.spare.mapForWriting(buffer);
      return new UploadMemory(gpu, scope, buffer, byteLength);
    } catch (error) {
      scope.destroy();
      throw await gpu.causeOf(error);
    }
  }

  /** The upload memory that begins with these bytes, if any. */
  static of(bytes: Uint8Array<ArrayBuffer>): UploadMemory | undefined {
    return bytes.byteOffset === 0 ? byBuffer.get(bytes.buffer) : undefined;
  }

  /** Copies the memory, up to whole words, to a buffer. This releases it: the bytes are detached. @param offset a multiple of 4 */
  copyTo(target: GPUBuffer, offset = 0): void {
    const size = wholeWords(this.bytes.byteLength);
    this.#buffer.unmap();
    const encoder = this.#gpu.device.createCommandEncoder({ label: 'upload' });
    encoder.copyBufferToBuffer(this.#buffer, 0, target, offset, size);
    this.#gpu.device.queue.submit([encoder.finish()]);
    this.release();
  }

  async causeOf(error: unknown): Promise<unknown> {
    const areDetached = this.bytes.byteLength === 0;
    return areDetached ? this.#gpu.causeOf(error) : error;
  }

  release(): void {
    this.#scope.destroy();
  }
}
