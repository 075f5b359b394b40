import { StriaError } from '../shared/errors.ts';
import { ByteBuilder } from './byte-cursor.ts';
import { align8, endSignature, recordTypes } from './layout.ts';
import { bodyCursor, encodeRecord, parseRecord } from './record.ts';

/** A record's place in the file, in bytes. */
export interface RecordPlace {
  readonly offset: number;
  readonly length: number;
}

/** The contents of TAIL: where to start reading. docs/FORMAT.md, 'TAIL'. */
export interface Tail {
  readonly chunkCount: number;
  readonly index: RecordPlace;
  readonly source: RecordPlace;
}

/** A TAIL that was read, and where it is. */
export interface FoundTail extends Tail {
  readonly offset: number;
}

/** Length of the end of a file: the offset of TAIL and the end signature. */
export const endLength = 16;

const fieldsLength = 40;

/** The complete TAIL record, the last of a file. */
export function encodeTail(tail: Tail, offset: number): Uint8Array<ArrayBuffer> {
  const body = new ByteBuilder()
    .u64(tail.chunkCount)
    .u64(tail.index.offset)
    .u64(tail.index.length)
    .u64(tail.source.offset)
    .u64(tail.source.length)
    .u64(offset)
    .bytes(endSignature)
    .build();
  return encodeRecord({ type: recordTypes.tail, offset, body });
}

/** The offset of TAIL, from the last 16 bytes of a file; undefined if a container does not end with these bytes. */
export function tailOffset(end: Uint8Array, size: number): number | undefined {
  if (end.byteLength < endLength || endSignature.some((byte, at) => byte !== end.at(at - 8))) return undefined;
  const view = new DataView(end.buffer, end.byteOffset + end.byteLength - endLength, 8);
  const offset = Number(view.getBigUint64(0, true));
  return offset % 8 === 0 && offset < size ? offset : undefined;
}

/**
 * @param bytes of the whole record, which begins at `offset` and ends with the file
 * @throws StriaError `corrupt`, also if it refers to records that do not lie before it
 */
export function parseTail(bytes: Uint8Array, offset: number): FoundTail {
  const record = parseRecord(bytes, offset, recordTypes.tail);
  const cursor = bodyCursor(record);
  const place = (): RecordPlace => {
    const found = { offset: cursor.u64(), length: cursor.u64() };
    if (found.offset % 8 !== 0 || found.offset + found.length > offset) {
      throw cursor.corrupt(`refers to a record at byte ${found.offset}, where none can be`);
    }
    return found;
  };
  const tail = { chunkCount: cursor.u64(), index: place(), source: place(), offset };
  if (record.body.byteLength < fieldsLength + endLength || align8(record.body.byteLength) !== record.body.byteLength) {
    throw new StriaError('corrupt', `the TAIL record at byte ${offset} has a wrong length`);
  }
  return tail;
}
