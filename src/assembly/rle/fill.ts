// Writes the voxels of runs.
import { getBits, transpose } from '../common/bits';

/** Along x, elements are in scan order. Also writes up to 80 bytes past the end. */
export function fillAlongRows<T>(level0: usize, values: usize, count: u32, to: usize): void {
  let value = load<T>(values);
  for (let first: u32 = 0; first < count; first += 64) {
    const start = to + first * sizeof<T>();
    const end = start + 64 * sizeof<T>();
    fill<T>(start, end, value);
    // Each run overwrites what the one before it filled.
    for (let starts = load<u64>(level0 + (first >> 3)); starts !== 0; starts &= starts - 1, values += sizeof<T>()) {
      value = load<T>(values);
      fill<T>(start + <u32>ctz(starts) * sizeof<T>(), end, value);
    }
  }
}

/** Whole vectors from `start` on. */
function fill<T>(start: usize, end: usize, value: T): void {
  const vector =
    sizeof<T>() === 1 ? i8x16.splat(<i8>value) : sizeof<T>() === 2 ? i16x8.splat(<i16>value) : i32x4.splat(<i32>value);
  for (let p = start; p < end; p += 16) v128.store(p, vector);
}

/** The bits of each of 64 columns; after they are transposed, of each of 64 rows. */
const turned: usize = memory.data(512, 16);
/** For each of 64 columns, the address after the value of the current run. */
const next: usize = memory.data(4 * 64, 16);

/**
 * Along y or z: `length` rows lie across the columns, `step` bytes apart, in each of `outers` groups, `outerStep` bytes apart. A row equals
 * the row before it, except in the columns in which a run starts.
 */
export function fillAcrossRows<T>(
  level0: usize,
  values: usize,
  width: u32,
  length: u32,
  step: u32,
  outers: u32,
  outerStep: u32,
  to: usize,
): void {
  for (let outer: u32 = 0; outer < outers; outer++) {
    for (let first: u32 = 0; first < width; first += 64) {
      const columns = min<u32>(64, width - first);
      const bytes = columns * sizeof<T>();
      const index = (outer * width + first) * length;
      const start = to + outer * outerStep + first * sizeof<T>();
      values = findColumns<T>(level0, values, index, columns, length);
      for (let part: u32 = 0; part < length; part += 64) {
        const rows = min<u32>(64, length - part);
        let any: u64 = 0;
        for (let column: u32 = 0; column < columns; column++) {
          const starts = getBits(level0, index + column * length + part, rows);
          store<u64>(turned + 8 * column, starts);
          any |= starts;
        }
        memory.fill(turned + 8 * columns, 0, 8 * (64 - columns));
        if (any !== 0) transpose(turned);
        for (let row: u32 = 0; row < rows; row++) {
          const p = start + (part + row) * step;
          let starts = any !== 0 ? load<u64>(turned + 8 * row) : 0;
          if (part + row === 0) {
            // Every column's first element: its run starts here or continues from the column before.
            for (let column: u32 = 0; column < columns; column++) {
              if (((starts >> column) & 1) !== 0) store<u32>(next + 4 * column, load<u32>(next + 4 * column) + sizeof<T>());
              store<T>(p + column * sizeof<T>(), load<T>(load<u32>(next + 4 * column) - sizeof<T>()));
            }
            continue;
          }
          copyRow(p - step, p, bytes);
          for (; starts !== 0; starts &= starts - 1) {
            const column = <u32>ctz(starts);
            const value = <usize>load<u32>(next + 4 * column);
            store<T>(p + column * sizeof<T>(), load<T>(value));
            store<u32>(next + 4 * column, <u32>value + sizeof<T>());
          }
        }
      }
    }
  }
}

/** Finds where each column's values begin. @returns where the values after these columns begin */
function findColumns<T>(level0: usize, values: usize, index: u32, columns: u32, length: u32): usize {
  for (let column: u32 = 0; column < columns; column++) {
    store<u32>(next + 4 * column, <u32>values);
    for (let part: u32 = 0; part < length; part += 64) {
      const count = min<u32>(64, length - part);
      values += <u32>popcnt(getBits(level0, index + part, count)) * sizeof<T>();
    }
    index += length;
  }
  return values;
}

function copyRow(from: usize, to: usize, bytes: u32): void {
  if ((bytes & 63) !== 0) {
    memory.copy(to, from, bytes);
    return;
  }
  for (let at: u32 = 0; at < bytes; at += 16) v128.store(to + at, v128.load(from + at));
}
