import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { timesOf } from './run-program.ts';
import { fillFromFile, folderBytes, sameSlices, writeSlices } from './slices.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-slices-test-'));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

test('signed 16-bit slices become unsigned pictures, most significant byte first', async () => {
  writeFileSync(at('a.raw'), new Uint8Array(Int16Array.of(-32768, -1, 0, 1, 2, 32767, 5, 6).buffer));
  await writeSlices({ path: at('a.raw'), dims: [2, 1, 2, 2], type: 'i16' }, at('pgm'));
  const pixels = [1, 2, 3, 4].map((number) => readFileSync(at(`pgm/00000${number}.pgm`)));
  expect(pixels.map((bytes) => bytes.subarray(0, -4).toString())).toEqual(Array(4).fill('P5\n2 1\n65535\n'));
  expect(pixels.map((bytes) => [...bytes.subarray(-4)])).toEqual([
    [0, 0, 0x7f, 0xff],
    [0x80, 0, 0x80, 1],
    [0x80, 2, 0xff, 0xff],
    [0x80, 5, 0x80, 6],
  ]);
  expect(await folderBytes(at('pgm'))).toBe(4 * (13 + 4));
});

test('a file that ends within a slice is corrupt', async () => {
  writeFileSync(at('short.raw'), Uint8Array.of(1, 2, 3, 4, 5));
  const written = writeSlices({ path: at('short.raw'), dims: [3, 1, 2], type: 'u8' }, at('short'));
  await expect(written).rejects.toMatchObject({ tag: 'corrupt', message: expect.stringContaining('short.raw') });
});

test('a slice is read on until it is full', async () => {
  const bytes = Uint8Array.of(9, 1, 2, 3, 4, 5, 6, 7);
  const file = {
    // Gives at most 3 bytes at a time.
    async read(target: Uint8Array, offset: number, length: number, position: number) {
      const piece = bytes.subarray(position, position + Math.min(3, length));
      target.set(piece, offset);
      return { bytesRead: piece.byteLength };
    },
  };
  const slice = new Uint8Array(7);
  await fillFromFile(file, 'a.raw', slice, 1);
  expect([...slice]).toEqual([1, 2, 3, 4, 5, 6, 7]);
  await expect(fillFromFile(file, 'a.raw', slice, 2)).rejects.toMatchObject({ tag: 'corrupt' });
});

test('slices are the same if their pixels are, whatever separates the words of the header', async () => {
  writeFileSync(at('b.raw'), Uint8Array.of(1, 2, 3, 4, 5, 6));
  const volume = { path: at('b.raw'), dims: [3, 1, 2], type: 'u8' };
  await writeSlices(volume, at('one'));
  await writeSlices(volume, at('other'));
  writeFileSync(at('other/000002.pgm'), new Uint8Array([...new TextEncoder().encode('P5 3\n1\n255\n'), 4, 5, 6]));
  expect(await sameSlices(at('one'), at('other'))).toBe(true);
  writeFileSync(at('other/000002.pgm'), new Uint8Array([...new TextEncoder().encode('P5 3\n1\n255\n'), 4, 5, 7]));
  expect(await sameSlices(at('one'), at('other'))).toBe(false);
  rmSync(at('other/000002.pgm'));
  expect(await sameSlices(at('one'), at('other'))).toBe(false);
});

test('the times of a shell’s children are its last line', () => {
  expect(timesOf('warning: 1m2s\n0m0.01s 0m0.02s\n1m2.50s 0m0.250s\n')).toBe(62_750);
  expect(timesOf('nothing of the kind')).toBeUndefined();
});
