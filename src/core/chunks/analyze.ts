import { chunkBytes } from '../codec/batch.ts';
import type { ChunkGeometry, ChunkStatistics, ChunkVoxels, CodecElementBytes } from '../codec/codec.ts';
import { rowBytes } from '../codec/codec.ts';
import { type Checksum, checksum } from '../format/checksum.ts';

/** The result of one pass over a chunk. GPU twin: shaders/gpu-chunks/analyze.wgsl. */
export interface ChunkAnalysis extends ChunkStatistics {
  /** Over the chunk's bytes, with each row padded to whole words. */
  readonly checksum: Checksum;
}

/**
 * How elements lie in a 32-bit word: constants for counting the nonzero ones (Hacker's Delight, section 6-1). Adding `low` to
 * an element's low bits carries into its highest bit unless they are all zero.
 */
export interface Lanes {
  readonly bits: number;
  /** All bits of each element except the highest. */
  readonly low: number;
  /** The highest bit of each element. */
  readonly high: number;
  /** The lowest bit of each element. Multiplying by it sums all elements in the topmost one. */
  readonly ones: number;
}

export const lanesOf: Record<CodecElementBytes, Lanes> = {
  1: { bits: 8, low: 0x7f7f7f7f, high: 0x80808080, ones: 0x01010101 },
  2: { bits: 16, low: 0x7fff7fff, high: 0x80008000, ones: 0x00010001 },
  4: { bits: 32, low: 0x7fffffff, high: 0x80000000, ones: 1 },
};

/** Counts the changes along x, y and z and computes the checksum, in one pass over the words of the padded rows. */
export function analyze(chunk: ChunkVoxels): ChunkAnalysis {
  const [x, y, z] = chunk.shape;
  const { bits, low, high, ones } = lanesOf[chunk.elementBytes];
  const words = paddedWords(chunk);
  const rowWords = rowBytes(x, chunk.elementBytes) / 4;
  const sliceWords = rowWords * y;
  const toTop = 32 - bits;
  // The last element of a row has no neighbour; any elements after it in the word are padding.
  const lastMask = maskOfElements((x - 1) % (32 / bits), chunk.elementBytes);
  const zeros = zeroRows(words, rowWords);
  const zeroSums = checksumsOfZeros(rowWords, zeros.includes(1) ? zeros.length : 0);
  let [changesX, changesY, changesZ, sum, cross, at] = [0, 0, 0, 0, 0, 0];
  for (let slice = 0; slice < z; slice++) {
    const toBehind = slice + 1 < z ? sliceWords : 0;
    for (let row = 0; row < y; row++) {
      const toBelow = row + 1 < y ? rowWords : 0;
      const number = slice * y + row;
      const last = at + rowWords - 1;
      const isZero = zeros[number] === 1;
      // Empty space, which dominates many volumes: nothing changes, and its checksum is known.
      if (isZero) {
        sum = (sum + (zeroSums.sum[number] as number)) | 0;
        cross = (cross + (zeroSums.cross[number] as number)) | 0;
        if (zeros[row + 1 < y ? number + 1 : number] && zeros[slice + 1 < z ? number + y : number]) {
          at += rowWords;
          continue;
        }
      }
      for (let i = at; i <= last && !isZero; i++) {
        // core/format/checksum.ts
        let mixed = (words[i] as number) ^ Math.imul(i, 0x9e3779b1);
        mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
        mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
        mixed ^= mixed >>> 16;
        sum = (sum + mixed) | 0;
        cross = (cross + Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f)) | 0;
      }
      for (; at <= last; at++) {
        const word = words[at] as number;
        const next = at < last ? (words[at + 1] as number) : 0;
        let differsX = word ^ (bits === 32 ? next : (word >>> bits) | (next << toTop));
        if (at === last) differsX &= lastMask;
        if (differsX !== 0) changesX += Math.imul(((((differsX & low) + low) | differsX) & high) >>> (bits - 1), ones) >>> toTop;
        const differsY = word ^ (words[at + toBelow] as number);
        if (differsY !== 0) changesY += Math.imul(((((differsY & low) + low) | differsY) & high) >>> (bits - 1), ones) >>> toTop;
        const differsZ = word ^ (words[at + toBehind] as number);
        if (differsZ !== 0) changesZ += Math.imul(((((differsZ & low) + low) | differsZ) & high) >>> (bits - 1), ones) >>> toTop;
      }
    }
  }
  return { changes: [changesX, changesY, changesZ], checksum: { sum: sum >>> 0, cross: cross >>> 0 } };
}

/** Chunks with more rows than this skip the search for zero rows: their rows are short, and the table would be long. */
const maxZeroRows = 2 ** 16;

/** For each row, 1 if all its words are 0. */
function zeroRows(words: Int32Array, rowWords: number): Uint8Array {
  const zeros = new Uint8Array(words.length / rowWords);
  if (zeros.length > maxZeroRows) return zeros;
  for (let row = 0, at = 0; row < zeros.length; row++) {
    const end = at + rowWords;
    while (at < end && words[at] === 0) at++;
    if (at === end) zeros[row] = 1;
    at = end;
  }
  return zeros;
}

interface RowChecksums {
  readonly sum: Int32Array;
  readonly cross: Int32Array;
}

const maxZeroTables = 8;

/** Keyed by the words in a row. A volume has at most two chunk widths, because only the last chunk of a row may be narrower. */
const zeroTables = new Map<number, RowChecksums>();

/** What each row of zeros adds to a chunk's checksum. */
function checksumsOfZeros(rowWords: number, rowCount: number): RowChecksums {
  const known = zeroTables.get(rowWords);
  if (known && known.sum.length >= rowCount) return known;
  const row = new Uint8Array(4 * rowWords);
  const sums = Array.from({ length: rowCount }, (_, number) => checksum(row, row.byteLength, number * rowWords));
  const table = { sum: Int32Array.from(sums, ({ sum }) => sum), cross: Int32Array.from(sums, ({ cross }) => cross) };
  if (zeroTables.size >= maxZeroTables) zeroTables.clear();
  zeroTables.set(rowWords, table);
  return table;
}

/** The checksum of a chunk in which every element is `element` (little-endian, one element wide). */
export function constantChecksum(element: Uint8Array, geometry: ChunkGeometry): Checksum {
  const bytes = new Uint8Array(chunkBytes(geometry));
  fillElement(bytes, element);
  return analyze({ ...geometry, bytes }).checksum;
}

/** Fills `bytes` with copies of `element`. */
export function fillElement(bytes: Uint8Array, element: Uint8Array): void {
  bytes.set(element.subarray(0, bytes.byteLength));
  for (let filled = element.byteLength; filled < bytes.byteLength; filled *= 2) bytes.copyWithin(filled, 0, filled);
}

/** The bits of a word's first `count` elements, from 0 to all of them. */
export function maskOfElements(count: number, elementBytes: CodecElementBytes): number {
  return count === 0 ? 0 : -1 >>> (32 - 8 * elementBytes * count);
}

/** The chunk's words, with rows padded by zeros. This is a view of the bytes if they already have that layout. */
function paddedWords({ bytes, shape, elementBytes }: ChunkVoxels): Int32Array {
  const rowLength = shape[0] * elementBytes;
  const padded = rowBytes(shape[0], elementBytes);
  const rows = shape[1] * shape[2];
  if (padded === rowLength && bytes.byteOffset % 4 === 0) {
    return new Int32Array(bytes.buffer, bytes.byteOffset, (rowLength * rows) / 4);
  }
  const copy = new Uint8Array(padded * rows);
  for (let row = 0; row < rows; row++) {
    copy.set(bytes.subarray(row * rowLength, (row + 1) * rowLength), row * padded);
  }
  return new Int32Array(copy.buffer);
}
