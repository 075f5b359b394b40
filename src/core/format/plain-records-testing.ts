/** FORMAT.md, 'Conventions', 'Checksum' and 'Records', for the plain reader beside this file. Imported by tests alone. */
import { StriaError } from '../shared/errors.ts';

/** 'unsigned integers of 1, 2, 4, 8 bytes, little-endian' */
export function uint(bytes: Uint8Array, at: number, width: number): number {
  if (at + width > bytes.length) throw corrupt('field lies behind the end');
  let value = 0;
  for (let byte = 0; byte < width; byte++) value += (bytes[at + byte] as number) * 256 ** byte;
  return value;
}

/** 'A `u64` in a file is below 2^53, so that a double holds it exactly; a reader treats a larger one as damage.' */
export function u64(bytes: Uint8Array, at: number): number {
  const value = uint(bytes, at, 8);
  if (value >= 2 ** 53) throw corrupt('u64 is too large');
  return value;
}

/** 'the least multiple of 8 that is not below n' */
export function align8(n: number): number {
  return Math.ceil(n / 8) * 8;
}

/** FORMAT.md, 'Checksum': its 8 bytes, in hexadecimal. */
export function checksum(bytes: Uint8Array, rowLength = bytes.length): string {
  let sum = 0;
  let cross = 0;
  let i = 0;
  for (let row = 0; row < bytes.length; row += rowLength) {
    // 'Each row by itself is padded with zero bytes to a multiple of 4.'
    for (let at = row; at < row + rowLength; at += 4, i++) {
      const word = [0, 1, 2, 3].map((byte) => (at + byte < row + rowLength ? (bytes[at + byte] as number) : 0));
      // 'The rows' 32-bit words, little-endian, are numbered 0, 1, 2 … through all rows in their order.'
      const w = uint(Uint8Array.from(word), 0, 4);
      // 'All arithmetic is modulo 2^32; `>>` shifts zeros in.'
      let h = w ^ Math.imul(i, 0x9e3779b1);
      h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
      h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
      h = h ^ (h >>> 16);
      sum = (sum + h) >>> 0;
      cross = (cross + Math.imul(h ^ (h >>> 15), 0x27d4eb2f)) >>> 0;
    }
  }
  // '8 bytes, `u32 sum` then `u32 cross`'
  return hex([sum, cross].flatMap((value) => [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24]));
}

export function hex(bytes: Iterable<number>): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export interface PlainRecord {
  readonly meta: Uint8Array;
  readonly body: Uint8Array;
  /** Where the next record starts. */
  readonly end: number;
}

/** The record of this type at `offset`: its head, its body and its padding are right. */
export function readRecord(file: Uint8Array, offset: number, type: string): PlainRecord {
  // 'All else is records, each starting at a multiple of 8'
  if (offset % 8 !== 0 || offset + 32 > file.length) throw corrupt(`${type} record is missing`);
  const record = file.subarray(offset);
  if (String.fromCharCode(...record.subarray(0, 4)) !== type) throw corrupt(`${type} record is of another type`);
  const reserved = uint(record, 4, 2);
  // 'M, the length of the meta bytes: a multiple of 8, at most 4096'
  const M = uint(record, 6, 2);
  if (reserved !== 0 || M % 8 !== 0 || M > 4096) throw corrupt(`${type} record has a head that is none`);
  // 'B, the length of the body'
  const B = u64(record, 8);
  // 'zero bytes up to `align8(32 + M + B)`, where the next record starts'
  const length = align8(32 + M + B);
  if (length > record.length) throw corrupt(`${type} record is cut off`);
  if (record.subarray(32 + M + B, length).some((byte) => byte !== 0)) throw corrupt(`${type} record has padding that is not 0`);

  // 'The head checksum is that of bytes 0 to 32 + M as one row, after the 8 bytes at offset 24 have been replaced by the
  // record's own offset in the file as a u64.'
  const head = record.slice(0, 32 + M);
  for (let byte = 0; byte < 8; byte++) head[24 + byte] = Math.floor(offset / 256 ** byte) % 256;
  if (checksum(head) !== hex(record.subarray(24, 32))) throw corrupt(`${type} record's head is damaged`);
  // 'of the body, as one row'
  const body = record.subarray(32 + M, 32 + M + B);
  if (checksum(body) !== hex(record.subarray(16, 24))) throw corrupt(`${type} record's body is damaged`);
  return { meta: record.subarray(32, 32 + M), body, end: offset + length };
}

export function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the ${what}`);
}
