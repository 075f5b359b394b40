import type { PictureScale } from '../common/picture.ts';

/** The relevant part of what ImageJ writes into a TIFF's description: lines of `key=value` after `ImageJ=version`. */
export interface ImageJDescription {
  /** Total number of pictures. */
  readonly images: number | undefined;
  /** Number of time points, if there is one channel. */
  readonly frames: number | undefined;
  readonly unit: PictureScale['spatialUnit'];
  /** Distance between pictures, in `unit`. */
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
};

/** Units of TIFF itself. ImageJ writes them as the unit of the resolution. */
const tiffUnits: Readonly<Record<string, number>> = { inch: 25.4, cm: 10 };

/** @param description the text of the tag ImageDescription; text of other programs is ignored */
export function parseImageJ(description: string): ImageJDescription {
  if (!description.startsWith('ImageJ='))
    return {
      images: undefined,
      frames: undefined,
      unit: 'unknown',
      spacing: undefined,
      millimetres: undefined,
      scaling: undefined,
    };
  const { pairs, count } = linesOf(description);
  const name = pairs.get('unit');
  const unit = units[name ?? ''] ?? 'unknown';
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
    unit,
    millimetres: tiffUnits[name ?? ''] ?? { m: 1000, mm: 1, um: 0.001, unknown: undefined }[unit],
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
  const interval = Number(pairs.get('finterval') ?? Number.NaN);
  const isInSeconds = ['s', 'sec', 'seconds', ''].includes(pairs.get('tunit') ?? '');
  return {
    channels,
    slices,
    frames,
    frameInterval: isInSeconds && interval > 0 && Number.isFinite(interval) ? interval : undefined,
    isColored: (pairs.get('mode') ?? 'grayscale') !== 'grayscale',
  };
}

/** The resolution of the pixels, supplemented by ImageJ: its unit, for which TIFF has no code, the third axis, and time. */
export function imageJScale(description: ImageJDescription, resolution: PictureScale): PictureScale {
  const { unit, spacing, frames, images, millimetres, scaling } = description;
  const [x, y] = resolution.spacing;
  const isPlain = resolution.spatialUnit === 'unknown' && unit !== 'unknown';
  const picturesPerTime = frames !== undefined && images !== undefined && images % frames === 0 ? images / frames : undefined;
  return {
    spatialUnit: isPlain ? unit : resolution.spatialUnit,
    spacing: [x, y, spacingInUnit(spacing, millimetres, resolution) ?? resolution.spacing[2]],
    picturesPerTime,
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
