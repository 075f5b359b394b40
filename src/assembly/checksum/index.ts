// The checksum of src/core/format/checksum.ts.
import { lowBits } from '../common/bits';
import { checksumCross, checksumSum, mixRows, startChecksum } from '../common/checksum';

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

/**
 * The checksum of contiguous rows. 16 bytes past them must be readable.
 * @param word number of the first word
 * @param to receives `sum` and `cross`, 4 bytes each
 */
export function checksum(from: usize, rowBytes: u32, rows: u32, word: u32, to: usize): void {
  startChecksum();
  const rowWords = (rowBytes + 3) >> 2;
  for (let row: u32 = 0; row < rows; row += 64) {
    const some = lowBits(min<u32>(64, rows - row));
    mixRows(some, from + row * rowBytes, rowBytes, rowBytes, word + row * rowWords, rowWords);
  }
  store<u32>(to, checksumSum());
  store<u32>(to, checksumCross(), 4);
}
