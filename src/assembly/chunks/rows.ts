import { firstLanes } from '../common/lanes';

/** Writes a word for each 64 rows: which of them have any bit that is 1. 16 bytes behind a row can be read. */
export function findNonZero(row: usize, stride: u32, rowBytes: u32, rows: u32, to: usize): void {
  const short = rowBytes < 16;
  const present = firstLanes<u8>(rowBytes);
  for (let first: u32 = 0; first < rows; first += 64, to += 8) {
    let word: u64 = 0;
    const count = min<u32>(64, rows - first);
    for (let bit: u32 = 0; bit < count; bit++, row += stride) {
      let any: v128;
      if (short) any = v128.and(v128.load(row), present);
      else {
        // The last vector may overlap the one before it.
        const last = row + rowBytes - 16;
        any = v128.load(last);
        for (let p = row; p < last; p += 16) any = v128.or(any, v128.load(p));
      }
      word |= <u64>v128.any_true(any) << bit;
    }
    store<u64>(to, word);
  }
}
