import type { ElementType } from '../shared/volume.ts';
import { floatBits, isFloatType, typeRange, voxelKey } from './voxel-key.ts';

/** The largest magnitude of an integer's difference from a window, as an exponent of 2: larger differences are scaled down. */
const largestPower = 100;

/**
 * The power of two by which shaders multiply values before comparing them with a range (`difference` in voxel.wgsl). It scales
 * a floating-point range to at most 1, so that no difference overflows and no reciprocal of a width underflows, for every pair
 * of finite 32-bit floats. Integers are not scaled, unless the range is much wider than they are.
 */
export function valuePower(type: ElementType, [a, b]: readonly [number, number]): number {
  if (isFloatType(type)) {
    const largest = Math.max(Math.abs(a), Math.abs(b));
    return largest === 0 ? 0 : -exponentOf(largest);
  }
  return Math.min(0, largestPower - exponentOf(Math.abs(b - a)));
}

/** The start of a range, as `difference` in voxel.wgsl needs it. */
export interface RangeStart {
  readonly power: number;
  /** The key of the range's first value: integers rounded down into their type, floats rounded to 32 bits. */
  readonly key: number;
  /** The bits of 2^power × the value of `key`, as an f32. */
  readonly scaledBits: number;
  /** 2^power × the part that rounding removed. */
  readonly rest: number;
}

export function rangeStart(type: ElementType, [first, last]: readonly [number, number]): RangeStart {
  const power = valuePower(type, [first, last]);
  const [low, high] = typeRange(type);
  const clamped = Math.min(high, Math.max(low, first));
  const keyed = isFloatType(type) ? Math.fround(clamped) : Math.floor(clamped);
  const scale = 2 ** power;
  return { power, key: voxelKey(type, keyed), scaledBits: floatBits(scale * keyed), rest: scale * (first - keyed) };
}

/** The least e with |value| < 2^e, or one more if the logarithm is rounded up. */
function exponentOf(value: number): number {
  return value === 0 ? 0 : Math.floor(Math.log2(value)) + 1;
}
