import { type ReadType, readInt64, readUint64 } from '../../shared/stored-voxels.ts';
import type { ElementType, VolumeInfo } from '../../shared/volume.ts';

/**
 * The fields of a NIfTI header that Stria reads and writes: byte offsets, and field widths in bytes. Sources: nifti1.h and
 * nifti2.h of the NIfTI data format working group.
 */
export interface NiftiLayout {
  readonly version: 1 | 2;
  /** `sizeof_hdr`, the header's first 4 bytes. Four bytes that announce extensions follow the header. */
  readonly headerBytes: number;
  readonly magicAt: number;
  /** Magic number of a file with header and voxels. */
  readonly singleMagic: readonly number[];
  /** Magic number of a header whose voxels are in a separate file. */
  readonly pairMagic: readonly number[];
  readonly dimAt: number;
  readonly dimBytes: 2 | 8;
  /** `intent_code`. */
  readonly intentAt: number;
  readonly intentBytes: 2 | 4;
  readonly datatypeAt: number;
  readonly bitpixAt: number;
  readonly pixdimAt: number;
  /** Width of every floating-point number of the header. */
  readonly realBytes: 4 | 8;
  /** A float in NIfTI-1, an 8-byte integer in NIfTI-2. */
  readonly voxOffsetAt: number;
  /** `scl_slope`; `scl_inter` follows. */
  readonly slopeAt: number;
  readonly unitsAt: number;
  readonly unitsBytes: 1 | 4;
  /** `qform_code`; `sform_code` follows. */
  readonly formCodesAt: number;
  readonly formCodeBytes: 2 | 4;
  /** `quatern_b`, `_c`, `_d`, `qoffset_x`, `_y`, `_z`, then the twelve numbers of `srow_x`, `_y`, `_z`. */
  readonly quaternAt: number;
}

export const nifti1: NiftiLayout = {
  version: 1,
  headerBytes: 348,
  magicAt: 344,
  singleMagic: [0x6e, 0x2b, 0x31, 0], // n+1
  pairMagic: [0x6e, 0x69, 0x31, 0], // ni1
  dimAt: 40,
  dimBytes: 2,
  intentAt: 68,
  intentBytes: 2,
  datatypeAt: 70,
  bitpixAt: 72,
  pixdimAt: 76,
  realBytes: 4,
  voxOffsetAt: 108,
  slopeAt: 112,
  unitsAt: 123,
  unitsBytes: 1,
  formCodesAt: 252,
  formCodeBytes: 2,
  quaternAt: 256,
};

export const nifti2: NiftiLayout = {
  version: 2,
  headerBytes: 540,
  magicAt: 4,
  singleMagic: [0x6e, 0x2b, 0x32, 0, 0x0d, 0x0a, 0x1a, 0x0a], // n+2
  pairMagic: [0x6e, 0x69, 0x32, 0, 0x0d, 0x0a, 0x1a, 0x0a], // ni2
  dimAt: 16,
  dimBytes: 8,
  intentAt: 504,
  intentBytes: 4,
  datatypeAt: 12,
  bitpixAt: 14,
  pixdimAt: 104,
  realBytes: 8,
  voxOffsetAt: 168,
  slopeAt: 176,
  unitsAt: 500,
  unitsBytes: 4,
  formCodesAt: 344,
  formCodeBytes: 4,
  quaternAt: 352,
};

/** The `datatype` code of each element type. */
export const niftiDatatypes: Record<ElementType, number> = {
  u8: 2,
  i16: 4,
  i32: 8,
  f32: 16,
  f64: 64,
  i8: 256,
  u16: 512,
  u32: 768,
};

/** 64-bit integers, which Stria reads as 32-bit integers. */
export const wideDatatypes: ReadonlyMap<number, ReadType> = new Map<number, ReadType>([
  [1024, readInt64],
  [1280, readUint64],
]);

/** NIfTI datatypes that Stria does not read. */
export const otherDatatypes: ReadonlyMap<number, string> = new Map([
  [1, 'single bits'],
  [32, 'complex64'],
  [128, 'RGB24 colours'],
  [1536, 'float128'],
  [1792, 'complex128'],
  [2048, 'complex256'],
  [2304, 'RGBA32 colours'],
]);

/** The intent of a volume whose fifth axis holds the values of a voxel. */
export const vectorIntent = 1007;

/** The lowest three bits of `xyzt_units`. */
export const spatialUnitCodes: Record<VolumeInfo['spatialUnit'], number> = { unknown: 0, m: 1, mm: 2, um: 3 };
/** The next three bits. */
export const timeUnitCodes: Record<VolumeInfo['timeUnit'], number> = { unknown: 0, s: 8, ms: 16, us: 24 };
