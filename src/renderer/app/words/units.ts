import { amountTexts, type ByteUnits } from '../../../core/shared/amounts.ts';
import type { RawType } from '../../../core/shared/stored-voxels.ts';
import type { Dims4, VolumeInfo } from '../../../core/shared/volume.ts';

/** A narrow no-break space, which separates groups of three digits, and a number from its unit. */
export const thinSpace = '\u202f';

export const lengthUnitNames = ['file', 'mm', 'um'] as const;
/** 'file': the unit that the file gives. */
export type LengthUnits = (typeof lengthUnitNames)[number];

export interface UnitChoice {
  readonly lengthUnits: LengthUnits;
  readonly byteUnits: ByteUnits;
}

let chosen: UnitChoice = { lengthUnits: 'file', byteUnits: 'binary' };

/** Sets the units of all texts. As with a locale, the caller redraws all panels. */
export function setUnits(choice: UnitChoice): void {
  chosen = choice;
}

const texts = amountTexts(thinSpace, thinSpace);

/** A whole number with thin spaces: `1 234 567`. */
export const formatCount = texts.count;

/**
 * A number with the given significant digits and no float noise: `0.30000000000000004` is `0.3`. Very large
 * and very small numbers get an exponent.
 */
export function formatNumber(value: number, significantDigits = 6): string {
  const rounded = Number(value.toPrecision(significantDigits));
  // A value near the largest double may round to infinity. Adding 0 drops the sign of zero.
  if (!Number.isFinite(rounded)) return spellNumber(value);
  const isVeryLarge = Math.abs(rounded) >= 1e9;
  return isVeryLarge ? shorterSpelling(rounded) : spellNumber(rounded + 0);
}

/** A number with all its digits. Safe integers are written in full; others get an exponent where that is shorter. */
export function spellNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (Object.is(value, -0)) return '−0';
  if (Number.isSafeInteger(value)) return typeset(String(value));
  return Math.abs(value) < 1e-4 ? typeset(value.toExponential()) : shorterSpelling(value);
}

function shorterSpelling(value: number): string {
  const [plain, exponential] = [String(value), value.toExponential()];
  return typeset(Math.abs(value) >= 1e9 && exponential.length < plain.length ? exponential : plain);
}

function typeset(text: string): string {
  const [whole = '', ...rest] = text.replace('-', '−').split(/(?=[.e])/);
  return group(whole) + rest.join('').replace('e-', 'e−').replace('e+', 'e');
}

/** An amount in the chosen units: `3.08 MiB` or `3.23 MB`. */
export function formatBytes(bytes: number): string {
  return texts.bytes(bytes, chosen.byteUnits);
}

export const formatRate = texts.rate;
export const formatRatio = texts.ratio;
export const formatDuration = texts.duration;

/** The time left for long work: `about 12 s left`. */
export function formatTimeLeft(ms: number): string {
  if (ms < 1000) return 'less than 1\u202fs left';
  if (ms < 59_500) return `about ${Math.round(ms / 1000)}${thinSpace}s left`;
  return `about ${Math.round(ms / 60_000)}${thinSpace}min left`;
}

/** `512 × 512 × 300`, followed by the number of time points if there are several. */
export function formatDims(dims: Dims4): string {
  const still = dims.slice(0, 3).join(' × ');
  return dims[3] > 1 ? `${still} × ${dims[3]}` : still;
}

const typeWords: Record<RawType, string> = {
  u8: 'unsigned 8-bit',
  i8: 'signed 8-bit',
  u16: 'unsigned 16-bit',
  i16: 'signed 16-bit',
  u32: 'unsigned 32-bit',
  i32: 'signed 32-bit',
  u64: 'unsigned 64-bit, read as 32-bit',
  i64: 'signed 64-bit, read as 32-bit',
  f32: 'float 32-bit',
  f64: 'float 64-bit',
};

export function formatType(type: RawType): string {
  return typeWords[type];
}

/** Voxel size with its unit: `0.9 × 0.9 × 1.25 mm`. */
export function formatSpacing(info: VolumeInfo): string {
  const lengths = info.spacing.slice(0, 3).map((length) => shownLength(length, info));
  // Maps of molecules have spacings of a few hundredths of a nanometre.
  const isTiny = lengthUnit(info) === 'µm' && lengths.every((length) => length < 0.01);
  const [x, y, z] = lengths.map((length) => formatNumber(isTiny ? 1000 * length : length, 4));
  return `${x} × ${y} × ${z}${thinSpace}${isTiny ? 'nm' : lengthUnit(info)}`.trimEnd();
}

/** `mm`, `µm`, or an empty text where the file gives no unit. */
export function lengthUnit({ spatialUnit }: Pick<VolumeInfo, 'spatialUnit'>): string {
  return { m: 'm', mm: 'mm', um: 'µm', unknown: '' }[shownUnit(spatialUnit)];
}

const metres = { m: 1, mm: 1e-3, um: 1e-6, unknown: 1 } as const;

/** Converts a length from the file's unit to the shown unit (see `lengthUnit`); `power` is 2 for areas and 3 for volumes. */
export function shownLength(length: number, { spatialUnit }: Pick<VolumeInfo, 'spatialUnit'>, power = 1): number {
  return length * (metres[spatialUnit] / metres[shownUnit(spatialUnit)]) ** power;
}

/** A volume in the cube of the file's unit of length, in the shown unit: `1.5 mm³`. */
export function formatVolume(volume: number, info: Pick<VolumeInfo, 'spatialUnit'>): string {
  const unit = lengthUnit(info);
  return `${formatNumber(shownLength(volume, info, 3), 4)}${unit === '' ? '' : `${thinSpace}${unit}³`}`;
}

/** Converts a typed length from the shown unit to the file's unit, without float noise. */
export function fileLength(shown: number, info: Pick<VolumeInfo, 'spatialUnit'>): number {
  return Number((shown / shownLength(1, info)).toPrecision(12));
}

/** The unit to show. If the file gives no unit, lengths have none, whatever the user chose. */
function shownUnit(unit: VolumeInfo['spatialUnit']): VolumeInfo['spatialUnit'] {
  return chosen.lengthUnits === 'file' || unit === 'unknown' ? unit : chosen.lengthUnits;
}

/** The anatomical direction of each voxel axis as the three-letter code of neuroimaging: `RAS`, `LPI`. */
export function orientation(affine: readonly number[]): string {
  const taken = new Set<number>();
  return [0, 1, 2]
    .map((axis) => {
      const column = [0, 1, 2].map((row) => affine[row * 4 + axis] ?? 0);
      const free = [0, 1, 2].filter((row) => !taken.has(row));
      const row = free.reduce((best, next) => (Math.abs(column[next] ?? 0) > Math.abs(column[best] ?? 0) ? next : best));
      taken.add(row);
      const letters = ['RL', 'AP', 'SI'][row] as string;
      return (column[row] ?? 0) < 0 ? letters[1] : letters[0];
    })
    .join('');
}

function group(digits: string): string {
  const sign = digits.startsWith('-') || digits.startsWith('−') ? '−' : '';
  return sign + digits.slice(sign.length).replace(/\B(?=(\d{3})+$)/g, thinSpace);
}
