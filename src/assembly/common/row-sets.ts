// Sets of a chunk's rows, as bits: the words of a line of rows are 64 rows each. Encoders look only at rows that matter.

/** Words of a line of this many rows. */
export function setWords(rows: u32): u32 {
  return (rows + 63) >> 6;
}

/** Bytes of all rows' bits, in lines along y, one for each z. */
function setBytes(y: u32, z: u32): u32 {
  return 8 * setWords(y) * z;
}

/** The rows with any bit that is 1: lines along y, one for each z. */
export function nonZeroRows(sets: usize): usize {
  return sets;
}

/** The rows with an element that differs from the next one along x: lines along y, one for each z. */
export function rowsChangingX(sets: usize, y: u32, z: u32): usize {
  return sets + setBytes(y, z);
}

/** The rows that differ from the next one along y: lines along y, one for each z. */
export function rowsChangingY(sets: usize, y: u32, z: u32): usize {
  return sets + 2 * setBytes(y, z);
}

/** The rows that differ from the next one along z: lines along z, one for each y. */
export function rowsChangingZ(sets: usize, y: u32, z: u32): usize {
  return sets + 3 * setBytes(y, z);
}
