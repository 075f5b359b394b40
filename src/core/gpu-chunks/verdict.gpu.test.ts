import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { Backend, ChunkBox } from '../chunks/backend.ts';
import { makeChunk } from '../codec/chunk-testing.ts';
import { mutants } from '../codecs/gpu-verdict-testing.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { encodeChunk } from '../cpu/cpu-task-run.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { checksum } from '../format/checksum.ts';
import type { CodedChunk } from '../format/chunk.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { infoOf, only } from '../stream/engine-testing.ts';
import { CompressedVolume } from '../volume/compressed/compressed-volume.ts';
import { createGpuBackend } from './gpu-backend.ts';

const gpu = await openTestGpu();
const gpuBackend = createGpuBackend(gpu);
const cpuBackend = createCpuBackend(inlinePool());
const shape: Dims3 = [12, 11, 9];

/** A chunk encoded by a chain of codecs, and what damage that its checksums miss might turn it into. */
function damagedChunks(chain: string): CodedChunk[] {
  const wave = (x: number, y: number, z: number, random: () => number) => 40 * ((x >> 2) + (y >> 3)) + z + (random() & 3);
  const stepped = (x: number, y: number, z: number) => (x >> 2) + (y >> 3) * 7 + (z >> 2) * 31;
  const chunk = encodeChunk(makeChunk(shape, 2, chain.startsWith('predict') ? wave : stepped), only(chain));
  if (chunk.kind !== 'coded') throw new Error(`${chain} was not used`);
  expect(chunk.stages).toHaveLength(chain.split('+').length);
  return mutants(chunk.payload).map((payload) => ({ ...chunk, payload, encodedChecksum: checksum(payload) }));
}

/** The numbers of all chunks that a backend finds damaged, in order. */
async function damagedBy(backend: Backend, chunks: readonly CodedChunk[]): Promise<number[]> {
  const places = chunks.map((_, i): ChunkBox => ({ origin: [0, 0, i * shape[2]], shape }));
  const dims: Dims3 = [shape[0], shape[1], shape[2] * chunks.length];
  const damaged: number[] = [];
  const box = { bytes: new Uint8Array(2 * dims[0] * dims[1] * dims[2]), dims, elementBytes: 2 } as const;
  await backend.decode(chunks, places, box, {
    onDamage: (number, fault) => {
      if (fault.tag !== 'corrupt') throw fault;
      damaged.push(number);
    },
  });
  return damaged.sort((a, b) => a - b);
}

test.each(['rle+huffman', 'predict+huffman'])('%s: GPU and CPU find the same chunks damaged', async (chain) => {
  const chunks = damagedChunks(chain);
  const byCpu = await damagedBy(cpuBackend, chunks);
  expect(byCpu).not.toContain(0);
  expect(byCpu.length).toBeGreaterThan(chunks.length / 2);
  expect(await damagedBy(gpuBackend, chunks)).toEqual(byCpu);
});

test.each(['rice', 'rle+huffman', 'wave'])(
  'a volume that stays compressed: parameters that no encoder writes, %s',
  async (chain) => {
    const info = infoOf([shape[0], shape[1], 2 * shape[2], 1], 'u16');
    const [sound] = damagedChunks(chain) as [CodedChunk];
    const stages = sound.stages.map((stage, i) => (i > 0 ? stage : { ...stage, parameters: Uint8Array.of(7, 7) }));
    const chunks = [sound, { ...sound, stages }];
    const refused = CompressedVolume.create(gpu, { info, chunkShape: shape, chunks }, { verify: true });
    await expect(refused).rejects.toMatchObject({ tag: 'corrupt', context: ['chunk 2'] });
  },
);

test('a volume that stays compressed is refused for surplus bytes, as on the CPU', async () => {
  const info = infoOf([shape[0], shape[1], shape[2], 1], 'u16');
  const [sound, ...others] = damagedChunks('predict+huffman') as [CodedChunk, ...CodedChunk[]];
  const longer = others.find(({ payload }) => payload.byteLength === sound.payload.byteLength + 1) as CodedChunk;
  const source = { info, chunkShape: shape };
  (await CompressedVolume.create(gpu, { ...source, chunks: [sound] }, { verify: true })).destroy();
  const refused = CompressedVolume.create(gpu, { ...source, chunks: [longer] }, { verify: true });
  await expect(refused).rejects.toBeInstanceOf(StriaError);
  await expect(refused).rejects.toMatchObject({ tag: 'corrupt', context: ['chunk 1'] });
});
