import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Backend, BackendJob, ChunkBox } from '../../chunks/backend.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { type ByteSource, memorySource, type ReadOptions } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { compressBytes, infoOf, only, watchedSink } from '../engine-testing.ts';
import { EarlyRead } from './early-read.ts';
import { restoreVolume } from './restore.ts';

const cpu = createCpuBackend(inlinePool());
/** Too large for threads to begin with it (`isSoonDecoded`). A slab is two layers. */
const info = infoOf([512, 512, 272, 1], 'u8');
const slabBytes = 2 ** 25;

/** Voxels that raw chunks hold as they are. */
function countingVoxels(): Uint8Array<ArrayBuffer> {
  const voxels = Uint8Array.from({ length: 512 }, (_, at) => at ^ (at >> 3));
  const all = new Uint8Array(512 * 512 * 272);
  for (let at = 0; at < all.length; at += voxels.length) all.set(voxels, at);
  return all;
}

const voxels = countingVoxels();
const { bytes: container } = await compressBytes(cpu, info, voxels, { choice: only('raw') });

interface Read {
  readonly offset: number;
  readonly length: number;
}

/** A source that reads into the caller's memory, lists its large reads, and fails those for which `refuses` says so. */
function watchedSource(reads: Read[], refuses: (number: number) => boolean = () => false): ByteSource {
  const source = memorySource('a.stria', container);
  return {
    ...source,
    async read(offset: number, length: number, options?: ReadOptions) {
      if (length > 2 ** 20 && refuses(reads.push({ offset, length }) - 1)) throw new StriaError('not-readable', 'refused');
      const bytes = await source.read(offset, length, options);
      if (!options?.into) return bytes;
      const own = new Uint8Array(options.into, 0, bytes.byteLength);
      own.set(bytes);
      return own;
    },
  };
}

/** Lends what the CPU decodes. */
function lending(sharesMemory = false): Backend {
  return {
    ...cpu,
    sharesMemory,
    async decodeLent(
      chunks: readonly EncodedChunk[],
      places: readonly ChunkBox[],
      box: Pick<Parameters<Backend['decode']>[2], 'dims' | 'elementBytes'>,
      job?: BackendJob,
    ) {
      const bytes = new Uint8Array(box.dims[0] * box.dims[1] * box.dims[2]);
      await cpu.decode(chunks, places, { ...box, bytes }, job);
      return { pieces: () => [{ bytes, release() {} }], release() {} };
    },
  };
}

async function restored(source: ByteSource, backend: Backend): Promise<Uint8Array> {
  const sink = watchedSink();
  await restoreVolume(await ContainerReader.open(source), async () => sink, { backend, baseName: 'a' });
  return sink.bytes();
}

test('the first slab is read once, while another backend is opened', async () => {
  const reads: Read[] = [];
  let early: Read[] = [];
  const successor = async () => {
    await sleep(20);
    early = [...reads];
    return lending();
  };
  expect(Buffer.compare(await restored(watchedSource(reads), { ...cpu, successor }), voxels)).toBe(0);
  expect(early).toHaveLength(1);
  expect(early[0]?.length).toBeGreaterThan(slabBytes);
  expect(early[0]?.length).toBeLessThan(slabBytes + 2 ** 16);
  expect(new Set(reads.map(({ offset }) => offset)).size).toBe(reads.length);
});

test('the report says when the first slab was read', async () => {
  const reads: Read[] = [];
  let readBy = 0;
  const successor = async () => {
    while (reads.length === 0) await sleep(1);
    readBy = performance.now();
    await sleep(200);
    return lending();
  };
  const settings = { backend: { ...cpu, successor }, baseName: 'a' };
  const container = await ContainerReader.open(watchedSource(reads));
  const begin = performance.now();
  const { timeline } = await restoreVolume(container, async () => watchedSink(), settings);
  const [first] = timeline.filter(({ stage }) => stage === 'read');
  // The report's clock starts after `begin`, so its times are smaller than those since `begin`, on a busy machine too.
  expect(first?.startMs).toBeLessThan(readBy - begin);
  expect(first?.bytes).toBe(slabBytes);
});

test('the other backend gets ready for the first slab before it decodes that', async () => {
  const calls: string[] = [];
  const next: Backend = {
    ...lending(),
    async prepareDecode(chunks, boxes, { dims, elementBytes }) {
      calls.push(`prepare ${chunks.length} of ${boxes.length} in ${dims.join('×')}, ${elementBytes}`);
    },
  };
  const decoding: Backend = {
    ...next,
    decodeLent(...given) {
      calls.push('decode');
      return (next.decodeLent as NonNullable<Backend['decodeLent']>)(...given);
    },
  };
  await restored(watchedSource([]), { ...cpu, successor: async () => decoding });
  const box = 'in 512×512×128, 1';
  // First for one chunk, which is known before the others.
  expect(calls.slice(0, 3)).toEqual([`prepare 1 of 1 ${box}`, `prepare 128 of 128 ${box}`, 'decode']);
});

test.each([
  ['again if that fails', 0, false, 2],
  ['once if the other backend wants the payloads in memory that threads share', -1, true, 1],
])('the first slab is read %s', async (_, refused, sharesMemory, count) => {
  const reads: Read[] = [];
  const source = watchedSource(reads, (number) => number === refused);
  const next = lending(sharesMemory);
  const isShared: boolean[] = [];
  const watched: Backend = {
    ...next,
    decodeLent(chunks, ...given) {
      isShared.push(
        chunks.every((chunk) => chunk.kind !== 'coded' || (chunk.payload.buffer as ArrayBufferLike) instanceof SharedArrayBuffer),
      );
      return (next.decodeLent as NonNullable<Backend['decodeLent']>)(chunks, ...given);
    },
  };
  expect(Buffer.compare(await restored(source, { ...cpu, successor: async () => watched }), voxels)).toBe(0);
  expect(reads.filter(({ offset }) => offset === reads[0]?.offset)).toHaveLength(count);
  if (sharesMemory) expect(isShared).not.toContain(false);
});

test('nothing is being read any more if the other backend cannot be opened', async () => {
  let isReading = false;
  const source = memorySource('a.stria', container);
  const slow: ByteSource = {
    ...source,
    async read(offset: number, length: number, options?: ReadOptions) {
      isReading = true;
      if (length > 2 ** 20) await sleep(50);
      isReading = false;
      return source.read(offset, length, options);
    },
  };
  const successor = () => Promise.reject(new StriaError('no-adapter', 'no GPU'));
  await expect(restored(slow, { ...cpu, successor })).rejects.toMatchObject({ tag: 'no-adapter' });
  expect(isReading).toBe(false);
});

test('a slab of few large chunks is read once, too', async () => {
  const large = infoOf([256, 256, 512, 1], 'u8');
  const { bytes } = await compressBytes(cpu, large, voxels.subarray(0, slabBytes), {
    choice: only('raw'),
    chunkShape: [256, 256, 256],
  });
  const lengths: number[] = [];
  const source = memorySource('a.stria', bytes);
  const read: ByteSource['read'] = (offset, length, options) => {
    lengths.push(length);
    return source.read(offset, length, options);
  };
  const reader = await ContainerReader.open({ ...source, read });
  lengths.length = 0;
  await EarlyRead.begin(reader, {})?.settle();
  expect(lengths).toHaveLength(1);
});

test('only the slab that was read is taken, and once', async () => {
  const reader = await ContainerReader.open(memorySource('a.stria', container));
  const early = EarlyRead.begin(reader, {});
  const first = {
    firstChunk: 0,
    dims: [512, 512, 128],
    chunks: Array.from({ length: 128 }, (_, at) => box(reader, at)),
  } as const;
  expect(await early?.take({ ...first, firstChunk: 128 })).toBeUndefined();
  expect(await early?.take({ ...first, chunks: first.chunks.slice(1) })).toBeUndefined();
  expect((await early?.take(first))?.chunks).toEqual(await reader.readChunks(0, 128));
  expect(await early?.take(first)).toBeUndefined();
});

function box(reader: ContainerReader, number: number): ChunkBox {
  const { origin, shape } = reader.grid.box(number);
  return { origin: [origin[0], origin[1], origin[2]], shape };
}

test.each<readonly [string, VolumeInfo, object]>([
  ['interleaved time points', infoOf([64, 64, 64, 8], 'u8'), { chunkShape: [32, 32, 4, 8, 'interleaved'] }],
  ['layers that are larger than a box', infoOf([1024, 1040, 64, 1], 'u8'), {}],
])('%s are not read early', async (_, info, options) => {
  const zeros = new Uint8Array(info.dims.reduce((product, length) => product * length, 1));
  const { bytes } = await compressBytes(cpu, info, zeros, { choice: only('raw'), ...options });
  expect(EarlyRead.begin(await ContainerReader.open(memorySource('a.stria', bytes)), {})).toBeUndefined();
});
