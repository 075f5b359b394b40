// The model's numbers. The caller passes them in memory: `tableWords` of src/core/codecs/labels/tables.ts.

const missChanceCount: i32 = 97;
const rowChanceCount: i32 = 5;
const newChanceCount: i32 = 8;
/** Bytes of the weights of one guess: nine behind, seven near. */
const guessBytes: u32 = 512 + 128;

let rowChances: usize = 0;
let newChances: usize = 0;
let weights: usize = 0;
/** The chance of each sum of two weights, −256 to 255. */
const chances: usize = memory.data(2 * 512, 16);

export function setTables(tables: usize): void {
  rowChances = tables + 4 * missChanceCount;
  newChances = rowChances + 4 * rowChanceCount;
  weights = newChances + 4 * newChanceCount;
  for (let score = -256; score < 256; score++) {
    const chance = load<u32>(tables + 4 * min<i32>(abs<i32>(score), missChanceCount - 1));
    store<u16>(chances + 2 * (score + 256), <u16>(score > 0 ? 4096 - chance : chance));
  }
}

/** The chance that a row differs from the rows around it. @param rows how many these are */
export function rowChance(rows: u32): u32 {
  return load<u32>(rowChances + 4 * rows);
}

/** The chance that a label is new. @param left how many known labels were not guessed */
export function newChance(left: u32): u32 {
  return load<u32>(newChances + 4 * min<u32>(left, newChanceCount - 1));
}

/** The chance that a guess is wrong. @param agreeing which neighbours have its label: bits of the nine behind, then of the seven near */
export function missChance(guess: u32, agreeing: u32): u32 {
  if (guess === 2) return 320;
  const own = weights + guess * guessBytes;
  const score = <i32>load<i8>(own + (agreeing & 511)) + <i32>load<i8>(own + (agreeing >> 9), 512);
  return load<u16>(chances + 2 * (score + 256));
}
