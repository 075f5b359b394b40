// Exact products of whole numbers up to 2^53, held in doubles. The shaders compute the same with pairs of u32 words.

const twoTo16 = 2 ** 16;
const twoTo32 = 2 ** 32;

/** floor(value × weight / 2^16), exactly. @param value below 2^53 @param weight at most 2^16 */
export function times16(value: number, weight: number): number {
  // The product is exact in a double.
  if (value < 2 ** 37) return Math.floor((value * weight) / twoTo16);
  const high = Math.floor(value / twoTo32);
  const low = value - high * twoTo32;
  return high * weight * twoTo16 + Math.floor((low * weight) / twoTo16);
}

/** floor(value × fraction / 2^32), exactly. @param value below 2^53 @param fraction below 2^32 */
export function times32(value: number, fraction: number): number {
  const high = Math.floor(value / twoTo32);
  const low = value - high * twoTo32;
  const fractionHigh = Math.floor(fraction / twoTo16);
  const fractionLow = fraction - fractionHigh * twoTo16;
  return high * fraction + Math.floor((low * fractionHigh + Math.floor((low * fractionLow) / twoTo16)) / twoTo16);
}

/** floor(part × 2^32 / whole), exactly. @param part below `whole` @param whole at most 2^24 */
export function fraction32(part: number, whole: number): number {
  const high = Math.floor((part * twoTo16) / whole);
  const rest = part * twoTo16 - high * whole;
  return high * twoTo16 + Math.floor((rest * twoTo16) / whole);
}
