import type { VolumeInfo } from '../../../core/shared/volume.ts';

/** A bar that shows a round length in a picture. */
export interface ScaleBar {
  readonly pixels: number;
  /** The length as text: `20 mm`. */
  readonly text: string;
}

type SpatialUnit = VolumeInfo['spatialUnit'];

/** A narrow no-break space. */
const thinSpace = '\u202f';
const metres = { m: 1, mm: 1e-3, um: 1e-6 } as const;
const names = [
  ['km', 1e3],
  ['m', 1],
  ['mm', 1e-3],
  ['µm', 1e-6],
  ['nm', 1e-9],
] as const;

/** The largest of 1, 2 or 5 times a power of ten that is not above `atMost`. */
export function roundLength(atMost: number): number {
  const power = 10 ** Math.floor(Math.log10(atMost));
  return ([5, 2, 1].find((factor) => factor * power <= atMost * (1 + 1e-9)) ?? 1) * power;
}

/** A round length as text, in the unit that makes it at least 1: `0.05` mm is `50 µm`. */
export function lengthWords(length: number, unit: SpatialUnit): string {
  if (unit === 'unknown') return `${Number(length.toPrecision(6))}`;
  const inMetres = length * metres[unit];
  const own = names.find(([, size]) => size === metres[unit]) ?? names[2];
  const [name, size] = length === 0 ? own : (names.find(([, each]) => inMetres >= each * (1 - 1e-9)) ?? ['nm', 1e-9]);
  return `${Number((inMetres / size).toPrecision(6))}${thinSpace}${name}`;
}

/**
 * The longest bar of a round length (1, 2 or 5 times a power of ten) that is at most `maxPixels` long. Undefined if the file
 * gives no unit or there is no scale.
 * @param pixelsPerUnit the length of one `unit` in the picture
 */
export function scaleBar(pixelsPerUnit: number, maxPixels: number, unit: SpatialUnit): ScaleBar | undefined {
  const longest = maxPixels / pixelsPerUnit;
  if (unit === 'unknown' || !(longest > 0 && Number.isFinite(longest))) return undefined;
  const length = roundLength(longest);
  return { pixels: length * pixelsPerUnit, text: lengthWords(length, unit) };
}
