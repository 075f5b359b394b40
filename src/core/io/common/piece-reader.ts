/** Reads a stream that comes in pieces of any size by exact lengths. */
export class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array();

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Fills `target`, and says how many bytes there were: fewer only at the end. @throws what the stream throws */
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

  /** Some of the next bytes, `most` at most and none only at the end. They are part of a piece. @throws what the stream throws */
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

  /** Passes over what is left, and says how long it was. Stops once it was more than `most`. @throws what the stream throws */
  async drain(most: number): Promise<number> {
    let length = 0;
    while (length <= most) {
      const part = await this.take(Number.MAX_SAFE_INTEGER);
      if (part.byteLength === 0) break;
      length += part.byteLength;
    }
    return length;
  }

  /** Lets the stream go, whether it has ended or not. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}
