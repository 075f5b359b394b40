// A sequence of bits becomes a plane of a brick: SPEC.md, 'A brick' and 'Decoding'.
import { planeBytes, sliceOf } from './brick';
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
  setsOf,
  suffixWidth,
} from './groups';
import { readPlanes } from './planes';
import { level } from './predict';
import { restore } from './restore';

const codes: usize = memory.data(64, 16);
const words: usize = memory.data(64, 16);
/** Address and parameter of an escape's element. */
const escapes: usize = memory.data(8 * 4096, 16);

/** 17 bits or more from bit `at` of `from` on. 8 bytes behind the end can be read. */
function peek(from: usize, at: u32): u32 {
  return <u32>(load<u64>(from + (at >> 3)) >> (at & 7));
}

/**
 * Reads a brick's plane.
 * @param from its first byte; `bytes` a whole number of words
 * @param plane gets the elements; those that the edges clip away hold anything
 * @returns whether it is as SPEC.md says
 */
export function decodeBrick<T>(from: usize, bytes: u32, plane: usize): bool {
  const bits: u32 = 8 * sizeof<T>();
  const groups = groupCount<T>();
  const all: u32 = 8 * bytes;
  if (all < 11 + bits) return false;
  const leastCode = peek(from, 0) & 15;
  const codeWidth = peek(from, 4) & 7;
  const hasEscapes = (peek(from, 7) & 1) !== 0;
  const predictor = peek(from, 8) & 7;
  const base = peek(from, 11) & ((1 << bits) - 1);
  let at: u32 = 11 + bits;
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

  // Prefixes.
  let escapeCount: u32 = 0;
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const code = <u32>load<u8>(codes + group);
    if (!isRice<T>(code)) continue;
    const k = code - 1;
    const most: u32 = ((1 << bits) - 1) >> k;
    const first = plane + groupOffset<T>();
    for (let place: u32 = 0; place < places<T>(); place++) {
      const offset = placeOffset<T>(place);
      if (offset === u32.MAX_VALUE) continue;
      const quotient = ctz(peek(from, at) | (1 << 16));
      at += quotient + 1;
      if (quotient >= escapeQuotient) {
        if (quotient > escapeQuotient) return false;
        store<u32>(escapes + 8 * escapeCount, <u32>(first + offset));
        store<u32>(escapes + 8 * escapeCount, k, 4);
        escapeCount++;
        continue;
      }
      if (quotient > most) return false;
      store<T>(first + offset, <T>(<u32>load<T>(first + offset) + (quotient << k)));
    }
    // Prefixes of one group take 128 bytes at most: what stands behind the brick may be read, but nothing far from it.
    if (at > suffixesAt) return false;
  }
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
  if (predictor !== level && load<T>(plane) !== 0) return false;
  restore<T>(plane, predictor, base);
  return true;
}

/** All suffixes, at their elements; 0 where there are none. */
function readSuffixes<T>(from: usize, start: u32, plane: usize, groups: u32): void {
  memory.fill(plane, 0, planeBytes);
  let at = start;
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const width = suffixWidth<T>(<u32>load<u8>(codes + group));
    if (width === 0) continue;
    for (let set: u32 = 0; set < setsOf<T>(); set++) {
      const present = presentBits<T>(2 * set);
      const count = popcnt(present);
      if (count === 0) continue;
      for (let bit: u32 = 0; bit < width; bit++, at += count) {
        const word = <u32>(load<u64>(from + (at >> 3)) >> (at & 7));
        store<u32>(words + 4 * bit, present === u32.MAX_VALUE ? word : scatter(word, present));
      }
      readPlanes<T>(words, width, plane + groupOffset<T>() + 2 * set * sliceOf<T>());
    }
  }
}

/** The low bits of `word`, in order, at the places that `mask` has. */
function scatter(word: u32, mask: u32): u32 {
  let scattered: u32 = 0;
  for (let left = mask; left !== 0; left &= left - 1, word >>= 1) {
    if ((word & 1) !== 0) scattered |= left & -left;
  }
  return scattered;
}
