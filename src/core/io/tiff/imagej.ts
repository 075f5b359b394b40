import type { PictureScale } from '../common/picture.ts';

/** The relevant part of what ImageJ writes into a TIFF's description: lines of `key=value` after `ImageJ=version`. */
export interface ImageJDescription {
  /** Total number of pictures. */
  readonly images: number | undefined;
  /** Number of time points, if there is one channel. */
  readonly frames: number | undefined;
  /** Seconds between time points. */
  readonly frameInterval: number | undefined;
  readonly unit: PictureScale['spatialUnit'];
  /** How many of `unit` the written unit has: a nanometre is 0.001 µm. */
  readonly unitFactor: number;
  /** Distance between pictures, in the written unit. */
  readonly spacing: number | undefined;
  /** The length of its unit in millimetres, if that is known. */
  readonly millimetres: number | undefined;
  /** The linear calibration of whole numbers. ImageJ stores signed 16-bit values this way: minus 32768. */
  readonly scaling: PictureScale['scaling'];
}

const units: Readonly<Record<string, PictureScale['spatialUnit']>> = {
  m: 'm',
  mm: 'mm',
  um: 'um',
  µm: 'um',
  μm: 'um',
  '\\u00B5m': 'um',
  micron: 'um',
  microns: 'um',
  micrometer: 'um',
  nm: 'um',
};

/** Units of TIFF itself. ImageJ writes them as the unit of the resolution. */
const tiffUnits: Readonly<Record<string, number>> = { inch: 25.4, cm: 10 };

/** @param description the text of the tag ImageDescription; text of other programs is ignored */
export function parseImageJ(description: string): ImageJDescription {
  if (!description.startsWith('ImageJ='))
    return {
      images: undefined,
      frames: undefined,
      frameInterval: undefined,
      unit: 'unknown',
      unitFactor: 1,
      spacing: undefined,
      millimetres: undefined,
      scaling: undefined,
    };
  const { pairs, count } = linesOf(description);
  const name = pairs.get('unit');
  const unit = units[name ?? ''] ?? 'unknown';
  const unitFactor = name === 'nm' ? 0.001 : 1;
  // ImageJ leaves out a distance of 1.
  const isScaledStack = name !== undefined && (count('images') ?? 1) > 1;
  const spacing = Math.abs(Number(pairs.get('spacing') ?? (isScaledStack ? 1 : Number.NaN)));
  const [intercept, slope] = ['c0', 'c1'].map((key) => Number(pairs.get(key) ?? Number.NaN)) as [number, number];
  const isLinear = pairs.get('cf') === '0' && Number.isFinite(intercept) && Number.isFinite(slope) && slope !== 0;
  return {
    images: count('images'),
    // Channels vary faster than slices and slices faster than time points. With several channels the pictures remain one
    // sequence.
    frames: (count('channels') ?? 1) === 1 ? count('frames') : undefined,
    frameInterval: frameIntervalOf(pairs),
    unit,
    unitFactor,
    millimetres: tiffUnits[name ?? ''] ?? { m: 1000, mm: 1, um: 0.001 * unitFactor, unknown: undefined }[unit],
    scaling: isLinear ? { slope, intercept } : undefined,
    spacing: spacing > 0 && Number.isFinite(spacing) ? spacing : undefined,
  };
}

function linesOf(description: string) {
  const pairs = new Map(
    description.split('\n').map((line): [string, string] => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1).trim()];
    }),
  );
  const count = (key: string) => {
    const number = Number(pairs.get(key) ?? Number.NaN);
    return Number.isSafeInteger(number) && number > 0 ? number : undefined;
  };
  return { pairs, count };
}

/** `finterval` in seconds, unless `tunit` names another unit. */
function frameIntervalOf(pairs: ReadonlyMap<string, string>): number | undefined {
  const interval = Number(pairs.get('finterval') ?? Number.NaN);
  const isInSeconds = ['s', 'sec', 'seconds', ''].includes(pairs.get('tunit') ?? '');
  return isInSeconds && interval > 0 && Number.isFinite(interval) ? interval : undefined;
}

/** How the pictures of a hyperstack are ordered: channels vary fastest, then slices, then time points. */
export interface Hyperstack {
  readonly channels: number;
  readonly slices: number;
  readonly frames: number;
  /** In seconds. */
  readonly frameInterval: number | undefined;
  /** Channels are shown in colours of their own. */
  readonly isColored: boolean;
}

/** Undefined if the text is not ImageJ's, or its numbers do not fit together. */
export function parseHyperstack(description: string): Hyperstack | undefined {
  if (!description.startsWith('ImageJ=')) return undefined;
  const { pairs, count } = linesOf(description);
  const [channels, slices, frames] = [count('channels') ?? 1, count('slices') ?? 1, count('frames') ?? 1];
  if (channels * slices * frames !== count('images')) return undefined;
  return {
    channels,
    slices,
    frames,
    frameInterval: frameIntervalOf(pairs),
    isColored: (pairs.get('mode') ?? 'grayscale') !== 'grayscale',
  };
}

/** The resolution of the pixels, supplemented by ImageJ: its unit, for which TIFF has no code, the third axis, and time. */
export function imageJScale(description: ImageJDescription, resolution: PictureScale): PictureScale {
  const { unit, unitFactor, spacing, frames, images, millimetres, scaling, frameInterval } = description;
  const isPlain = resolution.spatialUnit === 'unknown' && unit !== 'unknown';
  const [x, y] = resolution.spacing;
  const z = spacingInUnit(spacing, millimetres, resolution) ?? resolution.spacing[2];
  // Rounded to 12 digits, so that 0.7 nm becomes 0.0007 µm, not 0.0006999999999999999.
  const scaled = (distance: number) => Number((distance * unitFactor).toPrecision(12));
  const picturesPerTime = frames !== undefined && images !== undefined && images % frames === 0 ? images / frames : undefined;
  return {
    spatialUnit: isPlain ? unit : resolution.spatialUnit,
    spacing: isPlain && unitFactor !== 1 ? [scaled(x), scaled(y), scaled(z)] : [x, y, z],
    picturesPerTime,
    timeStep: frameInterval,
    ...(scaling && { scaling }),
  };
}

function spacingInUnit(
  spacing: number | undefined,
  millimetres: number | undefined,
  resolution: PictureScale,
): number | undefined {
  if (spacing === undefined || resolution.spatialUnit === 'unknown') return spacing;
  // The resolution is in millimetres.
  return millimetres === undefined ? undefined : spacing * millimetres;
}
