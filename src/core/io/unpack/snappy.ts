import { StriaError } from '../../shared/errors.ts';
import { copyLiterals, copyMatch } from './copy-bytes.ts';

/** Lengths of literals above this have one to four bytes of their own. */
const longestShort = 60;

/**
 * Decodes raw Snappy into `content`, and fills it.
 * Source: format_description.txt of Snappy 1.1.
 *
 * @throws StriaError `corrupt` unless the data is sound and exactly as long
 */
export function decodeSnappy(bytes: Uint8Array, content: Uint8Array): void {
  const room = content.byteLength;
  let at = 0;
  let written = 0;
  /** A little-endian number. */
  const next = (count: number) => {
    if (at + count > bytes.byteLength) throw damaged();
    let number = 0;
    for (let byte = 0; byte < count; byte++) number += (bytes[at++] as number) * 256 ** byte;
    return number;
  };
  if (statedLength(() => next(1)) !== room) throw damaged();
  while (at < bytes.byteLength) {
    const tag = next(1);
    const kind = tag & 3;
    if (kind === 0) {
      const short = (tag >> 2) + 1;
      const count = short <= longestShort ? short : next(short - longestShort) + 1;
      if (at + count > bytes.byteLength || written + count > room) throw damaged();
      copyLiterals(bytes, at, content, written, count);
      at += count;
      written += count;
      continue;
    }
    const count = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const distance = kind === 1 ? ((tag >> 5) << 8) + next(1) : next(kind === 2 ? 2 : 4);
    if (distance === 0 || distance > written || written + count > room) throw damaged();
    copyMatch(content, written, distance, count);
    written += count;
  }
  if (written !== room) throw damaged();
}

/** Seven bits in each byte, the lowest first. All but the last byte have their highest bit set. */
function statedLength(next: () => number): number {
  let length = 0;
  for (let place = 0; place < 5; place++) {
    const byte = next();
    length += (byte & 127) * 128 ** place;
    if (byte < 128) return length;
  }
  throw damaged();
}

function damaged(): StriaError {
  return new StriaError('corrupt', 'the Snappy data is damaged');
}
