import type { ByteSource } from '../shared/bytes.ts';
import type { JobOptions } from '../shared/job.ts';
import { addChecksums, type Checksum, checksum } from './checksum.ts';

/** A multiple of 4, because words are numbered through all pieces. */
const defaultPieceBytes = 2 ** 20;
/** A larger file is sampled by this many pieces, spread evenly. */
const mostPieces = 16;

/**
 * Identifies a file without reading all of a large one: Stria's checksum (docs/FORMAT.md, one row) of the file, or, if it is longer
 * than 16 pieces, of 16 concatenated pieces. The first piece is at the start, the last at the end, the others evenly between. It
 * is meaningful only together with the file's size.
 * @param pieceBytes default 1 MiB; must be a multiple of 4
 * @returns 16 hexadecimal digits: sum, then cross
 * @throws StriaError `not-readable`, `aborted`
 */
export async function fingerprint(
  source: Pick<ByteSource, 'size' | 'read'>,
  { signal }: JobOptions = {},
  pieceBytes = defaultPieceBytes,
): Promise<string> {
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
