import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { testRandom } from '../codec/chunk-testing.ts';
import { huffman } from '../codecs/huffman/index.ts';
import { predict } from '../codecs/predict/index.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { checksum } from '../format/checksum.ts';
import type { CodedChunk } from '../format/chunk.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { writeContainer } from '../format/container-testing.ts';
import { memorySource } from '../shared/bytes.ts';
import type { StriaError } from '../shared/errors.ts';
import { compressBytes, infoOf, only, restoreBytes } from './engine-testing.ts';

const backend = createCpuBackend(inlinePool());

// Writes a golden and a faulty file: `STRIA_WRITE_TESTDATA=1 npx vitest run --project unit src/core/stream/chain-predict`.
describe('testdata/chains', async () => {
  const folder = new URL('../../../testdata/chains/', import.meta.url);
  const info = infoOf([16, 16, 24, 1], 'u8');
  const random = testRandom(7);
  const voxels = Uint8Array.from({ length: 16 * 16 * 24 }, (_, i) => (i % 16) + (i >> 6) + (random() % 6));
  const settings = { choice: only('predict+huffman'), chunkShape: [16, 16, 16] as const };
  const { bytes } = await compressBytes(backend, info, voxels, settings);
  const reader = await ContainerReader.open(memorySource('a.stria', bytes));
  const chunks = (await reader.readChunks(0, reader.chunkCount)) as [CodedChunk, CodedChunk];

  /**
   * Chunk 0 with the class of its first group raised by one, so that heads are expected in another section. The huffman stage
   * is sound.
   */
  async function withOtherClass(): Promise<Uint8Array> {
    const geometry = { shape: [16, 16, 16] as const, elementBytes: 1 as const };
    const [first, second] = chunks[0].stages as [CodedChunk['stages'][number], CodedChunk['stages'][number]];
    const decodedLength = huffman.decodedLength?.(chunks[0].payload) as number;
    const whole = { shape: [decodedLength, 1, 1] as const, elementBytes: 1 as const };
    const inner = huffman.reference.decode(chunks[0].payload, whole, second.parameters);
    const sections = predict.reference.sections?.(inner, geometry, first.parameters);
    const classesAt = 8;
    inner[classesAt] = (inner[classesAt] as number) + 1;
    const payload = huffman.reference.encode({ ...whole, bytes: inner, sections }, second.parameters);
    return writeContainer(reader.header, [{ ...chunks[0], payload, encodedChecksum: checksum(payload) }, chunks[1]]);
  }

  const files = new Map([
    ['predict-huffman.stria', bytes],
    ['other-class.stria', await withOtherClass()],
  ]);
  if (process.env.STRIA_WRITE_TESTDATA) for (const [name, file] of files) writeFileSync(new URL(name, folder), file);

  test.each([...files])('%s equals what this test generates', (name, file) => {
    expect(new Uint8Array(readFileSync(new URL(name, folder)))).toEqual(file);
  });

  test('the golden file decodes exactly and has two stages', async () => {
    expect(chunks.map(({ stages }) => stages.map(({ codecId }) => codecId))).toEqual(chunks.map(() => [predict.id, huffman.id]));
    const golden = new Uint8Array(readFileSync(new URL('predict-huffman.stria', folder)));
    expect((await restoreBytes(backend, golden)).get('volume.raw')).toEqual(voxels);
  });

  test('other-class.stria is corrupt, in the context of its chunk', async () => {
    const faulty = new Uint8Array(readFileSync(new URL('other-class.stria', folder)));
    const fault = (await restoreBytes(backend, faulty).catch((error: unknown) => error)) as StriaError;
    expect(fault).toMatchObject({ tag: 'corrupt' });
    expect(fault.fullMessage).toMatch(/^chunk 1: /);
  });
});
