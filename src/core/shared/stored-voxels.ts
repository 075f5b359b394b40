import { StriaError } from './errors.ts';
import { type VolumeInfo, volumeBytes, voxelCount } from './volume.ts';

/** How a source's file stores its voxels, unless they are contiguous in the volume's type. */
export interface StoredVoxels {
  /** The number of interleaved values per voxel position. Value c at time point i of n is the voxel at t = c × n + i. */
  readonly samples: number;
  /**
   * `f16`: half floats, of an f32 volume. `u4`: 4 bits each, of a u8 volume; the first voxel of a byte is in its low half, and each
   * row along x begins a byte.
   */
  readonly as?: 'f16' | 'u4' | undefined;
}

export const maxSamples = 1024;

/** The number of bytes that a source's voxels take in its file. */
export function storedBytes(info: Pick<VolumeInfo, 'dims' | 'type'>, stored: StoredVoxels | undefined): number {
  const [x, y, z, t] = info.dims;
  if (stored?.as === 'f16') return 2 * voxelCount(info.dims);
  if (stored?.as === 'u4') return Math.ceil(x / 2) * y * z * t;
  return volumeBytes(info);
}

/** @throws StriaError `corrupt` if a volume of this kind cannot be stored in this way */
export function checkStored({ dims, type }: Pick<VolumeInfo, 'dims' | 'type'>, { samples, as }: StoredVoxels): void {
  const fits = samples >= 1 && samples <= maxSamples && dims[3] % samples === 0;
  const hasType = as === undefined || (as === 'f16' ? type === 'f32' : type === 'u8' && samples === 1);
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
