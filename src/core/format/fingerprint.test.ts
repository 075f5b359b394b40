import { expect, test } from 'vitest';
import { type ByteSource, memorySource } from '../shared/bytes.ts';
import { checksum } from './checksum.ts';
import { fingerprint } from './fingerprint.ts';

const noise = (length: number) => Uint8Array.from({ length }, (_, at) => Math.imul(at + 1, 0x9e3779b1) >>> 24);
const hex = (value: number) => value.toString(16).padStart(8, '0');

test.each([0, 1, 5, 2 ** 20, 2 ** 20 + 3, 3 * 2 ** 20])('a small file: the checksum of all its bytes (%i)', async (length) => {
  const bytes = noise(length);
  const { sum, cross } = checksum(bytes);
  expect(await fingerprint(memorySource('a', bytes))).toBe(hex(sum) + hex(cross));
});

test('a changed byte of a small file is detected', async () => {
  const bytes = noise(1000);
  const before = await fingerprint(memorySource('a', bytes));
  bytes[500] = (bytes[500] as number) ^ 1;
  expect(await fingerprint(memorySource('a', bytes))).not.toBe(before);
});

test('at most 16 MiB of a large file are read, from its beginning to its end', async () => {
  const size = 40 * 2 ** 30 + 7;
  const reads: [offset: number, length: number][] = [];
  const source: ByteSource = {
    name: 'a',
    size,
    async read(offset, length) {
      reads.push([offset, length]);
      return new Uint8Array(length).fill(reads.length);
    },
  };
  expect(await fingerprint(source)).toMatch(/^[0-9a-f]{16}$/);
  expect(reads.reduce((sum, [, length]) => sum + length, 0)).toBe(16 * 2 ** 20);
  expect(reads[0]).toEqual([0, 2 ** 20]);
  expect(reads.at(-1)).toEqual([size - 2 ** 20, 2 ** 20]);
});
