// Elements become the predictors, bases and classes of a payload, and symbols; then the symbols become its tails and heads.
import { allButFirst, toSymbols } from '../common/lanes';
import {
  blockCount,
  blockPlace,
  blockSide,
  brickCount,
  brickElements,
  depth,
  elementAt,
  gatherGroups,
  groupCount,
  groupSizes,
  height,
  loadPlane,
  margin,
  planes,
  setBrick,
  width,
} from './brick';
import { choosePredictor } from './choose';
import { classCount, classOf, headBits, tailBits, wordsOf } from './classes';
import { flatMark, residuals } from './residuals';
import { fixedBytes, sectionWords, startOf, wordBytes } from './sections';

/** One plane of one brick, with a margin before it. */
const plane: usize = memory.data(<i32>(margin + 2 * brickElements), 16) + margin;
const symbols: usize = memory.data(<i32>(2 * brickElements), 16);
/** A group's heads. */
const heads: usize = memory.data(64, 16);
/** The positions of the next heads of each class; at 0, of the next tails. */
const places: usize = memory.data(4 * 13, 16);

/**
 * Encodes the current chunk.
 * @param from its voxels
 * @param store room for its symbols, in whole vectors for each group
 * @param to room for the longest payload
 * @returns the payload's length in bytes
 */
export function encodeChunk<T>(from: usize, store: usize, candidates: u32, to: usize): u32 {
  memory.fill(to, 0, fixedBytes<T>());
  memory.fill(sectionWords, 0, 4 * 14);
  let classesAt = to + fixedBytes<T>();
  let storeAt = store;
  for (let brick: u32 = 0; brick < brickCount; brick++) {
    setBrick(brick);
    for (let number: u32 = 0; number < planes; number++) {
      loadPlane<T>(from, number, plane);
      if (isFlat<T>(number, candidates, to)) continue;
      const first = storeAt;
      storeAt = gatherGroups<T>(symbols, storeAt);
      classesAt = writeClasses<T>(first, classesAt);
    }
  }
  startSections<T>(to);
  classesAt = to + fixedBytes<T>();
  storeAt = store;
  for (let brick: u32 = 0; brick < brickCount; brick++) {
    setBrick(brick);
    for (let number: u32 = 0; number < planes; number++) {
      if (<u32>load<u8>(to + blockPlace(0, 0, number)) === flatMark) continue;
      for (let group: u32 = 0; group < groupCount; group++) {
        const size = <u32>load<u8>(groupSizes + group);
        const pair = <u32>load<u8>(classesAt + (group >> 1));
        writeGroup<T>((group & 1) === 0 ? pair & 15 : pair >> 4, storeAt, size);
        storeAt += (size * sizeof<T>() + 15) & ~15;
      }
      classesAt += wordBytes((groupCount + 1) >> 1);
    }
  }
  return startOf<T>(classCount<T>() + 1);
}

/** Writes the predictors and bases of a unit and, unless it is flat, its symbols. @returns whether it is flat */
function isFlat<T>(number: u32, candidates: u32, to: usize): bool {
  let flat = true;
  for (let y: u32 = 0; y < height && flat; y += blockSide) {
    for (let x: u32 = 0; x < width && flat; x += blockSide) flat = isConstant<T>(x, y);
  }
  for (let y: u32 = 0; y < height; y += blockSide) {
    for (let x: u32 = 0; x < width; x += blockSide) {
      const block = elementAt<T>(plane, x, y, 0);
      const place = blockPlace(x, y, number);
      store<T>(to + wordBytes(blockCount) + place * sizeof<T>(), load<T>(block));
      let predictor = flatMark;
      if (!flat) {
        const columns = min(blockSide, width - x);
        const rows = min(blockSide, height - y);
        predictor = choosePredictor<T>(block, columns, rows, depth, candidates);
        predict<T>(predictor, block, elementAt<T>(symbols, x, y, 0), columns, rows);
      }
      store<u8>(to + place, <u8>predictor);
    }
  }
  return flat;
}

/** Whether all elements of a block are the same. */
function isConstant<T>(x: u32, y: u32): bool {
  const columns = min(blockSide, width - x);
  const rows = min(blockSide, height - y);
  const first = load<T>(elementAt<T>(plane, x, y, 0));
  for (let z: u32 = 0; z < depth; z++) {
    for (let row: u32 = 0; row < rows; row++) {
      const p = elementAt<T>(plane, x, y + row, z);
      for (let column: u32 = 0; column < columns; column++) {
        if (load<T>(p + column * sizeof<T>()) !== first) return false;
      }
    }
  }
  return true;
}

/** Writes a block's symbols. The contents after its columns are undefined. */
function predict<T>(predictor: u32, block: usize, to: usize, columns: u32, rows: u32): void {
  const lanes: u32 = 16 / sizeof<T>();
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < rows; y++) {
      for (let x: u32 = 0; x < columns; x += lanes) {
        const hasLeft = x > 0 ? i32x4.splat(-1) : allButFirst<T>();
        const own = toSymbols<T>(residuals<T>(predictor, elementAt<T>(block, x, y, z), hasLeft, y > 0, z > 0));
        v128.store(elementAt<T>(to, x, y, z), x + y + z === 0 ? v128.and(own, allButFirst<T>()) : own);
      }
    }
  }
}

/** Writes the classes of a unit's groups, whose symbols are at `from`, and adds up the lengths of their sections. */
function writeClasses<T>(from: usize, to: usize): usize {
  const bytes = wordBytes((groupCount + 1) >> 1);
  memory.fill(to, 0, bytes);
  let p = from;
  for (let group: u32 = 0; group < groupCount; group++) {
    const size = <u32>load<u8>(groupSizes + group);
    const end = p + ((size * sizeof<T>() + 15) & ~15);
    let words = i32x4.splat(0);
    let all = i32x4.splat(0);
    for (; p < end; p += 16) {
      const own = v128.load(p);
      all = v128.or(all, own);
      const pairs = sizeof<T>() === 1 ? i16x8.extadd_pairwise_i8x16_u(own) : own;
      words = i32x4.add(words, i32x4.extadd_pairwise_i16x8_u(pairs));
    }
    const either = i64x2.extract_lane(all, 0) | i64x2.extract_lane(all, 1);
    const pair = <u32>either | <u32>(either >> 32);
    const union = sizeof<T>() === 1 ? (pair | (pair >> 8) | (pair >> 16) | (pair >> 24)) & 0xff : (pair | (pair >> 16)) & 0xffff;
    const sum =
      i32x4.extract_lane(words, 0) + i32x4.extract_lane(words, 1) + i32x4.extract_lane(words, 2) + i32x4.extract_lane(words, 3);
    const groupClass = classOf<T>(sum, union, size);
    const at = to + (group >> 1);
    store<u8>(at, load<u8>(at) | (groupClass << (4 * (group & 1))));
    addWords<T>(groupClass, size);
  }
  store<u32>(sectionWords, load<u32>(sectionWords) + (bytes >> 2));
  return to + bytes;
}

/** Adds a group to its sections' lengths. */
export function addWords<T>(groupClass: u32, size: u32): void {
  store<u32>(sectionWords, load<u32>(sectionWords, 4) + wordsOf(size, tailBits<T>(groupClass)), 4);
  if (groupClass === 0) return;
  const section = sectionWords + 4 * (1 + groupClass);
  store<u32>(section, load<u32>(section) + wordsOf(size, headBits(groupClass)));
}

function startSections<T>(to: usize): void {
  for (let section: u32 = 0; section <= classCount<T>(); section++) {
    store<u32>(places + 4 * section, <u32>to + startOf<T>(section));
  }
}

/** Writes a group's heads and tails. */
function writeGroup<T>(groupClass: u32, from: usize, size: u32): void {
  if (groupClass === 0) return;
  const tail = tailBits<T>(groupClass);
  if (tail > 0) writeTails(from, size, tail);
  const headAt = places + 4 * groupClass;
  const to = <usize>load<u32>(headAt);
  const words = wordsOf(size, headBits(groupClass));
  store<u32>(headAt, <u32>to + 4 * words);
  const isWhole = size === 64;
  const own = isWhole ? to : heads;
  if (groupClass === 1) {
    v128.store(own, pairs<T>(from, 0));
    v128.store(own, pairs<T>(from, 32), 16);
  } else {
    v128.store(own, bytes<T>(from, 0, tail));
    v128.store(own, bytes<T>(from, 16, tail), 16);
    v128.store(own, bytes<T>(from, 32, tail), 32);
    v128.store(own, bytes<T>(from, 48, tail), 48);
  }
  if (isWhole) return;
  for (let word: u32 = 0; word < words; word++) store<u32>(to + 4 * word, load<u32>(own + 4 * word));
}

/** 16 symbols as bytes, without their tails. @param first the number of the first in the group */
function bytes<T>(from: usize, first: u32, tail: u32): v128 {
  const p = from + first * sizeof<T>();
  if (sizeof<T>() === 1) return v128.load(p);
  return i8x16.narrow_i16x8_u(i16x8.shr_u(v128.load(p), tail), i16x8.shr_u(v128.load(p, 16), tail));
}

/** 32 symbols, two in a byte. */
function pairs<T>(from: usize, first: u32): v128 {
  const front = bytes<T>(from, first, 0);
  const back = bytes<T>(from, first + 16, 0);
  const low = i16x8.splat(15);
  return i8x16.narrow_i16x8_u(
    v128.or(v128.and(front, low), i16x8.shr_u(front, 4)),
    v128.or(v128.and(back, low), i16x8.shr_u(back, 4)),
  );
}

/** Writes the low `tail` bits of symbols of 2 bytes, 8 bits at most. */
function writeTails(from: usize, size: u32, tail: u32): void {
  let to = <usize>load<u32>(places);
  const end = to + 4 * wordsOf(size, tail);
  const mask: u64 = ((<u64>1) << tail) - 1;
  let pending: u64 = 0;
  let filled: u32 = 0;
  for (let p = from; to < end; p += 8) {
    // Four symbols at once. Zeros follow the last one.
    const four = load<u64>(p);
    const first = (four & mask) | (((four >> 16) & mask) << tail);
    const second = ((four >> 32) & mask) | (((four >> 48) & mask) << tail);
    pending |= (first | (second << (2 * tail))) << filled;
    filled += 4 * tail;
    while (filled >= 32 && to < end) {
      store<u32>(to, <u32>pending);
      to += 4;
      pending >>= 32;
      filled -= 32;
    }
    if (p + 8 >= from + 2 * size && to < end && filled < 32) {
      store<u32>(to, <u32>pending);
      to += 4;
    }
  }
  store<u32>(places, <u32>to);
}
