// Decoding: src/core/codecs/rle/SPEC.md.
import { fillAcrossRows, fillAlongRows } from './fill';

/** Bytes past the end of each level that are read. */
const slack: u32 = 64;

/** As `decode` in index.ts. */
export function decodeRuns<T>(
  from: usize,
  length: u32,
  width: u32,
  height: u32,
  depth: u32,
  axis: u32,
  to: usize,
  scratch: usize,
): bool {
  const count = width * height * depth;
  const bytes0 = (count + 7) >> 3;
  const bytes1 = (bytes0 + 7) >> 3;
  const bytes2 = (bytes1 + 7) >> 3;
  const bytes3 = (bytes2 + 7) >> 3;
  const level0 = scratch;
  const level1 = level0 + bytes0 + slack;
  const level2 = level1 + bytes1 + slack;
  memory.fill(level0, 0, level2 + bytes2 + slack - level0);
  const end = from + length;
  if (length < bytes3 || hasBitsFrom(from, bytes3, bytes2)) return false;
  let at = unpack(from, bytes3, from + bytes3, end, level2);
  if (at === 0 || hasBitsFrom(level2, bytes2, bytes1)) return false;
  at = unpack(level2, bytes2, at, end, level1);
  if (at === 0 || hasBitsFrom(level1, bytes1, bytes0)) return false;
  at = unpack(level1, bytes1, at, end, level0);
  if (at === 0 || hasBitsFrom(level0, bytes0, count)) return false;
  if ((load<u8>(level0) & 1) === 0) return false;
  const runs = countBits(level0, bytes0);
  if (<u64>(end - at) !== <u64>runs * sizeof<T>()) return false;
  for (let p = at + sizeof<T>(); p < end; p += sizeof<T>()) if (load<T>(p) === load<T>(p - sizeof<T>())) return false;
  const rowBytes = width * sizeof<T>();
  if (axis === 0) fillAlongRows<T>(level0, at, count, to);
  else if (axis === 1) fillAcrossRows<T>(level0, at, width, height, rowBytes, depth, rowBytes * height, to);
  else fillAcrossRows<T>(level0, at, width, depth, rowBytes * height, height, rowBytes, to);
  return true;
}

/** 'Bits after the last byte of the level below … are 0': whether any bit from number `count` on is 1. */
function hasBitsFrom(level: usize, bytes: u32, count: u32): bool {
  return (count & 7) !== 0 && <u32>load<u8>(level + bytes - 1) >> (count & 7) !== 0;
}

/**
 * Puts the stored bytes of the level below in their places. @param from the next of them
 * @returns their end; 0 if one is missing or is 0
 */
function unpack(level: usize, bytes: u32, from: usize, end: usize, to: usize): usize {
  for (let i: u32 = 0; i < bytes; i++, to += 8) {
    for (let bits = <u32>load<u8>(level + i); bits !== 0; bits &= bits - 1) {
      if (from >= end) return 0;
      const byte = load<u8>(from++);
      if (byte === 0) return 0;
      store<u8>(to + ctz(bits), byte);
    }
  }
  return from;
}

/** 7 bytes past the level are 0 and readable. */
function countBits(level: usize, bytes: u32): u32 {
  let count: u64 = 0;
  for (let i: u32 = 0; i < bytes; i += 8) count += popcnt(load<u64>(level + i));
  return <u32>count;
}
