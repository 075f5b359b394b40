// Level 0 of the bitmaps: 'bit i is 1 where element i starts a run', in scan order. Must be zeros before.
// 512 bytes past the end are used too.
import { differences, lowBits, putBits, transpose } from '../common/bits';
import { rowsChangingX, rowsChangingY, setWords } from '../common/row-sets';

const turned: usize = memory.data(512, 16);

/** Along x: the scan order of elements is that of rows. */
export function markAlongRows<T>(
  at: usize,
  rowStride: u32,
  planeStride: u32,
  width: u32,
  height: u32,
  depth: u32,
  sets: usize,
  level0: usize,
): void {
  const changingX = rowsChangingX(sets, height, depth);
  const changingY = rowsChangingY(sets, height, depth);
  const lineWords = setWords(height);
  const toLast = (width - 1) * sizeof<T>();
  /** The element before a row's first one in scan order. */
  let before: usize = 0;
  for (let z: u32 = 0; z < depth; z++) {
    const plane = at + z * planeStride;
    // A plane's first row may begin a run; another row, if it or the one before it changes.
    let carried: u64 = 1;
    for (let part: u32 = 0; part < lineWords; part++) {
      const word = 8 * (z * lineWords + part);
      const rowsX = load<u64>(changingX + word);
      const either = rowsX | load<u64>(changingY + word);
      let look = (rowsX | (either << 1) | carried) & lowBits(min<u32>(64, height - 64 * part));
      carried = either >> 63;
      for (; look !== 0; look &= look - 1) {
        const y: u32 = 64 * part + <u32>ctz(look);
        const row = plane + y * rowStride;
        if (y > 0) before = row - rowStride + toLast;
        const startsRun = before === 0 || load<T>(row) !== load<T>(before);
        const index = (z * height + y) * width;
        for (let first: u32 = 0; first < width; first += 64) {
          const p = row + first * sizeof<T>();
          let starts = differences<T>(p, p - sizeof<T>()) & lowBits(min<u32>(64, width - first));
          if (first === 0) starts = (starts & ~1) | u64(startsRun);
          if (starts !== 0) putBits(level0, index + first, starts);
        }
      }
    }
    before = plane + (height - 1) * rowStride + toLast;
  }
}

/**
 * Along y or z: rows lie across the columns. The bits of 64 rows become those of their columns.
 * @param length rows along the columns, `step` bytes apart, in each of `outers` groups, `outerStep` bytes apart
 * @param changing the rows that differ from the next one, a line for each group
 */
export function markAcrossRows<T>(
  at: usize,
  width: u32,
  length: u32,
  step: u32,
  outers: u32,
  outerStep: u32,
  changing: usize,
  level0: usize,
): void {
  const lineWords = setWords(length);
  const toLast = (length - 1) * step;
  for (let outer: u32 = 0; outer < outers; outer++) {
    const group = at + outer * outerStep;
    for (let first: u32 = 0; first < width; first += 64) {
      const start = group + first * sizeof<T>();
      const columns = min<u32>(64, width - first);
      const present = lowBits(columns);
      const index = (outer * width + first) * length;
      for (let part: u32 = 0; part < lineWords; part++) {
        const rows = min<u32>(64, length - 64 * part);
        // Columns of 64 elements are words of level 0. Words of later columns are used meanwhile, and are zeros again afterwards.
        const words = length === 64 ? level0 + (index >> 3) : turned;
        if (length !== 64) memory.fill(words, 0, 512);
        const line = changing + 8 * (outer * lineWords + part);
        let look = load<u64>(line) << 1;
        let any: u64 = 0;
        if (part > 0) look |= load<u64>(line - 8) >> 63;
        else {
          // A column's first element follows the last one of the column before. The very first has no predecessor.
          any = differences<T>(start, start + toLast - sizeof<T>()) & present;
          if (first === 0) {
            any &= ~1;
            const before = start - outerStep + toLast + (width - 1) * sizeof<T>();
            if (outer === 0 || load<T>(start) !== load<T>(before)) any |= 1;
          }
          store<u64>(words, any);
        }
        for (look &= lowBits(rows); look !== 0; look &= look - 1) {
          const bit = <u32>ctz(look);
          const p = start + (64 * part + bit) * step;
          const starts = differences<T>(p, p - step) & present;
          store<u64>(words + 8 * bit, starts);
          any |= starts;
        }
        if (any === 0) continue;
        transpose(words);
        if (length === 64) continue;
        for (let column: u32 = 0; column < columns; column++) {
          const starts = load<u64>(words + 8 * column);
          if (starts !== 0) putBits(level0, index + column * length + 64 * part, starts);
        }
      }
    }
  }
}
