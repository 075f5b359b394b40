import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { checkChunkShape, defaultTimeGroup, interleavedShape } from '../chunks/chunk-shape.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { type ChunkShape, chunkGridOf, maxChunkBytes } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { openVolume } from '../io/open-volume.ts';
import { type ByteSource, memorySink, memorySource } from '../shared/bytes.ts';
import type { PartChoice } from '../shared/part-choice.ts';
import type { Dims4 } from '../shared/volume.ts';
import { voxelsOfContainer } from '../volume/levels/file-region.ts';
import { recoverVolume } from './check/recover.ts';
import { verifyContainer } from './check/verify.ts';
import { compressVolume } from './compress/compress.ts';
import { compressBytes, infoOf, only, restoreBytes, voxelsOf, watchedSink } from './engine-testing.ts';

const backend = createCpuBackend(inlinePool());
const open = (bytes: Uint8Array) => ContainerReader.open(memorySource('a.stria', bytes));

describe('chunks that interleave time points', () => {
  test.each<[string, Dims4, ChunkShape]>([
    ['parts of time points', [21, 13, 9, 7], [8, 8, 3, 3, 'interleaved']],
    ['whole time points', [13, 9, 5, 11], [28, 9, 5, 4, 'interleaved']],
    ['single planes', [40, 9, 3, 5], [16, 4, 1, 2, 'interleaved']],
    ['a group that is the series', [9, 8, 7, 5], [8, 8, 4, 8, 'interleaved']],
  ])('come back, whatever the boxes and however the source is read: %s', async (_name, dims, chunkShape) => {
    for (const type of ['u8', 'i16', 'f64'] as const) {
      const info = infoOf(dims, type);
      const voxels = voxelsOf(info, 'blobs');
      const { bytes, report } = await compressBytes(backend, info, voxels, { choice: only('rice'), chunkShape });
      expect(report.chunkShape).toEqual(chunkShape.slice(0, 4));
      const reader = await open(bytes);
      expect(reader.header.requires).toEqual(['interleaved']);
      expect((await verifyContainer(reader, { backend })).sound).toBe(true);
      const raw = { dims, type } as const;
      for (const [name, input] of [
        ['a.raw', voxels],
        ['a.raw.gz', gzipSync(voxels)],
      ] as const) {
        const sink = watchedSink();
        const volume = await openVolume(memorySource(name, input), { raw });
        await compressVolume(volume, sink, { backend, choice: only('rice'), chunkShape });
        const sound = await open(sink.bytes());
        expect((await sound.readChunks(0, sound.chunkCount)).length).toBe(reader.chunkCount);
        expect((await restoreBytes(backend, sink.bytes(), { to: 'raw' })).get('test.raw')).toEqual(voxels);
      }
      for (const maxBoxBytes of [1, 700, 10_000]) {
        const narrow = { ...backend, maxBoxBytes };
        expect((await compressBytes(narrow, info, voxels, { choice: only('rice'), chunkShape })).bytes).toEqual(bytes);
        expect((await restoreBytes(narrow, bytes)).get('volume.raw')).toEqual(voxels);
      }
    }
  });

  test('are recovered, and lost ones become zeros at their own time points', async () => {
    const dims: Dims4 = [8, 8, 4, 6];
    const info = infoOf(dims, 'u8');
    const voxels = voxelsOf(info, 'noise').map((value) => value | 1);
    const chunkShape: ChunkShape = [8, 8, 2, 2, 'interleaved'];
    const { bytes } = await compressBytes(backend, info, voxels, { choice: only('raw'), chunkShape });
    // In the payload of chunk 3 of 6: planes 2 and 3 of time points 2 and 3.
    const place = Buffer.from(bytes).indexOf(Buffer.from(voxels.subarray((2 * 4 + 2) * 64, (2 * 4 + 3) * 64)));
    expect(place).toBeGreaterThan(0);
    const damaged = bytes.with(place + 5, (bytes[place + 5] as number) ^ 1);
    const report = await verifyContainer(await open(damaged), { backend });
    expect(report.damaged).toMatchObject([{ chunk: 3, origin: [0, 0, 2], shape: [8, 8, 2], t: 2, timePoints: 2 }]);
    const sink = memorySink();
    await recoverVolume(memorySource('a.stria', damaged), sink, { fill: true });
    const expected = voxels.slice();
    for (const t of [2, 3]) expected.fill(0, (t * 4 + 2) * 64, (t * 4 + 4) * 64);
    expect((await restoreBytes(backend, sink.bytes())).get('volume.raw')).toEqual(expected);
  });

  test('one time point is read without the chunks of other groups', async () => {
    const dims: Dims4 = [12, 10, 6, 9];
    const info = infoOf(dims, 'u16');
    const voxels = voxelsOf(info, 'noise');
    const chunkShape: ChunkShape = [8, 8, 3, 3, 'interleaved'];
    const { bytes } = await compressBytes(backend, info, voxels, { choice: only('raw'), chunkShape });
    const source = memorySource('a.stria', bytes);
    const reads: [from: number, end: number][] = [];
    const counted: ByteSource = {
      ...source,
      read: (offset, length, options) => {
        reads.push([offset, offset + length]);
        return source.read(offset, length, options);
      },
    };
    const reader = await ContainerReader.open(counted);
    const perGroup = reader.grid.chunksPerTimePoint;
    reads.length = 0;
    const found = new Uint16Array(12 * 10 * 6);
    await voxelsOfContainer(reader).readBox({ first: [0, 0, 0], size: [12, 10, 6], timePoint: 4 }, (piece) => {
      const [width, height, depth] = piece.size;
      for (let i = 0; i < width * height * depth; i++) {
        const [x, y, z] = [i % width, Math.floor(i / width) % height, Math.floor(i / width / height)];
        const at = ((piece.first[2] + z) * 10 + piece.first[1] + y) * 12 + piece.first[0] + x;
        found[at] = piece.values[(z * height + y) * piece.rowLength + x] as number;
      }
    });
    const all = new Uint16Array(voxels.buffer);
    expect(found).toEqual(all.subarray(4 * 720, 5 * 720));
    // Noise is raw, so a group has its share of the file.
    const readBytes = reads.reduce((sum, [from, end]) => sum + end - from, 0);
    const groupBytes = 3 * 720 * 2;
    expect(perGroup).toBe(8);
    expect(readBytes).toBeGreaterThanOrEqual(groupBytes);
    expect(readBytes).toBeLessThan(groupBytes + perGroup * 100);
    const [from, end] = [Math.min(...reads.map(([at]) => at)), Math.max(...reads.map(([, at]) => at))];
    expect(end - from).toBeLessThan(groupBytes + perGroup * 100);
  });
});

describe('the shape', () => {
  test('is that of the codec, unless a time group is given', async () => {
    const info = infoOf([12, 10, 6, 9], 'u16');
    const voxels = voxelsOf(info, 'noise');
    const shapeOf = async (codec: string, timeGroup?: number) => {
      const sink = watchedSink();
      const volume = await openVolume(memorySource('a.raw', voxels), { raw: info });
      await compressVolume(volume, sink, { backend, choice: only(codec), timeGroup });
      return (await open(sink.bytes())).header.chunkShape;
    };
    expect(await shapeOf('wave')).toEqual([12, 10, 6, 9, 'interleaved']);
    expect(await shapeOf('wave', 1)).toEqual([12, 10, 6, 9]);
    expect(await shapeOf('rle')).toEqual([12, 10, 6, 9]);
    expect(await shapeOf('rle', 2)).toEqual([12, 10, 6, 9, 'interleaved']);
  });

  test('is chosen by auto for size alone, if time points are more alike than slices', async () => {
    const dims: Dims4 = [24, 20, 9, 5];
    const info = infoOf(dims, 'i16');
    const noise = new Int16Array(voxelsOf(info, 'noise').buffer);
    const plane = dims[0] * dims[1];
    const series = (ofSlice: number, ofTime: number) =>
      new Uint8Array(
        Int16Array.from(noise, (value, at) => {
          const [z, t] = [Math.floor(at / plane) % dims[2], Math.floor(at / plane / dims[2])];
          return (value & 7) + 50 * Math.sin(at % dims[0]) + ofSlice * ((z * 7) % 5) + ofTime * ((t * 3) % 5);
        }).buffer,
      );
    const [steady, restless] = [series(90, 0), series(0, 90)];
    const compress = async (name: string, input: Uint8Array, prefer: 'size' | 'balanced', part?: PartChoice) => {
      const sink = watchedSink();
      const volume = await openVolume(memorySource(name, input), { raw: info });
      await compressVolume(volume, sink, { backend, choice: { codec: 'auto', options: { axis: 'auto', prefer } }, part });
      const { requires } = (await open(sink.bytes())).header;
      return { bytes: sink.bytes(), isInterleaved: requires.includes('interleaved') };
    };
    const { bytes, isInterleaved } = await compress('a.raw', steady, 'size');
    expect(isInterleaved).toBe(true);
    expect((await restoreBytes(backend, bytes)).get('a.raw')).toEqual(steady);
    expect((await compress('a.raw.gz', gzipSync(steady), 'size')).bytes.byteLength).toBe(bytes.byteLength);
    expect((await compress('a.raw', steady, 'balanced')).isInterleaved).toBe(false);
    expect((await compress('a.raw', restless, 'size')).isInterleaved).toBe(false);
    // A share is cut as the whole is; a piece as others that may be less alike.
    expect((await compress('a.raw', steady, 'size', { number: 1, of: 2 })).isInterleaved).toBe(true);
    const piece = { origin: [0, 0, 0], of: [24, 20, 9] } as const;
    expect((await compress('a.raw', steady, 'size', piece)).isInterleaved).toBe(false);
    // Voxels that end early are missed after they were surveyed, too.
    const { fill: _, ...volume } = await openVolume(memorySource('a.raw', steady), { raw: info });
    const voxels = async function* () {
      yield steady.subarray(0, 2000);
    };
    const choice = { codec: 'auto', options: { axis: 'auto', prefer: 'size' } } as const;
    const short = compressVolume({ ...volume, voxels }, watchedSink(), { backend, choice });
    await expect(short).rejects.toMatchObject({ tag: 'corrupt', message: expect.stringMatching(/end \d+ bytes early/) });
  });

  test('has as many planes less as it has time points', () => {
    const volume = { dims: [128, 96, 24, 2], type: 'i16' } as const;
    expect(interleavedShape(volume, 8)).toEqual([64, 64, 24, 2, 'interleaved']);
    expect(interleavedShape({ ...volume, dims: [128, 96, 24, 50] }, 8)).toEqual([64, 64, 8, 8, 'interleaved']);
    expect(interleavedShape({ ...volume, dims: [128, 96, 24, 50] }, 1)).toEqual([128, 64, 24, 1]);
    expect(interleavedShape({ ...volume, dims: [2048, 2048, 1, 50] }, 8)).toEqual([256, 128, 1, 8, 'interleaved']);
    // As many time points as chunks hold anyway.
    expect(interleavedShape({ ...volume, dims: [17, 21, 3, 20] }, 8)).toEqual([17, 21, 3, 20, 'interleaved']);
  });

  test('is one that a container may have', () => {
    for (const dims of [
      [1, 1, 1, 2],
      [3, 1, 70_000, 5],
      [16, 16, 40, 2 ** 18],
      [700, 600, 9, 30],
      [2 ** 20, 3, 1, 4],
    ] satisfies Dims4[]) {
      for (const type of ['u8', 'f64'] as const) {
        for (const timeGroup of [2, 5, 8]) {
          const shape = interleavedShape({ dims, type }, timeGroup);
          expect(chunkGridOf({ dims, type }, checkChunkShape({ dims, type }, shape)).isInterleaved).toBe(true);
          const [x, y, z, t = 1] = shape;
          expect(x * y * z * t * (type === 'u8' ? 1 : 4)).toBeLessThanOrEqual(maxChunkBytes);
        }
      }
    }
  });

  test('groups have about the same length, stay within a channel and within memory', () => {
    const group = (dims: Dims4, channels?: number) =>
      defaultTimeGroup({ dims, type: 'u16', channels: channels ? Array(channels).fill({ name: '' }) : undefined });
    expect(group([64, 64, 30, 1])).toBe(1);
    expect(group([64, 64, 30, 2])).toBe(2);
    expect(group([64, 64, 30, 20])).toBe(7);
    expect(group([64, 64, 30, 64])).toBe(8);
    expect(group([64, 64, 30, 3], 3)).toBe(1);
    expect(group([64, 64, 30, 30], 3)).toBe(5);
    expect(group([512, 512, 100, 30])).toBe(5);
    expect(group([1024, 1024, 100, 30])).toBe(1);
    expect(() => checkChunkShape({ dims: [1024, 1024, 100, 30], type: 'u16' }, [64, 64, 32, 2, 'interleaved'])).toThrow(
      /2 interleaved time points take 419430400 bytes; the limit is 268435456/,
    );
  });
});
