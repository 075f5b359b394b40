import { StriaError } from '../../shared/errors.ts';
import { copyLiterals, copyMatch } from './copy-bytes.ts';

const shortestMatch = 4;
/** Lengths of this and more go on in further bytes. */
const longLength = 15;

/**
 * Decodes one block of LZ4 into `content`, and fills it.
 * Source: lz4_Block_format.md of LZ4 1.9.
 *
 * @throws StriaError `corrupt` unless the block is sound and exactly as long
 */
export function decodeLz4Block(bytes: Uint8Array, content: Uint8Array): void {
  const { byteLength } = bytes;
  const room = content.byteLength;
  let at = 0;
  let written = 0;
  while (at < byteLength) {
    const token = bytes[at++] as number;
    let literals = token >> 4;
    if (literals === longLength) {
      let more: number;
      do {
        if (at >= byteLength) throw damaged();
        more = bytes[at++] as number;
        literals += more;
      } while (more === 255);
    }
    if (at + literals > byteLength || written + literals > room) throw damaged();
    copyLiterals(bytes, at, content, written, literals);
    at += literals;
    written += literals;
    // The last sequence is only literals.
    if (at === byteLength) break;
    if (at + 2 > byteLength) throw damaged();
    const distance = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
    at += 2;
    let count = token & 15;
    if (count === longLength) {
      let more: number;
      do {
        if (at >= byteLength) throw damaged();
        more = bytes[at++] as number;
        count += more;
      } while (more === 255);
    }
    count += shortestMatch;
    if (distance === 0 || distance > written || written + count > room) throw damaged();
    copyMatch(content, written, distance, count);
    written += count;
  }
  if (written !== room) throw damaged();
}

function damaged(): StriaError {
  return new StriaError('corrupt', 'an LZ4 block is damaged');
}
