/** Reads exact lengths from a stream of pieces of any size. */
export class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array();

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Fills `target` and returns the number of bytes: fewer only at the end. @throws errors of the stream */
  async fill(target: Uint8Array): Promise<number> {
    let filled = 0;
    while (filled < target.byteLength) {
      const part = await this.take(target.byteLength - filled);
      if (part.byteLength === 0) break;
      target.set(part, filled);
      filled += part.byteLength;
    }
    return filled;
  }

  /** At most `most` of the next bytes, and none only at the end. They are part of a piece. @throws errors of the stream */
  async take(most: number): Promise<Uint8Array> {
    while (this.#piece.byteLength === 0) {
      const next = await this.#pieces.next();
      if (next.done) return new Uint8Array();
      this.#piece = next.value;
    }
    const part = this.#piece.subarray(0, most);
    this.#piece = this.#piece.subarray(part.byteLength);
    return part;
  }

  /** Skips the rest and returns its length. Stops once that exceeds `most`. @throws errors of the stream */
  async drain(most: number): Promise<number> {
    let length = 0;
    while (length <= most) {
      const part = await this.take(Number.MAX_SAFE_INTEGER);
      if (part.byteLength === 0) break;
      length += part.byteLength;
    }
    return length;
  }

  /** Releases the stream, whether it has ended or not. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}
