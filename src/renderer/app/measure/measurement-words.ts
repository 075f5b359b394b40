import { csvText } from '../../../core/shared/csv.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { kindNames, type Measurement, sizeOf, sliceOf } from '../../viewer/model/measure.ts';
import { metricOf, voxelVolume } from '../../viewer/model/metric.ts';
import { worldOf } from '../../viewer/model/orientation.ts';
import type { Voxel } from '../../viewer/model/slice-geometry.ts';
import { outsideOf } from '../../viewer/slices/measure-region.ts';
import { type RegionFound, type RegionsFound, regionKey } from '../state/regions.ts';
import { formatCount, formatNumber, lengthUnit, shownLength, thinSpace } from '../words/units.ts';
import { formatEnds, formatWithin } from '../words/value-words.ts';

/**
 * A measurement as text, most important line first: `23.4 mm`, or a size and statistics of the region. Empty for an angle in
 * progress without a second leg.
 */
export function measurementLines(measurement: Measurement, info: VolumeInfo, found: RegionFound | undefined): readonly string[] {
  const size = sizeOf(measurement, metricOf(info));
  const long = (length: number): string => withUnit(formatNumber(shownLength(length, info), 4), info);
  switch (size.kind) {
    case 'distance':
      return [long(size.length)];
    case 'angle':
      return Number.isNaN(size.degrees) ? [] : [`${formatNumber(size.degrees, 4)}°`];
    case 'rectangle':
      return [
        `${formatNumber(shownLength(size.width, info), 4)} × ${long(size.height)}`,
        ...outsideLines(measurement, info),
        ...regionLines(found),
      ];
    case 'sphere':
      return [`⌀ ${long(size.diameter)}`, ...outsideLines(measurement, info), ...regionLines(found)];
  }
}

/** A region's statistics cover only voxels inside the volume, so this line says if it extends beyond the volume. */
function outsideLines(measurement: Measurement, info: VolumeInfo): readonly string[] {
  const outside = outsideOfVolume(measurement, info);
  return outside === 'none' ? [] : [outside === 'partly' ? 'partly outside the volume' : 'outside the volume'];
}

function outsideOfVolume(measurement: Measurement, info: VolumeInfo): ReturnType<typeof outsideOf> {
  const [x, y, z] = info.dims;
  return outsideOf(measurement, metricOf(info), [x, y, z]);
}

function withUnit(number: string, info: VolumeInfo): string {
  const unit = lengthUnit(info);
  return unit === '' ? number : `${number}${thinSpace}${unit}`;
}

function regionLines(found: RegionFound | undefined): readonly string[] {
  if (!found) return ['…'];
  if (found.kind === 'reading') return [`reading… ${Math.floor(100 * found.done)} %`];
  if (found.kind === 'empty') return ['holds no voxel'];
  if (found.kind === 'failed') return [found.message];
  const { count, mean, deviation, min, max, notFinite } = found.statistics;
  const orDash = (value: number, words: string): string => (Number.isNaN(value) ? '–' : words);
  const [lowest, highest] = formatEnds(min, max);
  return [
    `mean ${orDash(mean, formatWithin(mean, [min, max]))} · SD ${orDash(deviation, formatNumber(deviation, 5))}`,
    `${orDash(min, lowest)} to ${orDash(max, highest)} · n ${formatCount(count)}`,
    ...(notFinite > 0 ? [`${formatCount(notFinite)} without a number`] : []),
  ];
}

const columns = [
  'name',
  'kind',
  'slice_axis',
  'slice_index',
  'time_index',
  'unit',
  'length',
  'angle_degrees',
  'width',
  'height',
  'diameter',
  'region_volume',
  'voxels',
  'voxels_without_number',
  'mean',
  'sd',
  'min',
  'max',
  'points_index',
  'points_world',
  'outside',
] as const;

/**
 * All measurements as RFC 4180: a header line, then one line each. Lengths are in `unit`, a region's volume in its cube.
 * Indices count from 0, as in all files: the centre of the first voxel is at 0 0 0. Points are separated by semicolons. SD is
 * that of a sample (n − 1). `outside` is `partly` or `wholly` for a region that extends beyond the volume; voxels and
 * statistics cover only the part inside. Fields that do not apply or are unknown are empty.
 */
export function measurementsCsv(measurements: readonly Measurement[], info: VolumeInfo, regions: RegionsFound): string {
  const metric = metricOf(info);
  const number = (value: number | undefined): string => (value === undefined || Number.isNaN(value) ? '' : String(value));
  const rows = measurements.map((measurement): Record<(typeof columns)[number], string> => {
    const size = sizeOf(measurement, metric);
    const found = regions[regionKey(measurement)];
    const outside = outsideOfVolume(measurement, info);
    const statistics = found?.kind === 'found' ? found.statistics : undefined;
    const voxels = measurement.points.map(([x, y, z]): Voxel => [x - 0.5, y - 0.5, z - 0.5]);
    const places = (points: readonly Voxel[]): string => points.map((point) => point.map(shortened).join(' ')).join('; ');
    return {
      name: measurement.name,
      kind: kindNames[measurement.kind].toLowerCase(),
      slice_axis: measurement.oblique ? 'oblique' : measurement.axis,
      slice_index: measurement.oblique ? '' : String(sliceOf(measurement)),
      time_index: String(measurement.timePoint),
      unit: info.spatialUnit === 'unknown' ? '' : info.spatialUnit,
      length: number(size.kind === 'distance' ? size.length : undefined),
      angle_degrees: number(size.kind === 'angle' ? size.degrees : undefined),
      width: number(size.kind === 'rectangle' ? size.width : undefined),
      height: number(size.kind === 'rectangle' ? size.height : undefined),
      diameter: number(size.kind === 'sphere' ? size.diameter : undefined),
      region_volume: number(statistics && statistics.count * voxelVolume(metric)),
      voxels: number(statistics?.count),
      voxels_without_number: number(statistics?.notFinite),
      mean: number(statistics?.mean),
      sd: number(statistics?.deviation),
      min: number(statistics?.min),
      max: number(statistics?.max),
      points_index: places(voxels),
      outside: outside === 'none' ? '' : outside,
      points_world: places(voxels.map((voxel) => worldOf(info, voxel))),
    };
  });
  return csvText([columns, ...rows.map((row) => columns.map((name) => row[name]))]);
}

/** Removes float noise. */
function shortened(value: number): string {
  return String(Number(value.toPrecision(9)));
}
