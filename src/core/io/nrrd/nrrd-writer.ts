import { type Vector3, vectorLength } from '../../shared/vectors.ts';
import { channelLayout, type ElementType, type Endian, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import { affineColumns, affineOrigin } from '../common/affine.ts';
import { striaPairs } from './nrrd-header.ts';

const typeNames: Record<ElementType, string> = {
  u8: 'uint8',
  i8: 'int8',
  u16: 'uint16',
  i16: 'int16',
  u32: 'uint32',
  i32: 'int32',
  f32: 'float',
  f64: 'double',
};

/**
 * The header of an attached NRRD with raw encoding, including the empty line that ends it. Slope, intercept, a spacing that
 * differs from the affine's, and the time step of a single volume have no NRRD field; they become key/value pairs that Stria's
 * reader understands. Channels are the last axis, of the kind `vector`.
 */
export function nrrdHeader(info: VolumeInfo, endian: Endian): Uint8Array {
  const { dims, spacing, affine, slope, intercept, spatialUnit, timeUnit } = info;
  // Other programs take a fourth axis for a series, even of one volume.
  const { channelCount, timePoints } = channelLayout(info);
  const hasTime = timePoints > 1;
  const hasChannels = channelCount > 1;
  const columns = affineColumns(affine);
  const axes = (spatial: readonly (string | number)[], time: string | number, channels: string | number) =>
    [...spatial, ...(hasTime ? [time] : []), ...(hasChannels ? [channels] : [])].join(' ');
  const lines = [
    'NRRD0004',
    '# Written by Stria',
    `type: ${typeNames[info.type]}`,
    `dimension: ${3 + Number(hasTime) + Number(hasChannels)}`,
    'space: right-anterior-superior',
    `sizes: ${axes(dims.slice(0, 3), timePoints, channelCount)}`,
    `space directions: ${axes(columns.map(vectorText), 'none', 'none')}`,
    `kinds: ${axes(['space', 'space', 'space'], 'time', 'vector')}`,
    'encoding: raw',
    `space origin: ${vectorText(affineOrigin(affine))}`,
  ];
  if (elementBytes(info.type) > 1) lines.push(`endian: ${endian}`);
  // Without units the space would be in millimetres.
  const unit = spatialUnit === 'unknown' ? '' : spatialUnit;
  lines.push(`space units: ${Array(3).fill(`"${unit}"`).join(' ')}`);
  if (hasTime) lines.push(`spacings: ${axes(['NaN', 'NaN', 'NaN'], spacing[3], 'NaN')}`);
  if (hasTime && timeUnit !== 'unknown') lines.push(`units: ${axes(['""', '""', '""'], `"${timeUnit}"`, '""')}`);
  if (slope !== 1 || intercept !== 0) lines.push(`${striaPairs.slope}:=${slope}`, `${striaPairs.intercept}:=${intercept}`);
  const isOtherSpacing = columns.some((column, axis) => vectorLength(column) !== spacing[axis]);
  if (isOtherSpacing || (!hasTime && spacing[3] !== 1)) lines.push(`${striaPairs.spacing}:=${spacing.join(' ')}`);
  if (!hasTime && timeUnit !== 'unknown') lines.push(`${striaPairs.timeUnit}:=${timeUnit}`);
  return new TextEncoder().encode(`${lines.join('\n')}\n\n`);
}

function vectorText(vector: Vector3): string {
  return `(${vector.join(',')})`;
}
