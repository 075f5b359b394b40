// The groups of a brick's plane: SPEC.md, 'Bricks, blocks and groups' and 'Codes'.
import { depth, height, isPicture, isWhole, rowOf, sliceOf, width } from './brick';

/** 'A quotient of 15 or more is an escape' */
export const escapeQuotient: u32 = 15;

/** The highest code is the raw group: 8 or 15. */
export function rawCode<T>(): u32 {
  return sizeof<T>() === 1 ? 8 : 15;
}

export function isRice<T>(code: u32): bool {
  return code > 0 && code < rawCode<T>();
}

/** The number of a symbol's bits in its suffix. */
export function suffixWidth<T>(code: u32): u32 {
  return code === 0 ? 0 : isRice<T>(code) ? code - 1 : 8 * sizeof<T>();
}

/** Elements of a whole group along each axis. */
function wholeWidth(): u32 {
  return isPicture ? 8 : 4;
}

function wholeHeight<T>(): u32 {
  return isPicture && sizeof<T>() === 1 ? 8 : 4;
}

function wholeDepth<T>(): u32 {
  return isPicture ? 1 : 4 / sizeof<T>();
}

/** The number of sets of 32 places in a group. */
export function setsOf<T>(): u32 {
  return sizeof<T>() === 1 ? 2 : 1;
}

export function groupCount<T>(): u32 {
  const alongX = (width + wholeWidth() - 1) / wholeWidth();
  const alongY = (height + wholeHeight<T>() - 1) / wholeHeight<T>();
  return alongX * alongY * ((depth + wholeDepth<T>() - 1) / wholeDepth<T>());
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
  if (groupX + wholeWidth() < width) lookAt<T>(groupX + wholeWidth(), groupY, groupZ);
  else if (groupY + wholeHeight<T>() < height) lookAt<T>(0, groupY + wholeHeight<T>(), groupZ);
  else lookAt<T>(0, 0, groupZ + wholeDepth<T>());
}

function lookAt<T>(x: u32, y: u32, z: u32): void {
  groupX = x;
  groupY = y;
  groupZ = z;
  groupWidth = min(wholeWidth(), width - x);
  groupHeight = min(wholeHeight<T>(), height - y);
  groupDepthLeft = z < depth ? min(wholeDepth<T>(), depth - z) : 0;
}

/** The position of the group's first element in the plane, in bytes. */
export function groupOffset<T>(): usize {
  return groupZ * sliceOf<T>() + groupY * rowOf<T>() + groupX * sizeof<T>();
}

export function groupElements(): u32 {
  return groupWidth * groupHeight * groupDepthLeft;
}

/** 'A tile is one word of 4 bytes × 4 rows': bytes from a set's first two tiles of u8, or four of u16, to the other half of its tiles. */
export function halfSetStep<T>(): u32 {
  return isPicture ? 4 * sizeof<T>() : sliceOf<T>();
}

/** Bytes from a group's first set to its second. For u16 there is no second. */
export function setStep<T>(): u32 {
  return isPicture ? 4 * rowOf<T>() : 2 * sliceOf<T>();
}

/** The bits in a set's planes whose elements exist. @param set its number in the group */
export function presentBits<T>(set: u32): u32 {
  if (isWhole()) return u32.MAX_VALUE;
  let bits: u32 = 0;
  for (let half: u32 = 0; half < 2; half++) {
    // The half's first element in the group.
    const firstX: u32 = isPicture ? 4 * half : 0;
    const firstY: u32 = isPicture ? 4 * set : 0;
    const firstZ: u32 = isPicture ? 0 : 2 * set + half;
    if (firstZ >= groupDepthLeft) continue;
    for (let y: u32 = 0; y < 4 && firstY + y < groupHeight; y++) {
      for (let x: u32 = 0; x < 4 && firstX + x < groupWidth; x++) bits |= 1 << (columnBit<T>(x) + 4 * half + y);
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
 * u32.MAX_VALUE if it does not exist.
 */
export function placeOffset<T>(place: u32): u32 {
  let x = sizeof<T>() === 1 ? place & 3 : (place & 1) + 2 * ((place >> 3) & 1);
  let y = sizeof<T>() === 1 ? (place >> 2) & 3 : (place >> 1) & 3;
  let z = place >> 4;
  if (isPicture) {
    // In pictures, the parts that are slices of a group in volumes lie side by side.
    x += 4 * (z & 1);
    y += 4 * (z >> 1);
    z = 0;
  }
  if (x >= groupWidth || y >= groupHeight || z >= groupDepthLeft) return u32.MAX_VALUE;
  return z * sliceOf<T>() + y * rowOf<T>() + x * sizeof<T>();
}

/** Address of a tile's first element, from the group's first one on. */
export function tileOffset<T>(tile: u32): usize {
  return sizeof<T>() === 1
    ? (tile & 1) * halfSetStep<T>() + (tile >> 1) * setStep<T>()
    : (tile & 1) * 4 + (tile >> 1) * halfSetStep<T>();
}

/** Places of a whole group. */
export function places<T>(): u32 {
  return sizeof<T>() === 1 ? 64 : 32;
}
