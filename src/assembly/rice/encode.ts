// Converts a plane of a brick to its sequence of bits: SPEC.md, 'A brick'.

import { splat, toSymbols } from '../common/lanes';
import {
  blockHeight,
  blockSide,
  blockWidth,
  depth,
  height,
  isCausal,
  isWhole,
  lanesWithLeft,
  planeBytes,
  predictorBits,
  presentLanes,
  rowOf,
  setBlock,
  sliceOf,
  vector,
  width,
} from './brick';
import { loadValues, medianPredictor, predictCausal } from './causal';
import { chooseCode } from './choose-code';
import { chooseCandidate, meanCandidate, meanOf, predictorOf } from './choose-predictor';
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
  setStep,
  setsOf,
  suffixWidth,
  tileOffset,
} from './groups';
import { writePlanes } from './planes';
import { level, residuals } from './predict';

/** Symbols, in the order of elements. */
const symbols: usize = memory.data(<i32>planeBytes, 16);
/** Each group's planes: 16 words. */
const words: usize = memory.data(<i32>planeBytes, 16);
const codes: usize = memory.data(64, 16);
/** The quotient and width of each escape, at most 4096. */
const escapes: usize = memory.data(8 * 4096, 16);

/** The writer: whole words are in memory, other bits are pending. */
let writeAt: usize = 0;
let pending: u64 = 0;
let pendingBits: u32 = 0;

function startWriting(to: usize): void {
  writeAt = to;
  pending = 0;
  pendingBits = 0;
}

/** Writes the low `count` bits of `value`, at most 32. Higher bits of `value` must be 0. */
function write(value: u32, count: u32): void {
  pending |= (<u64>value) << pendingBits;
  pendingBits += count;
  if (pendingBits < 32) return;
  store<u32>(writeAt, <u32>pending);
  writeAt += 4;
  pending >>= 32;
  pendingBits -= 32;
}

/** Writes a brick's plane. @param plane its elements @returns the end of the output, a whole number of words after `to` */
export function encodeBrick<T>(plane: usize, to: usize): usize {
  startWriting(to);
  // The lowest code and the width of codes precede the blocks, but are not known yet.
  write(0, 8);
  if (!isWhole()) memory.fill(symbols, 0, planeBytes);
  for (let y: u32 = 0; y < height; y += blockSide) {
    for (let x: u32 = 0; x < width; x += blockSide) {
      setBlock(x, y);
      const at = y * rowOf<T>() + x * sizeof<T>();
      encodeBlock<T>(plane + at, symbols + at, <u32>load<T>(plane));
    }
  }

  const groups = groupCount<T>();
  let leastCode: u32 = 15;
  let mostCode: u32 = 0;
  let suffixBits: u32 = 0;
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const own = words + 64 * group;
    const p = symbols + groupOffset<T>();
    writePlanes<T>(p, own);
    if (setsOf<T>() === 2) writePlanes<T>(p + setStep<T>(), own + 32);
    const n = groupElements();
    const code = chooseCode<T>(own, n);
    store<u8>(codes + group, <u8>code);
    leastCode = min(leastCode, code);
    mostCode = max(mostCode, code);
    suffixBits += n * suffixWidth<T>(code);
  }

  const codeWidth = 32 - clz(mostCode - leastCode);
  for (let group: u32 = 0; group < groups; group++) write(load<u8>(codes + group) - leastCode, codeWidth);
  writePrefixes<T>(groups);
  for (let i: u32 = 0; i < escapeCount; i++) write(load<u32>(escapes + 8 * i), load<u32>(escapes + 8 * i, 4));
  write(0, -(pendingBits + suffixBits) & 31);
  writeSuffixes<T>(groups);
  store<u8>(to, <u8>(leastCode | (codeWidth << 4) | (escapeCount > 0 ? 1 << 7 : 0)));
  return writeAt;
}

/** Writes a block's predictor and base, and its symbols to `to`. @param first the brick's first element */
function encodeBlock<T>(block: usize, to: usize, first: u32): void {
  const mean = meanOf<T>(block, first);
  if (isCausal) loadValues<T>(block);
  const candidate = chooseCandidate<T>(block, mean);
  const predictor = predictorOf(candidate);
  const base: u32 = predictor !== level ? <u32>load<T>(block) : candidate === meanCandidate ? mean : 0;
  if (predictor < medianPredictor) predictAll<T>(block, to, predictor, base);
  else predictCausal<T>(predictor, to);
  write(predictor, predictorBits());
  write(base, 8 * sizeof<T>());
}

/** All symbols of a block. Clipped elements have none: 0. */
function predictAll<T>(block: usize, to: usize, predictor: u32, base: u32): void {
  const bases = splat<T>(base);
  const isClipped = blockWidth < blockSide;
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < blockHeight; y++) {
      const row = z * sliceOf<T>() + y * rowOf<T>();
      for (let x: u32 = 0; x < blockWidth; x += vector / sizeof<T>()) {
        const at = row + x * sizeof<T>();
        let own = toSymbols<T>(residuals<T>(predictor, block + at, x, y, z, bases));
        if (isClipped) own = v128.and(own, presentLanes<T>(x));
        if (y + z === 0 && predictor !== level) own = v128.and(own, lanesWithLeft<T>(x));
        v128.store(to + at, own);
      }
    }
  }
}

/** The number of `escapes`. */
let escapeCount: u32 = 0;

/** Records a quotient if it is an escape. @returns the zeros of its prefix */
function zerosOf(quotient: u32, bits: u32): u32 {
  if (quotient < escapeQuotient) return quotient;
  store<u32>(escapes + 8 * escapeCount, quotient);
  store<u32>(escapes + 8 * escapeCount, bits, 4);
  escapeCount++;
  return escapeQuotient;
}

function writePrefixes<T>(groups: u32): void {
  escapeCount = 0;
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const code = <u32>load<u8>(codes + group);
    if (!isRice<T>(code)) continue;
    const first = symbols + groupOffset<T>();
    if (groupElements() === places<T>()) writeWholeGroup<T>(first, code - 1);
    else writeClippedGroup<T>(first, code - 1);
  }
}

/** Writes the prefixes of an unclipped group, two at a time. */
function writeWholeGroup<T>(first: usize, k: u32): void {
  const bits: u32 = 8 * sizeof<T>() - k;
  const mask: u32 = (1 << (8 * sizeof<T>())) - 1;
  const step = rowOf<T>();
  let at = writeAt;
  let value = pending;
  let filled = pendingBits;
  for (let tile: u32 = 0; tile < 4; tile++) {
    let row = first + tileOffset<T>(tile);
    for (let y: u32 = 0; y < 4; y++, row += step) {
      // Four symbols of u8, two of u16.
      for (let word = load<u32>(row), left: u32 = 4; left > 0; left -= 2 * sizeof<T>()) {
        let zeros = (word & mask) >> k;
        let more = ((word >> (8 * sizeof<T>())) & mask) >> k;
        if (sizeof<T>() === 1) word >>= 16;
        if (max(zeros, more) >= escapeQuotient) {
          zeros = zerosOf(zeros, bits);
          more = zerosOf(more, bits);
        }
        value |= (<u64>((1 | (2 << more)) << zeros)) << filled;
        filled += zeros + more + 2;
        if (filled >= 32) {
          store<u32>(at, <u32>value);
          at += 4;
          value >>= 32;
          filled -= 32;
        }
      }
    }
  }
  writeAt = at;
  pending = value;
  pendingBits = filled;
}

function writeClippedGroup<T>(first: usize, k: u32): void {
  for (let place: u32 = 0; place < places<T>(); place++) {
    const offset = placeOffset<T>(place);
    if (offset === u32.MAX_VALUE) continue;
    const zeros = zerosOf(<u32>load<T>(first + offset) >> k, 8 * sizeof<T>() - k);
    write(1 << zeros, zeros + 1);
  }
}

function writeSuffixes<T>(groups: u32): void {
  firstGroup<T>();
  for (let group: u32 = 0; group < groups; group++, nextGroup<T>()) {
    const width = suffixWidth<T>(<u32>load<u8>(codes + group));
    for (let set: u32 = 0; set < setsOf<T>(); set++) {
      const present = presentBits<T>(set);
      const own = words + 64 * group + 32 * set;
      for (let bit: u32 = 0; bit < width; bit++) {
        const word = load<u32>(own + 4 * bit);
        if (present === u32.MAX_VALUE) write(word, 32);
        else write(gather(word, present), popcnt(present));
      }
    }
  }
}

/** The bits of `word` that are in `mask`, moved together. */
function gather(word: u32, mask: u32): u32 {
  let gathered: u32 = 0;
  let at: u32 = 0;
  for (let left = mask; left !== 0; left &= left - 1, at++) gathered |= ((word >> ctz(left)) & 1) << at;
  return gathered;
}
