import type { ElementType } from '../shared/volume.ts';
import { isFloatType } from './voxel-key.ts';

/** The largest 32-bit float that a signed 32-bit integer can hold. */
const mostFloat = 2 ** 31 - 128;

/**
 * How stored values of a type become label numbers. Integers are their own. Floats are rounded to 32 bits, clamped to the range of
 * signed 32-bit integers, and rounded to the nearest whole number, halves to the even one. NaN and infinities stay. Twin: label_number in
 * label.wgsl.
 */
export function labelNumbers(type: ElementType): (stored: number) => number {
  return isFloatType(type) ? nearestNumber : (stored) => stored;
}

function nearestNumber(stored: number): number {
  if (!Number.isFinite(stored)) return stored;
  const value = Math.fround(Math.min(mostFloat, Math.max(-(2 ** 31), stored)));
  const rounded = Math.round(value);
  // A sum with 0 is never −0.
  return 0 + (rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded);
}
