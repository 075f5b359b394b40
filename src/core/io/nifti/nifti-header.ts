import { StriaError } from '../../shared/errors.ts';
import { maxSamples, type ReadType, type StoredVoxels, storedWidth } from '../../shared/stored-voxels.ts';
import { type Endian, elementTypes, type VolumeInfo } from '../../shared/volume.ts';
import { type Affine, affineFromRotation, diagonalAffine, isUsableAffine } from '../common/affine.ts';
import { sampleChannels } from '../common/stored-volume.ts';
import { checkedDims, checkedScaling, checkedSpacing } from '../common/streamed-volume.ts';
import { parseAnalyzeHeader } from './analyze-header.ts';
import {
  type NiftiLayout,
  nifti1,
  nifti2,
  niftiDatatypes,
  otherDatatypes,
  spatialUnitCodes,
  timeUnitCodes,
  vectorIntent,
  wideDatatypes,
} from './nifti-layout.ts';

export interface NiftiHeader {
  readonly format: 'nifti' | 'analyze';
  readonly endian: Endian;
  /** The voxels are in a separate file (`.img`). */
  readonly isPair: boolean;
  readonly headerBytes: number;
  /** Offset of the first voxel, in the file that holds the voxels. 0 in a single file if the header gives none. */
  readonly voxOffset: number;
  readonly info: VolumeInfo;
  /** Set for 64-bit integers. */
  readonly stored: StoredVoxels | undefined;
}

/** The NIfTI version and byte order of a header, by `sizeof_hdr`; undefined if it is neither version. */
function niftiKind(head: Uint8Array): { layout: NiftiLayout; endian: Endian } | undefined {
  if (head.byteLength < 4) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  for (const layout of [nifti1, nifti2]) {
    if (view.getInt32(0, true) === layout.headerBytes) return { layout, endian: 'little' };
    if (view.getInt32(0, false) === layout.headerBytes) return { layout, endian: 'big' };
  }
  return undefined;
}

/** Whether both the header length and the magic number are NIfTI's. */
export function isNiftiHeader(head: Uint8Array): boolean {
  const kind = niftiKind(head);
  return kind !== undefined && hasMagic(head, kind.layout);
}

function hasMagic(head: Uint8Array, layout: NiftiLayout): boolean {
  return startsAt(head, layout.magicAt, layout.singleMagic) || startsAt(head, layout.magicAt, layout.pairMagic);
}

function startsAt(bytes: Uint8Array, at: number, expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[at + index] === byte);
}

/**
 * Reads a header of NIfTI-1, NIfTI-2 or Analyze 7.5, whose header is as long as that of NIfTI-1 but has no magic number.
 * @param head at least 540 bytes from the start of the file, fewer if it is shorter
 * @throws StriaError `corrupt`; `unsupported` for datatypes without an element type in Stria
 */
export function parseNiftiHeader(head: Uint8Array): NiftiHeader {
  const kind = niftiKind(head);
  if (kind === undefined)
    throw new StriaError('corrupt', 'this is not a NIfTI file: it does not begin with the length of a NIfTI header');
  const { layout, endian } = kind;
  if (head.byteLength < layout.headerBytes) {
    throw new StriaError('corrupt', `the file ends inside its NIfTI header: ${head.byteLength} of ${layout.headerBytes} bytes`);
  }
  if (!hasMagic(head, layout)) {
    if (layout.version === 2) throw new StriaError('corrupt', 'the NIfTI-2 header lacks its magic number');
    return {
      format: 'analyze',
      endian,
      isPair: true,
      headerBytes: layout.headerBytes,
      stored: undefined,
      ...parseAnalyzeHeader(head, endian),
    };
  }
  const fields = fieldReader(head, layout, endian === 'little');
  const isPair = startsAt(head, layout.magicAt, layout.pairMagic);
  const { type, as } = elementType(fields.integer(layout.datatypeAt, 2));
  const pixdim = (index: number) => fields.real(layout.pixdimAt + index * layout.realBytes);
  const spacing = [1, 2, 3, 4].map((index) => checkedSpacing(pixdim(index)));
  const [dx = 1, dy = 1, dz = 1, dt = 1] = spacing;
  const axes = lengths(fields, layout);
  const [, , , , channelCount = 1, ...others] = axes;
  const isVector = fields.integer(layout.intentAt, layout.intentBytes) === vectorIntent && others.every((length) => length === 1);
  const hasChannels = isVector && channelCount > 1 && channelCount <= maxSamples;
  const units = fields.integer(layout.unitsAt, layout.unitsBytes);
  return {
    format: 'nifti',
    endian,
    isPair,
    headerBytes: layout.headerBytes,
    voxOffset: voxOffset(fields, layout, isPair),
    stored: as && { samples: 1, as },
    info: {
      dims: checkedDims(axes, storedWidth(type, as)),
      type,
      spacing: [dx, dy, dz, dt],
      spatialUnit: unitOf(spatialUnitCodes, units & 7),
      timeUnit: unitOf(timeUnitCodes, units & 56),
      affine: affineOf(fields, layout, spacing, pixdim(0)),
      ...checkedScaling(fields.real(layout.slopeAt), fields.real(layout.slopeAt + layout.realBytes)),
      ...(hasChannels && { channels: sampleChannels(channelCount, type) }),
    },
  };
}

interface FieldReader {
  /** @throws StriaError `corrupt` for 64-bit integers beyond 2⁵³ */
  integer(at: number, bytes: 1 | 2 | 4 | 8): number;
  real(at: number): number;
}

function fieldReader(head: Uint8Array, layout: NiftiLayout, isLittle: boolean): FieldReader {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  return {
    integer(at, bytes) {
      if (bytes === 1) return view.getUint8(at);
      if (bytes === 2) return view.getInt16(at, isLittle);
      if (bytes === 4) return view.getInt32(at, isLittle);
      const value = Number(view.getBigInt64(at, isLittle));
      if (!Number.isSafeInteger(value))
        throw new StriaError('corrupt', `the number at byte ${at} of the header is impossible: ${value}`);
      return value;
    },
    real: (at) => (layout.realBytes === 4 ? view.getFloat32(at, isLittle) : view.getFloat64(at, isLittle)),
  };
}

function elementType(datatype: number): ReadType {
  const type = elementTypes.find((candidate) => niftiDatatypes[candidate] === datatype);
  if (type !== undefined) return { type };
  const wide = wideDatatypes.get(datatype);
  if (wide) return wide;
  const name = otherDatatypes.get(datatype);
  if (name === undefined) throw new StriaError('corrupt', `NIfTI has no datatype ${datatype}`);
  throw new StriaError(
    'unsupported',
    `Stria does not read voxels of ${name}; it reads integers of 8 to 64 bits and floats of 32 and 64 bits`,
  );
}

/** `dim[1]` to `dim[dim[0]]`. */
function lengths(fields: FieldReader, layout: NiftiLayout): number[] {
  const dim = (index: number) => fields.integer(layout.dimAt + index * layout.dimBytes, layout.dimBytes);
  const count = dim(0);
  if (count < 1 || count > 7) throw new StriaError('corrupt', `the header gives the volume ${count} axes; NIfTI has 1 to 7`);
  return Array.from({ length: count }, (_, index) => dim(index + 1));
}

/**
 * In a separate file the voxels may start at byte 0. Otherwise they follow the header and its extension flag; some writers leave out the
 * flag, and some the offset.
 */
function voxOffset(fields: FieldReader, layout: NiftiLayout, isPair: boolean): number {
  const offset = layout.version === 1 ? fields.real(layout.voxOffsetAt) : fields.integer(layout.voxOffsetAt, 8);
  const least = layout.headerBytes + 4;
  const isPossible = isPair ? offset >= 0 : offset === 0 || offset === layout.headerBytes || offset >= least;
  if (!Number.isSafeInteger(offset) || !isPossible) {
    const first = isPair ? 0 : least;
    throw new StriaError('corrupt', `the header puts the voxels at byte ${offset}; the first possible offset is ${first}`);
  }
  return offset;
}

function unitOf<Unit extends string>(codes: Record<Unit, number>, code: number): Unit | 'unknown' {
  return (Object.keys(codes) as Unit[]).find((unit) => codes[unit] === code) ?? 'unknown';
}

/** The sform if it has a code, otherwise the qform if it has one, otherwise the spacing alone: NIfTI's methods 3, 2 and 1. */
function affineOf(fields: FieldReader, layout: NiftiLayout, spacing: readonly number[], qfac: number): Affine {
  const quaternReal = (index: number) => fields.real(layout.quaternAt + index * layout.realBytes);
  if (fields.integer(layout.formCodesAt + layout.formCodeBytes, layout.formCodeBytes) > 0) {
    const sform = Array.from({ length: 12 }, (_, index) => quaternReal(6 + index));
    if (isUsableAffine(sform)) return sform;
  }
  if (fields.integer(layout.formCodesAt, layout.formCodeBytes) > 0) {
    const rotation = { b: quaternReal(0), c: quaternReal(1), d: quaternReal(2), qfac: qfac < 0 ? -1 : 1 } as const;
    const qform = affineFromRotation(rotation, spacing, [quaternReal(3), quaternReal(4), quaternReal(5)]);
    if (isUsableAffine(qform)) return qform;
  }
  return diagonalAffine(spacing);
}
