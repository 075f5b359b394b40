// Encoder and decoder of `labels`: src/core/codecs/labels/SPEC.md. They produce the same bytes as
// src/core/codecs/labels/reference.ts, which reports what is wrong with a damaged payload.
import { brickBytes, brickEdge, fillBrick, firstElement, isOneLabel, readRaw, setBrick, writeRaw } from './brick';
import { decodeBrick, encodeBrick } from './coded';
import { setTables } from './tables';

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

// 'kind'
const asBefore: u32 = 0;
const oneLabel: u32 = 1;
const coded: u32 = 2;
const raw: u32 = 3;

/**
 * Encodes a chunk.
 * @param from its voxels, without padding
 * @param tables `tableWords` of src/core/codecs/labels/tables.ts
 * @param lengths room for 2 bytes for each brick
 * @param to room for the longest payload, and 2048 bytes more
 * @returns length of the payload in bytes
 */
export function encode(from: usize, x: u32, y: u32, z: u32, elementBytes: u32, tables: usize, lengths: usize, to: usize): usize {
  setTables(tables);
  if (elementBytes === 1) return encodeChunk<u8>(from, x, y, z, lengths, to);
  if (elementBytes === 2) return encodeChunk<u16>(from, x, y, z, lengths, to);
  return encodeChunk<u32>(from, x, y, z, lengths, to);
}

/**
 * Decodes a chunk.
 * @param from its payload; 16 bytes past its end must be readable
 * @param tables as for `encode`
 * @param to room for its voxels
 * @returns false for a payload that SPEC.md refuses
 */
export function decode(from: usize, length: usize, x: u32, y: u32, z: u32, elementBytes: u32, tables: usize, to: usize): bool {
  setTables(tables);
  if (elementBytes === 1) return decodeChunk<u8>(from, length, x, y, z, to);
  if (elementBytes === 2) return decodeChunk<u16>(from, length, x, y, z, to);
  return decodeChunk<u32>(from, length, x, y, z, to);
}

function encodeChunk<T>(from: usize, x: u32, y: u32, z: u32, lengths: usize, to: usize): usize {
  const bricks = bricksOf(x, y, z);
  const kindBytes = (bricks + 3) >> 2;
  // Bricks are written after the longest possible directory, and moved when its length is known.
  const bricksAt = to + 1 + kindBytes + 2 * bricks;
  memory.fill(to, 0, bricksAt - to);
  let end = bricksAt;
  let codedCount: u32 = 0;
  let longest: u32 = 0;
  let number: u32 = 0;
  let before: T = 0;
  for (let oz: u32 = 0; oz < z; oz += brickEdge) {
    for (let oy: u32 = 0; oy < y; oy += brickEdge) {
      for (let ox: u32 = 0; ox < x; ox += brickEdge) {
        setBrick<T>(from, x, y, z, ox, oy, oz);
        const first = firstElement<T>();
        let kind = raw;
        if (isOneLabel<T>()) {
          kind = number > 0 && first === before ? asBefore : oneLabel;
          if (kind === oneLabel) {
            store<T>(end, first);
            end += sizeof<T>();
          }
        } else {
          const codedEnd = encodeBrick<T>(end);
          if (codedEnd > 0) {
            kind = coded;
            const bytes = <u32>(codedEnd - end);
            store<u16>(lengths + 2 * codedCount, <u16>bytes);
            codedCount++;
            longest = max(longest, bytes);
            end = codedEnd;
          } else end = writeRaw<T>(end);
        }
        const at = to + 1 + (number >> 2);
        store<u8>(at, load<u8>(at) | (kind << (2 * (number & 3))));
        before = first;
        number++;
      }
    }
  }
  const width = 32 - clz(longest);
  store<u8>(to, width);
  const directoryEnd = writeLengths(lengths, codedCount, width, to + 1 + kindBytes);
  memory.copy(directoryEnd, bricksAt, end - bricksAt);
  return directoryEnd + (end - bricksAt) - to;
}

/** @returns the end of the output */
function writeLengths(lengths: usize, count: u32, width: u32, to: usize): usize {
  let pending: u32 = 0;
  let filled: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    pending |= (<u32>load<u16>(lengths + 2 * i)) << filled;
    for (filled += width; filled >= 8; filled -= 8, pending >>= 8) store<u8>(to++, pending);
  }
  if (filled > 0) store<u8>(to++, pending);
  return to;
}

function decodeChunk<T>(from: usize, length: usize, x: u32, y: u32, z: u32, to: usize): bool {
  const bricks = bricksOf(x, y, z);
  const kindBytes = (bricks + 3) >> 2;
  if (length < 1 + kindBytes) return false;
  const width = <u32>load<u8>(from);
  let codedCount: u32 = 0;
  for (let brick: u32 = 0; brick < bricks; brick++) codedCount += u32(kindOf(from, brick) === coded);
  const lengthBits = <u64>codedCount * width;
  const lastBits = <u32>lengthBits & 7;
  const lengthsAt = from + 1 + kindBytes;
  const directoryBytes = <u64>(1 + kindBytes) + ((lengthBits + 7) >> 3);
  if (width > 16 || <u64>length < directoryBytes) return false;
  if ((bricks & 3) !== 0 && <u32>load<u8>(lengthsAt - 1) >> (2 * (bricks & 3)) !== 0) return false;
  let start = from + <usize>directoryBytes;
  if (lastBits !== 0 && <u32>load<u8>(start - 1) >> lastBits !== 0) return false;

  const end = from + length;
  let lengthBit: u32 = 0;
  let number: u32 = 0;
  let before: T = 0;
  for (let oz: u32 = 0; oz < z; oz += brickEdge) {
    for (let oy: u32 = 0; oy < y; oy += brickEdge) {
      for (let ox: u32 = 0; ox < x; ox += brickEdge) {
        setBrick<T>(to, x, y, z, ox, oy, oz);
        const kind = kindOf(from, number);
        let bytes: u32 = 0;
        if (kind === oneLabel) bytes = sizeof<T>();
        else if (kind === raw) bytes = brickBytes<T>();
        else if (kind === coded) {
          bytes = (load<u32>(lengthsAt + (lengthBit >> 3)) >> (lengthBit & 7)) & ((1 << width) - 1);
          lengthBit += width;
        }
        if (bytes > <u32>(end - start)) return false;
        if (kind === asBefore) {
          if (number === 0) return false;
          fillBrick<T>(before);
        } else if (kind === oneLabel) fillBrick<T>(load<T>(start));
        else if (kind === raw) readRaw<T>(start);
        else if (!decodeBrick<T>(start, bytes)) return false;
        start += bytes;
        before = firstElement<T>();
        number++;
      }
    }
  }
  return start === end;
}

function kindOf(payload: usize, brick: u32): u32 {
  return (<u32>load<u8>(payload + 1 + (brick >> 2)) >> (2 * (brick & 3))) & 3;
}

function bricksOf(x: u32, y: u32, z: u32): u32 {
  return ((x + brickEdge - 1) / brickEdge) * ((y + brickEdge - 1) / brickEdge) * ((z + brickEdge - 1) / brickEdge);
}
