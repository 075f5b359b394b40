import { StriaError } from '../../shared/errors.ts';
import { maxSamples, type ReadType, readInt64, readUint64, type StoredVoxels, storedWidth } from '../../shared/stored-voxels.ts';
import { scaled, type Vector3 } from '../../shared/vectors.ts';
import type { ElementType, Endian, VolumeInfo } from '../../shared/volume.ts';
import { affineFromColumns, diagonalAffine, isUsableAffine } from '../common/affine.ts';
import { sampleChannels } from '../common/stored-volume.ts';
import { checkedDims, checkedScaling, checkedSpacing } from '../common/streamed-volume.ts';
import { type DataFiles, dataFiles } from './mha-data-files.ts';
import type { MhaText } from './mha-text.ts';

export interface MhaHeader {
  readonly info: VolumeInfo;
  readonly endian: Endian;
  /** Set if a voxel has several values, which are interleaved in the file, or 64-bit integers. */
  readonly stored: StoredVoxels | undefined;
  /** Whether the voxels are one zlib stream. */
  readonly isCompressed: boolean;
  /** Its length, if the header states it. */
  readonly compressedBytes: number | undefined;
  /** Bytes before the voxels in each data file. −1 means that the voxels are the last bytes of the file. */
  readonly headerSize: number;
  /** Undefined if the voxels follow the header. */
  readonly data: DataFiles | undefined;
}

/** MetaIO's type names. Its longs have 4 bytes in files. */
export const mhaTypes: Record<ElementType, readonly string[]> = {
  i8: ['MET_CHAR', 'MET_ASCII_CHAR'],
  u8: ['MET_UCHAR'],
  i16: ['MET_SHORT'],
  u16: ['MET_USHORT'],
  i32: ['MET_INT', 'MET_LONG'],
  u32: ['MET_UINT', 'MET_ULONG'],
  f32: ['MET_FLOAT'],
  f64: ['MET_DOUBLE'],
};

/** Parses a header. @param list the text after it: the data files of a LIST @throws StriaError `corrupt`, `unsupported` */
export function parseMhaHeader(text: MhaText, list: string): MhaHeader {
  const object = optional(text, 'objecttype') ?? 'Image';
  if (object !== 'Image') {
    throw new StriaError('unsupported', `this MetaIO file holds a '${object.slice(0, 60)}': Stria reads images`);
  }
  if (flag(text, 'binarydata') === false) {
    throw new StriaError('unsupported', 'MetaImage with voxels as text is not supported: save it with BinaryData = True');
  }
  const { type, as } = elementType(required(text, 'elementtype'));
  const axes = wholeNumber(text, 'ndims') ?? Number.NaN;
  if (!(axes >= 1 && axes <= 10)) throw new StriaError('corrupt', "the MetaImage header's NDims is not a number from 1 to 10");
  const lengths = numbers(text, 'dimsize', axes) ?? [];
  if (lengths.length === 0) throw missing('dimsize');
  const channels = wholeNumber(text, 'elementnumberofchannels') ?? 1;
  if (channels < 1) throw wrong('elementnumberofchannels', String(channels));
  if (channels > maxSamples) throw new StriaError('unsupported', `MetaImage of ${channels} values per voxel is not supported`);
  const [x, y, z, t] = checkedDims(lengths, storedWidth(type, as) * channels);
  const isCompressed = flag(text, 'compresseddata') ?? false;
  const compressedBytes = wholeNumber(text, 'compresseddatasize');
  const headerSize = wholeNumber(text, 'headersize') ?? 0;
  if (headerSize < -1 || (headerSize < 0 && isCompressed)) {
    throw new StriaError('corrupt', `the MetaImage header's HeaderSize is ${headerSize}, which is not valid here`);
  }
  return {
    info: {
      dims: [x, y, z, t * channels],
      type,
      ...geometry(text, axes),
      ...scaling(text),
      ...(channels > 1 && { channels: sampleChannels(channels, type) }),
    },
    stored: channels > 1 || as ? { samples: channels, as } : undefined,
    endian: (flag(text, 'binarydatabyteordermsb') ?? flag(text, 'elementbyteordermsb')) ? 'big' : 'little',
    isCompressed,
    compressedBytes: compressedBytes !== undefined && compressedBytes > 0 ? compressedBytes : undefined,
    headerSize,
    data: dataFiles(required(text, 'elementdatafile'), list, lengths, axes),
  };
}

function optional(text: MhaText, name: string): string | undefined {
  return text.fields.get(name)?.value;
}

function required(text: MhaText, name: string): string {
  const value = optional(text, name);
  if (value === undefined) throw missing(name);
  return value;
}

function missing(name: string): StriaError {
  return new StriaError('corrupt', `the MetaImage header lacks the field '${name}'`);
}

function wrong(name: string, value: string): StriaError {
  return new StriaError('corrupt', `the MetaImage header's ${name} is '${value.slice(0, 60)}', which Stria cannot understand`);
}

/** Like MetaIO, tests only the first letter. */
function flag(text: MhaText, name: string): boolean | undefined {
  const value = optional(text, name);
  if (value === undefined) return undefined;
  if (/^[ty1]/i.test(value)) return true;
  if (/^[fn0]/i.test(value)) return false;
  throw wrong(name, value);
}

function wholeNumber(text: MhaText, name: string): number | undefined {
  const value = optional(text, name);
  if (value === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(value)) throw wrong(name, value);
  return Number(value);
}

function numbers(text: MhaText, name: string, count: number): number[] | undefined {
  const value = optional(text, name);
  if (value === undefined) return undefined;
  const found = value.trim().split(/\s+/).map(Number);
  if (found.length !== count || !found.every(Number.isFinite)) throw wrong(name, value);
  return found;
}

function elementType(name: string): ReadType {
  const plain = name.toUpperCase().replace(/_ARRAY$/, '');
  for (const type of Object.keys(mhaTypes) as ElementType[]) if (mhaTypes[type].includes(plain)) return { type };
  if (plain === 'MET_LONG_LONG') return readInt64;
  if (plain === 'MET_ULONG_LONG') return readUint64;
  throw new StriaError(
    'unsupported',
    `MetaImage voxels of type '${name.slice(0, 60)}' are not supported: Stria reads integers of 8 to 64 bits and floats of 32 and 64 bits`,
  );
}

function scaling(text: MhaText): Pick<VolumeInfo, 'slope' | 'intercept'> {
  const slope = numbers(text, 'elementtointensityfunctionslope', 1)?.[0] ?? 1;
  return checkedScaling(slope, numbers(text, 'elementtointensityfunctionoffset', 1)?.[0] ?? 0);
}

const units: Readonly<Record<string, readonly [unit: VolumeInfo['spatialUnit'], factor: number]>> = {
  '?': ['unknown', 1],
  m: ['m', 1],
  cm: ['mm', 10],
  mm: ['mm', 1],
  um: ['um', 1],
};

/**
 * Spacing, unit and affine. MetaImage uses LPS, as ITK does: x increases to the left, y to the back. `TransformMatrix` lists the
 * direction of each axis. The default unit is millimetres.
 */
function geometry(text: MhaText, axes: number): Pick<VolumeInfo, 'spacing' | 'spatialUnit' | 'timeUnit' | 'affine'> {
  const [spatialUnit, factor] = units[optional(text, 'distanceunits')?.toLowerCase() ?? 'mm'] ?? ['unknown', 1];
  const steps = numbers(text, 'elementspacing', axes) ?? numbers(text, 'elementsize', axes) ?? [];
  const spatial = Math.min(axes, 3);
  const distances = [0, 1, 2].map((axis) => (axis < spatial ? checkedSpacing(steps[axis]) * factor : 1));
  const [dx = 1, dy = 1, dz = 1] = distances;
  const matrix = firstOf(text, ['transformmatrix', 'orientation', 'rotation'], axes * axes);
  const offset = firstOf(text, ['offset', 'position', 'origin'], axes) ?? [];
  const toRas = (vector: Vector3): Vector3 => [-vector[0], -vector[1], vector[2]];
  const along = (values: readonly number[], from: number): Vector3 => {
    const [x = 0, y = 0, z = 0] = values.slice(from, from + spatial);
    return [x, y, z];
  };
  const direction = (axis: number): Vector3 => {
    if (matrix === undefined || axis >= spatial) return [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0];
    return along(matrix, axis * axes);
  };
  const column = (axis: number) => scaled(toRas(direction(axis)), distances[axis] ?? 1);
  const origin = scaled(toRas(along(offset, 0)), factor);
  const affine = affineFromColumns([column(0), column(1), column(2)], origin);
  return {
    spacing: [dx, dy, dz, checkedSpacing(steps[3])],
    spatialUnit,
    timeUnit: 'unknown',
    affine: isUsableAffine(affine) ? affine : diagonalAffine(distances),
  };
}

function firstOf(text: MhaText, names: readonly string[], count: number): number[] | undefined {
  const name = names.find((candidate) => text.fields.has(candidate));
  return name === undefined ? undefined : numbers(text, name, count);
}
