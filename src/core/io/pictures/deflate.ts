/** Compresses a stream as zlib does, by the platform. What comes out is written before more is taken in. */
export class Deflater {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: Promise<void>;

  /** @param write takes the compressed bytes, in order; what it throws, `write` and `end` throw */
  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    const deflater = new CompressionStream('deflate') as ReadableWritablePair<Uint8Array, Uint8Array>;
    this.#writer = deflater.writable.getWriter();
    this.#output = this.#pump(deflater.readable.getReader(), write);
    // Its fault is thrown by `write` or `end`, whichever is waiting.
    this.#output.catch(() => undefined);
  }

  /** The bytes may be used again when the promise has resolved. */
  async write(bytes: Uint8Array): Promise<void> {
    const written = this.#writer.write(bytes);
    // A fault of the output leaves the input waiting for ever.
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
