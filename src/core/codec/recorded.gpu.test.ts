import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { placePayloads } from './batch.ts';
import { placesFor, placeWords, recordPlaces } from './recorded.ts';

const gpu = await openTestGpu();

/** Chunks of 6 × 5 × 4 elements of 2 bytes, with room for a payload's start and length, and the starts of its parts. */
const shape = [6, 5, 4];
const chunkWords = 8;

test('payloads of many chunks are placed one after another; those that are not smaller are left out', async () => {
  using scope = gpu.scope('test');
  // More than a workgroup places at a time, in two calls.
  const counts = [700, 41];
  const partsOf = (i: number) => [i % 13, (i * i) % 101, (7 * i) % 211];
  const total = counts[0] as number;
  const parts = Array.from({ length: total + (counts[1] as number) }, (_, i) => partsOf(i));
  const lengths = parts.map((own) => own.reduce((sum, one) => sum + one, 0)).map((length) => (length < 240 ? length : 0));
  const { byteOffsets, totalBytes } = placePayloads(lengths);
  expect(lengths.filter((length) => length === 0).length).toBeGreaterThan(9);

  const commands = gpu.commands('test');
  const places = placesFor(scope, parts.length);
  let first = 0;
  const tables = counts.map((chunkCount) => {
    const table = new Uint32Array(chunkWords * chunkCount);
    for (let i = 0; i < chunkCount; i++) table.set(shape, chunkWords * i);
    const chunks = scope.storage('chunks', table.byteLength, table);
    const words = Uint32Array.from(parts.slice(first, first + chunkCount).flat());
    const own = scope.storage('lengths', words.byteLength, words);
    recordPlaces(gpu, commands, scope, places, {
      chunkCount,
      first,
      lengths: own,
      partCount: 3,
      chunks,
      chunkWords,
      placeWord: 4,
      starts: { word: 6, count: 2 },
      elementBytes: 2,
    });
    first += chunkCount;
    return commands.readWords(chunks);
  });
  const read = commands.readWords(places);
  await commands.submit();
  const words = read();
  expect(words[placeWords * parts.length]).toBe(totalBytes);
  const chunkWordsRead = tables.flatMap((table) => [...table()]);
  for (const [i, [one = 0, two = 0]] of parts.entries()) {
    const [start, length] = [byteOffsets[i] as number, lengths[i] as number];
    expect([...words.subarray(placeWords * i, placeWords * (i + 1))], `place ${i}`).toEqual([start, length, 0, 0]);
    const chunk = [...shape, 0, start, length, start + one, start + one + two];
    expect(chunkWordsRead.slice(chunkWords * i, chunkWords * (i + 1)), `chunk ${i}`).toEqual(chunk);
  }
});
