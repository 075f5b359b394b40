import type { FileWindow } from './volume-facts.ts';

/** The type of a voxel: unsigned, signed or floating point, and its width in bits. */
export const elementTypes = ['u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'f32', 'f64'] as const;
export type ElementType = (typeof elementTypes)[number];

export type Endian = 'little' | 'big';

/** Lengths along x (fastest in memory), y and z, in voxels. */
export type Dims3 = readonly [x: number, y: number, z: number];

/** Lengths along x (fastest in memory), y, z and t, in voxels and time points. A volume without time has t = 1. */
export type Dims4 = readonly [x: number, y: number, z: number, t: number];

/** Everything about a volume except its voxels. */
export interface VolumeInfo {
  readonly dims: Dims4;
  readonly type: ElementType;
  /** Distance between voxel centres along x, y, z in `spatialUnit`, and between time points in `timeUnit`. */
  readonly spacing: readonly [number, number, number, number];
  readonly spatialUnit: 'm' | 'mm' | 'um' | 'unknown';
  readonly timeUnit: 's' | 'ms' | 'us' | 'unknown';
  /** Voxel index (x, y, z, 1) to world RAS+ millimetres (or `spatialUnit`): three rows of four, row by row. */
  readonly affine: readonly number[];
  /** The physical value is `slope × stored + intercept`. Stria preserves stored values bit for bit. */
  readonly slope: number;
  readonly intercept: number;
  /**
   * If set, t counts channels, and within each channel time points: dims[3] is a multiple of the number of channels, and
   * channel c at time t has index c × (time points) + t. Not empty.
   */
  readonly channels?: readonly Channel[] | undefined;
  /** Unit of the physical values: 'HU'. */
  readonly valueUnit?: string | undefined;
  /** The file's own display windows, in the file's order. */
  readonly windows?: readonly FileWindow[] | undefined;
  /**
   * Set if the world axes are those of an instrument or a simulation, not of a patient. Views then show no anatomical directions and
   * do not reorient the volume. The format implies it, so containers do not store it.
   */
  readonly world?: 'instrument' | undefined;
}

/** One channel of a volume: a stain, a wavelength, red. */
export interface Channel {
  readonly name: string;
  /** `#rrggbb`. */
  readonly color?: string | undefined;
  /** The initial display window, in physical values. */
  readonly window?: readonly [low: number, high: number] | undefined;
}

/** The channels of RGB and RGBA pictures. */
export const colorChannels: readonly Channel[] = [
  { name: 'Red', color: '#ff0000' },
  { name: 'Green', color: '#00ff00' },
  { name: 'Blue', color: '#0000ff' },
  { name: 'Alpha' },
];

/** How t is divided into channels and time points. */
export function channelLayout({ dims, channels }: Pick<VolumeInfo, 'dims' | 'channels'>): {
  readonly channelCount: number;
  readonly timePoints: number;
} {
  const channelCount = channels?.length ?? 1;
  return { channelCount, timePoints: dims[3] / channelCount };
}

/** Metres per unit of space; NaN if the unit is unknown. */
export const metresOf: Readonly<Record<VolumeInfo['spatialUnit'], number>> = { m: 1, mm: 1e-3, um: 1e-6, unknown: Number.NaN };

const widths: Record<ElementType, 1 | 2 | 4 | 8> = { u8: 1, i8: 1, u16: 2, i16: 2, u32: 4, i32: 4, f32: 4, f64: 8 };

/** Lowest and highest value of each integer type. */
export const integerRanges: Readonly<Record<Exclude<ElementType, 'f32' | 'f64'>, readonly [low: number, high: number]>> = {
  u8: [0, 255],
  i8: [-128, 127],
  u16: [0, 65_535],
  i16: [-32_768, 32_767],
  u32: [0, 4_294_967_295],
  i32: [-2_147_483_648, 2_147_483_647],
};

/** Width of one voxel in bytes. */
export function elementBytes(type: ElementType): 1 | 2 | 4 | 8 {
  return widths[type];
}

/** Number of voxels over all time points. */
export function voxelCount(dims: Dims4): number {
  return dims[0] * dims[1] * dims[2] * dims[3];
}

/** Byte length of all voxels of all time points, uncompressed. */
export function volumeBytes(info: Pick<VolumeInfo, 'dims' | 'type'>): number {
  return voxelCount(info.dims) * elementBytes(info.type);
}

/** A typed array over little-endian voxel bytes (every platform of Stria is little-endian). Copies misaligned bytes. */
export function typedVoxels(type: ElementType, bytes: Uint8Array): VoxelArray {
  const width = elementBytes(type);
  const aligned = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  const { buffer, byteOffset } = aligned;
  const length = Math.floor(aligned.byteLength / width);
  switch (type) {
    case 'u8':
      return new Uint8Array(buffer, byteOffset, length);
    case 'i8':
      return new Int8Array(buffer, byteOffset, length);
    case 'u16':
      return new Uint16Array(buffer, byteOffset, length);
    case 'i16':
      return new Int16Array(buffer, byteOffset, length);
    case 'u32':
      return new Uint32Array(buffer, byteOffset, length);
    case 'i32':
      return new Int32Array(buffer, byteOffset, length);
    case 'f32':
      return new Float32Array(buffer, byteOffset, length);
    case 'f64':
      return new Float64Array(buffer, byteOffset, length);
  }
}

export type VoxelArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** Reverses the bytes of every element in place, to convert between big-endian and little-endian. */
export function swapBytes(bytes: Uint8Array, width: 1 | 2 | 4 | 8): void {
  if (width === 1) return;
  const length = Math.max(width, 4);
  const whole = bytes.byteOffset % 4 === 0 ? bytes.length - (bytes.length % length) : 0;
  if (whole > 0) swapWords(new Uint32Array(bytes.buffer, bytes.byteOffset, whole / 4), width);
  for (let start = whole; start + width <= bytes.length; start += width) {
    for (let low = start, high = start + width - 1; low < high; low++, high--) {
      const byte = bytes[low] as number;
      bytes[low] = bytes[high] as number;
      bytes[high] = byte;
    }
  }
}

/** Several times as fast as byte by byte. */
function swapWords(words: Uint32Array, width: 2 | 4 | 8): void {
  if (width === 2) {
    for (let at = 0; at < words.length; at++) words[at] = swappedHalves(words[at] as number);
  } else if (width === 4) {
    for (let at = 0; at < words.length; at++) words[at] = swappedWord(words[at] as number);
  } else {
    for (let at = 0; at < words.length; at += 2) {
      const first = words[at] as number;
      words[at] = swappedWord(words[at + 1] as number);
      words[at + 1] = swappedWord(first);
    }
  }
}

function swappedWord(word: number): number {
  const halves = swappedHalves(word);
  return (halves << 16) | (halves >>> 16);
}

/** A word with the bytes of each half swapped. */
function swappedHalves(word: number): number {
  return ((word & 0xff00ff) << 8) | ((word >>> 8) & 0xff00ff);
}

/** The channel and the time point within it that an index along t stands for. */
export function channelAt(
  info: Pick<VolumeInfo, 'dims' | 'channels'>,
  index: number,
): { readonly channel: number; readonly time: number } {
  const { timePoints } = channelLayout(info);
  return { channel: Math.floor(index / timePoints), time: index % timePoints };
}
