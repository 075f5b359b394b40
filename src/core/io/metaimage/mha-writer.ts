import { maxSamples, type StoredVoxels } from '../../shared/stored-voxels.ts';
import { scaled, type Vector3, vectorLength } from '../../shared/vectors.ts';
import { channelLayout, type Endian, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import { affineColumns, affineOrigin } from '../common/affine.ts';
import { mhaTypes } from './mha-header.ts';

/**
 * The header of an `.mha` with uncompressed voxels. MetaImage has no time unit. Its spacing comes from the affine, with metres
 * converted to millimetres.
 */
export function mhaHeader(info: VolumeInfo, endian: Endian): Uint8Array {
  const { dims, spacing, affine, slope, intercept, spatialUnit } = info;
  const factor = spatialUnit === 'm' ? 1000 : 1;
  const { channelCount, timePoints } = writtenLayout(info);
  const axes = timePoints > 1 ? 4 : 3;
  const columns = affineColumns(affine);
  const distances = columns.map(vectorLength);
  const toLps = ([x, y, z]: Vector3): Vector3 => [-x + 0, -y + 0, z];
  const directions = columns.map((column, axis) => toLps(scaled(column, 1 / (distances[axis] ?? 1))));
  const list = (spatial: readonly number[], time: number) => (axes === 4 ? [...spatial, time] : spatial).join(' ');
  const matrix = directions.map((direction) => list(direction, 0));
  const unit = spatialUnit === 'unknown' ? '?' : spatialUnit === 'm' ? 'mm' : spatialUnit;
  const lines = [
    'ObjectType = Image',
    `NDims = ${axes}`,
    'BinaryData = True',
    `BinaryDataByteOrderMSB = ${elementBytes(info.type) > 1 && endian === 'big' ? 'True' : 'False'}`,
    'CompressedData = False',
    `TransformMatrix = ${(axes === 4 ? [...matrix, '0 0 0 1'] : matrix).join(' ')}`,
    `Offset = ${list(toLps(scaled(affineOrigin(affine), factor)), 0)}`,
    `CenterOfRotation = ${list([0, 0, 0], 0)}`,
    `ElementSpacing = ${list(scaled(distances as unknown as Vector3, factor), spacing[3])}`,
    `DistanceUnits = ${unit}`,
    `DimSize = ${list(dims.slice(0, 3), timePoints)}`,
    ...(channelCount > 1 ? [`ElementNumberOfChannels = ${channelCount}`] : []),
    ...(slope === 1 && intercept === 0
      ? []
      : [`ElementToIntensityFunctionSlope = ${slope}`, `ElementToIntensityFunctionOffset = ${intercept}`]),
    `ElementType = ${mhaTypes[info.type][0]}`,
    'ElementDataFile = LOCAL',
  ];
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

/** MetaImage has the channels of a voxel side by side. */
export function mhaStored(info: VolumeInfo): StoredVoxels | undefined {
  const { channelCount } = writtenLayout(info);
  return channelCount > 1 ? { samples: channelCount } : undefined;
}

/** More channels than a reader takes for the values of a voxel are a series. */
function writtenLayout(info: VolumeInfo): ReturnType<typeof channelLayout> {
  const layout = channelLayout(info);
  return layout.channelCount > maxSamples ? { channelCount: 1, timePoints: info.dims[3] } : layout;
}
