import { expect, test } from 'vitest';
import { metalRiceSizes } from './metal-rice.ts';

test('a black block: 1024 symbols 0 with k = 0 take a bit each', () => {
  expect(metalRiceSizes(new Uint8Array(32 * 32), 32, 32)).toEqual({ stream: 128, kTable: 17, offsetTable: 128 });
});

test('the first pixel stands raw: 200 with k = 0 is an escape of 24 bits', () => {
  // 23 bits more than a symbol 0. A larger k would shorten it, but cost each of the other 63 symbols a bit.
  expect(metalRiceSizes(new Uint8Array(32 * 32).fill(200), 32, 32).stream).toBe(Math.ceil((1024 + 23) / 8));
});

test('a step between columns: −1 is symbol 1, two bits with k = 0', () => {
  const pixels = Uint8Array.from({ length: 32 * 32 }, (_, i) => (i % 32 < 16 ? 1 : 0));
  // 32 rows have one symbol 1; the first pixel is 1, raw: symbol 1, too.
  expect(metalRiceSizes(pixels, 32, 32).stream).toBe((1024 + 33 + 7) >> 3);
});

test('a slope of 8 along x: symbols 16, of 6 bits with k = 3 or 4', () => {
  // Differences wrap: 8 × 31 = 248. Column 0 is 0 throughout.
  const pixels = Uint8Array.from({ length: 32 * 32 }, (_, i) => 8 * (i % 32));
  // Small blocks without column 0: 64 × 6 bits. With it 56 × 6, and 8 symbols 0 of 4 bits with k = 3.
  expect(metalRiceSizes(pixels, 32, 32).stream * 8).toBe(12 * 64 * 6 + 4 * (56 * 6 + 8 * 4));
});

test('at the edges blocks are padded with zeros, and each whole block has its tables', () => {
  const sizes = metalRiceSizes(new Uint8Array(33 * 1).fill(3), 33, 1);
  expect(sizes.kTable).toBe(2 * 16 + 1);
  expect(sizes.offsetTable).toBe(2 * 16 * 8);
  // First block: 3 raw (4 bits with k = 0), then from row 0 to row 1 in column 0 −3 (symbol 5, 6 bits). The second: the
  // same, and −3 from column 0 to 1.
  expect(sizes.stream).toBe(Math.ceil((1024 + 3 + 5 + 1024 + 3 + 5 + 5) / 8));
});

test('the tables of a picture of 2048×1536 are those that MetalRice writes', () => {
  const { kTable, offsetTable } = metalRiceSizes(new Uint8Array(2048 * 1536), 2048, 1536);
  expect([kTable, offsetTable]).toEqual([49153, 393216]);
});

test('pixels that do not fill the picture are refused', () => {
  expect(() => metalRiceSizes(new Uint8Array(5), 2, 3)).toThrow(RangeError);
});
