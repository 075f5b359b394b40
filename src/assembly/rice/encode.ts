// A plane of a brick becomes its sequence of bits: SPEC.md, 'A brick'.

import { splat, toSymbols } from '../common/lanes';
import { depth, height, isWhole, lanesWithLeft, planeBytes, presentLanes, rowOf, side, sliceOf, vector } from './brick';
import { chooseCode } from './choose-code';
import { chooseCandidate, meanCandidate, meanOf } from './choose-predictor';
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
  setsOf,
  suffixWidth,
} from './groups';
import { writePlanes } from './planes';
import { level, residuals } from './predict';

/** Symbols stand as elements do. */
const symbols: usize = memory.data(<i32>planeBytes, 16);
/** Each group's planes: 16 words. */
const words: usize = memory.data(<i32>planeBytes, 16);
const codes: usize = memory.data(64, 16);
/** An escape's quotient and its width. 4096 at most. */
const escapes: usize = memory.data(8 * 4096, 16);

/** The writer: whole words are in memory, the others wait. */
let writeAt: usize = 0;
let pending: u64 = 0;
let pendingBits: u32 = 0;

/** The low `count` bits of `value`, 32 at most. `value` has no bits above. */
function write(value: u32, count: u32): void {
  pending |= (<u64>value) << pendingBits;
  pendingBits += count;
  if (pendingBits < 32) return;
  store<u32>(writeAt, <u32>pending);
  writeAt += 4;
  pending >>= 32;
  pendingBits -= 32;
}

/** Writes a brick's plane. @param plane its elements @returns the end of what was written, a whole number of words from `to` on */
export function encodeBrick<T>(plane: usize, to: usize): usize {
  const bits: u32 = 8 * sizeof<T>();
  const mean = meanOf<T>(plane);
  const candidate = chooseCandidate<T>(plane, mean);
  const predictor = candidate === meanCandidate ? level : candidate;
  const base: u32 = predictor !== level ? <u32>load<T>(plane) : candidate === meanCandidate ? mean : 0;
  predictAll<T>(plane, predictor, base);

  const groups = groupCount<T>();
  let leastCode: u32 = 15;
  let mostCode: u32 = 0;
  let suffixBits: u32 = 0;
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const own = words + 64 * group;
    const p = symbols + groupOffset<T>();
    writePlanes<T>(p, own);
    if (setsOf<T>() === 2) writePlanes<T>(p + 2 * sliceOf<T>(), own + 32);
    const n = groupElements();
    const code = chooseCode<T>(own, n);
    store<u8>(codes + group, <u8>code);
    leastCode = min(leastCode, code);
    mostCode = max(mostCode, code);
    suffixBits += n * suffixWidth<T>(code);
  }

  writeAt = to;
  pending = 0;
  pendingBits = 0;
  const codeWidth = 32 - clz(mostCode - leastCode);
  write(leastCode, 4);
  write(codeWidth, 3);
  write(0, 1);
  write(predictor, 3);
  write(base, bits);
  for (let group: u32 = 0; group < groups; group++) write(load<u8>(codes + group) - leastCode, codeWidth);
  const escapeCount = writePrefixes<T>(groups);
  if (escapeCount > 0) {
    // The bit that says so stands in the first byte, which may not be in memory yet.
    if (writeAt === to) pending |= 1 << 7;
    else store<u8>(to, load<u8>(to) | (1 << 7));
  }
  for (let i: u32 = 0; i < escapeCount; i++) write(load<u32>(escapes + 8 * i), load<u32>(escapes + 8 * i, 4));
  write(0, -(pendingBits + suffixBits) & 31);
  writeSuffixes<T>(groups);
  return writeAt;
}

/** All symbols of a plane. */
function predictAll<T>(plane: usize, predictor: u32, base: u32): void {
  if (!isWhole<T>()) memory.fill(symbols, 0, planeBytes);
  const bases = splat<T>(base);
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      const row = z * sliceOf<T>() + y * rowOf<T>();
      for (let x: u32 = 0; x < side; x += vector / sizeof<T>()) {
        const at = row + x * sizeof<T>();
        let own = toSymbols<T>(residuals<T>(predictor, plane + at, x, y, z, bases));
        if (!isWhole<T>()) own = v128.and(own, presentLanes<T>(x));
        if (y + z === 0 && predictor !== level) own = v128.and(own, lanesWithLeft<T>(x));
        v128.store(symbols + at, own);
      }
    }
  }
}

/** @returns the number of escapes */
function writePrefixes<T>(groups: u32): u32 {
  const bits: u32 = 8 * sizeof<T>();
  const whole = isWhole<T>();
  let escapeCount: u32 = 0;
  let at = writeAt;
  let value = pending;
  let filled = pendingBits;
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const code = <u32>load<u8>(codes + group);
    if (!isRice<T>(code)) continue;
    const k = code - 1;
    const first = symbols + groupOffset<T>();
    for (let place: u32 = 0; place < places<T>(); place++) {
      const offset = placeOffset<T>(place);
      if (!whole && offset === u32.MAX_VALUE) continue;
      const quotient = <u32>load<T>(first + offset) >> k;
      let zeros = quotient;
      if (quotient >= escapeQuotient) {
        zeros = escapeQuotient;
        store<u32>(escapes + 8 * escapeCount, quotient);
        store<u32>(escapes + 8 * escapeCount, bits - k, 4);
        escapeCount++;
      }
      value |= (<u64>1) << (filled + zeros);
      filled += zeros + 1;
      if (filled >= 32) {
        store<u32>(at, <u32>value);
        at += 4;
        value >>= 32;
        filled -= 32;
      }
    }
  }
  writeAt = at;
  pending = value;
  pendingBits = filled;
  return escapeCount;
}

function writeSuffixes<T>(groups: u32): void {
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const width = suffixWidth<T>(<u32>load<u8>(codes + group));
    for (let set: u32 = 0; set < setsOf<T>(); set++) {
      const present = presentBits<T>(2 * set);
      const own = words + 64 * group + 32 * set;
      for (let bit: u32 = 0; bit < width; bit++) {
        const word = load<u32>(own + 4 * bit);
        if (present === u32.MAX_VALUE) write(word, 32);
        else write(gather(word, present), popcnt(present));
      }
    }
  }
}

/** The bits of `word` that `mask` has, side by side. */
function gather(word: u32, mask: u32): u32 {
  let gathered: u32 = 0;
  let at: u32 = 0;
  for (let left = mask; left !== 0; left &= left - 1, at++) gathered |= ((word >> ctz(left)) & 1) << at;
  return gathered;
}
