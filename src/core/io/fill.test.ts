import { gzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { memorySource } from '../shared/bytes.ts';
import { joinBytes } from './common/byte-stream.ts';
import { openVolume } from './open-volume.ts';

const raw = { dims: [5, 4, 3, 2], type: 'u16', endian: 'big', offset: 7 } as const;
const file = Uint8Array.from({ length: 7 + 2 * 120 }, (_, at) => at * 37);

test('fill gives the same voxels as reading in order, and swaps big-endian ones', async () => {
  const volume = await openVolume(memorySource('scan.raw', file), { raw });
  const pieces: Uint8Array[] = [];
  for await (const piece of volume.voxels()) pieces.push(piece);
  const filled = [0, 100, 238].map((start, part, starts) => ({
    start,
    bytes: new Uint8Array((starts[part + 1] ?? 240) - start),
  }));
  for (const { start, bytes } of filled) await volume.fill?.(bytes, start);
  expect(joinBytes(filled.map(({ bytes }) => bytes))).toEqual(joinBytes(pieces));
});

test('gzip can only be read in order, and reading past the end of a file fails', async () => {
  const zipped = await openVolume(memorySource('scan.raw.gz', gzipSync(file)), { raw });
  expect(zipped.fill).toBeUndefined();
  const whole = memorySource('scan.raw', file);
  const cut = { ...whole, read: (offset: number, length: number) => whole.read(offset, offset > 6 ? length - 1 : length) };
  const volume = await openVolume(cut, { raw });
  await expect(volume.fill?.(new Uint8Array(240), 0)).rejects.toMatchObject({ tag: 'not-readable' });
});
