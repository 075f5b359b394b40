// The groups of a brick's plane: SPEC.md, 'Bricks, blocks and groups' and 'Codes'.
import { depth, height, isWhole, rowOf, sliceOf, width } from './brick';

/** 'A quotient of 15 or more is an escape' */
export const escapeQuotient: u32 = 15;

/** The highest code is the raw group: 8 or 15. */
export function rawCode<T>(): u32 {
  return sizeof<T>() === 1 ? 8 : 15;
}

export function isRice<T>(code: u32): bool {
  return code > 0 && code < rawCode<T>();
}

/** Bits of a symbol that are its suffix. */
export function suffixWidth<T>(code: u32): u32 {
  return code === 0 ? 0 : isRice<T>(code) ? code - 1 : 8 * sizeof<T>();
}

/** Slices of a whole group. */
export function groupDepth<T>(): u32 {
  return sizeof<T>() === 1 ? 4 : 2;
}

/** Sets of 32 places in a group. */
export function setsOf<T>(): u32 {
  return sizeof<T>() === 1 ? 2 : 1;
}

export function groupCount<T>(): u32 {
  return ((width + 3) >> 2) * ((height + 3) >> 2) * ((depth + groupDepth<T>() - 1) / groupDepth<T>());
}

/** The current group: the position of its first element, and its size after clipping. */
export let groupX: u32 = 0;
export let groupY: u32 = 0;
export let groupZ: u32 = 0;
export let groupWidth: u32 = 0;
export let groupHeight: u32 = 0;
export let groupDepthLeft: u32 = 0;

export function firstGroup<T>(): void {
  lookAt<T>(0, 0, 0);
}

/** Goes to the next group, x fastest, then y, then z. */
export function nextGroup<T>(): void {
  if (groupX + 4 < width) lookAt<T>(groupX + 4, groupY, groupZ);
  else if (groupY + 4 < height) lookAt<T>(0, groupY + 4, groupZ);
  else lookAt<T>(0, 0, groupZ + groupDepth<T>());
}

function lookAt<T>(x: u32, y: u32, z: u32): void {
  groupX = x;
  groupY = y;
  groupZ = z;
  groupWidth = min<u32>(4, width - x);
  groupHeight = min<u32>(4, height - y);
  groupDepthLeft = z < depth ? min<u32>(groupDepth<T>(), depth - z) : 0;
}

/** Where the group's first element stands in the plane, in bytes. */
export function groupOffset<T>(): usize {
  return groupZ * sliceOf<T>() + groupY * rowOf<T>() + groupX * sizeof<T>();
}

export function groupElements(): u32 {
  return groupWidth * groupHeight * groupDepthLeft;
}

/** The bits in a set's planes whose elements exist. @param first the number in the group of the set's first slice */
export function presentBits<T>(first: u32): u32 {
  if (isWhole<T>()) return u32.MAX_VALUE;
  let bits: u32 = 0;
  for (let z: u32 = 0; z < 2 && first + z < groupDepthLeft; z++) {
    for (let y: u32 = 0; y < groupHeight; y++) {
      for (let x: u32 = 0; x < groupWidth; x++) bits |= 1 << (columnBit<T>(x) + 4 * z + y);
    }
  }
  return bits;
}

/** Number of the bit of a column's first element. */
function columnBit<T>(x: u32): u32 {
  return sizeof<T>() === 1 ? 8 * x : 16 * (x & 1) + 8 * (x >> 1);
}

/**
 * 'Elements in a group are taken by tiles': address of the element at a place, from the group's first one on.
 * u32.MAX_VALUE: it does not exist.
 */
export function placeOffset<T>(place: u32): u32 {
  const x = sizeof<T>() === 1 ? place & 3 : (place & 1) + 2 * ((place >> 3) & 1);
  const y = sizeof<T>() === 1 ? (place >> 2) & 3 : (place >> 1) & 3;
  const z = place >> 4;
  if (x >= groupWidth || y >= groupHeight || z >= groupDepthLeft) return u32.MAX_VALUE;
  return z * sliceOf<T>() + y * rowOf<T>() + x * sizeof<T>();
}

/** Places of a whole group. */
export function places<T>(): u32 {
  return sizeof<T>() === 1 ? 64 : 32;
}
