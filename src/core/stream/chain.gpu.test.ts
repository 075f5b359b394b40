import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { ChunkBox } from '../chunks/backend.ts';
import { codecOfChunk } from '../chunks/choose.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { CodedChunk, EncodedChunk } from '../format/chunk.ts';
import { DecodePlanner } from '../gpu-chunks/decode-planner.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { emptyBox } from '../gpu-chunks/gpu-transfer.ts';
import type { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { compressBytes, infoOf, only, restoreBytes, voxelsOf } from './engine-testing.ts';
import { KernelClock } from './stage-times.ts';

const gpu = await openTestGpu();
const backend = createGpuBackend(gpu);
const cpu = createCpuBackend(inlinePool());

test.each(['u8', 'u16', 'f32'] as const)('chains of %s: both backends write the same file and restore it', async (type) => {
  const info = infoOf([34, 20, 33, 1], type);
  // The other patterns are tested with only one type, because the kernels are the same.
  for (const look of type === 'u8' ? (['blobs', 'noise'] as const) : (['blobs'] as const)) {
    const voxels = voxelsOf(info, look);
    // Before its second codec is recorded, parle leaves out chunks that it does not make smaller.
    const others = type === 'u8' && look === 'blobs' ? ['parle+huffman'] : [];
    for (const chain of ['rle+huffman', 'rice+huffman', 'predict+huffman', ...others]) {
      const settings = { choice: only(chain), chunkShape: [32, 32, 32] as const };
      const expected = await compressBytes(cpu, info, voxels, settings);
      const { bytes } = await compressBytes(backend, info, voxels, settings);
      expect(bytes, `${chain} ${look}`).toEqual(expected.bytes);
      expect((await restoreBytes(backend, bytes)).get('volume.raw')).toEqual(voxels);
    }
  }
});

const dims: Dims3 = [64, 64, 32];
const places: ChunkBox[] = [0, 32].flatMap((x) => [0, 32].map((y) => ({ origin: [x, y, 0], shape: [32, 32, 32] })));
/** Few values in a few long runs, in every chunk. */
const bytes = Uint8Array.from({ length: 64 * 64 * 32 }, (_, i) => (((i >> 3) & 7) * ((i >> 8) & 5)) % 6);
const box = { bytes, dims, elementBytes: 1 } as const;

async function encodeHere(codec: string): Promise<CodedChunk[]> {
  const chunks = await backend.encode(box, places, only(codec, 'x'));
  expect(chunks).toEqual(await cpu.encode(box, places, only(codec, 'x')));
  return chunks as CodedChunk[];
}

test('chunks of several chains decode together; times carry the chains’ names', async () => {
  const [one, two, three] = [await encodeHere('rle'), await encodeHere('rle+huffman'), await encodeHere('huffman')];
  expect(two.map(({ stages }) => stages.length)).toEqual([2, 2, 2, 2]);
  const mixed = [two[0], one[1], three[2], two[3]] as EncodedChunk[];
  const target = { ...box, bytes: new Uint8Array(bytes.length) };
  const clock = new KernelClock();
  await backend.decode(mixed, places, target, { onTimes: clock.onTimes });
  expect(target.bytes).toEqual(bytes);
  const names = ['rle.decode', 'huffman.decode', 'rle+huffman.decode'];
  expect(Object.keys(clock.times()?.ms ?? {})).toEqual(expect.arrayContaining(names));
});

test('a chain’s plan runs repeatedly', async () => {
  using scope = gpu.scope('test');
  const target = emptyBox(scope, dims, 1);
  const chunks = (await encodeHere('rle+huffman')).map((chunk, i) => {
    const place = places[i] as ChunkBox;
    const { byteLength } = chunk.payload;
    const padded = new Uint8Array(Math.ceil(byteLength / 4) * 4);
    padded.set(chunk.payload);
    const buffer = scope.storage('payload', padded.byteLength, padded);
    const decodedBy = codecOfChunk(chunk, { shape: place.shape, elementBytes: 1 });
    return { ...place, stored: { kind: 'coded', ...decodedBy, buffer, byteOffset: 0, byteLength } as const, number: i };
  });
  const plan = new DecodePlanner(gpu).plan(chunks, target, scope);
  for (const poison of [0, 0xff]) {
    gpu.device.queue.writeBuffer(target.buffer, 0, new Uint8Array(target.buffer.size).fill(poison));
    const commands = gpu.commands('test');
    plan(commands);
    await commands.submit();
    expect(await gpu.read(target.buffer)).toEqual(bytes);
  }
});

test('damage in a chain names its chunk, and the others are decoded', async () => {
  const sound = await encodeHere('rle+huffman');
  const [, , , last] = sound as [CodedChunk, CodedChunk, CodedChunk, CodedChunk];
  const changes: [string, CodedChunk][] = [
    ['cut', { ...last, payload: last.payload.slice(0, -3) }],
    ['a flipped byte of the first codec', { ...last, payload: last.payload.with(20, (last.payload[20] as number) ^ 0x10) }],
    ['a header of another length', { ...last, payload: last.payload.with(1, (last.payload[1] as number) + 4) }],
    ['parameters', { ...last, stages: [last.stages[0], { codecId: 5, parameters: Uint8Array.of(1) }] as typeof last.stages }],
  ];
  for (const [what, damaged] of changes) {
    for (const one of [backend, cpu]) {
      const target = { ...box, bytes: new Uint8Array(bytes.length) };
      const found = new Map<number, StriaError>();
      const job = { onDamage: (chunk: number, fault: StriaError) => void found.set(chunk, fault) };
      await one.decode([...sound.slice(0, 3), damaged], places, target, job);
      expect([...found.keys()], what).toEqual([3]);
      expect(found.get(3)?.tag).toBe('corrupt');
      expect(target.bytes.subarray(0, 32)).toEqual(bytes.subarray(0, 32));
    }
  }
});
