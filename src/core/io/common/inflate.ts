import { StriaError } from '../../shared/errors.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { decompressNatively } from './gunzip.ts';

/** How much is given to the inflater at once. The output can be 1032 times as large and is kept in memory. */
const inputBytes = 64 * 1024;

/**
 * The content of a zlib stream, in pieces. The platform's inflater also verifies the stream's checksum.
 * @throws StriaError `corrupt` for broken or truncated data; `aborted`; errors of `input`
 */
export async function* inflate(input: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* decompressNatively('deflate', evenPieces(input), signal);
  } catch (error) {
    throwIfAborted(signal);
    if (error instanceof StriaError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StriaError('corrupt', `the compressed data is broken or truncated: ${reason}`, { cause: error });
  }
}

/** The same bytes in pieces of `inputBytes`. PNG data often comes in much smaller pieces, and each write costs time. */
async function* evenPieces(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered = new Uint8Array(inputBytes);
  let length = 0;
  for await (const piece of input) {
    for (let at = 0; at < piece.byteLength; ) {
      const part = piece.subarray(at, at + inputBytes - length);
      gathered.set(part, length);
      length += part.byteLength;
      at += part.byteLength;
      if (length < inputBytes) continue;
      yield gathered;
      gathered = new Uint8Array(inputBytes);
      length = 0;
    }
  }
  if (length > 0) yield gathered.subarray(0, length);
}
