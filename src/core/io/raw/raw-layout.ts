import { StriaError } from '../../shared/errors.ts';
import { type RawType, rawTypeBytes, rawTypes } from '../../shared/stored-voxels.ts';
import type { Dims4, VolumeInfo } from '../../shared/volume.ts';
import { nameWithoutGzip } from '../common/byte-stream.ts';
import type { RawLayout } from '../common/volume-reader.ts';

/** A raw file's layout, and what a sidecar may add. */
export interface RawDescription extends RawLayout {
  readonly spacing?: VolumeInfo['spacing'] | undefined;
  readonly unit?: VolumeInfo['spatialUnit'] | undefined;
}

/** Other common spellings of the element types, as used in names of public datasets and in NumPy. */
const typeSpellings: ReadonlyMap<string, RawType> = new Map([
  ['uint8', 'u8'],
  ['int8', 'i8'],
  ['uint16', 'u16'],
  ['int16', 'i16'],
  ['uint32', 'u32'],
  ['int32', 'i32'],
  ['uint64', 'u64'],
  ['int64', 'i64'],
  ['float32', 'f32'],
  ['float64', 'f64'],
]);

function elementTypeNamed(name: unknown): RawType | undefined {
  if (typeof name !== 'string') return undefined;
  return rawTypes.find((type) => type === name) ?? typeSpellings.get(name.toLowerCase());
}

/** `skull_256x256x256_uint8.raw`, optionally with time points after z. Little-endian. Undefined for any other name. */
export function layoutFromName(name: string): RawDescription | undefined {
  const match = /_(\d{1,9})x(\d{1,9})x(\d{1,9})(?:x(\d{1,9}))?_([a-z]+\d+)\.raw$/i.exec(nameWithoutGzip(name));
  const type = elementTypeNamed(match?.[5]);
  if (match === null || type === undefined) return undefined;
  const dims: Dims4 = [Number(match[1]), Number(match[2]), Number(match[3]), Number(match[4] ?? 1)];
  return { dims, type };
}

/** The name of a raw file's sidecar: `scan.raw.json` for `scan.raw` and for `scan.raw.gz`. */
export function sidecarName(name: string): string {
  return `${nameWithoutGzip(name)}.json`;
}

/**
 * Reads a sidecar: a JSON object such as
 * `{"dims": [256, 256, 178], "type": "u8", "endian": "little", "offset": 0, "spacing": [0.5, 0.5, 1], "unit": "mm"}`.
 * `dims` (x, y, z and optionally t) and `type` are needed. `type` is one of u8 i8 u16 i16 u32 i32 u64 i64 f32 f64, or spelled
 * uint8 … float64; `endian` is little (default) or big; `offset` is the number of bytes before the voxels (default 0);
 * `spacing` has three or four distances; `unit` is m, mm or um. Other members are ignored.
 * @throws StriaError `invalid-input` naming the member that is wrong
 */
export function parseSidecar(bytes: Uint8Array, name: string): RawDescription {
  const wrong = (what: string) => new StriaError('invalid-input', `${name}: ${what}`);
  let members: Record<string, unknown>;
  try {
    members = Object(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch (error) {
    throw new StriaError('invalid-input', `${name} is not JSON`, { cause: error });
  }
  const { dims, type, endian = 'little', offset = 0, spacing, unit } = members;
  const elementType = elementTypeNamed(type);
  if (elementType === undefined) throw wrong(`"type" must be one of ${rawTypes.join(', ')}`);
  if (!isNumberList(dims)) throw wrong('"dims" must be a list of three or four lengths');
  if (endian !== 'little' && endian !== 'big') throw wrong('"endian" must be "little" or "big"');
  if (typeof offset !== 'number') throw wrong('"offset" must be a number of bytes');
  if (spacing !== undefined && !(isNumberList(spacing) && spacing.every((distance) => distance > 0 && distance < Infinity))) {
    throw wrong('"spacing" must be a list of three or four positive distances');
  }
  if (unit !== undefined && unit !== 'm' && unit !== 'mm' && unit !== 'um') throw wrong('"unit" must be "m", "mm" or "um"');
  return { dims: four(dims), type: elementType, endian, offset, spacing: spacing && four(spacing), unit };
}

function isNumberList(value: unknown): value is number[] {
  return Array.isArray(value) && (value.length === 3 || value.length === 4) && value.every((item) => typeof item === 'number');
}

function four(numbers: readonly number[]): Dims4 {
  const [x = 1, y = 1, z = 1, t = 1] = numbers;
  return [x, y, z, t];
}

/** @throws StriaError `invalid-input` for lengths, types and offsets that no file can have */
export function checkLayout(layout: RawLayout): void {
  const { dims, type, offset = 0 } = layout;
  if (!rawTypes.includes(type))
    throw new StriaError('invalid-input', `unknown element type ${type}; choose one of ${rawTypes.join(', ')}`);
  if (dims.length !== 4 || !dims.every((length) => Number.isSafeInteger(length) && length >= 1)) {
    throw new StriaError('invalid-input', `the lengths ${dims.join('×')} are not whole numbers from 1`);
  }
  if (!Number.isSafeInteger(dims.reduce((product, length) => product * length, rawTypeBytes(type)))) {
    throw new StriaError('invalid-input', `the lengths ${dims.join('×')} exceed the size of any file`);
  }
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new StriaError('invalid-input', `the offset ${offset} is not a number of bytes`);
}

/** Compares the layout with the file, and suggests layouts that fit. @param available bytes of voxels after the offset */
export function layoutTooLarge(layout: RawLayout, available: number): StriaError {
  return new StriaError('invalid-input', comparison(layout, available));
}

/**
 * A remark if bytes follow the voxels, because the lengths may be wrong. Undefined if there are none.
 * @param available as for `layoutTooLarge`
 */
export function layoutTooSmall(layout: RawLayout, available: number): string | undefined {
  if (available <= voxelBytes(layout)) return undefined;
  return `${comparison(layout, available)}. The bytes after the voxels are kept, but not shown.`;
}

const voxelBytes = ({ dims, type }: RawLayout): number => dims.reduce((product, length) => product * length, rawTypeBytes(type));

function comparison(layout: RawLayout, available: number): string {
  const { dims, type, offset = 0 } = layout;
  const behind = offset > 0 ? ` after the first ${offset}` : '';
  const fitting = fittingLayouts(layout, available);
  const advice = fitting.length > 0 ? `; ${fitting.join(' or ')} would fit` : '';
  return `the file has ${available} bytes of voxels${behind}, but ${dimsText(dims)} ${type} needs ${voxelBytes(layout)}${advice}`;
}

function fittingLayouts({ dims, type }: RawLayout, available: number): string[] {
  const width = rawTypeBytes(type);
  const [x, y, z, t] = dims;
  const fitting: string[] = [];
  const slices = available / (x * y * t * width);
  const whole = Math.floor(slices);
  if (whole >= 1 && whole !== z) fitting.push(`${dimsText([x, y, whole, t])} ${type}`);
  const edge = Math.round(Math.cbrt(available / width));
  if (edge > 1 && edge ** 3 * width === available && !(edge === x && edge === y)) fitting.push(`${edge}×${edge}×${edge} ${type}`);
  const other = rawTypes.find((candidate) => x * y * z * t * rawTypeBytes(candidate) === available);
  if (other !== undefined) fitting.push(`${dimsText(dims)} ${other}`);
  return fitting;
}

function dimsText([x, y, z, t]: Dims4): string {
  return t === 1 ? `${x}×${y}×${z}` : `${x}×${y}×${z}×${t}`;
}
