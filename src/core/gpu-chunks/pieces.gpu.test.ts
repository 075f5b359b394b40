import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { ContainerReader } from '../format/container-reader.ts';
import type { LentBytes } from '../gpu/lent-bytes.ts';
import { type ByteSink, memorySource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import { compressVolume } from '../stream/compress/compress.ts';
import { compressBytes, infoOf, only, restoreBytes, voxelsOf, watchedSink } from '../stream/engine-testing.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { restoreVolume } from '../stream/restore/restore.ts';
import { createGpuBackend } from './gpu-backend.ts';

const gpu = await openTestGpu();
const cpu = createCpuBackend(inlinePool());
/** Several pieces for each layer of chunks, of which the last is shorter. */
const backend = createGpuBackend(gpu, 5000);

const info = infoOf([64, 48, 40, 1], 'u8');
const voxels = voxelsOf(info, 'noise').map((byte) => byte & 7);
const settings = { choice: only('raw'), chunkShape: [32, 16, 16] as const };

afterEach(async () => {
  // A piece that nobody waits for any more may still be on its way.
  await vi.waitFor(() => {
    gpu.spare.free();
    expect(gpu.memory.liveBytes()).toBe(0);
  });
});

/** A volume that is read directly into the memory that it is given. */
function directVolume(info: VolumeInfo, voxels: Uint8Array<ArrayBuffer>, fail: (at: number) => void = () => {}) {
  const volume = memoryVolume(info, voxels);
  const lengths: number[] = [];
  const fill = async (target: Uint8Array<ArrayBuffer>, at: number) => {
    fail(at);
    lengths.push(target.byteLength);
    target.set(voxels.subarray(at, at + target.byteLength));
  };
  const place = { file: { path: 'a.raw', descriptor: 3 }, start: 0 } as never;
  return { lengths, volume: { ...volume, fill, place } };
}

test('boxes that come and go in pieces give the same bytes', async () => {
  const { lengths, volume } = directVolume(info, voxels);
  const sink = watchedSink();
  const report = await compressVolume(volume, sink, { ...settings, backend });
  expect(Math.max(...lengths)).toBeLessThanOrEqual(5000);
  expect(new Set(lengths).size).toBeGreaterThan(1);
  const expected = await compressBytes(cpu, info, voxels, settings);
  expect(Buffer.from(sink.bytes()).equals(Buffer.from(expected.bytes))).toBe(true);
  const uploaded = report.timeline.filter(({ stage }) => stage === 'upload').reduce((sum, { bytes }) => sum + bytes, 0);
  expect(uploaded).toBe(voxels.length);
  const restored = await restoreBytes(backend, sink.bytes());
  expect(Buffer.from([...restored.values()][0] as Uint8Array).equals(Buffer.from(voxels))).toBe(true);
});

test('a fault while a piece is read is reported, and the box is given up', async () => {
  const { volume } = directVolume(info, voxels, (at) => {
    if (at > voxels.length / 2) throw new StriaError('not-readable', 'the disk is gone');
  });
  await expect(compressVolume(volume, watchedSink(), { ...settings, backend })).rejects.toMatchObject({ tag: 'not-readable' });
});

test('several pieces can be in use, in any order of their ends', async () => {
  const box = { bytes: voxels.slice(0, 64 * 48 * 16), dims: [64, 48, 16], elementBytes: 1 } as const;
  const chunks = [0, 32].map((x) => ({ origin: [x, 0, 0], shape: [32, 48, 16] }) as const);
  const encoded = await cpu.encode(box, chunks, settings.choice);
  const lent = await backend.decodeLent?.(encoded, chunks, box);
  const pieces: LentBytes[] = [];
  for await (const piece of lent?.pieces() ?? []) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(2);
  expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(Buffer.from(box.bytes))).toBe(true);
  for (const { release } of pieces.reverse()) release();
  lent?.release();
});

test('a box is given up with the next piece on its way', async () => {
  const lent = await backend.decodeLent?.([], [], { dims: [64, 48, 16], elementBytes: 1 });
  for await (const { release } of lent?.pieces() ?? []) {
    release();
    break;
  }
  lent?.release();
});

test('if a write fails while another is under way, its error is reported, and all pieces are given back', async () => {
  const { bytes: container } = await compressBytes(cpu, info, voxels, settings);
  const full = new StriaError('not-writable', 'the disk is full');
  let [running, most, count] = [0, 0, 0];
  const sink: ByteSink = {
    writesAtOnce: 2,
    async write() {
      const number = ++count;
      most = Math.max(most, ++running);
      await sleep(number === 3 ? 200 : 20);
      running--;
      if (number === 4) throw full;
    },
    close: () => Promise.reject(new Error('closed')),
    abort: async () => expect(running).toBe(0),
  };
  const reader = await ContainerReader.open(memorySource('a.stria', container));
  await expect(restoreVolume(reader, async () => sink, { backend, baseName: 'a' })).rejects.toBe(full);
  expect(most).toBe(2);
});

const oddShapes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 63, 65, 127, 1625].flatMap((width) =>
  (['u8', 'i16'] as const).map((type) => ({ type, dims: [width, 11, 9, 2] as const })),
);

test.each(oddShapes)('$type rows of any length ($dims) come and go in pieces', async ({ type, dims }) => {
  const odd = infoOf(dims, type);
  const bytes = voxelsOf(odd, 'noise').map((byte) => byte & 7);
  const { lengths, volume } = directVolume(odd, bytes);
  const sink = watchedSink();
  const choice = only('raw');
  await compressVolume(volume, sink, { backend, choice });
  expect(Math.max(...lengths)).toBeLessThanOrEqual(5000);
  const expected = await compressBytes(cpu, odd, bytes, { choice });
  expect(Buffer.from(sink.bytes()).equals(Buffer.from(expected.bytes))).toBe(true);
  const written = vi.fn();
  const restored = await restoreBytes({ ...backend, decode: written }, sink.bytes());
  expect(Buffer.from([...restored.values()][0] as Uint8Array).equals(Buffer.from(bytes))).toBe(true);
  expect(written, 'voxels are lent').not.toHaveBeenCalled();
});
