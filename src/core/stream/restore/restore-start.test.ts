import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Backend } from '../../chunks/backend.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { type ByteSink, memorySource } from '../../shared/bytes.ts';
import { nextTurn } from '../../shared/turn.ts';
import { compressBytes, infoOf, only, voxelsOf, watchedSink } from '../engine-testing.ts';
import { restoreVolume } from './restore.ts';

const cpu = createCpuBackend(inlinePool());
/** Eight layers of chunks. */
const info = infoOf([64, 64, 128, 1], 'u8');
const voxels = voxelsOf(info, 'noise');
const { bytes: container } = await compressBytes(cpu, info, voxels, { choice: only('raw'), chunkShape: [32, 32, 16] });
const open = () => ContainerReader.open(memorySource('a.stria', container));

/** A backend that lends a copy of what the CPU decodes, a slab of one layer at a time. */
function lending(events: string[]): Backend {
  return {
    ...cpu,
    maxBoxBytes: 2 ** 16,
    boxesAtOnce: 2,
    async decodeLent(chunks, places, box, job = {}) {
      const slab = (job.firstChunk ?? 0) / 4;
      events.push(`begin ${slab}`);
      await nextTurn();
      const bytes = new Uint8Array(box.dims[0] * box.dims[1] * box.dims[2]);
      await cpu.decode(chunks, places, { ...box, bytes }, job);
      events.push(`end ${slab}`);
      return { pieces: () => [{ bytes, release() {} }], release: () => void events.push(`release ${slab}`) };
    },
  };
}

test('on a GPU the first slab is decoded alone, so that writing begins soon; then two at once', async () => {
  const events: string[] = [];
  const sink = watchedSink();
  await restoreVolume(await open(), async () => sink, { backend: lending(events), baseName: 'a' });
  expect(Buffer.compare(sink.bytes(), voxels)).toBe(0);
  const decoded = events.filter((event) => !event.startsWith('release'));
  expect(decoded.slice(0, 4)).toEqual(['begin 0', 'end 0', 'begin 1', 'begin 2']);
});

test('on a GPU the next slabs are read once the first write has ended: parsing them would delay it', async () => {
  const events: string[] = [];
  const { sink } = slowSink([20], (number) => events.push(`write ${number}`));
  const watched: ByteSink = {
    ...sink,
    async write(bytes) {
      await sink.write(bytes);
      events.push('written');
    },
  };
  const source = memorySource('a.stria', container);
  const reader = await ContainerReader.open({
    ...source,
    read: async (offset, length, options) => {
      events.push('read');
      return source.read(offset, length, options);
    },
  });
  events.length = 0;
  await restoreVolume(reader, async () => watched, { backend: lending(events), baseName: 'a' });
  const between = events.slice(events.indexOf('write 0'), events.indexOf('begin 1'));
  expect(between.filter((event) => event === 'read' || event === 'written').slice(0, 2)).toEqual(['written', 'read']);
});

test('a slab that was read is decoded in another turn, so that writes can begin in between', async () => {
  const events: string[] = [];
  const source = memorySource('a.stria', container);
  const watched = {
    ...source,
    read: async (offset: number, length: number) => {
      void nextTurn().then(() => events.push('turn'));
      return source.read(offset, length);
    },
  };
  const reader = await ContainerReader.open(watched);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  events.length = 0;
  await restoreVolume(reader, async () => watchedSink(), { backend: lending(events), baseName: 'a' });
  for (let slab = 0; slab < 8; slab++) {
    const before = events.slice(0, events.indexOf(`begin ${slab}`));
    expect(before.filter((event) => event === 'turn').length, `slab ${slab}`).toBeGreaterThan(slab);
  }
});

/** A sink with positions whose writes take as long as given, in turns. */
function slowSink(waits: readonly number[], onWrite: (number: number) => void = () => {}) {
  const contents = new Uint8Array(voxels.length);
  const seen = { underWay: 0, mostUnderWay: 0, aborted: 0, closed: 0, written: [] as number[] };
  let [position, number] = [0, 0];
  const sink: ByteSink = {
    writesAtOnce: 2,
    async write(bytes) {
      const at = position;
      position += bytes.byteLength;
      const own = number++;
      seen.mostUnderWay = Math.max(seen.mostUnderWay, ++seen.underWay);
      onWrite(own);
      await sleep(waits[own % waits.length]);
      seen.underWay--;
      contents.set(bytes, at);
      seen.written.push(own);
    },
    async close() {
      seen.closed++;
    },
    async abort() {
      expect(seen.underWay).toBe(0);
      seen.aborted++;
    },
  };
  return { sink, contents, seen };
}

test('two slabs are written at once if the sink takes two writes, and each is released when it is written', async () => {
  const events: string[] = [];
  const { sink, contents, seen } = slowSink([60, 5]);
  await restoreVolume(await open(), async () => sink, { backend: lending(events), baseName: 'a' });
  expect(Buffer.compare(contents, voxels)).toBe(0);
  expect(seen).toMatchObject({ underWay: 0, mostUnderWay: 2, aborted: 0, closed: 1 });
  const released = events.filter((event) => event.startsWith('release'));
  expect(released.sort()).toEqual(Array.from({ length: 8 }, (_, slab) => `release ${slab}`));
});

test('a cancel while two writes are under way waits for both, and no other one begins', async () => {
  const events: string[] = [];
  const cancel = new AbortController();
  const { sink, seen } = slowSink([40, 80], (number) => {
    if (number === 3) cancel.abort();
  });
  const settings = { backend: lending(events), baseName: 'a' };
  const restoring = restoreVolume(await open(), async () => sink, settings, { signal: cancel.signal });
  await expect(restoring).rejects.toMatchObject({ tag: 'aborted' });
  expect(seen).toMatchObject({ underWay: 0, aborted: 1, closed: 0 });
  const decoded = events.filter((event) => event.startsWith('end'));
  expect(events.filter((event) => event.startsWith('release'))).toHaveLength(decoded.length);
  expect(seen.written.sort()).toEqual([0, 1, 2, 3]);
});
