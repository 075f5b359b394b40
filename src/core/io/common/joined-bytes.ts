import type { JobOptions } from '../../shared/job.ts';
import { type ByteStream, joinBytes, type PieceOptions } from './byte-stream.ts';

/** A range of a stream. */
export interface Stretch {
  readonly stream: ByteStream;
  readonly start: number;
  readonly length: number;
}

/** Ranges of streams, concatenated into one stream. Each must have its stated length, because the others would shift otherwise. */
export function joinedBytes(stretches: readonly Stretch[], tooShort: (index: number) => Error): ByteStream {
  const size = stretches.reduce((sum, { length }) => sum + length, 0);
  async function* pieces(start: number, { signal }: PieceOptions = {}): AsyncGenerator<Uint8Array> {
    let skip = start;
    for (const [index, { stream, start: first, length }] of stretches.entries()) {
      if (skip >= length) {
        skip -= length;
        continue;
      }
      let left = length - skip;
      for await (const piece of stream.pieces(first + skip, { signal })) {
        const part = piece.subarray(0, left);
        left -= part.byteLength;
        if (part.byteLength > 0) yield part;
        if (left === 0) break;
      }
      if (left > 0) throw tooShort(index);
      skip = 0;
    }
  }
  return {
    size,
    sizeLimit: size,
    pieces,
    async read(start: number, length: number, options?: JobOptions) {
      const parts: Uint8Array[] = [];
      let left = Math.min(length, size - start);
      if (left > 0) {
        for await (const piece of pieces(start, options)) {
          parts.push(piece.subarray(0, left));
          left -= Math.min(left, piece.byteLength);
          if (left === 0) break;
        }
      }
      return joinBytes(parts);
    },
  };
}
