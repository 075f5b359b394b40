import { StriaError } from '../../shared/errors.ts';
import { type ReadType, readInt64, readUint64, type StoredVoxels, storedWidth } from '../../shared/stored-voxels.ts';
import type { Dims4, ElementType, Endian } from '../../shared/volume.ts';
import { checkedDims } from '../common/streamed-volume.ts';
import { npyAxes } from './npy-axes.ts';

export interface NpyHeader {
  readonly dims: Dims4;
  readonly type: ElementType;
  readonly endian: Endian;
  /** Half floats become f32, 64-bit integers those of 32 bits. */
  readonly stored: StoredVoxels | undefined;
  /** 1 unless the axes say that one of them is channels. */
  readonly channelCount: number;
  /** Whether the first axis of the shape is the fastest one in the file. */
  readonly isFortran: boolean;
  /** Offset of the first voxel, in bytes. */
  readonly start: number;
}

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]; // \x93NUMPY

export function isNpy(head: Uint8Array): boolean {
  return magic.every((byte, index) => head[index] === byte);
}

/** The longest header that is read. NumPy itself refuses those above 10,000 bytes. */
export const npyHeaderLimit = 2 ** 16 + 16;

const types: Readonly<Record<string, ReadType>> = {
  b1: { type: 'u8' },
  u1: { type: 'u8' },
  i1: { type: 'i8' },
  u2: { type: 'u16' },
  i2: { type: 'i16' },
  u4: { type: 'u32' },
  i4: { type: 'i32' },
  u8: readUint64,
  i8: readInt64,
  f2: { type: 'f32', as: 'f16' },
  f4: { type: 'f32' },
  f8: { type: 'f64' },
};

/** The unsupported kinds, keyed by NumPy's letters. */
const otherKinds: Readonly<Record<string, string>> = {
  O: 'Python objects, which would have to be unpickled',
  c: 'complex numbers',
  S: 'byte strings',
  a: 'byte strings',
  U: 'texts',
  M: 'dates',
  m: 'time differences',
  V: 'raw data without a type',
};

/**
 * Parses a header of version 1, 2 or 3. Source: numpy.lib.format.
 * @param axes the meaning of the axes, if it is given (`npyAxes`)
 * @param head the file's first `npyHeaderLimit` bytes, or fewer if it is shorter
 * @throws StriaError `corrupt`, `unsupported`
 */
export function parseNpyHeader(head: Uint8Array, axes?: string): NpyHeader {
  if (!isNpy(head)) throw new StriaError('corrupt', 'this is not a NumPy file: it does not begin with \\x93NUMPY');
  const [version = 0] = head.subarray(6);
  if (head.byteLength < 12) throw new StriaError('corrupt', 'the file ends inside its NumPy header');
  if (version < 1 || version > 3) {
    throw new StriaError('unsupported', `NumPy files of version ${version} are not supported: Stria reads 1 to 3`);
  }
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const from = version === 1 ? 10 : 12;
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (from + length > npyHeaderLimit) {
    throw new StriaError('unsupported', `the NumPy header has ${length} bytes, more than the limit of ${npyHeaderLimit}`);
  }
  if (from + length > head.byteLength) throw new StriaError('corrupt', 'the file ends inside its NumPy header');
  const text = new TextDecoder(version === 3 ? 'utf-8' : 'latin1').decode(head.subarray(from, from + length));
  const { type, as, endian } = elementType(text);
  const isFortran = /(['"])fortran_order\1\s*:\s*True\b/.test(text);
  if (!isFortran && !/(['"])fortran_order\1\s*:\s*False\b/.test(text)) throw lacks('fortran_order');
  const shape = shapeOf(text);
  // In C order the last axis is the fastest one, x.
  const { lengths, channelCount, areSamples } = npyAxes(shape, isFortran, axes);
  const samples = areSamples ? channelCount : 1;
  return {
    dims: checkedDims([...lengths, channelCount], storedWidth(type, as)),
    type,
    endian,
    stored: as || samples > 1 ? { samples, as } : undefined,
    channelCount,
    isFortran,
    start: from + length,
  };
}

function elementType(text: string): ReadType & { readonly endian: Endian } {
  const found = /(['"])descr\1\s*:\s*(?:(['"])([^'"]{0,60})\2|(\[))/.exec(text);
  if (found === null) throw lacks('descr');
  if (found[4] !== undefined)
    throw new StriaError('unsupported', 'NumPy arrays of records are not supported: save one field of them');
  const name = found[3] ?? '';
  const [, order, code = ''] = /^([<>=|]?)(.*)$/.exec(name) ?? [];
  const type = Object.hasOwn(types, code) ? types[code] : undefined;
  if (type !== undefined) return { ...type, endian: order === '>' ? 'big' : 'little' };
  const kind = Object.hasOwn(otherKinds, code[0] ?? '') ? otherKinds[code[0] as string] : undefined;
  throw new StriaError(
    'unsupported',
    `NumPy arrays of type '${name}'${kind === undefined ? '' : ` (${kind})`} are not supported: Stria reads bools, integers of 8 to 64 bits and floats of 16, 32 and 64 bits`,
  );
}

function shapeOf(text: string): number[] {
  const found = /(['"])shape\1\s*:\s*\(([^()]{0,1000})\)/.exec(text);
  if (found === null) throw lacks('shape');
  const words = (found[2] ?? '').split(',').map((word) => word.trim());
  if (words.at(-1) === '') words.pop();
  // Python 2 wrote 3L for 3.
  const shape = words.map((word) => (/^\d{1,15}L?$/.test(word) ? Number.parseInt(word, 10) : Number.NaN));
  if (shape.length > 32 || shape.some(Number.isNaN)) {
    throw new StriaError('corrupt', `the NumPy header has a shape that cannot be read: (${(found[2] ?? '').slice(0, 60)})`);
  }
  if (shape.includes(0)) throw new StriaError('unsupported', `the NumPy array is empty: its shape is (${shape.join(', ')})`);
  return shape;
}

function lacks(name: string): StriaError {
  return new StriaError('corrupt', `the NumPy header has no '${name}' that Stria understands`);
}
