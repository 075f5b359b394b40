// The mixing of src/core/format/checksum.ts, four words at a time.
import { firstLanes } from './lanes';

const step: u32 = 0x9e3779b1;

/** Sums of what was mixed since `startChecksum`, lane by lane. */
let sums: v128 = i32x4.splat(0);
let crosses: v128 = i32x4.splat(0);

export function startChecksum(): void {
  sums = i32x4.splat(0);
  crosses = i32x4.splat(0);
}

/** Mixes a row, padded with zero bytes to whole words. @param word number of its first word; 16 bytes behind it can be read */
export function mixRow(row: usize, bytes: u32, word: u32): void {
  let numbers = numbersFrom(word);
  let sum = sums;
  let cross = crosses;
  const wholeEnd = row + (bytes & ~15);
  let p = row;
  for (; p < wholeEnd; p += 16) {
    const mixed = mix(v128.xor(v128.load(p), numbers));
    sum = i32x4.add(sum, mixed);
    cross = i32x4.add(cross, mixAgain(mixed));
    numbers = i32x4.add(numbers, i32x4.splat(4 * step));
  }
  if ((bytes & 15) !== 0) {
    const present = firstLanes<u8>(bytes & 15);
    const mixed = v128.and(mix(v128.xor(v128.and(v128.load(p), present), numbers)), wordsBelow(((bytes & 15) + 3) >> 2));
    sum = i32x4.add(sum, mixed);
    cross = i32x4.add(cross, mixAgain(mixed));
  }
  sums = sum;
  crosses = cross;
}

export function checksumSum(): u32 {
  return sumOf(sums);
}

export function checksumCross(): u32 {
  return sumOf(crosses);
}

/** The numbers of four words from `word` on, times the step. */
function numbersFrom(word: u32): v128 {
  return i32x4.add(i32x4(0, step, 2 * step, 3 * step), i32x4.splat(word * step));
}

function mix(words: v128): v128 {
  let mixed = i32x4.mul(v128.xor(words, i32x4.shr_u(words, 16)), i32x4.splat(0x85ebca6b));
  mixed = i32x4.mul(v128.xor(mixed, i32x4.shr_u(mixed, 13)), i32x4.splat(0xc2b2ae35));
  return v128.xor(mixed, i32x4.shr_u(mixed, 16));
}

function mixAgain(mixed: v128): v128 {
  return i32x4.mul(v128.xor(mixed, i32x4.shr_u(mixed, 15)), i32x4.splat(0x27d4eb2f));
}

/** All ones in the first `count` words. */
function wordsBelow(count: u32): v128 {
  return i32x4.lt_u(i32x4(0, 1, 2, 3), i32x4.splat(count));
}

function sumOf(lanes: v128): u32 {
  return (
    i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1) + i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3)
  );
}
