// A payload becomes elements: SPEC.md, 'Decoding'.
import {
  blockCount,
  blockPlace,
  blockSide,
  brickCount,
  brickElements,
  depth,
  elementAt,
  groupCount,
  groupDepth,
  groupSide,
  groupSizes,
  height,
  margin,
  planes,
  scatterGroup,
  setBrick,
  storePlane,
  width,
} from './brick';
import { classCount, headBits, tailBits, wordsOf } from './classes';
import { addWords } from './encode';
import { flatMark, medianPredictor } from './residuals';
import { restore, restoreMedians } from './restore';
import { fixedBytes, sectionWords, startOf, wordBytes } from './sections';

const plane: usize = memory.data(<i32>(margin + 2 * brickElements), 16) + margin;
/** One group's symbols. */
const symbols: usize = memory.data(128, 16);
/** The positions of the next heads of each class; at 0, of the next tails. */
const places: usize = memory.data(4 * 13, 16);

/**
 * Reads predictors and classes, and adds up the sections' lengths.
 * @param from the payload; 256 bytes past its end must be readable
 * @param candidates the number of predictors that it may use
 * @returns whether the sections add up to the payload, and everything before the tails is valid
 */
export function plan<T>(from: usize, length: u32, candidates: u32): bool {
  memory.fill(sectionWords, 0, 4 * 14);
  if (length < fixedBytes<T>()) return false;
  const end = from + length;
  let classesAt = from + fixedBytes<T>();
  for (let brick: u32 = 0; brick < brickCount; brick++) {
    setBrick(brick);
    for (let number: u32 = 0; number < planes; number++) {
      const isFlat = <u32>load<u8>(from + blockPlace(0, 0, number)) === flatMark;
      for (let y: u32 = 0; y < height; y += blockSide) {
        for (let x: u32 = 0; x < width; x += blockSide) {
          const predictor = <u32>load<u8>(from + blockPlace(x, y, number));
          if (isFlat ? predictor !== flatMark : predictor >= candidates) return false;
        }
      }
      if (isFlat) continue;
      const bytes = wordBytes((groupCount + 1) >> 1);
      if (classesAt + bytes > end) return false;
      for (let group: u32 = 0; group < 2 * bytes; group++) {
        const groupClass = classAt(classesAt, group);
        if (groupClass > (group < groupCount ? classCount<T>() : 0)) return false;
        if (group < groupCount) addWords<T>(groupClass, load<u8>(groupSizes + group));
      }
      classesAt += bytes;
      store<u32>(sectionWords, load<u32>(sectionWords) + (bytes >> 2));
    }
  }
  if (startOf<T>(classCount<T>() + 1) !== length) return false;
  const basesAt = wordBytes(blockCount);
  return isZero(from, blockCount, basesAt) && isZero(from, basesAt + blockCount * sizeof<T>(), fixedBytes<T>());
}

function classAt(classes: usize, group: u32): u32 {
  return (<u32>load<u8>(classes + (group >> 1)) >> (4 * (group & 1))) & 15;
}

function isZero(from: usize, start: u32, end: u32): bool {
  let any: u32 = 0;
  for (let at = start; at < end; at++) any |= load<u8>(from + at);
  return any === 0;
}

/** Decodes the current chunk. @param from, length, candidates as of `plan` */
export function decodeChunk<T>(from: usize, length: u32, candidates: u32, to: usize): bool {
  if (!plan<T>(from, length, candidates)) return false;
  for (let section: u32 = 0; section <= classCount<T>(); section++) {
    store<u32>(places + 4 * section, <u32>from + startOf<T>(section));
  }
  let classesAt = from + fixedBytes<T>();
  for (let brick: u32 = 0; brick < brickCount; brick++) {
    setBrick(brick);
    for (let number: u32 = 0; number < planes; number++) {
      const isFlat = <u32>load<u8>(from + blockPlace(0, 0, number)) === flatMark;
      if (!isFlat) {
        if (!readGroups<T>(classesAt)) return false;
        classesAt += wordBytes((groupCount + 1) >> 1);
      }
      for (let y: u32 = 0; y < height; y += blockSide) {
        for (let x: u32 = 0; x < width; x += blockSide) {
          if (!restoreBlock<T>(from, blockPlace(x, y, number), x, y)) return false;
        }
      }
      storePlane<T>(plane, number, to);
    }
  }
  return true;
}

function restoreBlock<T>(from: usize, place: u32, x: u32, y: u32): bool {
  const block = elementAt<T>(plane, x, y, 0);
  const columns = min(blockSide, width - x);
  const rows = min(blockSide, height - y);
  const predictor = <u32>load<u8>(from + place);
  const base = load<T>(from + wordBytes(blockCount) + place * sizeof<T>());
  if (predictor === flatMark) {
    for (let z: u32 = 0; z < depth; z++) {
      for (let row: u32 = 0; row < rows; row++) {
        const p = elementAt<T>(block, 0, row, z);
        for (let column: u32 = 0; column < columns; column++) store<T>(p + column * sizeof<T>(), base);
      }
    }
    return true;
  }
  // 'each block's first symbol is 0'
  if (load<T>(block) !== 0) return false;
  if (predictor === medianPredictor) restoreMedians<T>(block, base, columns, rows);
  else restore<T>(block, predictor, base, columns, rows);
  return true;
}

/** Reads the symbols of a unit into the plane. */
function readGroups<T>(classes: usize): bool {
  let group: u32 = 0;
  for (let z: u32 = 0; z < depth; z += groupDepth) {
    for (let y: u32 = 0; y < height; y += groupSide) {
      for (let x: u32 = 0; x < width; x += groupSide) {
        if (!readGroup<T>(classAt(classes, group), load<u8>(groupSizes + group))) return false;
        scatterGroup<T>(symbols, plane, x, y, z);
        group++;
      }
    }
  }
  return true;
}

/** Reads a group into `symbols`. Returns false if the padding after its heads or tails is not 0. */
function readGroup<T>(groupClass: u32, size: u32): bool {
  if (groupClass === 0) {
    memory.fill(symbols, 0, 128);
    return true;
  }
  const tail = tailBits<T>(groupClass);
  const heads = take(groupClass, size, headBits(groupClass));
  if (heads === 0) return false;
  for (let first: u32 = 0; first < 64; first += 16) {
    const to = symbols + first * sizeof<T>();
    const own = groupClass === 1 ? pairs(heads + (first >> 1)) : v128.load(heads + first);
    if (sizeof<T>() === 1) v128.store(to, own);
    else {
      v128.store(to, i16x8.shl(i16x8.extend_low_i8x16_u(own), tail));
      v128.store(to, i16x8.shl(i16x8.extend_high_i8x16_u(own), tail), 16);
    }
  }
  if (tail === 0) return true;
  const tails = take(0, size, tail);
  if (tails === 0) return false;
  const mask: u32 = (1 << tail) - 1;
  for (let i: u32 = 0, bit: u32 = 0; i < size; i++, bit += tail) {
    const own = (<u32>load<u16>(tails + (bit >> 3)) >> (bit & 7)) & mask;
    store<u16>(symbols + 2 * i, <u16>(<u32>load<u16>(symbols + 2 * i) | own));
  }
  return true;
}

/** Skips a group's fields. @returns the address of the first one; 0 if the padding after the last is not 0 */
function take(section: u32, size: u32, bits: u32): usize {
  const at = <usize>load<u32>(places + 4 * section);
  const end = at + 4 * wordsOf(size, bits);
  store<u32>(places + 4 * section, <u32>end);
  const rest = (size * bits) & 31;
  return rest !== 0 && load<u32>(end - 4) >> rest !== 0 ? 0 : at;
}

/** 16 symbols, stored two in a byte. */
function pairs(from: usize): v128 {
  const both = i16x8.extend_low_i8x16_u(v128.load(from));
  return v128.and(v128.or(both, i16x8.shl(both, 4)), i16x8.splat(0x0f0f));
}
