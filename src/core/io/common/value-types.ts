import { StriaError } from '../../shared/errors.ts';

/** The values of all 65,536 half floats (IEEE 754 binary16). Computed on first use. */
let halfValues: Float32Array<ArrayBuffer> | undefined;

/** Half floats as 32-bit floats. The conversion is exact. */
export function widenHalf(bits: Uint16Array): Float32Array<ArrayBuffer> {
  halfValues ??= Float32Array.from({ length: 65_536 }, (_, number) => halfValue(number));
  const values = new Float32Array(bits.length);
  for (let at = 0; at < bits.length; at++) values[at] = halfValues[bits[at] as number] as number;
  return values;
}

function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * 64-bit integers as 32-bit integers, which is enough for labels and counts in practice.
 * @param bytes little-endian; must hold whole values
 * @param placeOf the place of a value in words, by its number
 * @throws StriaError `unsupported` for a value that needs more than 32 bits
 */
export function narrowIntegers(
  bytes: Uint8Array<ArrayBuffer>,
  isSigned: boolean,
  placeOf: (index: number) => string,
): Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const halves = new Int32Array(aligned.buffer, aligned.byteOffset, Math.floor(aligned.byteLength / 8) * 2);
  const values = new Int32Array(halves.length / 2);
  for (let at = 0; at < values.length; at++) {
    const low = halves[2 * at] as number;
    const high = halves[2 * at + 1] as number;
    if (high !== (isSigned ? low >> 31 : 0)) throw needsMoreBits(low, high, isSigned, placeOf(at));
    values[at] = low;
  }
  return isSigned ? values : new Uint32Array(values.buffer);
}

function needsMoreBits(low: number, high: number, isSigned: boolean, place: string): StriaError {
  const bits = (BigInt(high) << 32n) | BigInt(low >>> 0);
  const value = isSigned ? bits : BigInt.asUintN(64, bits);
  const fitsUnsigned = value >= 0n && value < 2n ** 32n;
  const advice = fitsUnsigned
    ? 'convert the data to uint32, or to float64 if it also has negative values'
    : 'renumber labels, or convert the data to float64, which is exact up to 2^53';
  return new StriaError(
    'unsupported',
    `the value ${value} at ${place} does not fit into ${isSigned ? 'i32' : 'u32'}, as which Stria reads 64-bit integers: ${advice}`,
  );
}

/**
 * The place in an array of value `index` of a block, as its index in NumPy.
 * @param origin the index of the block's first value
 */
export function placeInArray(
  index: number,
  { origin, lengths, stride }: Record<'origin' | 'lengths' | 'stride', readonly number[]>,
): string {
  const place = origin.map((first, axis) => first + (Math.floor(index / (stride[axis] as number)) % (lengths[axis] as number)));
  return `[${place.join(', ')}]`;
}
