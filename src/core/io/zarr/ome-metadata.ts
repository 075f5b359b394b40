import type { Channel, VolumeInfo } from '../../shared/volume.ts';
import { diagonalAffine } from '../common/affine.ts';
import type { ArrayAxis, AxisPlan } from '../common/array-axes.ts';
import { guessAxes } from '../common/array-axes.ts';
import { checkedSpacing } from '../common/streamed-volume.ts';
import { objectOf } from './array-metadata.ts';

type Json = Readonly<Record<string, unknown>>;

/** One OME-Zarr image at several resolutions. */
export interface OmeImage {
  readonly name: string;
  /** Undefined for versions before 0.3, which name no axes. */
  readonly axes: readonly OmeAxis[] | undefined;
  /** The levels, largest first. */
  readonly levels: readonly OmeLevel[];
  readonly channels: readonly Channel[];
}

interface OmeAxis {
  readonly name: string;
  readonly unit: string | undefined;
}

interface OmeLevel {
  readonly path: string;
  readonly scale: readonly number[] | undefined;
  readonly translation: readonly number[] | undefined;
}

const levelLimit = 100;

/** OME's part of a group's attributes. From 0.5 on it is under `ome`. */
export function omeOf(attributes: Json): Json {
  return objectOf(attributes.ome) ?? attributes;
}

/** The images that a group's attributes describe. Skips parts that violate OME's specification. */
export function parseImages(attributes: Json): readonly OmeImage[] {
  const ome = omeOf(attributes);
  const channels = parseChannels(objectOf(ome.omero));
  return listOf(ome.multiscales).flatMap((multiscale) => {
    const outer = transformOf(multiscale.coordinateTransformations);
    const levels = listOf(multiscale.datasets)
      .slice(0, levelLimit)
      .flatMap((dataset): OmeLevel[] => {
        const path = safePath(dataset.path);
        if (path === undefined) return [];
        const inner = transformOf(dataset.coordinateTransformations);
        return [{ path, ...chained(inner, outer) }];
      });
    if (levels.length === 0) return [];
    const name = typeof multiscale.name === 'string' ? multiscale.name : '';
    return [{ name, axes: parseAxesOf(multiscale.axes), levels, channels }];
  });
}

/** Version 0.4 and later have objects, 0.3 names, older ones nothing. */
function parseAxesOf(axes: unknown): readonly OmeAxis[] | undefined {
  if (!Array.isArray(axes)) return undefined;
  return axes.map((axis) => {
    const { name, unit } = typeof axis === 'string' ? { name: axis, unit: undefined } : (objectOf(axis) ?? {});
    return { name: String(name ?? ''), unit: typeof unit === 'string' ? unit.toLowerCase() : undefined };
  });
}

interface Transform {
  readonly scale: readonly number[] | undefined;
  readonly translation: readonly number[] | undefined;
}

function transformOf(transformations: unknown): Transform {
  const list = listOf(transformations);
  const numbers = (type: 'scale' | 'translation') => {
    const found = list.find((each) => each.type === type)?.[type];
    return Array.isArray(found) && found.every((number) => Number.isFinite(number)) ? (found as number[]) : undefined;
  };
  return { scale: numbers('scale'), translation: numbers('translation') };
}

/** Applies a level's own transformation first, then the one for all levels. */
function chained(inner: Transform, outer: Transform): Transform {
  const rank = Math.max(...[inner, outer].flatMap(({ scale, translation }) => [scale?.length ?? 0, translation?.length ?? 0]));
  if (rank === 0) return { scale: undefined, translation: undefined };
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  const at = (numbers: readonly number[] | undefined, axis: number, otherwise: number) => numbers?.[axis] ?? otherwise;
  return {
    scale: axes.map((axis) => at(inner.scale, axis, 1) * at(outer.scale, axis, 1)),
    translation: axes.map((axis) => at(inner.translation, axis, 0) * at(outer.scale, axis, 1) + at(outer.translation, axis, 0)),
  };
}

const channelLimit = 4096;

function parseChannels(omero: Json | undefined): readonly Channel[] {
  return listOf(omero?.channels)
    .slice(0, channelLimit)
    .map((channel) => {
      const color = /^#?([0-9a-f]{6})/i.exec(String(channel.color ?? ''))?.[1];
      const window = objectOf(channel.window);
      const [low, high] = [Number(window?.start ?? window?.min ?? Number.NaN), Number(window?.end ?? window?.max ?? Number.NaN)];
      return {
        name: typeof channel.label === 'string' ? channel.label : '',
        ...(color && { color: `#${color.toLowerCase()}` }),
        ...(low < high && { window: [low, high] as const }),
      };
    });
}

/** OME's units in metres and seconds. */
const metres: Readonly<Record<string, number>> = {
  meter: 1,
  metre: 1,
  centimeter: 1e-2,
  millimeter: 1e-3,
  micrometer: 1e-6,
  micrometre: 1e-6,
  micron: 1e-6,
  µm: 1e-6,
  μm: 1e-6,
  um: 1e-6,
  mm: 1e-3,
  nm: 1e-9,
  nanometer: 1e-9,
  angstrom: 1e-10,
  picometer: 1e-12,
  inch: 0.0254,
};
const seconds: Readonly<Record<string, number>> = {
  second: 1,
  s: 1,
  millisecond: 1e-3,
  ms: 1e-3,
  microsecond: 1e-6,
  nanosecond: 1e-9,
  minute: 60,
  hour: 3600,
  day: 86_400,
};

/** The meaning of the axes: by their names, which OME defines, or else by their number. */
export function omeAxes(image: OmeImage | undefined, shape: readonly number[]): readonly ArrayAxis[] {
  return guessAxes(
    shape,
    image?.axes?.map(({ name }) => name),
  );
}

/** Spacing, units and origin of a level. */
export function omeGeometry(
  image: OmeImage | undefined,
  level: OmeLevel | undefined,
  plan: AxisPlan,
  axes: readonly ArrayAxis[],
): Pick<VolumeInfo, 'spacing' | 'spatialUnit' | 'timeUnit' | 'affine'> {
  const inMetres = (axis: number | undefined) => metres[image?.axes?.[axis ?? -1]?.unit ?? ''];
  const known = [plan.x, plan.y, plan.z].filter((axis) => axis !== undefined).map(inMetres);
  const first = known[0];
  const areKnown = first !== undefined && known.every((unit) => unit !== undefined);
  const unit = !areKnown ? undefined : first >= 1 ? 'm' : first >= 1e-3 ? 'mm' : 'um';
  const unitMetres = unit && { m: 1, mm: 1e-3, um: 1e-6 }[unit];
  const number = (numbers: readonly number[] | undefined, axis: number | undefined, otherwise: number) => {
    const value = numbers?.[axis ?? -1] ?? otherwise;
    const factor = (unitMetres && (inMetres(axis) ?? unitMetres) / unitMetres) || 1;
    // Rounded to 12 digits, so that 0.5 nm becomes 0.0005 µm, not 0.0005000000000000001.
    return factor === 1 ? value : Number((value * factor).toPrecision(12));
  };
  const steps = [plan.x, plan.y, plan.z].map((axis) => number(level?.scale, axis, 1) || 1);
  const origin = [plan.x, plan.y, plan.z].map((axis) => number(level?.translation, axis, 0));
  const affine = [...diagonalAffine(steps)];
  origin.forEach((distance, row) => {
    affine[4 * row + 3] = distance;
  });
  const t = axes.indexOf('t');
  const inSeconds = seconds[image?.axes?.[t]?.unit ?? ''];
  const timeUnit = inSeconds === undefined ? 'unknown' : inSeconds >= 1 ? 's' : inSeconds >= 1e-3 ? 'ms' : 'us';
  const timeFactor = inSeconds === undefined ? 1 : inSeconds / { s: 1, ms: 1e-3, us: 1e-6, unknown: 1 }[timeUnit];
  const timeStep = (level?.scale?.[t] ?? 1) * timeFactor;
  const [x = 1, y = 1, z = 1] = steps.map(checkedSpacing);
  return { spacing: [x, y, z, checkedSpacing(timeStep)], spatialUnit: unit ?? 'unknown', timeUnit, affine };
}

/** The objects in a list. Skips everything else. */
export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(objectOf).filter((item) => item !== undefined) : [];
}

/** A path below its group; undefined if it leads outside. */
export function safePath(path: unknown): string | undefined {
  if (typeof path !== 'string' && typeof path !== 'number') return undefined;
  const parts = String(path).split('/').filter(Boolean);
  const isSafe =
    parts.length > 0 && parts.length <= 64 && parts.every((part) => part !== '.' && part !== '..' && !/[\\\0]/.test(part));
  return isSafe ? parts.join('/') : undefined;
}
