import type { Endian } from '../../shared/volume.ts';

/** The layout of an MRC header. Source: MRC2014, ccpem.ac.uk/mrc_format/mrc2014.php, and IMOD's mrc_format.txt. */
export const mrcHeaderBytes = 1024;

export const mrcLayout = {
  /** Numbers of columns, rows and sections; then the mode; then the first of each; then the sampling of the unit cell. */
  lengths: 0,
  mode: 12,
  starts: 16,
  sampling: 28,
  /** Sides of the cell in Å, then its angles in degrees. */
  cell: 40,
  angles: 52,
  /** The axes of columns, rows and sections (1: X, 2: Y, 3: Z). */
  mapping: 64,
  least: 76,
  most: 80,
  mean: 84,
  spaceGroup: 88,
  extendedBytes: 92,
  extendedType: 104,
  version: 108,
  /** IMOD's stamp, then its flags: 1 means that bytes are signed, 4 that the origin has the opposite sign. */
  imodStamp: 152,
  imodFlags: 156,
  origin: 196,
  magic: 208,
  machine: 212,
  rms: 216,
  labelCount: 220,
  labels: 224,
} as const;

/** `IMOD`, as IMOD writes it in the file's byte order. */
export const imodStamp = 1146047817;

/** Reads the fields of a header in its byte order. */
export interface MrcFields {
  readonly endian: Endian;
  integer(at: number): number;
  real(at: number): number;
  three(at: number, kind: 'integer' | 'real'): [number, number, number];
}

export function mrcFields(head: Uint8Array, endian: Endian): MrcFields {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isLittle = endian === 'little';
  const integer = (at: number) => view.getInt32(at, isLittle);
  const real = (at: number) => view.getFloat32(at, isLittle);
  return {
    endian,
    integer,
    real,
    three: (at, kind) => {
      const read = kind === 'integer' ? integer : real;
      return [read(at), read(at + 4), read(at + 8)];
    },
  };
}
