import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codecByName } from '../codecs/registry.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { checksum } from '../format/checksum.ts';
import type { CodedChunk } from '../format/chunk.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { writeContainer } from '../format/container-testing.ts';
import { memorySource } from '../shared/bytes.ts';
import { compressBytes, infoOf, only, restoreBytes } from './engine-testing.ts';

// Writes golden and faulty files of single codecs: `STRIA_WRITE_TESTDATA=1 npx vitest run --project unit
// src/core/stream/codec-files`.
const folder = new URL('../../../testdata/codecs/', import.meta.url);
const backend = createCpuBackend(inlinePool());
const info = infoOf([44, 30, 12, 1], 'u16');
/** Regions of one label each, with sharp borders, before steps; a few isolated voxels. */
const elements = Uint16Array.from({ length: 44 * 30 * 12 }, (_, i) => {
  const [x, y, z] = [i % 44, Math.floor(i / 44) % 30, Math.floor(i / 1320)];
  if (i % 2503 === 7) return 60_000;
  return z < 11 ? 300 * (Math.floor((x + y) / 17) + Math.floor((y + z) / 11)) : 1000 + 7 * Math.floor(x / 9);
});
const voxels = new Uint8Array(elements.buffer);

const ways = ['rle', 'rice', 'rice-max', 'labels', 'wave', 'huffman', 'raw'];
for (const way of ways) {
  const codec = way === 'rice-max' ? 'rice' : way;
  const choice = only(codec, 'auto', way === codec ? 'normal' : 'max');
  const { bytes } = await compressBytes(backend, info, voxels, { choice, chunkShape: [32, 30, 12] });
  const reader = await ContainerReader.open(memorySource('a.stria', bytes));
  const chunks = (await reader.readChunks(0, reader.chunkCount)) as [CodedChunk, CodedChunk];
  const withPayload = (payload: Uint8Array<ArrayBuffer>) =>
    writeContainer(reader.header, [{ ...chunks[0], payload, encodedChecksum: checksum(payload) }, chunks[1]]);
  const own = Uint8Array.from(chunks[0].payload);
  const middle = own.length >> 1;
  const files = new Map([
    [`${way}.stria`, bytes],
    [`${way}-short.stria`, await withPayload(own.slice(0, -1))],
    [`${way}-changed.stria`, await withPayload(own.with(middle, (own[middle] as number) ^ 0x10))],
  ]);
  if (process.env.STRIA_WRITE_TESTDATA) for (const [name, file] of files) writeFileSync(new URL(name, folder), file);
  const stored = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)));

  test.each([...files])('%s equals what this test generates', (name, file) => {
    expect(stored(name)).toEqual(file);
  });

  test(`the golden file of ${way} decodes exactly and uses it`, async () => {
    const id = codecByName(codec).id;
    expect(chunks.map(({ stages }) => stages.map((stage) => stage.codecId))).toEqual([[id], [id]]);
    expect((await restoreBytes(backend, stored(`${way}.stria`))).get('volume.raw')).toEqual(voxels);
  });

  test.each([`${way}-short.stria`, `${way}-changed.stria`])('%s is corrupt, in the context of its chunk', async (name) => {
    const fault = await restoreBytes(backend, stored(name)).catch((error: unknown) => error);
    expect(fault).toMatchObject({ tag: 'corrupt', fullMessage: expect.stringMatching(/^chunk 1: /) });
  });
}
