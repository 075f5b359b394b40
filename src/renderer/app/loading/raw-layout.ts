import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import { rawTypeBytes } from '../../../core/shared/stored-voxels.ts';
import { type Dims4, type ElementType, elementBytes, voxelCount } from '../../../core/shared/volume.ts';
import { formatBytes, formatCount } from '../words/units.ts';

/** Whether a layout fits a file, with a message if it does not fit exactly. */
export type LayoutCheck =
  | { readonly state: 'fits' }
  /** Usable, although bytes of the file remain after the voxels. */
  | { readonly state: 'shorter'; readonly words: string }
  | { readonly state: 'wrong'; readonly words: string };

/** @param size the file's size in bytes */
export function checkLayout(layout: RawLayout, size: number): LayoutCheck {
  const offset = layout.offset ?? 0;
  if (layout.dims.some((length) => !Number.isInteger(length) || length < 1)) {
    return { state: 'wrong', words: 'Each dimension is a whole number of at least 1.' };
  }
  if (!Number.isInteger(offset) || offset < 0) return { state: 'wrong', words: 'The offset is a whole number of bytes.' };
  const needed = voxelCount(layout.dims) * rawTypeBytes(layout.type) + offset;
  if (needed === size) return { state: 'fits' };
  const difference = Math.abs(needed - size);
  const amount = difference < 10_000 ? `${formatCount(difference)} bytes` : formatBytes(difference);
  return needed > size
    ? { state: 'wrong', words: `This needs ${amount} more than the file has.` }
    : { state: 'shorter', words: `${amount} after the voxels are not used.` };
}

const typeWords: readonly (readonly [RegExp, ElementType])[] = [
  [/(?:^|[^a-z])(?:uint8|u8|uchar|ubyte|8bit)/, 'u8'],
  [/(?:^|[^a-z])(?:int8|i8|schar)/, 'i8'],
  [/(?:^|[^a-z])(?:uint16|u16|ushort|16bit)/, 'u16'],
  [/(?:^|[^a-z])(?:int16|i16|short)/, 'i16'],
  [/(?:^|[^a-z])(?:uint32|u32|uint)/, 'u32'],
  [/(?:^|[^a-z])(?:int32|i32)/, 'i32'],
  [/(?:^|[^a-z])(?:float64|f64|double)/, 'f64'],
  [/(?:^|[^a-z])(?:float32|f32|float)/, 'f32'],
];

const commonTypes: readonly ElementType[] = ['u8', 'u16', 'f32', 'f64'];
const commonSides = [64, 128, 256, 320, 400, 500, 512, 640, 768, 800, 1000, 1024, 2048];

/**
 * Layouts that use a file's bytes exactly, most likely first: from its name (`head_256x256x109_uint16.raw`), cubes, then
 * stacks of square slices of common sizes.
 * @param size the file's size in bytes
 */
export function suggestLayouts(name: string, size: number, limit = 6): RawLayout[] {
  const lower = name.toLowerCase();
  const named = typeWords.find(([pattern]) => pattern.test(lower))?.[1];
  const endian = /(?:^|[^a-z])(?:big|bigendian|be)(?:[^a-z]|$)/.test(lower) ? 'big' : 'little';
  const types = named ? [named] : commonTypes;
  const found: RawLayout[] = [];
  const offer = (dims: Dims4, type: ElementType): void => {
    const layout: RawLayout = { dims, type, endian, offset: 0 };
    const known = found.some((other) => other.type === type && other.dims.every((length, axis) => length === dims[axis]));
    if (!known && checkLayout(layout, size).state === 'fits') found.push(layout);
  };

  const inName = /(\d+)[x×_](\d+)[x×_](\d+)(?:[x×_](\d+))?/.exec(lower);
  if (inName) {
    const dims = inName.slice(1).map((digits) => (digits ? Number(digits) : 1)) as unknown as Dims4;
    for (const type of types) {
      offer(dims, type);
      offer([dims[0], dims[1], dims[2], 1], type);
    }
  }
  for (const type of types) {
    const side = Math.round(Math.cbrt(size / elementBytes(type)));
    offer([side, side, side, 1], type);
  }
  for (const side of [512, 256, ...commonSides]) {
    for (const type of types) {
      const slices = size / (elementBytes(type) * side * side);
      if (slices >= 8 && slices <= 4 * side) offer([side, side, slices, 1], type);
    }
  }
  return found.slice(0, limit);
}
