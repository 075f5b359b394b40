import { StriaError } from '../../shared/errors.ts';
import { copyLiterals, copyMatch } from './copy-bytes.ts';

/** Control bytes below this are literals, as many as their lowest five bits plus one. */
const firstMatch = 32;
/** A match of this many units has further bytes of length. */
const longMatch = 7;
const shortestMatch = 2;
/** From here on, a distance has 16 bits. */
const farDistance = 8191;

/**
 * Decodes BloscLZ into `content`, and fills it.
 * Source: c-blosc 1.21, blosclz.c.
 *
 * @throws StriaError `corrupt` unless the data is sound and exactly as long
 */
export function decodeBloscLz(bytes: Uint8Array, content: Uint8Array): void {
  let at = 0;
  let written = 0;
  const next = () => {
    if (at >= bytes.byteLength) throw damaged();
    return bytes[at++] as number;
  };
  for (let isFirst = true; at < bytes.byteLength; isFirst = false) {
    const control = isFirst ? next() & 31 : next();
    if (control < firstMatch) {
      const count = control + 1;
      if (at + count > bytes.byteLength || written + count > content.byteLength) throw damaged();
      copyLiterals(bytes, at, content, written, count);
      at += count;
      written += count;
      continue;
    }
    let count = (control >> 5) + shortestMatch;
    if (control >> 5 === longMatch) {
      let more: number;
      do {
        more = next();
        count += more;
      } while (more === 255);
    }
    let distance = ((control & 31) << 8) + next();
    if (distance === farDistance) distance += (next() << 8) + next();
    distance++;
    if (distance > written || written + count > content.byteLength) throw damaged();
    copyMatch(content, written, distance, count);
    written += count;
  }
  if (written !== content.byteLength) throw damaged();
}

function damaged(): StriaError {
  return new StriaError('corrupt', 'a BloscLZ stream is damaged');
}
