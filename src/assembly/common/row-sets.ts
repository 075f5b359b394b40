// Sets of a chunk's rows as bits. Each word covers 64 rows of a line. Encoders examine only the rows in these sets.

/** Number of words in a line of this many rows. */
export function setWords(rows: u32): u32 {
  return (rows + 63) >> 6;
}

/** Bytes of all rows' bits, in lines along y, one for each z. */
function setBytes(y: u32, z: u32): u32 {
  return 8 * setWords(y) * z;
}

/** The nonzero rows: lines along y, one for each z. */
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
