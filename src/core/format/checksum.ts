import { checksumInWasm } from './checksum-in-wasm.ts';

/**
 * Stria's checksum: 64 bits that any number of threads can compute in any order, so that a GPU can check a decoded chunk in
 * place. See docs/FORMAT.md, section 'Checksum'; the GPU twin is shaders/gpu-chunks/analyze.wgsl.
 *
 * The bytes are taken as rows, each padded with zero bytes to whole little-endian 32-bit words. Word i, counted through all
 * rows, is mixed with i by a bijection (the finaliser of MurmurHash3), so a single changed word always changes the sum.
 */
export interface Checksum {
  /** Sum of the mixed words, modulo 2^32. */
  readonly sum: number;
  /** Sum of the words after a second mixing, modulo 2^32. */
  readonly cross: number;
}

/**
 * @param rowLength bytes in a row; by default all bytes are one row
 * @param firstWord index of the first word, for bytes that continue others (which must be whole words of whole rows, or of the
 * one row). The checksum of both is the sum of the two results, modulo 2^32 (`addChecksums`)
 */
export function checksum(bytes: Uint8Array, rowLength: number = bytes.byteLength, firstWord = 0): Checksum {
  const ofMany = bytes.byteLength < manyBytes ? undefined : checksumInWasm(bytes, rowLength, firstWord);
  return ofMany ?? checksumInScript(bytes, rowLength, firstWord);
}

/** For fewer bytes JavaScript is faster than a WebAssembly call. */
const manyBytes = 2 ** 11;

/** `checksum` without WebAssembly. */
export function checksumInScript(bytes: Uint8Array, rowLength: number, firstWord: number): Checksum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let sum = 0;
  let cross = 0;
  let index = firstWord;
  for (let start = 0; start < bytes.byteLength && rowLength > 0; start += rowLength) {
    const end = Math.min(start + rowLength, bytes.byteLength);
    const wholeEnd = end - ((end - start) % 4);
    for (let at = start; at < wholeEnd; at += 4, index++) {
      const mixed = mix(view.getInt32(at, true) ^ Math.imul(index, 0x9e3779b1));
      sum = (sum + mixed) | 0;
      cross = (cross + Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f)) | 0;
    }
    if (wholeEnd < end) {
      let word = 0;
      for (let at = end - 1; at >= wholeEnd; at--) word = (word << 8) | (bytes[at] as number);
      const mixed = mix(word ^ Math.imul(index, 0x9e3779b1));
      sum = (sum + mixed) | 0;
      cross = (cross + Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f)) | 0;
      index++;
    }
  }
  return { sum: sum >>> 0, cross: cross >>> 0 };
}

/** The checksum of two consecutive runs of words, where the second was computed with its `firstWord`. */
export function addChecksums(a: Checksum, b: Checksum): Checksum {
  return { sum: (a.sum + b.sum) >>> 0, cross: (a.cross + b.cross) >>> 0 };
}

export function sameChecksum(a: Checksum, b: Checksum): boolean {
  return a.sum === b.sum && a.cross === b.cross;
}

function mix(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
