import { StriaError } from '../../shared/errors.ts';
import { maxSamples, readInt64, readUint64, type StoredVoxels, storedWidth } from '../../shared/stored-voxels.ts';
import { scaled, sum, type Vector3 } from '../../shared/vectors.ts';
import type { Dims4, ElementType, Endian, VolumeInfo } from '../../shared/volume.ts';
import { affineFromColumns, diagonalAffine, isUsableAffine } from '../common/affine.ts';
import { sampleChannels } from '../common/stored-volume.ts';
import { checkedDims, checkedSpacing } from '../common/streamed-volume.ts';
import type { VtiArray, VtiMarkup } from './vti-xml.ts';

export const vtiTypes: Record<ElementType, string> = {
  u8: 'UInt8',
  i8: 'Int8',
  u16: 'UInt16',
  i16: 'Int16',
  u32: 'UInt32',
  i32: 'Int32',
  f32: 'Float32',
  f64: 'Float64',
};
export const vtiWideTypes: Readonly<Record<string, typeof readInt64 | typeof readUint64>> = {
  Int64: readInt64,
  UInt64: readUint64,
};

export interface VtiHeader {
  readonly info: VolumeInfo;
  readonly endian: Endian;
  /** The number of interleaved values at each point or cell. */
  readonly components: number;
  /** Set if there are several, or 64-bit integers. */
  readonly stored: StoredVoxels | undefined;
  readonly lengthBytes: 4 | 8;
  readonly isZlib: boolean;
}

/** Parses the attributes. Source: VTK's documentation, 'VTK XML formats'. @throws StriaError `corrupt`, `unsupported` */
export function parseVtiHeader({ file, image, piece }: VtiMarkup, array: VtiArray): VtiHeader {
  const { type: typeName = '', NumberOfComponents: count = '1' } = array.attributes;
  const wide = Object.hasOwn(vtiWideTypes, typeName) ? vtiWideTypes[typeName] : undefined;
  const type = wide?.type ?? (Object.keys(vtiTypes) as ElementType[]).find((candidate) => vtiTypes[candidate] === typeName);
  if (type === undefined) {
    throw new StriaError(
      'unsupported',
      `VTK values of type '${typeName.slice(0, 60)}' are not supported: Stria reads integers of 8 to 64 bits and floats of 32 and 64 bits`,
    );
  }
  const compressor = file.compressor ?? '';
  if (compressor !== '' && compressor !== 'vtkZLibDataCompressor') {
    throw new StriaError(
      'unsupported',
      `VTK files compressed by ${compressor.slice(0, 60)} are not supported: save the file with zlib or uncompressed`,
    );
  }
  const headerType = file.header_type ?? 'UInt32';
  if (headerType !== 'UInt32' && headerType !== 'UInt64') throw wrong('header_type', headerType);
  const components = /^\d{1,9}$/.test(count) ? Number(count) : 0;
  if (components < 1) throw wrong('NumberOfComponents', count);
  if (components > maxSamples)
    throw new StriaError('unsupported', `VTK images of ${components} values per voxel are not supported`);
  const extent = numbers(image.WholeExtent, 6, 'WholeExtent');
  if (piece.Extent !== undefined && numbers(piece.Extent, 6, 'Extent').some((value, index) => value !== extent[index])) {
    throw new StriaError('unsupported', 'a VTK image with only a part of its extent in the file is not supported');
  }
  // There are points at both ends of an extent, and cells between points.
  const lengths = [0, 2, 4].map((at) => {
    const steps = (extent[at + 1] ?? 0) - (extent[at] ?? 0);
    return array.isOfCells ? Math.max(1, steps) : steps + 1;
  });
  const dims = checkedDims(lengths, storedWidth(type, wide?.as) * components);
  return {
    info: {
      dims: [dims[0], dims[1], dims[2], components] satisfies Dims4,
      type,
      ...geometry(image, extent, array.isOfCells),
      timeUnit: 'unknown',
      slope: 1,
      intercept: 0,
      ...(components > 1 && { channels: sampleChannels(components, type) }),
    },
    endian: file.byte_order === 'BigEndian' ? 'big' : 'little',
    components,
    stored: components > 1 || wide ? { samples: components, as: wide?.as } : undefined,
    lengthBytes: headerType === 'UInt64' ? 8 : 4,
    isZlib: compressor !== '',
  };
}

/** VTK has no patient orientation, so its axes are the world's. The centre of a cell is half a step after its first point. */
function geometry(
  image: VtiMarkup['image'],
  extent: readonly number[],
  isOfCells: boolean,
): Pick<VolumeInfo, 'spacing' | 'spatialUnit' | 'affine'> {
  const [dx = 1, dy = 1, dz = 1] = numbers(image.Spacing ?? '1 1 1', 3, 'Spacing').map(checkedSpacing);
  const [ox = 0, oy = 0, oz = 0] = numbers(image.Origin ?? '0 0 0', 3, 'Origin');
  // In row order. Each column is the direction of an axis.
  const direction = numbers(image.Direction ?? '1 0 0 0 1 0 0 0 1', 9, 'Direction');
  const column = (axis: number, step: number): Vector3 =>
    scaled([direction[axis] ?? 0, direction[3 + axis] ?? 0, direction[6 + axis] ?? 0], step);
  const columns: [Vector3, Vector3, Vector3] = [column(0, dx), column(1, dy), column(2, dz)];
  const first = columns.map((step, axis) => scaled(step, (extent[2 * axis] ?? 0) + (isOfCells ? 0.5 : 0)));
  const affine = affineFromColumns(columns, sum([ox, oy, oz], ...first));
  return {
    spacing: [dx, dy, dz, 1],
    spatialUnit: 'unknown',
    affine: isUsableAffine(affine) ? affine : diagonalAffine([dx, dy, dz]),
  };
}

function numbers(value: string | undefined, count: number, name: string): number[] {
  const found = (value ?? '').trim().split(/\s+/).map(Number);
  if (value === undefined || found.length !== count || !found.every(Number.isFinite)) throw wrong(name, value ?? '');
  return found;
}

function wrong(name: string, value: string): StriaError {
  return new StriaError('corrupt', `the VTK file's ${name} is '${value.slice(0, 60)}', which Stria cannot understand`);
}
