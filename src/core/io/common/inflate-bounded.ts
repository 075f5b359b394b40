import { StriaError } from '../../shared/errors.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { joinBytes } from './byte-stream.ts';
import { decompressNatively } from './gunzip.ts';

/** How much is given to the inflater at once. The output can be 1032 times as large. */
const inputBytes = 16 * 1024;

/**
 * The content of a short deflate stream.
 * @param limit the maximum length of the content; more is refused
 * @throws StriaError `corrupt`, `aborted`
 */
export async function inflateBounded(
  bytes: Uint8Array,
  format: 'deflate' | 'deflate-raw',
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  async function* input(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.byteLength; at += inputBytes) yield bytes.slice(at, at + inputBytes);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of decompressNatively(format, input(), signal)) {
      length += piece.byteLength;
      if (length > limit) {
        throw new StriaError('corrupt', `compressed data exceeds the stated ${limit} bytes`);
      }
      pieces.push(piece);
    }
  } catch (error) {
    throwIfAborted(signal);
    if (error instanceof StriaError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StriaError('corrupt', `compressed data is broken or truncated: ${reason}`, { cause: error });
  }
  return joinBytes(pieces);
}
