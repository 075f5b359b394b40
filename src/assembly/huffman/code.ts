// Codes of at most 12 bits: SPEC.md, 'Table', 'Codes' and "The encoder's choice".

export const maxCodeBits: u32 = 12;

/** The length of each symbol's code in bits; 0 if it has none: 256 bytes. */
export const lengths: usize = memory.data(256, 16);
/** Each symbol's code, first bit lowest, with its length in the upper 16 bits: 256 words. */
export const codes: usize = memory.data(4 * 256, 16);
/** For the next 12 bits of a stream: the symbol, and its code's length × 256. 4096 numbers of 2 bytes. */
export const decodeTable: usize = memory.data(2 * 4096, 16);

/** Symbols that occur, as count × 256 + symbol, in rising order. */
const sorted: usize = memory.data(8 * 256, 16);
const weights: usize = memory.data(4 * 256, 16);
/** How many codes have each length. */
const numbers: usize = memory.data(4 * 13, 16);

/** Sets `lengths` to those of Huffman's code. @param counts of the 256 symbols, in words; two or more are not 0 */
export function chooseLengths(counts: usize): void {
  let count: u32 = 0;
  for (let symbol: u32 = 0; symbol < 256; symbol++) {
    const own = load<u32>(counts + 4 * symbol);
    if (own > 0) store<u64>(sorted + 8 * count++, ((<u64>own) << 8) | symbol);
  }
  sort(count);
  for (let i: u32 = 0; i < count; i++) store<u32>(weights + 4 * i, <u32>(load<u64>(sorted + 8 * i) >> 8));
  countDepths(count);
  limitDepths();
  // 'The most frequent symbols get the shortest codes'
  memory.fill(lengths, 0, 256);
  let next = count;
  for (let length: u32 = 0; length <= maxCodeBits; length++) {
    for (let i: u32 = load<u32>(numbers + 4 * length); i > 0; i--) {
      next--;
      store<u8>(lengths + load<u8>(sorted + 8 * next), <u8>length);
    }
  }
}

/** Sorts the first `count` numbers of `sorted` (shellsort). */
function sort(count: u32): void {
  for (let gap: u32 = 121; gap > 0; gap /= 3) {
    for (let i = gap; i < count; i++) {
      const own = load<u64>(sorted + 8 * i);
      let at = i;
      for (; at >= gap && load<u64>(sorted + 8 * (at - gap)) > own; at -= gap) {
        store<u64>(sorted + 8 * at, load<u64>(sorted + 8 * (at - gap)));
      }
      store<u64>(sorted + 8 * at, own);
    }
  }
}

function weightAt(index: u32): u32 {
  return load<u32>(weights + 4 * index);
}

/** Counts the leaves of Huffman's tree at each depth: `depthsOfLeaves` in src/core/codecs/huffman/code.ts, which explains it. */
function countDepths(count: u32): void {
  let leaf: u32 = 0;
  let root: u32 = 0;
  for (let parent: u32 = 0; parent < count - 1; parent++) {
    let sum: u32 = 0;
    for (let child: u32 = 0; child < 2; child++) {
      if (leaf >= count || (root < parent && weightAt(root) < weightAt(leaf))) {
        sum += weightAt(root);
        store<u32>(weights + 4 * root++, parent);
      } else {
        sum += weightAt(leaf++);
      }
    }
    store<u32>(weights + 4 * parent, sum);
  }
  store<u32>(weights + 4 * (count - 2), 0);
  for (let node = <i32>count - 3; node >= 0; node--) store<u32>(weights + 4 * node, weightAt(weightAt(node)) + 1);
  memory.fill(numbers, 0, 4 * 13);
  let node = <i32>count - 2;
  for (let depth: u32 = 0, nodes: u32 = 1; nodes > 0; depth++) {
    let inner: u32 = 0;
    for (; node >= 0 && weightAt(node) === depth; node--) inner++;
    addCodes(min(depth, maxCodeBits), nodes - inner);
    nodes = 2 * inner;
  }
}

function addCodes(length: u32, count: i32): void {
  store<u32>(numbers + 4 * length, load<u32>(numbers + 4 * length) + count);
}

/** 'While the codes take more than all 4096 values' */
function limitDepths(): void {
  let taken: u32 = 0;
  for (let length: u32 = 0; length <= maxCodeBits; length++) taken += load<u32>(numbers + 4 * length) << (maxCodeBits - length);
  for (; taken > 1 << maxCodeBits; taken--) {
    let length = maxCodeBits - 1;
    while (load<u32>(numbers + 4 * length) === 0) length--;
    addCodes(maxCodeBits, -1);
    addCodes(length, -1);
    addCodes(length + 1, 2);
  }
}

/** Sets `codes` by `lengths`. */
export function assignCodes(): void {
  memory.fill(codes, 0, 4 * 256);
  let next: u32 = 0;
  for (let length: u32 = 1; length <= maxCodeBits; length++) {
    next <<= 1;
    for (let symbol: u32 = 0; symbol < 256; symbol++) {
      if (<u32>load<u8>(lengths + symbol) !== length) continue;
      let turned: u32 = 0;
      for (let bit: u32 = 0; bit < length; bit++) turned |= ((next >> bit) & 1) << (length - 1 - bit);
      store<u32>(codes + 4 * symbol, turned | (length << 16));
      next++;
    }
  }
}

/** Sets `decodeTable` by `codes`. */
export function fillDecodeTable(): void {
  for (let symbol: u32 = 0; symbol < 256; symbol++) {
    const code = load<u32>(codes + 4 * symbol);
    const length = code >> 16;
    if (length === 0) continue;
    for (let index = code & 0xffff; index < 1 << maxCodeBits; index += 1 << length) {
      store<u16>(decodeTable + 2 * index, <u16>(symbol | (length << 8)));
    }
  }
}

/** The table being written, and its nibbles so far. */
let tableAt: usize = 0;
let nibbles: u32 = 0;

function writeNibble(value: u32): void {
  const at = tableAt + (nibbles >> 1);
  store<u8>(at, (nibbles & 1) === 0 ? value : <u32>load<u8>(at) | (value << 4));
  nibbles++;
}

/** The number of symbols from `start` on with the same length, at most `limit`. */
function runFrom(start: u32, limit: u32): u32 {
  const length = load<u8>(lengths + start);
  let end = start;
  while (end < 256 && end - start < limit && load<u8>(lengths + end) === length) end++;
  return end - start;
}

/** Writes `lengths` in nibbles. @returns the table's length in bytes, at most 128 */
export function writeTable(to: usize): u32 {
  tableAt = to;
  nibbles = 0;
  for (let symbol: u32 = 0; symbol < 256; ) {
    const length = <u32>load<u8>(lengths + symbol);
    if (length === 0) {
      const run = runFrom(symbol, 256);
      if (symbol + run === 256) break;
      if (run === 1) writeNibble(0);
      else if (run <= 17) {
        writeNibble(13);
        writeNibble(run - 2);
      } else {
        writeNibble(14);
        writeNibble((run - 18) & 15);
        writeNibble((run - 18) >> 4);
      }
      symbol += run;
      continue;
    }
    writeNibble(length);
    symbol++;
    for (;;) {
      const repeats = runFrom(symbol - 1, 18) - 1;
      if (repeats < 2) break;
      writeNibble(15);
      writeNibble(repeats - 2);
      symbol += repeats;
    }
  }
  return (nibbles + 1) >> 1;
}

/** A table's nibble; 0 past its end. */
function nibbleAt(from: usize, bytes: u32, at: u32): u32 {
  return at < 2 * bytes ? (<u32>load<u8>(from + (at >> 1)) >> (4 * (at & 1))) & 15 : 0;
}

/** Sets `lengths` from a table. @returns whether the table is valid and the code complete */
export function readTable(from: usize, bytes: u32): bool {
  memory.fill(lengths, 0, 256);
  let symbol: u32 = 0;
  let at: u32 = 0;
  while (at < 2 * bytes) {
    let length = nibbleAt(from, bytes, at++);
    let count: u32 = 1;
    if (length >= 13) {
      count = (length === 14 ? 18 : 2) + nibbleAt(from, bytes, at++);
      if (length === 14) count += 16 * nibbleAt(from, bytes, at++);
      length = length === 15 && symbol > 0 ? <u32>load<u8>(lengths + symbol - 1) : 0;
    }
    if (symbol + count > 256) {
      // The last nibble may be padding.
      if (length !== 0 || at !== 2 * bytes) return false;
      count = 256 - symbol;
    }
    memory.fill(lengths + symbol, <u8>length, count);
    symbol += count;
  }
  let taken: u32 = 0;
  for (let i: u32 = 0; i < 256; i++) {
    const length = <u32>load<u8>(lengths + i);
    if (length > 0) taken += (<u32>1) << (maxCodeBits - length);
  }
  return taken === 1 << maxCodeBits;
}
