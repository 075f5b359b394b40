import { StriaError } from '../../../core/shared/errors.ts';
import type { LimitedSink } from '../../../core/stream/made-levels/fitting-levels.ts';

/** The browser takes bytes in parts of this size. */
const partBytes = 2 ** 22;

/** A sink that collects bytes outside this thread's memory, in a form that other threads can read. */
export class BlobSink implements LimitedSink {
  readonly #limitBytes: number;
  readonly #parts: Blob[] = [];
  #pending: Uint8Array<ArrayBuffer>[] = [];
  #pendingBytes = 0;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** What has been written. */
  get bytes(): number {
    return this.#bytes;
  }

  /** All that was written. */
  get blob(): Blob {
    return new Blob([...this.#parts, ...this.#pending]);
  }

  /** @throws StriaError `limit-too-small` */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#bytes + bytes.byteLength > this.#limitBytes) {
      throw new StriaError('limit-too-small', `they take more than ${this.#limitBytes} bytes`);
    }
    this.#bytes += bytes.byteLength;
    this.#pending.push(new Uint8Array(bytes));
    this.#pendingBytes += bytes.byteLength;
    if (this.#pendingBytes < partBytes) return;
    this.#parts.push(new Blob(this.#pending));
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  async close(): Promise<void> {}

  async abort(): Promise<void> {
    this.#parts.length = 0;
    this.#pending = [];
    this.#bytes = 0;
  }
}
