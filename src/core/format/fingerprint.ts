import type { ByteSource } from '../shared/bytes.ts';
import type { JobOptions } from '../shared/job.ts';
import { addChecksums, type Checksum, checksum } from './checksum.ts';

/** In bytes, a multiple of 4: pieces are numbered on by words. */
const pieceBytes = 2 ** 20;
/** A file of more pieces is read in so many, spread evenly over it. */
const mostPieces = 16;

/**
 * Tells files apart without reading large ones whole: Stria's checksum (docs/FORMAT.md, one row) of the file, or, where that
 * is over 16 MiB, of 16 pieces of 1 MiB one behind the other, the first at its beginning, the last at its end, the others
 * evenly between. Only with the file's size does it say anything.
 * @returns 16 hexadecimal digits: sum, then cross
 * @throws StriaError `not-readable`, `aborted`
 */
export async function fingerprint(source: ByteSource, { signal }: JobOptions = {}): Promise<string> {
  const count = Math.min(mostPieces, Math.ceil(source.size / pieceBytes));
  const last = source.size - pieceBytes;
  const isWhole = source.size <= mostPieces * pieceBytes;
  let sum: Checksum = { sum: 0, cross: 0 };
  for (let piece = 0; piece < count; piece++) {
    const offset = isWhole ? piece * pieceBytes : Math.floor((last * piece) / (mostPieces - 1));
    const bytes = await source.read(offset, pieceBytes, { signal });
    sum = addChecksums(sum, checksum(bytes, undefined, (piece * pieceBytes) / 4));
  }
  return [sum.sum, sum.cross].map((word) => word.toString(16).padStart(8, '0')).join('');
}
