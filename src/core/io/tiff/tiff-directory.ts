import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type Endian, swapBytes } from '../../shared/volume.ts';
import { plainBytes } from '../common/byte-stream.ts';

// TIFF 6.0, section 2: a header, then a chain of directories, each a list of tags. BigTIFF is the same with wider fields.

/** An open TIFF file. */
export interface TiffFile {
  readonly source: ByteSource;
  readonly endian: Endian;
  readonly isBig: boolean;
  readonly firstDirectory: number;
}

export interface TiffTag {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** The values, little-endian; undefined if they are stored elsewhere, at `offset`. */
  readonly inline: Uint8Array | undefined;
  readonly offset: number;
}

/** One directory, usually of one picture. */
export interface TiffDirectory {
  readonly tags: ReadonlyMap<number, TiffTag>;
  /** Offset of the next directory; 0 after the last. */
  readonly next: number;
}

/** Width of a value, and of its unit for byte swapping (a rational is two of four bytes), by field type. */
const fieldTypes: Readonly<Record<number, { readonly bytes: number; readonly swap: 1 | 2 | 4 | 8 }>> = {
  1: { bytes: 1, swap: 1 },
  2: { bytes: 1, swap: 1 },
  3: { bytes: 2, swap: 2 },
  4: { bytes: 4, swap: 4 },
  5: { bytes: 8, swap: 4 },
  6: { bytes: 1, swap: 1 },
  7: { bytes: 1, swap: 1 },
  8: { bytes: 2, swap: 2 },
  9: { bytes: 4, swap: 4 },
  10: { bytes: 8, swap: 4 },
  11: { bytes: 4, swap: 4 },
  12: { bytes: 8, swap: 8 },
  13: { bytes: 4, swap: 4 },
  16: { bytes: 8, swap: 8 },
  17: { bytes: 8, swap: 8 },
  18: { bytes: 8, swap: 8 },
};

/** Tags per directory: real ones have a few dozen. */
const maxTags = 4096;
/** Most directories fit in this length, so that one read suffices. */
const firstReadBytes = 1024;

export function isTiff(head: Uint8Array): boolean {
  const [a, b, c, d] = head;
  return (
    (a === 0x49 && b === 0x49 && (c === 42 || c === 43) && d === 0) ||
    (a === 0x4d && b === 0x4d && c === 0 && (d === 42 || d === 43))
  );
}

/** @throws StriaError `corrupt`, `not-readable`, `aborted` */
export async function readTiffHeader(source: ByteSource, options: JobOptions): Promise<TiffFile> {
  const head = await plainBytes(source).read(0, 16, options);
  if (!isTiff(head) || head.byteLength < 8) throw new StriaError('corrupt', 'the TIFF file ends within its header');
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isLittle = head[0] === 0x49;
  const endian = isLittle ? 'little' : 'big';
  if (view.getUint16(2, isLittle) === 42) return { source, endian, isBig: false, firstDirectory: view.getUint32(4, isLittle) };
  const isSound = head.byteLength === 16 && view.getUint16(4, isLittle) === 8 && view.getUint16(6, isLittle) === 0;
  if (!isSound) throw new StriaError('corrupt', 'the header of the BigTIFF file is damaged');
  return { source, endian, isBig: true, firstDirectory: safeOffset(view.getBigUint64(8, isLittle)) };
}

/** @throws StriaError `corrupt` for a directory that does not lie in the file; `not-readable`, `aborted` */
export async function readDirectory(file: TiffFile, offset: number, options: JobOptions): Promise<TiffDirectory> {
  const { source, isBig } = file;
  const isLittle = file.endian === 'little';
  const [countBytes, tagBytes, offsetBytes] = isBig ? [8, 20, 8] : [2, 12, 4];
  const stream = plainBytes(source);
  let bytes = offset < 8 || offset >= source.size ? new Uint8Array() : await stream.read(offset, firstReadBytes, options);
  if (bytes.byteLength < countBytes) throw outside(offset);
  let view = viewOf(bytes);
  const count = isBig ? safeOffset(view.getBigUint64(0, isLittle)) : view.getUint16(0, isLittle);
  if (count > maxTags) throw new StriaError('corrupt', `the TIFF directory at byte ${offset} claims ${count} tags`);
  const length = countBytes + count * tagBytes + offsetBytes;
  if (bytes.byteLength < length) bytes = await stream.read(offset, length, options);
  if (bytes.byteLength < length) throw outside(offset);
  view = viewOf(bytes);
  const word = (at: number) => (isBig ? safeOffset(view.getBigUint64(at, isLittle)) : view.getUint32(at, isLittle));
  const tags = new Map<number, TiffTag>();
  for (let at = countBytes; at < length - offsetBytes; at += tagBytes) {
    const [tag, type] = [view.getUint16(at, isLittle), view.getUint16(at + 2, isLittle)];
    const valueAt = at + 4 + offsetBytes;
    const field = fieldTypes[type];
    // TIFF 6.0: readers skip unknown types.
    if (field === undefined) continue;
    const valueCount = word(at + 4);
    const valueBytes = valueCount * field.bytes;
    if (valueBytes > offsetBytes) {
      tags.set(tag, { tag, type, count: valueCount, inline: undefined, offset: word(valueAt) });
    } else {
      const inline = bytes.slice(valueAt, valueAt + valueBytes);
      if (!isLittle) swapBytes(inline, field.swap);
      tags.set(tag, { tag, type, count: valueCount, inline, offset: 0 });
    }
  }
  return { tags, next: word(length - offsetBytes) };
}

/** The bytes of a tag's values, little-endian. @throws StriaError `corrupt` if they lie outside the file */
export async function readTag(file: TiffFile, tag: TiffTag, options: JobOptions): Promise<Uint8Array> {
  if (tag.inline !== undefined) return tag.inline;
  const length = tagBytes(tag);
  if (tag.offset + length > file.source.size) {
    throw new StriaError('corrupt', `the values of TIFF tag ${tag.tag} lie past the end of the file`);
  }
  const bytes = await plainBytes(file.source).read(tag.offset, length, options);
  if (file.endian === 'big') swapBytes(bytes, fieldTypes[tag.type]?.swap ?? 1);
  return bytes;
}

/** Byte length of a tag's values. */
export function tagBytes({ type, count }: TiffTag): number {
  return count * (fieldTypes[type]?.bytes ?? 1);
}

/** The values of a tag as numbers; rationals as quotients. @throws StriaError `corrupt` for a type without numbers; as `readTag` */
export async function readNumbers(file: TiffFile, tag: TiffTag, options: JobOptions): Promise<readonly number[]> {
  const view = viewOf(await readTag(file, tag, options));
  const each = (bytes: number, get: (at: number) => number) =>
    Array.from({ length: Math.floor(view.byteLength / bytes) }, (_, index) => get(index * bytes));
  switch (tag.type) {
    case 1:
    case 7:
      return each(1, (at) => view.getUint8(at));
    case 3:
      return each(2, (at) => view.getUint16(at, true));
    case 4:
    case 13:
      return each(4, (at) => view.getUint32(at, true));
    case 5:
      return each(8, (at) => view.getUint32(at, true) / view.getUint32(at + 4, true));
    case 11:
      return each(4, (at) => view.getFloat32(at, true));
    case 12:
      return each(8, (at) => view.getFloat64(at, true));
    case 16:
    case 18:
      return each(8, (at) => safeOffset(view.getBigUint64(at, true)));
    default:
      throw new StriaError('corrupt', `TIFF tag ${tag.tag} has type ${tag.type}, which is not numeric`);
  }
}

function safeOffset(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new StriaError('corrupt', `the TIFF file refers to byte ${value}, which no file has`);
  return Number(value);
}

function outside(offset: number): StriaError {
  return new StriaError('corrupt', `the TIFF file ends early: its directory at byte ${offset} lies outside it`);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
