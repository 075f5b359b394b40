import { StriaError } from '../../shared/errors.ts';
import { type ReadType, readInt64, readUint64, type StoredVoxels, storedWidth } from '../../shared/stored-voxels.ts';
import type { Dims4, ElementType, Endian, VolumeInfo } from '../../shared/volume.ts';
import { withoutFolders } from '../common/siblings.ts';
import { sampleChannels } from '../common/stored-volume.ts';
import { checkedDims, checkedScaling } from '../common/streamed-volume.ts';
import { valueAxis, withoutAxis } from './nrrd-axes.ts';
import { nrrdGeometry } from './nrrd-geometry.ts';
import type { NrrdText } from './nrrd-text.ts';

export interface NrrdHeader {
  readonly info: VolumeInfo;
  /** Set for 64-bit integers, and for several values per voxel that are side by side. */
  readonly stored: StoredVoxels | undefined;
  readonly endian: Endian;
  readonly isGzip: boolean;
  /** Lines to skip before the voxels, before decompression. */
  readonly lineSkip: number;
  /** Bytes to skip after those lines, after decompression. -1: the voxels are the last bytes of the file. */
  readonly byteSkip: number;
  /** Undefined if the voxels follow the header. */
  readonly dataFile: string | undefined;
}

/** Key/value pairs that Stria's writer adds for values without a NRRD field. */
export const striaPairs = {
  slope: 'stria_slope',
  intercept: 'stria_intercept',
  spacing: 'stria_spacing',
  timeUnit: 'stria_time_unit',
} as const;

const typeNames: Record<ElementType, readonly string[]> = {
  i8: ['signed char', 'int8', 'int8_t'],
  u8: ['uchar', 'unsigned char', 'uint8', 'uint8_t'],
  i16: ['short', 'short int', 'signed short', 'signed short int', 'int16', 'int16_t'],
  u16: ['ushort', 'unsigned short', 'unsigned short int', 'uint16', 'uint16_t'],
  i32: ['int', 'signed int', 'int32', 'int32_t'],
  u32: ['uint', 'unsigned int', 'uint32', 'uint32_t'],
  f32: ['float'],
  f64: ['double'],
};
const wideNames: Readonly<Record<'i64' | 'u64', readonly string[]>> = {
  i64: ['longlong', 'long long', 'long long int', 'signed long long', 'signed long long int', 'int64', 'int64_t'],
  u64: ['ulonglong', 'unsigned long long', 'unsigned long long int', 'uint64', 'uint64_t'],
};

/** Interprets a header. @throws StriaError `corrupt`, `unsupported` */
export function parseNrrdHeader(whole: NrrdText): NrrdHeader {
  const dimension = axisCount(whole);
  const values = valueAxis(whole, dimension);
  const text = values ? withoutAxis(whole, values.axis, dimension) : whole;
  const count = values?.length ?? 1;
  const { type, as } = elementType(required(text, 'type'));
  const width = storedWidth(type, as);
  const encoding = required(text, 'encoding').toLowerCase();
  if (!['raw', 'gzip', 'gz'].includes(encoding)) {
    throw new StriaError(
      'unsupported',
      `Stria does not read NRRD with the encoding '${encoding}'; save it with the encoding raw or gzip`,
    );
  }
  const lengths = axisLengths(text);
  const timeAxis = findTimeAxis(text, lengths.length);
  const geometry = nrrdGeometry(text, lengths, timeAxis);
  const spacing = ownSpacing(text) ?? geometry.spacing;
  const isGzip = encoding !== 'raw';
  const [x, y, z, t] = volumeDims(lengths, timeAxis, width * count);
  const samples = values?.isFirst ? count : 1;
  return {
    info: {
      dims: [x, y, z, t * count],
      type,
      ...geometry,
      spacing,
      timeUnit: ownTimeUnit(text) ?? geometry.timeUnit,
      ...checkedScaling(ownNumber(text, striaPairs.slope) ?? 1, ownNumber(text, striaPairs.intercept) ?? 0),
      ...(values?.areChannels && count > 1 && { channels: sampleChannels(count, type) }),
    },
    stored: as || samples > 1 ? { samples, as } : undefined,
    endian: byteOrder(text, width),
    isGzip,
    lineSkip: skipCount(text, 'lineskip', 0),
    byteSkip: skipCount(text, 'byteskip', isGzip ? 0 : -1),
    dataFile: dataFileName(text),
  };
}

function required(text: NrrdText, name: string): string {
  const value = text.fields.get(name)?.value;
  if (value === undefined) throw new StriaError('corrupt', `the NRRD header lacks the field '${name}'`);
  return value;
}

function elementType(name: string): ReadType {
  const plain = name.toLowerCase().replace(/\s+/g, ' ');
  for (const type of Object.keys(typeNames) as ElementType[]) if (typeNames[type].includes(plain)) return { type };
  if (wideNames.i64.includes(plain)) return readInt64;
  if (wideNames.u64.includes(plain)) return readUint64;
  throw new StriaError(
    'unsupported',
    `Stria does not read NRRD voxels of type '${name}'; it reads integers of 8 to 64 bits and floats of 32 and 64 bits`,
  );
}

function axisLengths(text: NrrdText): number[] {
  const dimension = axisCount(text);
  if (dimension > 4) throw new StriaError('unsupported', `Stria does not read NRRD with ${dimension} axes; it reads 1 to 4`);
  const words = required(text, 'sizes').split(/\s+/);
  if (words.length !== dimension) {
    throw new StriaError('corrupt', `the NRRD header has ${dimension} axes, but ${words.length} sizes`);
  }
  return words.map((word) => wholeNumber(word) ?? Number.NaN);
}

function axisCount(text: NrrdText): number {
  const dimension = wholeNumber(required(text, 'dimension'));
  if (dimension === undefined || dimension < 1)
    throw new StriaError('corrupt', "the NRRD header's dimension is not a whole number from 1");
  return dimension;
}

function wholeNumber(word: string): number | undefined {
  return /^-?\d{1,15}$/.test(word) ? Number(word) : undefined;
}

/** The kinds of spatial axes. */
const spatialKinds = ['domain', 'space', '???', 'none'];

/**
 * The axis that is t: the fourth one, or the last of fewer axes if it is not spatial. The axes before it must be spatial.
 */
function findTimeAxis(text: NrrdText, dimension: number): number | undefined {
  const kinds = text.fields.get('kinds')?.value.split(/\s+/) ?? [];
  if (kinds.length > 0 && kinds.length !== dimension) {
    throw new StriaError('corrupt', `the NRRD header has ${dimension} axes, but ${kinds.length} kinds`);
  }
  const directions = text.fields.get('spacedirections')?.value.match(/none|\([^)]*\)/gi) ?? [];
  const isSpatial = (axis: number) =>
    spatialKinds.includes((kinds[axis] ?? 'domain').toLowerCase()) && directions[axis]?.toLowerCase() !== 'none';
  const last = dimension - 1;
  const timeAxis = dimension === 4 || (last > 0 && !isSpatial(last)) ? last : undefined;
  for (let axis = 0; axis < (timeAxis ?? dimension); axis++) {
    if (isSpatial(axis)) continue;
    throw new StriaError(
      'unsupported',
      `axis ${axis + 1} of the NRRD has the kind '${kinds[axis] ?? 'none'}', which is not spatial; Stria reads such an axis as the first or the last one`,
    );
  }
  return timeAxis;
}

function volumeDims(lengths: readonly number[], timeAxis: number | undefined, width: number): Dims4 {
  const spatial = timeAxis === undefined ? lengths : lengths.slice(0, timeAxis);
  const padded = [...spatial, 1, 1, 1].slice(0, 3);
  return checkedDims(timeAxis === undefined ? padded : [...padded, lengths[timeAxis] ?? 1], width);
}

function byteOrder(text: NrrdText, width: number): Endian {
  const endian = text.fields.get('endian')?.value.toLowerCase();
  if (endian === 'little' || endian === 'big') return endian;
  if (endian !== undefined) throw new StriaError('corrupt', `the NRRD header's endian is '${endian}', neither little nor big`);
  if (width > 1) throw new StriaError('corrupt', "the NRRD header lacks the field 'endian', which its type needs");
  return 'little';
}

function skipCount(text: NrrdText, name: 'lineskip' | 'byteskip', least: number): number {
  const value = text.fields.get(name)?.value;
  if (value === undefined) return 0;
  const count = wholeNumber(value);
  if (count === undefined || count < Math.min(least, -1)) {
    throw new StriaError('corrupt', `the NRRD header's ${name} is '${value}', not a number that Stria understands`);
  }
  if (count < least) throw new StriaError('unsupported', `the ${name} ${count} is supported only with the encoding raw`);
  return count;
}

/** The name of the single data file. Lists and numbered files are not supported. */
function dataFileName(text: NrrdText): string | undefined {
  const value = text.fields.get('datafile')?.value;
  if (value === undefined) return undefined;
  if (/%\d*d/.test(value)) {
    throw new StriaError('unsupported', `the voxels are in the numbered files ${value}; Stria reads NRRD with one data file`);
  }
  const name = withoutFolders(value);
  if (name === '') throw new StriaError('corrupt', 'the NRRD header names no data file');
  return name;
}

function ownNumber(text: NrrdText, key: string): number | undefined {
  const value = text.pairs.get(key);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) {
    throw new StriaError('corrupt', `the NRRD header's ${key} is '${value.slice(0, 60)}', not a number`);
  }
  return number;
}

function ownSpacing(text: NrrdText): VolumeInfo['spacing'] | undefined {
  const value = text.pairs.get(striaPairs.spacing);
  if (value === undefined) return undefined;
  const numbers = value.trim().split(/\s+/).map(Number);
  const [x, y, z, t] = numbers;
  if (
    x === undefined ||
    y === undefined ||
    z === undefined ||
    t === undefined ||
    !numbers.every((number) => number > 0 && number < Infinity)
  ) {
    throw new StriaError('corrupt', `the NRRD header's ${striaPairs.spacing} is '${value.slice(0, 60)}', not four distances`);
  }
  return [x, y, z, t];
}

function ownTimeUnit(text: NrrdText): VolumeInfo['timeUnit'] | undefined {
  const value = text.pairs.get(striaPairs.timeUnit)?.trim();
  if (value === undefined || value === 's' || value === 'ms' || value === 'us') return value;
  throw new StriaError('corrupt', `the NRRD header's ${striaPairs.timeUnit} is '${value.slice(0, 60)}', not s, ms or us`);
}
