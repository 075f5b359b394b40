// The mixing of src/core/format/checksum.ts, four words at a time.
import { lowBits } from './bits';
import { firstLanes } from './lanes';

const step: u32 = 0x9e3779b1;

/** The sums since `startChecksum`, lane by lane. */
let sums: v128 = i32x4.splat(0);
let crosses: v128 = i32x4.splat(0);

export function startChecksum(): void {
  sums = i32x4.splat(0);
  crosses = i32x4.splat(0);
}

/**
 * Mixes rows, each padded with zero bytes to whole words. 16 bytes past them must be readable.
 * @param row address of the first of 64 rows, `stride` bytes apart; those whose bits are 1 are mixed
 * @param word number of the first row's first word; each row has `rowWords` words
 */
export function mixRows(rows: u64, row: usize, stride: u32, bytes: u32, word: u32, rowWords: u32): void {
  let sum = sums;
  let cross = crosses;
  const tail = bytes & 15;
  const present = firstLanes<u8>(tail);
  const presentWords = wordsBelow((tail + 3) >> 2);
  for (; rows !== 0; rows &= rows - 1) {
    const y = <u32>ctz(rows);
    let numbers = numbersFrom(word + y * rowWords);
    let p = row + y * stride;
    const blocksEnd = p + (bytes & ~63);
    const wholeEnd = p + (bytes & ~15);
    for (; p < blocksEnd; p += 64) {
      const first = mix(v128.xor(v128.load(p), numbers));
      const second = mix(v128.xor(v128.load(p, 16), i32x4.add(numbers, i32x4.splat(4 * step))));
      const third = mix(v128.xor(v128.load(p, 32), i32x4.add(numbers, i32x4.splat(8 * step))));
      const fourth = mix(v128.xor(v128.load(p, 48), i32x4.add(numbers, i32x4.splat(12 * step))));
      sum = i32x4.add(sum, i32x4.add(i32x4.add(first, second), i32x4.add(third, fourth)));
      const again = i32x4.add(i32x4.add(fold(first), fold(second)), i32x4.add(fold(third), fold(fourth)));
      cross = i32x4.add(cross, again);
      numbers = i32x4.add(numbers, i32x4.splat(16 * step));
    }
    for (; p < wholeEnd; p += 16) {
      const mixed = mix(v128.xor(v128.load(p), numbers));
      sum = i32x4.add(sum, mixed);
      cross = i32x4.add(cross, fold(mixed));
      numbers = i32x4.add(numbers, i32x4.splat(4 * step));
    }
    if (tail !== 0) {
      const mixed = v128.and(mix(v128.xor(v128.and(v128.load(p), present), numbers)), presentWords);
      sum = i32x4.add(sum, mixed);
      cross = i32x4.add(cross, fold(mixed));
    }
  }
  sums = sum;
  crosses = cross;
}

export function checksumSum(): u32 {
  return sumOf(sums);
}

export function checksumCross(): u32 {
  return sumOf(crosses) * 0x27d4eb2f;
}

/**
 * The checksum of contiguous rows. 16 bytes past them must be readable.
 * @param word number of the first word
 * @param to receives `sum` and `cross`, 4 bytes each
 */
export function checksum(from: usize, rowBytes: u32, rows: u32, word: u32, to: usize): void {
  startChecksum();
  const rowWords = (rowBytes + 3) >> 2;
  for (let row: u32 = 0; row < rows; row += 64) {
    const some = lowBits(min<u32>(64, rows - row));
    mixRows(some, from + row * rowBytes, rowBytes, rowBytes, word + row * rowWords, rowWords);
  }
  store<u32>(to, checksumSum());
  store<u32>(to, checksumCross(), 4);
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

/** The second mixing without its factor, by which the sum is multiplied instead. */
function fold(mixed: v128): v128 {
  return v128.xor(mixed, i32x4.shr_u(mixed, 15));
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
