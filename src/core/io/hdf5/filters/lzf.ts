import { StriaError } from '../../../shared/errors.ts';
import { copyLiterals, copyMatch } from '../../unpack/copy-bytes.ts';

/** A back reference of this many 3-bit units has a further byte of length. */
const longReference = 7;
const longestLiteral = 32;

/**
 * Decodes LZF, h5py's fast filter: literals of up to 32 bytes, and references to up to 8192 bytes back.
 * Source: liblzf 3.6, lzf_d.c.
 *
 * @param length of the content
 * @throws StriaError `corrupt`
 */
export function decodeLzf(bytes: Uint8Array, length: number): Uint8Array {
  const content = new Uint8Array(length);
  let at = 0;
  let written = 0;
  while (at < bytes.byteLength) {
    const control = bytes[at++] as number;
    if (control < longestLiteral) {
      const count = control + 1;
      if (at + count > bytes.byteLength || written + count > length) throw damaged();
      copyLiterals(bytes, at, content, written, count);
      at += count;
      written += count;
      continue;
    }
    let count = (control >> 5) + 2;
    if (control >> 5 === longReference) count += bytes[at++] ?? 0;
    if (at >= bytes.byteLength) throw damaged();
    const distance = ((control & 31) << 8) + (bytes[at++] as number) + 1;
    if (distance > written || written + count > length) throw damaged();
    copyMatch(content, written, distance, count);
    written += count;
  }
  if (written !== length) throw damaged();
  return content;
}

function damaged(): StriaError {
  return new StriaError('corrupt', 'the LZF data is damaged');
}
