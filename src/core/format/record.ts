import type { ByteSource, ReadOptions } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { ByteCursor } from './byte-cursor.ts';
import { type Checksum, checksum, sameChecksum } from './checksum.ts';
import { align8, maxMetaLength, recordHeadLength } from './layout.ts';

/** A record's head and meta bytes, with a valid checksum. docs/FORMAT.md, 'Records'. */
export interface RecordHead {
  /** Four ASCII letters. */
  readonly type: string;
  /** The record's offset in the file, a multiple of 8. */
  readonly offset: number;
  readonly meta: Uint8Array;
  readonly bodyLength: number;
  readonly bodyChecksum: Checksum;
}

export interface StriaRecord extends RecordHead {
  readonly body: Uint8Array;
}

/** Length of a record from its head to the end of its padding. */
export function recordLength(metaLength: number, bodyLength: number): number {
  return align8(recordHeadLength + metaLength + bodyLength);
}

/** The offset at which a record's padding ends and the next record begins. */
export function recordEnd(head: RecordHead): number {
  return head.offset + recordLength(head.meta.byteLength, head.bodyLength);
}

/** Whether a reader that does not know this record type must refuse the file. */
export function isCritical(type: string): boolean {
  return type.charAt(0) <= 'Z';
}

export interface NewRecord {
  readonly type: string;
  readonly offset: number;
  readonly body: Uint8Array;
  /** Length must be a multiple of 8. Default: none. */
  readonly meta?: Uint8Array;
  /** Checksum of the body as one row, if the caller already knows it. */
  readonly bodyChecksum?: Checksum;
}

/** The bytes of a record: head, meta, body, padding. */
export function encodeRecord(record: NewRecord): Uint8Array<ArrayBuffer> {
  const { head, body, padding } = recordParts(record);
  const bytes = new Uint8Array(head.byteLength + body.byteLength + padding.byteLength);
  bytes.set(head);
  bytes.set(body, head.byteLength);
  return bytes;
}

/** The parts of a record's bytes, of which the body is not copied. */
export interface RecordParts {
  /** Head and meta. */
  readonly head: Uint8Array<ArrayBuffer>;
  readonly body: Uint8Array;
  readonly padding: Uint8Array;
}

/** Like `encodeRecord`, but returns the record in parts. */
export function recordParts(record: NewRecord): RecordParts {
  const { type, offset, body, meta = new Uint8Array(0), bodyChecksum = checksum(body) } = record;
  // Does not use a builder, because this runs for thousands of chunks in a row.
  const head = new Uint8Array(recordHeadLength + meta.byteLength);
  const view = new DataView(head.buffer);
  for (let i = 0; i < 4; i++) head[i] = type.charCodeAt(i);
  view.setUint16(6, meta.byteLength, true);
  view.setBigUint64(8, BigInt(body.byteLength), true);
  view.setUint32(16, bodyChecksum.sum, true);
  view.setUint32(20, bodyChecksum.cross, true);
  view.setBigUint64(24, BigInt(offset), true);
  head.set(meta, recordHeadLength);
  const { sum, cross } = checksum(head);
  view.setUint32(24, sum, true);
  view.setUint32(28, cross, true);
  const length = recordLength(meta.byteLength, body.byteLength);
  return { head, body, padding: zeros.subarray(0, length - head.byteLength - body.byteLength) };
}

/** More than any padding. */
const zeros = new Uint8Array(8);

/** Checksum over the head and meta bytes, in which the record's offset replaces this checksum. */
function headChecksum(headAndMeta: Uint8Array, offset: number): Checksum {
  const bytes = headAndMeta.slice();
  new DataView(bytes.buffer).setBigUint64(24, BigInt(offset), true);
  return checksum(bytes);
}

/**
 * The head at the start of `bytes`, which were read at `offset`. Undefined if there is none: too few bytes, no letters, a wrong
 * checksum, or a head written for another offset.
 */
export function parseRecordHead(bytes: Uint8Array, offset: number): RecordHead | undefined {
  if (bytes.byteLength < recordHeadLength || !bytes.subarray(0, 4).every(isLetter)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const metaLength = view.getUint16(6, true);
  const length = recordHeadLength + metaLength;
  const bodyLength = Number(view.getBigUint64(8, true));
  // Cheap tests first, because a scan of damaged bytes calls this often.
  if (metaLength % 8 !== 0 || metaLength > maxMetaLength || length > bytes.byteLength) return undefined;
  if (view.getUint16(4, true) !== 0 || bodyLength > Number.MAX_SAFE_INTEGER - offset - 2 * maxMetaLength) return undefined;
  const stored = { sum: view.getUint32(24, true), cross: view.getUint32(28, true) };
  if (!sameChecksum(headChecksum(bytes.subarray(0, length), offset), stored)) return undefined;
  return {
    type: String.fromCharCode(...bytes.subarray(0, 4)),
    offset,
    meta: bytes.slice(recordHeadLength, length),
    bodyLength,
    bodyChecksum: { sum: view.getUint32(16, true), cross: view.getUint32(20, true) },
  };
}

function isLetter(byte: number): boolean {
  return (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122);
}

/**
 * The record of `type` in `bytes`, which were read at `offset` and must contain nothing else. `body` shares their memory.
 * @param checksBody false if the caller compares the body with `bodyChecksum`
 * @throws StriaError `corrupt` for a wrong checksum, type or length, or nonzero padding
 */
export function parseRecord(bytes: Uint8Array, offset: number, type: string, checksBody = true): StriaRecord {
  const head = parseRecordHead(bytes, offset);
  const where = `the ${type} record at byte ${offset}`;
  if (head === undefined) throw new StriaError('corrupt', `${where} is damaged: its head does not match its checksum`);
  if (head.type !== type) throw new StriaError('corrupt', `there is a ${head.type} record instead of ${where}`);
  const start = recordHeadLength + head.meta.byteLength;
  const end = start + head.bodyLength;
  if (align8(end) !== bytes.byteLength) {
    throw new StriaError('corrupt', `${where} is ${align8(end)} bytes long instead of ${bytes.byteLength}`);
  }
  const body = bytes.subarray(start, end);
  if (checksBody && !sameChecksum(checksum(body), head.bodyChecksum)) {
    throw new StriaError('corrupt', `${where} is damaged: its content does not match its checksum`);
  }
  if (bytes.subarray(end).some((byte) => byte !== 0)) {
    throw new StriaError('corrupt', `${where} is damaged: the bytes after it are not zero`);
  }
  return { ...head, body };
}

/** Reads the record of `type` that takes `length` bytes at `offset`. @throws StriaError `corrupt`, as parseRecord */
export async function readRecord(
  source: ByteSource,
  type: string,
  offset: number,
  length: number,
  options?: JobOptions,
): Promise<StriaRecord> {
  if (offset % 8 !== 0) throw new StriaError('corrupt', `byte ${offset} cannot hold a ${type} record`);
  return parseRecord(await readExactly(source, offset, length, options), offset, type);
}

/** @throws StriaError `corrupt` if the source is shorter; checked before memory is allocated */
export async function readExactly(
  source: ByteSource,
  offset: number,
  length: number,
  options?: ReadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (offset + length > source.size) {
    throw new StriaError('corrupt', `bytes ${offset} to ${offset + length} are needed, but the file ends at ${source.size}`);
  }
  throwIfAborted(options?.signal);
  const bytes = await source.read(offset, length, options);
  if (bytes.byteLength !== length) {
    throw new StriaError('not-readable', `the file gave ${bytes.byteLength} of ${length} bytes at ${offset}: has it changed?`);
  }
  return bytes;
}

/** The UTF-8 text of a body. @throws StriaError `corrupt` */
export function decodeText(body: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch (cause) {
    throw new StriaError('corrupt', `${what} is not UTF-8 text`, { cause });
  }
}

/** A cursor over a record's body. */
export function bodyCursor(record: StriaRecord): ByteCursor {
  return new ByteCursor(record.body, `the ${record.type} record at byte ${record.offset}`);
}
