import type { ElementType } from '../../shared/volume.ts';
import type { H5Metadata } from './h5-file.ts';

/** Type classes: `H5T_class_t`. */
const integer = 0;
const float = 1;
const bitfield = 4;
const enumeration = 8;
const classNames: Readonly<Record<number, string>> = {
  2: 'time',
  3: 'text',
  5: 'opaque',
  6: 'compound',
  7: 'reference',
  9: 'variable length',
  10: 'array',
};

/** The type to which a dataset's values are read. */
export interface H5Type {
  readonly type: ElementType;
  /** Size of a value in the file, in bytes. */
  readonly bytes: number;
  readonly convert?: 'half' | 'i64' | 'u64';
}

const integers: Readonly<Record<string, H5Type>> = {
  u1: { type: 'u8', bytes: 1 },
  i1: { type: 'i8', bytes: 1 },
  u2: { type: 'u16', bytes: 2 },
  i2: { type: 'i16', bytes: 2 },
  u4: { type: 'u32', bytes: 4 },
  i4: { type: 'i32', bytes: 4 },
  u8: { type: 'u32', bytes: 8, convert: 'u64' },
  i8: { type: 'i32', bytes: 8, convert: 'i64' },
};
const floats: Readonly<Record<number, H5Type>> = {
  2: { type: 'f32', bytes: 2, convert: 'half' },
  4: { type: 'f32', bytes: 4 },
  8: { type: 'f64', bytes: 8 },
};

/** Undefined for unsupported types. Enumerations (including booleans) and bit fields are read as their numbers. */
export function typeOf({ type, size, signed, enum_type }: H5Metadata): H5Type | undefined {
  if (type === float) return floats[size];
  const { FALSE, TRUE, ...others } = enum_type?.members ?? {};
  if (size === 1 && FALSE === 0 && TRUE === 1 && Object.keys(others).length === 0) return integers.u1;
  if (type === integer || type === enumeration) return integers[`${signed ? 'i' : 'u'}${size}`];
  return type === bitfield ? integers[`u${size}`] : undefined;
}

/** The type for display: `u16`, `i64 as i32`, or a name for a type that is not a number. */
export function typeWords(metadata: H5Metadata): string {
  const { type, size } = metadata;
  const found = typeOf(metadata);
  const members = metadata.compound_type?.members;
  if (members?.length === 2 && members.every((member) => member.type === float)) return `complex${size * 8}`;
  if (found === undefined) return classNames[type] ?? `${type === float ? 'float' : 'integer'} of ${size * 8} bits`;
  if (found.convert === undefined) return found.type;
  return `${found.convert === 'half' ? 'f16' : found.convert} as ${found.type}`;
}
