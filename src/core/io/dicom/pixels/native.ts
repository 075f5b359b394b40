import { StriaError } from '../../../shared/errors.ts';
import { swapBytes, typedVoxels } from '../../../shared/volume.ts';
import { planesOf422, rgbFromYbr, type Samples, type StoredSamples, throughPalette } from './colors.ts';
import type { PixelFormat } from './pixel-format.ts';

/** A frame as voxels: little-endian, one plane per channel. */
export interface VoxelFrame {
  readonly planes: readonly Uint8Array[];
  /** Whether its stored bytes can be rebuilt from the voxels: no bits outside the values were set, no colour was converted. */
  readonly isExact: boolean;
}

/**
 * Converts a native frame to voxels. @param bytes of the frame; modified in place
 */
export function voxelsOfNative(bytes: Uint8Array<ArrayBuffer>, format: PixelFormat, isLittle: boolean): VoxelFrame {
  const { bitsAllocated } = format;
  if (bitsAllocated === 1) throw new StriaError('internal', 'single bits must be unpacked first');
  const width = (bitsAllocated / 8) as 1 | 2 | 4 | 8;
  if (!isLittle) swapBytes(bytes, width);
  if (format.photometric === 'YBR_FULL_422') return { planes: rgbOf422(bytes, format), isExact: false };
  const isExact = extractValues(bytes, format);
  if (format.palette !== undefined) {
    const stored = typedVoxels(`${format.isSigned ? 'i' : 'u'}${bitsAllocated}` as 'u8', bytes) as StoredSamples;
    return { planes: throughPalette(stored, format.palette), isExact: false };
  }
  if (format.samples === 1) return { planes: [bytes], isExact };
  const planes = format.isPlanar ? thirds(bytes) : deinterleaved(bytes, width);
  if (format.photometric === 'YBR_FULL') {
    convert(planes, format);
    return { planes, isExact: false };
  }
  return { planes, isExact };
}

function rgbOf422(bytes: Uint8Array, format: PixelFormat): Uint8Array[] {
  if (format.bitsAllocated !== 8 || format.columns % 2 !== 0) {
    throw new StriaError('unsupported', 'YBR_FULL_422 is supported only with 8 bits and an even number of columns');
  }
  const planes = planesOf422(bytes, format.columns * format.rows);
  rgbFromYbr(planes, 8);
  return planes;
}

function convert(planes: readonly Uint8Array[], { type, bitsStored }: PixelFormat): void {
  if (type !== 'u8' && type !== 'u16') throw new StriaError('unsupported', `YBR_FULL of type ${type} is not supported`);
  const [y, blue, red] = planes.map((plane) => typedVoxels(type, plane) as Samples);
  rgbFromYbr([y as Samples, blue as Samples, red as Samples], bitsStored);
}

/** Extracts values in place: removes the bits above and below them, and extends their sign. @returns whether nothing changed */
function extractValues(
  bytes: Uint8Array<ArrayBuffer>,
  { bitsAllocated, bitsStored, lowBit, isSigned, type }: PixelFormat,
): boolean {
  if (bitsStored === bitsAllocated || type === 'f32' || type === 'f64') return true;
  const stored = typedVoxels(`${isSigned ? 'i' : 'u'}${bitsAllocated}` as 'u8', bytes);
  const up = 32 - bitsStored - lowBit;
  const down = 32 - bitsStored;
  let changed = 0;
  for (let index = 0; index < stored.length; index++) {
    const word = stored[index] as number;
    const value = isSigned ? (word << up) >> down : (word << up) >>> down;
    changed |= word ^ value;
    stored[index] = value;
  }
  return changed === 0;
}

export function thirds(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const length = bytes.byteLength / 3;
  return [0, 1, 2].map((channel) => bytes.slice(channel * length, (channel + 1) * length));
}

export function deinterleaved(bytes: Uint8Array, width: 1 | 2 | 4 | 8): Uint8Array<ArrayBuffer>[] {
  const length = bytes.byteLength / 3;
  return [0, 1, 2].map((channel) => {
    const plane = new Uint8Array(length);
    for (let to = 0, from = channel * width; to < length; from += 2 * width) {
      for (let byte = 0; byte < width; byte++) plane[to++] = bytes[from++] as number;
    }
    return plane;
  });
}

/** Unpacks single bits, from bit `firstBit` of `bytes` on, into one byte each. The first pixel is the lowest bit. */
export function unpackBits(bytes: Uint8Array, firstBit: number, count: number): Uint8Array<ArrayBuffer> {
  const voxels = new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const bit = firstBit + index;
    voxels[index] = ((bytes[bit >>> 3] as number) >>> (bit & 7)) & 1;
  }
  return voxels;
}
