import { type ElementType, integerRanges } from '../../shared/volume.ts';
import type { SurfaceChoice } from '../surfaces.ts';

/**
 * Stored values from one key to another, both included. A key is an unsigned number that rises with the value: of 64 bits for f64, else
 * of 32 bits, as in shaders/volume/voxel.wgsl.
 */
export interface KeyRange {
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * The stored values that a surface encloses, exactly as `SurfaceBuilder` and `LabelBuilders` decide, which compare slope × stored +
 * intercept as 64-bit floats: rounding never turns the order of two values around, so the values are a range.
 * @param scale both finite @returns undefined if there are none
 */
export function keysInside(
  choice: SurfaceChoice,
  type: ElementType,
  { slope, intercept }: { readonly slope: number; readonly intercept: number },
): KeyRange | undefined {
  const physical = (key: bigint): number => slope * storedOf(type, key) + intercept;
  // Zero times infinity is not a number, which is outside.
  const keys = slope === 0 ? finiteKeys(type) : allKeys(type);
  if ('level' in choice) return rangeWhere(keys, (key) => physical(key) >= choice.level);
  const from = rangeWhere(keys, (key) => physical(key) >= choice.label);
  const to = rangeWhere(keys, (key) => physical(key) <= choice.label);
  if (!from || !to) return undefined;
  const range = { first: from.first > to.first ? from.first : to.first, last: from.last < to.last ? from.last : to.last };
  return range.first <= range.last ? range : undefined;
}

/** The keys that pass a test which those at one end pass, up to some key, or none does. */
function rangeWhere({ first, last }: KeyRange, passes: (key: bigint) => boolean): KeyRange | undefined {
  const [isFirst, isLast] = [passes(first), passes(last)];
  if (isFirst && isLast) return { first, last };
  if (isLast) return { first: boundary(first, last, passes), last };
  if (isFirst) return { first, last: boundary(first, last, (key) => !passes(key)) - 1n };
  return undefined;
}

/** The first key that passes a test. @param low does not pass it @param high passes it, as do all above the first */
function boundary(low: bigint, high: bigint, passes: (key: bigint) => boolean): bigint {
  let [below, at] = [low, high];
  while (at - below > 1n) {
    const middle = (below + at) / 2n;
    if (passes(middle)) at = middle;
    else below = middle;
  }
  return at;
}

/** Of all values that are numbers. */
function allKeys(type: ElementType): KeyRange {
  const { first, last } = finiteKeys(type);
  // Infinity is the key beside the largest number.
  return type === 'f32' || type === 'f64' ? { first: first - 1n, last: last + 1n } : { first, last };
}

function finiteKeys(type: ElementType): KeyRange {
  if (type === 'f32') return { first: 0x00800000n, last: 0xff7fffffn };
  if (type === 'f64') return { first: 0x0010000000000000n, last: 0xffefffffffffffffn };
  const [low, high] = integerRanges[type];
  const offset = low < 0 ? 2 ** 31 : 0;
  return { first: BigInt(low + offset), last: BigInt(high + offset) };
}

const bits = new DataView(new ArrayBuffer(8));

/** The stored value of a key. */
function storedOf(type: ElementType, key: bigint): number {
  if (type === 'f32') {
    bits.setUint32(0, Number(key >> 31n === 1n ? key ^ 0x80000000n : ~key & 0xffffffffn));
    return bits.getFloat32(0);
  }
  if (type === 'f64') {
    bits.setBigUint64(0, key >> 63n === 1n ? key ^ (1n << 63n) : ~key & 0xffffffffffffffffn);
    return bits.getFloat64(0);
  }
  return Number(key) - (integerRanges[type][0] < 0 ? 2 ** 31 : 0);
}
