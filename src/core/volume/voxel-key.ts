import { type ElementType, elementTypes, integerRanges } from '../shared/volume.ts';

/** The number of an element type in src/shaders/volume/voxel.wgsl. */
export function elementTypeNumber(type: ElementType): number {
  return elementTypes.indexOf(type);
}

export function isFloatType(type: ElementType): boolean {
  return type === 'f32' || type === 'f64';
}

/** The bits of a number rounded to f32, as a u32 for a uniform buffer. */
export function floatBits(value: number): number {
  floats[0] = value;
  return words[0] as number;
}

const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);

/** The lowest and the highest value of a type; for f32 and f64 the largest finite f32 of either sign. */
export function typeRange(type: ElementType): readonly [low: number, high: number] {
  return type === 'f32' || type === 'f64' ? [-3.4028234663852886e38, 3.4028234663852886e38] : integerRanges[type];
}

/**
 * A value as a key in the sense of voxel.wgsl: a u32 that rises with the value. The value is clamped to the type's range; for integer
 * types it is rounded down.
 */
export function voxelKey(type: ElementType, value: number): number {
  const [low, high] = typeRange(type);
  const clamped = Math.min(Math.max(value, low), high);
  if (isFloatType(type)) {
    const bits = floatBits(clamped);
    return (bits & 0x80000000 ? ~bits : bits | 0x80000000) >>> 0;
  }
  return low < 0 ? (Math.floor(clamped) ^ 0x80000000) >>> 0 : Math.floor(clamped);
}

/** The inverse of `voxelKey`. */
export function keyValue(type: ElementType, key: number): number {
  if (isFloatType(type)) {
    words[0] = (key & 0x80000000 ? key ^ 0x80000000 : ~key) >>> 0;
    return floats[0] as number;
  }
  return typeRange(type)[0] < 0 ? (key ^ 0x80000000) | 0 : key;
}
