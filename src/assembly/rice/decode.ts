// Converts a sequence of bits to a plane of a brick: SPEC.md, 'A brick' and 'Decoding'.
import { blockSide, height, planeBytes, predictorBits, rowOf, setBlock, width } from './brick';
import { medianPredictor, restoreCausal } from './causal';
import {
  escapeQuotient,
  firstGroup,
  groupCount,
  groupElements,
  groupOffset,
  isRice,
  nextGroup,
  placeOffset,
  places,
  presentBits,
  rawCode,
  setStep,
  setsOf,
  suffixWidth,
  tileOffset,
} from './groups';
import { readPlanes } from './planes';
import { level } from './predict';
import { restore } from './restore';

const codes: usize = memory.data(64, 16);
const words: usize = memory.data(64, 16);
/** Address and parameter of an escape's element. */
const escapes: usize = memory.data(8 * 4096, 16);
/** Predictor and base of each block. */
const blocks: usize = memory.data(8 * 4, 16);

/** At least 17 bits from bit `at` of `from` on. 8 bytes past the end must be readable. */
function peek(from: usize, at: u32): u32 {
  return <u32>(load<u64>(from + (at >> 3)) >> (at & 7));
}

/**
 * Reads a brick's plane.
 * @param from its first byte; `bytes` a whole number of words
 * @param plane receives the elements; clipped ones are undefined
 * @returns whether it is valid
 */
export function decodeBrick<T>(from: usize, bytes: u32, plane: usize): bool {
  const bits: u32 = 8 * sizeof<T>();
  const groups = groupCount<T>();
  const all: u32 = 8 * bytes;
  const blockCount = ((width + blockSide - 1) / blockSide) * ((height + blockSide - 1) / blockSide);
  let at: u32 = 8 + blockCount * (predictorBits() + bits);
  if (all < at) return false;
  const leastCode = peek(from, 0) & 15;
  const codeWidth = peek(from, 4) & 7;
  const hasEscapes = (peek(from, 7) & 1) !== 0;
  for (let block: u32 = 0; block < blockCount; block++) {
    const head = 8 + block * (predictorBits() + bits);
    store<u32>(blocks + 8 * block, peek(from, head) & ((1 << predictorBits()) - 1));
    store<u32>(blocks + 8 * block, peek(from, head + predictorBits()) & ((1 << bits) - 1), 4);
  }
  if (codeWidth > 4 || all < at + groups * codeWidth) return false;

  let suffixBits: u32 = 0;
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const code = leastCode + (peek(from, at) & ((1 << codeWidth) - 1));
    at += codeWidth;
    if (code > rawCode<T>()) return false;
    store<u8>(codes + group, <u8>code);
    suffixBits += groupElements() * suffixWidth<T>(code);
  }
  if (suffixBits > all || all - suffixBits < at) return false;
  const suffixesAt = all - suffixBits;
  readSuffixes<T>(from, suffixesAt, plane, groups);

  prefixAt = at;
  escapeCount = 0;
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const code = <u32>load<u8>(codes + group);
    if (!isRice<T>(code)) continue;
    const first = plane + groupOffset<T>();
    const isSound =
      groupElements() === places<T>() ? readWholeGroup<T>(from, first, code - 1) : readClippedGroup<T>(from, first, code - 1);
    if (!isSound) return false;
    // Prefixes of one group take at most 128 bytes, so reads never go far past the end of the brick.
    if (prefixAt > suffixesAt) return false;
  }
  at = prefixAt;
  if (hasEscapes !== escapeCount > 0) return false;
  for (let i: u32 = 0; i < escapeCount; i++) {
    const p = <usize>load<u32>(escapes + 8 * i);
    const k = load<u32>(escapes + 8 * i, 4);
    const quotient = peek(from, at) & ((1 << (bits - k)) - 1);
    at += bits - k;
    if (at > suffixesAt || quotient < escapeQuotient) return false;
    store<T>(p, <T>(<u32>load<T>(p) + (quotient << k)));
  }
  const padding = suffixesAt - at;
  if (padding > 31) return false;
  if (padding > 0 && ((<u64>load<u64>(from + (at >> 3)) >> (at & 7)) & (((<u64>1) << padding) - 1)) !== 0) return false;
  let block = blocks;
  for (let y: u32 = 0; y < height; y += blockSide) {
    for (let x: u32 = 0; x < width; x += blockSide) {
      setBlock(x, y);
      const first = plane + y * rowOf<T>() + x * sizeof<T>();
      const predictor = load<u32>(block);
      if (predictor !== level && load<T>(first) !== 0) return false;
      if (predictor < medianPredictor) restore<T>(first, predictor, load<u32>(block, 4));
      else restoreCausal<T>(first, predictor, load<u32>(block, 4));
      block += 8;
    }
  }
  return true;
}

/** The position of the next prefix, and the number of `escapes`. */
let prefixAt: u32 = 0;
let escapeCount: u32 = 0;

/** Adds the quotients of an unclipped group to its suffixes, two at a time. */
function readWholeGroup<T>(from: usize, first: usize, k: u32): bool {
  const step = rowOf<T>();
  const limit = min(escapeQuotient, mostQuotient<T>(k) + 1);
  let at = prefixAt;
  for (let tile: u32 = 0; tile < 4; tile++) {
    let row = first + tileOffset<T>(tile);
    for (let y: u32 = 0; y < 4; y++, row += step) {
      // Four symbols of u8, two of u16.
      for (let p = row; p < row + 4; p += 2 * sizeof<T>()) {
        const window = load<u64>(from + (at >> 3)) >> (at & 7);
        let one = ctz(<u32>window | (1 << 16));
        let other = ctz(<u32>(window >> (one + 1)) | (1 << 16));
        at += one + other + 2;
        if (max(one, other) >= limit) {
          one = checked<T>(p, one, k);
          other = checked<T>(p + sizeof<T>(), other, k);
          if (one === u32.MAX_VALUE || other === u32.MAX_VALUE) return false;
        }
        if (sizeof<T>() === 1) store<u16>(p, <u16>(<u32>load<u16>(p) + ((one | (other << 8)) << k)));
        else store<u32>(p, load<u32>(p) + ((one | (other << 16)) << k));
      }
    }
  }
  prefixAt = at;
  return true;
}

function readClippedGroup<T>(from: usize, first: usize, k: u32): bool {
  for (let place: u32 = 0; place < places<T>(); place++) {
    const offset = placeOffset<T>(place);
    if (offset === u32.MAX_VALUE) continue;
    const zeros = ctz(peek(from, prefixAt) | (1 << 16));
    prefixAt += zeros + 1;
    const quotient = checked<T>(first + offset, zeros, k);
    if (quotient === u32.MAX_VALUE) return false;
    store<T>(first + offset, <T>(<u32>load<T>(first + offset) + (quotient << k)));
  }
  return true;
}

function mostQuotient<T>(k: u32): u32 {
  return ((1 << (8 * sizeof<T>())) - 1) >> k;
}

/** The quotient of the symbol at `p` by its prefix; u32.MAX_VALUE if no symbol has it. An escape is recorded, and counts as 0 for now. */
function checked<T>(p: usize, zeros: u32, k: u32): u32 {
  if (zeros < escapeQuotient) return zeros <= mostQuotient<T>(k) ? zeros : u32.MAX_VALUE;
  if (zeros > escapeQuotient) return u32.MAX_VALUE;
  store<u32>(escapes + 8 * escapeCount, <u32>p);
  store<u32>(escapes + 8 * escapeCount, k, 4);
  escapeCount++;
  return 0;
}

/** All suffixes, in the order of elements; 0 if an element has none. */
function readSuffixes<T>(from: usize, start: u32, plane: usize, groups: u32): void {
  memory.fill(plane, 0, planeBytes);
  let at = start;
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const width = suffixWidth<T>(<u32>load<u8>(codes + group));
    if (width === 0) continue;
    for (let set: u32 = 0; set < setsOf<T>(); set++) {
      const present = presentBits<T>(set);
      const count = popcnt(present);
      if (count === 0) continue;
      for (let bit: u32 = 0; bit < width; bit++, at += count) {
        const word = <u32>(load<u64>(from + (at >> 3)) >> (at & 7));
        store<u32>(words + 4 * bit, present === u32.MAX_VALUE ? word : scatter(word, present));
      }
      readPlanes<T>(words, width, plane + groupOffset<T>() + set * setStep<T>());
    }
  }
}

/** The low bits of `word`, in order, moved to the bits of `mask`. */
function scatter(word: u32, mask: u32): u32 {
  let scattered: u32 = 0;
  for (let left = mask; left !== 0; left &= left - 1, word >>= 1) {
    if ((word & 1) !== 0) scattered |= left & -left;
  }
  return scattered;
}
