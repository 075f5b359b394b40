import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { checksum } from '../format/checksum.ts';
import type { CodedChunk } from '../format/chunk.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { writeContainer } from '../format/container-testing.ts';
import { memorySource } from '../shared/bytes.ts';
import type { StriaError } from '../shared/errors.ts';
import { compressBytes, infoOf, only, restoreBytes } from './engine-testing.ts';

// Writes golden and faulty files of codec parle: `STRIA_WRITE_TESTDATA=1 npx vitest run --project unit
// src/core/stream/parle-files`.
const folder = new URL('../../../testdata/parle/', import.meta.url);
const backend = createCpuBackend(inlinePool());
const info = infoOf([80, 40, 4, 1], 'u16');
/** A first slice that is empty except for one voxel, then noise, then long runs. */
const elements = Uint16Array.from({ length: 80 * 40 * 4 }, (_, i) => {
  const z = Math.floor(i / 3200);
  if (z === 1) return Math.imul(i, 0x9e3779b1) >>> 29;
  return z === 0 ? Number(i === 1234) : Math.floor(i / 300);
});
const voxels = new Uint8Array(elements.buffer);
const choice = only('parle', 'x');
const { bytes } = await compressBytes(backend, info, voxels, { choice, chunkShape: [64, 40, 4] });
const reader = await ContainerReader.open(memorySource('a.stria', bytes));
const chunks = (await reader.readChunks(0, reader.chunkCount)) as [CodedChunk, CodedChunk];
const segmentCount = 5;

const changed = async (change: (payload: Uint8Array<ArrayBuffer>) => void) => {
  const payload = Uint8Array.from(chunks[0].payload);
  change(payload);
  return writeContainer(reader.header, [{ ...chunks[0], payload, encodedChecksum: checksum(payload) }, chunks[1]]);
};
const files = new Map([
  ['golden.stria', bytes],
  ['long-anchor.stria', await changed((payload) => payload.fill(0xff, 4 * (segmentCount - 1), 4 * segmentCount))],
  ['falling.stria', await changed((payload) => payload.fill(0x7f, 0, 1).fill(0x7f, 1, 2))],
  ['lost-run.stria', await changed((payload) => payload.fill(0xff, -1))],
  ['wrong-value.stria', await changed((payload) => payload.fill(0x99, 8 * segmentCount, 8 * segmentCount + 1))],
]);
if (process.env.STRIA_WRITE_TESTDATA) for (const [name, file] of files) writeFileSync(new URL(name, folder), file);
const stored = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)));

test.each([...files])('%s equals what this test generates', (name, file) => {
  expect(stored(name)).toEqual(file);
});

test('the golden file decodes exactly and uses parle', async () => {
  expect(chunks.map(({ stages }) => stages.map((stage) => stage.codecId))).toEqual([[4], [4]]);
  expect((await restoreBytes(backend, stored('golden.stria'))).get('volume.raw')).toEqual(voxels);
});

test.each([
  ['long-anchor.stria', /by its anchors it takes/],
  ['falling.stria', /an anchor lower than the previous one/],
  ['lost-run.stria', /in the marks of segment 4/],
  ['wrong-value.stria', /do not match their checksum/],
])('%s is corrupt, in the context of its chunk', async (name, reason) => {
  const fault = await restoreBytes(backend, stored(name)).catch((error: unknown) => error);
  expect(fault).toMatchObject({ tag: 'corrupt' });
  expect((fault as StriaError).fullMessage).toMatch(/^chunk 1: /);
  expect((fault as StriaError).fullMessage).toMatch(reason);
});
