import { StriaError } from '../../shared/errors.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { decompressNatively } from '../gunzip.ts';

/** What goes into the inflater at once: it may come out 1032 times as large, and all of that is in memory. */
const inputBytes = 64 * 1024;

/**
 * What a zlib stream holds, in pieces, by the platform's inflater, which checks the stream's own checksum, too.
 * @throws StriaError `corrupt` for broken or truncated data; `aborted`
 */
export async function* inflate(bytes: Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* decompressNatively('deflate', cut(bytes), signal);
  } catch (error) {
    throwIfAborted(signal);
    if (error instanceof StriaError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StriaError('corrupt', `the picture's compressed data is broken or truncated: ${reason}`, { cause: error });
  }
}

async function* cut(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += inputBytes) yield bytes.subarray(at, at + inputBytes);
}
