/**
 * Stria's checksum: 64 bits that any number of threads can compute in any order, so that a GPU checks a decoded chunk
 * where it lies. docs/FORMAT.md, section 'Checksum'; the GPU twin is shaders/engine/analyze.wgsl.
 *
 * The bytes are taken as rows, each padded with zero bytes to whole little-endian 32-bit words; word number i of all
 * rows is mixed with i by a bijection (the finaliser of MurmurHash3), so one changed word always changes the sum.
 */
export interface Checksum {
  /** Sum of the mixed words, modulo 2^32. */
  readonly sum: number;
  /** Sum of the words mixed once more, modulo 2^32. */
  readonly cross: number;
}

/** @param rowLength bytes in a row; the default takes all bytes as one row */
export function checksum(bytes: Uint8Array, rowLength: number = bytes.byteLength): Checksum {
  let sum = 0;
  let cross = 0;
  if (rowLength > 0) {
    let index = 0;
    for (let start = 0; start < bytes.byteLength; start += rowLength) {
      const end = Math.min(start + rowLength, bytes.byteLength);
      for (let at = start; at < end; at += 4, index++) {
        const word =
          (bytes[at] as number) |
          ((at + 1 < end ? (bytes[at + 1] as number) : 0) << 8) |
          ((at + 2 < end ? (bytes[at + 2] as number) : 0) << 16) |
          ((at + 3 < end ? (bytes[at + 3] as number) : 0) << 24);
        const mixed = mix(word ^ Math.imul(index, 0x9e3779b1));
        sum = (sum + mixed) | 0;
        cross = (cross + Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f)) | 0;
      }
    }
  }
  return { sum: sum >>> 0, cross: cross >>> 0 };
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
