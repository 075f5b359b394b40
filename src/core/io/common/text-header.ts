import { StriaError } from '../../shared/errors.ts';
import { type ByteStream, joinBytes } from './byte-stream.ts';

// Shared by the text headers of NRRD and MetaImage.

/** Each byte as the character with that code. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Replaces the bytes from `from` up to, not including, `to` with `text`. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A copy of the bytes with these replacements, which must not overlap. */
export function withReplacements(bytes: Uint8Array, replacements: readonly Replacement[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, text } of [...replacements].sort((a, b) => a.from - b.from)) {
    parts.push(bytes.subarray(at, from), new TextEncoder().encode(text));
    at = to;
  }
  parts.push(bytes.subarray(at));
  return joinBytes(parts);
}

/**
 * The start of voxels that end at the end of their file.
 * @param least the lowest valid start
 * @param total their number of bytes
 * @param gzipped the message for a file of unknown length
 * @throws StriaError `unsupported`, `corrupt`
 */
export function startFromEnd(stream: ByteStream, least: number, total: number, gzipped: string): number {
  if (stream.size === undefined) throw new StriaError('unsupported', gzipped);
  if (stream.size - total < least) {
    const available = Math.max(0, stream.size - least);
    throw new StriaError(
      'corrupt',
      `the file ends early: its header promises ${total} bytes of voxels, but there are ${available}`,
    );
  }
  return stream.size - total;
}
