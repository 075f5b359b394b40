import { channelLayout, type ElementType, type Endian, elementBytes, type VolumeInfo } from '../../shared/volume.ts';

const kinds: Record<ElementType, string> = {
  u8: 'u1',
  i8: 'i1',
  u16: 'u2',
  i16: 'i2',
  u32: 'u4',
  i32: 'i4',
  f32: 'f4',
  f64: 'f8',
};

/** A version 1 header in C order: (z, y, x), with t before them for a series, and channels as the first axis. Like NumPy's, it ends at a multiple of 64. */
export function npyHeader(info: VolumeInfo, endian: Endian): Uint8Array {
  const { dims, type } = info;
  const [x, y, z] = dims;
  const { channelCount, timePoints } = channelLayout(info);
  const order = elementBytes(type) === 1 ? '|' : endian === 'big' ? '>' : '<';
  const shape = [...[channelCount, timePoints].filter((length) => length > 1), z, y, x];
  const dictionary = `{'descr': '${order}${kinds[type]}', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`;
  const length = 64 * Math.ceil((10 + dictionary.length + 1) / 64);
  const bytes = new Uint8Array(length).fill(0x20);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, (length - 10) & 255, (length - 10) >> 8]);
  bytes.set(new TextEncoder().encode(dictionary), 10);
  bytes[length - 1] = 0x0a;
  return bytes;
}
