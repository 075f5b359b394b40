import type { Gpu } from '../gpu/gpu.ts';
import { type ElementType, elementBytes } from '../shared/volume.ts';

/** Types of 32 and 64 bits have a float in each texel: see shaders/brick-draw/brick-numbers.wgsl. */
const valueBytes = 4;
/** Texels are limited to ±this. Twin: shaders/brick-draw/number-texels.wgsl. */
const greatestNumber = 2 ** 100;
/** A window narrower than this part of its larger end would show the rounding of 32-bit floats. */
const leastWidth = 2 ** -14;

/** The bytes of a texel in the texture of bricks. */
export function brickTexelBytes(type: ElementType): 1 | 2 | 4 {
  const bytes = elementBytes(type);
  return bytes < valueBytes ? (bytes as 1 | 2) : valueBytes;
}

/** Whether texels are values instead of the voxels' bytes. */
export function hasValueTexels(type: ElementType): boolean {
  return elementBytes(type) >= valueBytes;
}

/** Whether the device can filter a texture of bricks of a type. */
export function canFilterBricks({ device }: Pick<Gpu, 'device'>, type: ElementType): boolean {
  return !hasValueTexels(type) || device.features.has('float32-filterable');
}

/** Whether texels are precise enough for a window, in stored values. */
export function fitsTexels(type: ElementType, [low, high]: readonly [number, number]): boolean {
  if (!hasValueTexels(type)) return true;
  const largest = Math.max(Math.abs(low), Math.abs(high));
  return largest <= greatestNumber && largest >= 1 / greatestNumber && Math.abs(high - low) >= leastWidth * largest;
}
