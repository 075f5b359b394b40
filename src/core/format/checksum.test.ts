import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addChecksums, checksum, checksumInScript, sameChecksum } from './checksum.ts';
import { checksumInWasm } from './checksum-in-wasm.ts';

/** docs/FORMAT.md, 'Checksum', sentence by sentence, with big integers so that no overflow rule of JavaScript is used. */
function plainChecksum(bytes: Uint8Array, rowLength: number): { sum: number; cross: number } {
  const low = (value: bigint) => value & 0xffffffffn;
  const words: bigint[] = [];
  for (let start = 0; start < bytes.length; start += rowLength) {
    const row = [...bytes.subarray(start, Math.min(start + rowLength, bytes.length))];
    while (row.length % 4 !== 0) row.push(0);
    for (let at = 0; at < row.length; at += 4) {
      words.push(row.slice(at, at + 4).reduce((word, byte, place) => word | (BigInt(byte) << BigInt(8 * place)), 0n));
    }
  }
  let sum = 0n;
  let cross = 0n;
  for (const [index, word] of words.entries()) {
    let h = word ^ low(BigInt(index) * 0x9e3779b1n);
    h ^= h >> 16n;
    h = low(h * 0x85ebca6bn);
    h ^= h >> 13n;
    h = low(h * 0xc2b2ae35n);
    h ^= h >> 16n;
    sum = low(sum + h);
    cross = low(cross + low((h ^ (h >> 15n)) * 0x27d4eb2fn));
  }
  return { sum: Number(sum), cross: Number(cross) };
}

test('known values, which docs/FORMAT.md lists', () => {
  const hex = (text: string) => {
    const { sum, cross } = checksum(new TextEncoder().encode(text));
    return [sum, cross].map((value) => value.toString(16).padStart(8, '0'));
  };
  expect(hex('')).toEqual(['00000000', '00000000']);
  expect(hex('stria')).toEqual(['75d573ac', '95b3d562']);
  expect(hex('Stria keeps every bit.')).toEqual(['e31d3302', 'caef79ce']);
});

test('equals the plain reading of the specification, for every row length and alignment', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 70 }),
      fc.integer({ min: 1, max: 80 }),
      fc.integer({ min: 0, max: 3 }),
      (bytes, row, shift) => {
        const moved = new Uint8Array(bytes.length + shift);
        moved.set(bytes, shift);
        const plain = plainChecksum(bytes, row);
        expect(checksumInScript(moved.subarray(shift), row, 0)).toEqual(plain);
        expect(checksumInWasm(moved.subarray(shift), row, 0)).toEqual(plain);
      },
    ),
  );
});

test('every flipped bit changes the sum', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.nat(), fc.integer({ min: 0, max: 7 }), (bytes, where, bit) => {
      const before = checksum(bytes);
      const at = where % bytes.length;
      bytes[at] = (bytes[at] as number) ^ (1 << bit);
      expect(checksum(bytes).sum).not.toBe(before.sum);
    }),
  );
});

test('swapped words, and zero words moved from one place to another, change it', () => {
  const words = Uint32Array.of(1, 2, 3, 0, 0, 4);
  const swapped = Uint32Array.of(1, 3, 2, 0, 0, 4);
  const moved = Uint32Array.of(0, 1, 2, 3, 0, 4);
  const of = (array: Uint32Array) => checksum(new Uint8Array(array.buffer));
  expect(sameChecksum(of(words), of(swapped))).toBe(false);
  expect(sameChecksum(of(words), of(moved))).toBe(false);
});

test('pieces add up to the whole', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 90 }), fc.integer({ min: 0, max: 22 }), (bytes, cutWord) => {
      const cut = Math.min(4 * cutWord, bytes.length - (bytes.length % 4));
      const first = checksum(bytes.subarray(0, cut));
      expect(addChecksums(first, checksum(bytes.subarray(cut), undefined, cut / 4))).toEqual(checksum(bytes));
    }),
  );
});

test('many bytes: WebAssembly processes them in pieces and gives the same result', () => {
  const bytes = Uint8Array.from({ length: 100_003 }, (_, at) => Math.imul(at, 2654435761) >>> 24);
  for (const rowLength of [1, 7, 16, 191, 512, 32_768, 32_771, 70_001, 100_003]) {
    for (const firstWord of [0, 12345]) {
      expect(checksumInWasm(bytes, rowLength, firstWord), `rows of ${rowLength}`).toEqual(
        checksumInScript(bytes, rowLength, firstWord),
      );
    }
  }
});
