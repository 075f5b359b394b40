/** Compresses a stream in zlib's format, with the platform's compressor. Output is written before more input is taken. */
export class Deflater {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: Promise<void>;

  /** @param write takes the compressed bytes, in order; `write` and `end` rethrow its errors */
  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    const deflater = new CompressionStream('deflate') as ReadableWritablePair<Uint8Array, Uint8Array>;
    this.#writer = deflater.writable.getWriter();
    this.#output = this.#pump(deflater.readable.getReader(), write);
    // `write` or `end` throws its fault, whichever is waiting.
    this.#output.catch(() => undefined);
  }

  /** The caller may reuse the bytes once the promise has resolved. */
  async write(bytes: Uint8Array): Promise<void> {
    const written = this.#writer.write(bytes);
    // After a fault of the output the input would wait forever.
    await Promise.race([written, this.#output]);
    await written;
  }

  async end(): Promise<void> {
    const closed = this.#writer.close();
    closed.catch(() => undefined);
    await this.#output;
    await closed;
  }

  async #pump(reader: ReadableStreamDefaultReader<Uint8Array>, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    try {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) await write(piece.value);
    } catch (error) {
      this.#writer.abort(error).catch(() => undefined);
      throw error;
    }
  }
}
