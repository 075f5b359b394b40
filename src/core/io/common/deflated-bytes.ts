import { deflateSync, Inflate } from 'fflate';
import { StriaError } from '../../shared/errors.ts';
import { joinBytes } from './byte-stream.ts';

/** How much is given to the inflater at once. The output can be 1032 times as large. */
const inputBytes = 64 * 1024;

/** Compresses short data to a raw deflate stream (RFC 1951), to the same bytes on every platform. */
export function deflateBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return deflateSync(bytes);
}

/**
 * The content of a raw deflate stream (RFC 1951) whose length is known. Bytes after the stream's end are ignored.
 * @param what names the content in messages
 * @throws StriaError `corrupt` if the stream is broken, or its content has another length; a longer one is not unpacked
 */
export function inflateToLength(bytes: Uint8Array, length: number, what: string): Uint8Array<ArrayBuffer> {
  const wrong = (says: string) => new StriaError('corrupt', `${what} ${says}`);
  const content: Uint8Array[] = [];
  let gathered = 0;
  const inflater = new Inflate((piece) => {
    gathered += piece.byteLength;
    if (gathered > length) throw wrong('is longer than it states');
    content.push(piece);
  });
  try {
    for (let at = 0; at < bytes.byteLength; at += inputBytes) inflater.push(bytes.subarray(at, at + inputBytes));
    inflater.push(new Uint8Array(), true);
  } catch (error) {
    throw error instanceof StriaError ? error : wrong('is not valid deflate data');
  }
  if (gathered !== length) throw wrong('is shorter than it states');
  return joinBytes(content);
}
