import type { HalvingMethod } from '../../../shared/halving.ts';
import type { Channel, ElementType, VolumeInfo } from '../../../shared/volume.ts';
import { affineOrigin, diagonalAffine, isUsableAffine } from '../../common/affine.ts';
import { checkedScaling, checkedSpacing } from '../../common/streamed-volume.ts';
import type { ImagePlan, LevelPlan } from './ome-zarr-plan.ts';

/** Zarr v3's names of the types. */
const dataTypes: Readonly<Record<ElementType, string>> = {
  u8: 'uint8',
  i8: 'int8',
  u16: 'uint16',
  i16: 'int16',
  u32: 'uint32',
  i32: 'int32',
  f32: 'float32',
  f64: 'float64',
};

export const zstdLevel = 3;

/** The `zarr.json` of one level. Source: Zarr v3, core and `sharding_indexed`. */
export function arrayDocument(plan: ImagePlan, level: LevelPlan, type: ElementType): object {
  const [nx, ny, nz] = level.dims;
  const [cx, cy, cz, ct] = level.chunk;
  const little = { name: 'bytes', configuration: { endian: 'little' } };
  return {
    zarr_format: 3,
    node_type: 'array',
    shape: byAxes(plan, [plan.timePoints, plan.channelCount, nz, ny, nx]),
    data_type: dataTypes[type],
    chunk_grid: {
      name: 'regular',
      configuration: {
        chunk_shape: byAxes(plan, [level.shardTimes, 1, cz, Math.ceil(ny / cy) * cy, Math.ceil(nx / cx) * cx]),
      },
    },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value: 0,
    codecs: [
      {
        name: 'sharding_indexed',
        configuration: {
          chunk_shape: byAxes(plan, [ct, 1, cz, cy, cx]),
          codecs: [little, { name: 'zstd', configuration: { level: zstdLevel, checksum: false } }],
          index_codecs: [little, { name: 'crc32c' }],
          index_location: 'end',
        },
      },
    ],
    attributes: {},
    dimension_names: byAxes(plan, ['t', 'c', 'z', 'y', 'x']),
  };
}

/** Windows of a channel, in stored values. */
export interface ChannelRange {
  /** The range of all voxels. */
  readonly whole: readonly [low: number, high: number];
  /** The range of the smallest level, in which means have absorbed single extreme voxels. */
  readonly shown: readonly [low: number, high: number];
}

/** The `zarr.json` of the image. Source: OME-Zarr 0.5, 'multiscales' and 'omero'. */
export function imageDocument(
  info: VolumeInfo,
  plan: ImagePlan,
  name: string,
  method: HalvingMethod,
  ranges: readonly ChannelRange[],
): object {
  const origin = isPlainAffine(info) ? affineOrigin(info.affine) : [0, 0, 0];
  const [dx, dy, dz, dt] = info.spacing.map(checkedSpacing) as [number, number, number, number];
  const own = ownFacts(info);
  return {
    zarr_format: 3,
    node_type: 'group',
    attributes: {
      ome: {
        version: '0.5',
        multiscales: [
          {
            name,
            axes: byAxes(plan, [
              { name: 't', type: 'time', ...(timeUnits[info.timeUnit] && { unit: timeUnits[info.timeUnit] }) },
              { name: 'c', type: 'channel' },
              ...['z', 'y', 'x'].map((axis) => ({
                name: axis,
                type: 'space',
                ...(spaceUnits[info.spatialUnit] && { unit: spaceUnits[info.spatialUnit] }),
              })),
            ]),
            datasets: plan.levels.map(({ path, factors: [fx, fy, fz] }) => {
              // The centre of a voxel is the centre of those that it combines.
              const place = (axis: 0 | 1 | 2, step: number, factor: number) =>
                (origin[axis] as number) + ((factor - 1) / 2) * step;
              return {
                path,
                coordinateTransformations: [
                  { type: 'scale', scale: byAxes(plan, [dt, 1, dz * fz, dy * fy, dx * fx]) },
                  {
                    type: 'translation',
                    translation: byAxes(plan, [0, 0, place(2, dz, fz), place(1, dy, fy), place(0, dx, fx)]),
                  },
                ],
              };
            }),
            type: method,
          },
        ],
        // Labels have no use for windows, and with windows readers would not take them for labels.
        ...(method === 'mean' && {
          omero: { channels: ranges.map((range, index) => channelDocument(info, info.channels?.[index], range, index)) },
        }),
      },
      ...(own && { stria: own }),
    },
  };
}

function channelDocument(info: VolumeInfo, channel: Channel | undefined, { whole, shown }: ChannelRange, index: number): object {
  const { slope, intercept } = checkedScaling(info.slope, info.intercept);
  const file =
    channel?.window ?? (index === 0 && info.windows?.[0] ? ([info.windows[0].low, info.windows[0].high] as const) : undefined);
  // OME-Zarr has only stored values.
  const window = file?.map((value) => (value - intercept) / slope).sort((a, b) => a - b);
  const [start, end] = spread((window as [number, number] | undefined) ?? shown);
  const [min, max] = spread(whole);
  return {
    label: channel?.name ?? `Channel ${index + 1}`,
    color: channel?.color?.slice(1).toUpperCase() ?? 'FFFFFF',
    window: { min, max, start, end },
    active: true,
  };
}

function spread([low, high]: readonly [number, number]): readonly [number, number] {
  return [low, high > low ? high : low + 1];
}

/** Metadata that OME-Zarr cannot store, in a form that Stria reads back. */
function ownFacts(info: VolumeInfo): object | undefined {
  const scaling = checkedScaling(info.slope, info.intercept);
  const facts = {
    ...((scaling.slope !== 1 || scaling.intercept !== 0) && scaling),
    ...(info.valueUnit !== undefined && { valueUnit: info.valueUnit }),
    ...(!isPlainAffine(info) && isUsableAffine(info.affine) && { affine: info.affine }),
  };
  return Object.keys(facts).length > 0 ? facts : undefined;
}

/** Whether scale and translation fully describe the affine. */
function isPlainAffine({ affine, spacing }: VolumeInfo): boolean {
  if (!isUsableAffine(affine)) return false;
  const origin = affineOrigin(affine);
  const plain = [...diagonalAffine(spacing.map(checkedSpacing))];
  origin.forEach((distance, row) => {
    plain[4 * row + 3] = distance;
  });
  return plain.every((number, index) => number === affine[index]);
}

const spaceUnits: Readonly<Record<VolumeInfo['spatialUnit'], string | undefined>> = {
  m: 'meter',
  mm: 'millimeter',
  um: 'micrometer',
  unknown: undefined,
};
const timeUnits: Readonly<Record<VolumeInfo['timeUnit'], string | undefined>> = {
  s: 'second',
  ms: 'millisecond',
  us: 'microsecond',
  unknown: undefined,
};

/** Selects, from values for t, c, z, y and x, those of the image's axes. */
function byAxes<T>(plan: ImagePlan, values: readonly T[]): readonly T[] {
  const has = [plan.hasTimeAxis, plan.hasChannelAxis, plan.hasZAxis, true, true];
  return values.filter((_, axis) => has[axis]);
}
