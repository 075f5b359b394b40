import { StriaError } from '../../shared/errors.ts';
import { type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { type ByteStream, joinBytes } from './byte-stream.ts';

// What headers of text have in common: NRRD and MetaImage.

/** Each byte as the character of its number. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Bytes from `from` up to, not including, `to` are to become `text`. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The bytes with some parts replaced, which do not overlap, and every other byte unchanged. */
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
 * Where voxels begin that end with their file.
 * @param least they may not begin before it
 * @param gzipped the message for a file whose length is not known
 * @throws StriaError `unsupported`, `corrupt`
 */
export function startFromEnd(stream: ByteStream, least: number, info: VolumeInfo, gzipped: string): number {
  if (stream.size === undefined) throw new StriaError('unsupported', gzipped);
  const total = volumeBytes(info);
  if (stream.size - total < least) {
    const available = Math.max(0, stream.size - least);
    throw new StriaError(
      'corrupt',
      `the file ends early: its header promises ${total} bytes of voxels, but there are ${available}`,
    );
  }
  return stream.size - total;
}
