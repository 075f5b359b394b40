import { StriaError } from './errors.ts';
import { type ElementType, elementBytes, elementTypes, type VolumeInfo, volumeBytes, voxelCount } from './volume.ts';

/** The types in files that Stria reads as another type, with that type. */
const storedForms = { f16: 'f32', u4: 'u8', i64: 'i32', u64: 'u32' } as const satisfies Record<string, ElementType>;
export type StoredForm = keyof typeof storedForms;
export const storedFormNames = Object.keys(storedForms) as readonly StoredForm[];

/** The type to which values of a file are read, and their own form if it is another. */
export interface ReadType {
  readonly type: ElementType;
  readonly as?: StoredForm;
}
export const readInt64 = { type: 'i32', as: 'i64' } as const satisfies ReadType;
export const readUint64 = { type: 'u32', as: 'u64' } as const satisfies ReadType;

/** Types of voxels in raw files. */
export type RawType = ElementType | 'i64' | 'u64';
export const rawTypes: readonly RawType[] = [...elementTypes, 'i64', 'u64'];

/** The type to which raw voxels are read. */
export function readTypeOf(type: RawType): ReadType {
  if (type === 'i64') return readInt64;
  return type === 'u64' ? readUint64 : { type };
}

/** Bytes of a raw voxel. */
export function rawTypeBytes(type: RawType): number {
  const { type: read, as } = readTypeOf(type);
  return storedWidth(read, as);
}

/** How a source's file stores its voxels, unless they are contiguous in the volume's type. */
export interface StoredVoxels {
  /** The number of interleaved values per voxel position. Value c at time point i of n is the voxel at t = c × n + i. */
  readonly samples: number;
  /**
   * `f16`: half floats, of an f32 volume. `i64`, `u64`: 64-bit integers, of an i32 or u32 volume. `u4`: 4 bits each, of a u8 volume;
   * the first voxel of a byte is in its low half, and each row along x begins a byte.
   */
  readonly as?: StoredForm | undefined;
}

export const maxSamples = 1024;

/** The number of bytes that a source's voxels take in its file. */
export function storedBytes(info: Pick<VolumeInfo, 'dims' | 'type'>, stored: StoredVoxels | undefined): number {
  const [x, y, z, t] = info.dims;
  if (stored?.as === undefined) return volumeBytes(info);
  if (stored.as === 'u4') return Math.ceil(x / 2) * y * z * t;
  return storedWidth(info.type, stored.as) * voxelCount(info.dims);
}

/** The bytes of a value in the file; 1 for two values of 4 bits. */
export function storedWidth(type: ElementType, as: StoredForm | undefined): 1 | 2 | 4 | 8 {
  if (as === 'f16') return 2;
  return as === 'i64' || as === 'u64' ? 8 : elementBytes(type);
}

/** @throws StriaError `corrupt` if a volume of this kind cannot be stored in this way */
export function checkStored({ dims, type }: Pick<VolumeInfo, 'dims' | 'type'>, { samples, as }: StoredVoxels): void {
  const fits = samples >= 1 && samples <= maxSamples && dims[3] % samples === 0;
  const hasType = as === undefined || (storedForms[as] === type && (as !== 'u4' || samples === 1));
  if (fits && hasType) return;
  const how = `${samples} values side by side${as === undefined ? '' : ` as ${as}`}`;
  throw new StriaError('corrupt', `a volume of ${dims[3]} time points of ${type} is not stored with ${how}`);
}

let floats: Uint32Array | undefined;

/** Half floats as floats, both little-endian. NaNs keep their bits. */
export function floatsOfHalves(halves: Uint8Array): Uint8Array<ArrayBuffer> {
  floats ??= Uint32Array.from({ length: 65536 }, (_, half) => floatOfHalf(half));
  const bytes = new Uint8Array(2 * halves.byteLength);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 1 < halves.byteLength; at += 2) {
    const half = (halves[at] as number) | ((halves[at + 1] as number) << 8);
    view.setUint32(2 * at, floats[half] as number, true);
  }
  return bytes;
}

/** The inverse of `floatsOfHalves`. It is exact for floats that were halves; others lose the bits that a half cannot hold. */
export function halvesOfFloats(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const halves = new Uint8Array(bytes.byteLength / 2);
  for (let at = 0; at < halves.byteLength; at += 2) {
    const half = halfOfFloat(view.getUint32(2 * at, true));
    halves[at] = half & 255;
    halves[at + 1] = half >> 8;
  }
  return halves;
}

/** Converts the bits of a half to those of a float. Source: IEEE 754, binary16 and binary32. */
function floatOfHalf(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return (sign | 0x7f800000 | (fraction << 13)) >>> 0;
  if (exponent > 0) return (sign | ((exponent + 112) << 23) | (fraction << 13)) >>> 0;
  if (fraction === 0) return sign >>> 0;
  // Subnormal: the highest set bit becomes the implicit leading bit.
  const shift = Math.clz32(fraction) - 21;
  return (sign | ((113 - shift) << 23) | (((fraction << shift) & 1023) << 13)) >>> 0;
}

function halfOfFloat(float: number): number {
  const sign = (float >>> 16) & 0x8000;
  const exponent = (float >>> 23) & 255;
  const fraction = float & 0x7fffff;
  if (exponent === 255) return sign | 0x7c00 | (fraction >>> 13) | (fraction !== 0 && fraction >>> 13 === 0 ? 1 : 0);
  if (exponent > 142) return sign | 0x7c00;
  if (exponent > 112) return sign | ((exponent - 112) << 10) | (fraction >>> 13);
  if (exponent < 103) return sign;
  return sign | ((fraction | 0x800000) >>> (126 - exponent));
}

/** 32-bit integers as 64-bit integers, both little-endian. */
export function widenedIntegers(bytes: Uint8Array, isSigned: boolean): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const halves = new Int32Array(bytes.byteLength / 2);
  for (let at = 0; at < halves.length; at += 2) {
    const low = view.getInt32(2 * at, true);
    halves[at] = low;
    halves[at + 1] = isSigned ? low >> 31 : 0;
  }
  return new Uint8Array(halves.buffer);
}

/** Packs whole rows of voxels, one per byte, into 4 bits per voxel. */
export function packedNibbles(voxels: Uint8Array, width: number): Uint8Array<ArrayBuffer> {
  const rowBytes = Math.ceil(width / 2);
  const rows = voxels.byteLength / width;
  const packed = new Uint8Array(rows * rowBytes);
  for (let row = 0; row < rows; row++) {
    for (let x = 0; x < width; x += 2) {
      const high = x + 1 < width ? (voxels[row * width + x + 1] as number) : 0;
      packed[row * rowBytes + (x >> 1)] = ((voxels[row * width + x] as number) & 15) | ((high & 15) << 4);
    }
  }
  return packed;
}
