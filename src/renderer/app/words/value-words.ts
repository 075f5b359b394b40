import type { ElementType, VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { toPhysical, toStored } from '../view/window.ts';
import { formatNumber, spellNumber } from './units.ts';

type ValueInfo = Pick<VolumeInfo, 'type' | 'slope' | 'intercept'>;

/** A physical value with at most this many digits has no float noise and is shown in full. */
const mostPlainDigits = 12;
/** Slope and intercept are often stored as 32-bit floats; digits beyond these are noise. */
const digitsOfScale = 7;
const digitsOfDouble = 17;
const fewestDigits = 5;

/** Floats that are whole numbers, such as labels, are shown in full below this. */
const wholeFloats = 1e9;

/** The exact stored value: the shortest text that reads back as the same number of its type; integers in full. */
export function formatExact(stored: number, type: ElementType): string {
  return spellNumber(type === 'f32' ? shortestFloat(stored) : stored);
}

/**
 * A voxel's physical value, exact where nothing is scaled. Otherwise it has enough digits to tell its stored value from
 * all others, without the noise of a slope such as 0.1.
 */
export function formatValue(stored: number, info: ValueInfo): string {
  const { type, slope, intercept } = info;
  if (slope === 1 && intercept === 0) return formatExact(stored, type);
  const value = toPhysical(stored, info);
  if (!Number.isFinite(value) || digitCount(value) <= mostPlainDigits) return spellNumber(value);
  const isSame = (rounded: number): boolean => {
    const back = toStored(rounded, info);
    if (type === 'f64') return back === stored;
    return (type === 'f32' ? Math.fround(back) : Math.round(back)) === stored;
  };
  for (let digits = digitsOfScale; digits < digitsOfDouble; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (slope === 0 || isSame(rounded)) return spellNumber(rounded);
  }
  return spellNumber(value);
}

/** Both ends of a range, with enough digits to tell them apart. */
export function formatEnds(low: number, high: number): readonly [low: string, high: string] {
  const [a, b] = [formatWithin(low, [low, high]), formatWithin(high, [low, high])];
  return low !== high && a === b ? [spellNumber(low), spellNumber(high)] : [a, b];
}

/** `−1 024 to 3 071`: the lower physical value comes first, even with a negative slope. */
export function valueRange(info: ValueInfo, { numbers: [min, max], count }: Pick<VolumeStatistics, 'numbers' | 'count'>): string {
  if (count === 0) return 'no finite values';
  if (min === max) return `${formatValue(min, info)} everywhere`;
  const ends = [toPhysical(min, info), toPhysical(max, info)];
  return formatEnds(Math.min(...ends), Math.max(...ends)).join(' to ');
}

/** A value with enough digits to tell apart a thousand places in a range; whole numbers in full. */
export function formatWithin(value: number, [low, high]: readonly [low: number, high: number]): string {
  if (Number.isSafeInteger(value)) return spellNumber(value);
  const step = Math.abs(high - low) / 1000;
  return formatNumber(value, digitsFor(Math.max(Math.abs(low), Math.abs(high), Math.abs(value)), step, fewestDigits));
}

/** The number of significant digits that values up to `largest` need to show a difference of `step`. */
export function digitsFor(largest: number, step: number, fewest = 1): number {
  const digits = Math.floor(Math.log10(largest)) - Math.floor(Math.log10(step) + 1e-9) + 1;
  return Number.isNaN(digits) ? digitsOfDouble : Math.min(digitsOfDouble, Math.max(fewest, digits));
}

function shortestFloat(value: number): number {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) < wholeFloats)) return value;
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return Number(value.toPrecision(9));
}

function digitCount(value: number): number {
  return value.toExponential().replace(/e.*/, '').replace(/\D/g, '').length;
}
