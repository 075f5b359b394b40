import { formatName } from '../../core/shared/readable-formats.ts';
import type { WritableFormat } from '../../core/shared/source.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';

type Scaling = Pick<VolumeInfo, 'slope' | 'intercept'>;

/** `0.5 × stored − 3`. Undefined if the stored values are the real ones. */
export function scalingWords({ slope, intercept }: Scaling): string | undefined {
  if (slope === 1 && intercept === 0) return undefined;
  const sign = intercept < 0 ? '−' : '+';
  return `${shortest(slope)} × stored ${sign} ${shortest(Math.abs(intercept))}`;
}

/** The shortest number that is the same 32-bit float. Other numbers have all their digits. */
function shortest(value: number): string {
  const digits = [1, 2, 3, 4, 5, 6, 7, 8].find((count) => Math.fround(Number(value.toPrecision(count))) === value);
  return String(digits === undefined ? value : Number(value.toPrecision(digits)));
}

/** Formats that Stria writes without slope and intercept. */
const unscaled = ['mgh', 'npy', 'mrc', 'vti', 'raw', 'png', 'tiff', 'ome-tiff'] as const;

function isUnscaled(format: WritableFormat): format is (typeof unscaled)[number] {
  return (unscaled as readonly string[]).includes(format);
}

/** A note if an exported file holds other values than the volume's real ones, otherwise undefined. */
export function scalingNote(format: WritableFormat, scaling: Scaling): string | undefined {
  const words = scalingWords(scaling);
  if (words === undefined || !isUnscaled(format)) return undefined;
  return `${formatName(format)} keeps no slope and intercept: the file has the stored values. Real values are ${words}.`;
}
